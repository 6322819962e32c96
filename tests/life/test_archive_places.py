"""The archive elsewhere: on S3 and on Google Drive, each a real server on this machine, reached with real clients."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from recollect import ConfigError, Recollect, Unavailable
from recollect.flows.life import batches
from recollect.providers.archives import Archive, open_archive
from recollect.testing import FixedClock
from tests.life.drive import Drive
from tests.life.test_archive import archived, exported, filled, texts

NONCE = "Zorblaxing"


class Place:
    """Where an archive is, and all the bytes that lie there."""

    def __init__(self, url: str, server: Any) -> None:
        self.url, self.server = url, server

    def everything(self) -> bytes:
        """Give every byte anybody could still get at, unpacked."""
        if isinstance(self.server, Drive):
            return unpacked([data for one in self.server.files.values() for data in one.revisions])
        found = self.server.list_object_versions(Bucket="bucket").get("Versions", ())
        keys = [(one["Key"], one["VersionId"]) for one in found]
        return unpacked(
            [self.server.get_object(Bucket="bucket", Key=key, VersionId=at)["Body"].read() for key, at in keys]
        )


def unpacked(files: list[bytes]) -> bytes:
    """Give what some files hold, unpacked."""
    return b"".join(gzip.decompress(data) for data in files)


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    """Give the address of a server that speaks S3."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch, moto: str) -> Iterator[Place]:
    """Give an empty bucket; address and keys are in the environment, as for any program."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": moto,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    client = boto3.client("s3")
    client.create_bucket(Bucket="bucket")
    yield Place("s3://bucket/recollect", client)
    for one in client.list_object_versions(Bucket="bucket").get("Versions", ()):
        client.delete_object(Bucket="bucket", Key=one["Key"], VersionId=one["VersionId"])
    client.delete_bucket(Bucket="bucket")
    client.close()


@pytest.fixture
def drive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Place]:
    """Give a Drive on this machine; the environment names the key file of a service account."""
    with Drive().running() as served:
        (tmp_path / "key.json").write_text(json.dumps(served.credentials()))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "key.json"))
        yield Place(f"gdrive:///Recollect's/files?endpoint={served.url}", served)


@pytest.fixture(params=["s3", "drive"])
def place(request: pytest.FixtureRequest) -> Place:
    """Give each place in turn."""
    found: Place = request.getfixturevalue(request.param)
    return found


def opened(place: Place) -> Archive:
    """Open the archive there."""
    archive = open_archive(place.url)
    assert archive is not None
    return archive


def test_an_archive_there_keeps_its_contract(place: Place) -> None:
    """Files are written whole, read, listed by folder, written over, and removed; what is not there is nothing."""
    archive = opened(place)
    assert (archive.names("x"), archive.read("x/y")) == ([], None)
    archive.remove("x/y")
    big = bytes(range(256)) * 40_000
    for number in range(7):
        archive.write(f"x/file {number} ü'\\", str(number).encode())
    archive.write("x/big", big)
    archive.write("z/deeper/one", b"1")
    assert archive.names("x") == sorted(["big", *(f"file {number} ü'\\" for number in range(7))])
    assert archive.names("z") == []
    assert archive.read("x/file 3 ü'\\") == b"3"
    assert archive.read("x/big") == big
    archive.write("x/big", b"smaller")
    assert opened(place).read("x/big") == b"smaller"
    assert archive.names("x").count("big") == 1
    archive.remove("x/big")
    archive.remove("x/big")
    assert (archive.read("x/big"), opened(place).read("x/file 3 ü'\\")) == (None, b"3")


def test_000_6_000_73_there_and_back_again(place: Place, tmp_path: Path, clock: FixedClock) -> None:
    """What was archived there is exported as before, found, verified, restored whole, and erased to the last byte."""
    settings: dict[str, Any] = {"url": place.url, "beyond": 4, "batch": 3}
    with Recollect(tmp_path / "m.db", clock=clock, archive=settings) as rc:
        ana = filled(rc, clock)
        nonce = ana.remember(f"{NONCE} is the name of the boat. " + "It sails on and on. " * 12, importance=1).id
        ana.update(nonce, tier="long")
        before = exported(rc)
        assert sum(one.changed for one in ana.archive.run()) == 9
        assert NONCE.encode() in place.everything()
        assert exported(rc) == before
        assert {one.problem for one in ana.archive.verify()} == {""}
        assert ana.recall("Harbour00", limit=1)[0].memory.tier == "archive"
        assert ana.erase(nonce).archive == "scrubbed"
        assert NONCE not in texts(ana)
        assert NONCE.encode() not in place.everything()
        assert {one.problem for one in ana.archive.verify()} == {""}
        kept = {one["id"]: one["content"] for one in before if one["id"] != nonce}
        assert ana.archive.restore(everything=True).changed == 8
        assert {one["id"]: one["content"] for one in exported(rc)} == kept
        assert archived(ana) == []


def test_damage_there_is_named(place: Place, tmp_path: Path, clock: FixedClock) -> None:
    """A file that was cut, and one that is gone, are told by their names."""
    with Recollect(tmp_path / "m.db", clock=clock, archive={"url": place.url, "beyond": 4, "batch": 4}) as rc:
        ana = filled(rc, clock)
        ana.archive.run()
        archive = opened(place)
        first, second = (one.name for one in ana.archive())
        data = archive.read(first + batches.END)
        assert data is not None
        archive.write(first + batches.END, data[: len(data) // 2])
        archive.remove(second + batches.END)
        found = {one.name: one.problem for one in ana.archive.verify()}
        assert "damaged" in found[first]
        assert "missing" in found[second]


def test_s3_says_what_is_wrong(s3: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bucket that is not there is not made; a server that is away and missing keys are told, with what to check."""
    with pytest.raises(Unavailable, match=r"archive\.url"):
        opened(Place("s3://nowhere/x", None)).write("a/b", b"1")
    assert [one["Name"] for one in s3.server.list_buckets()["Buckets"]] == ["bucket"]
    assert opened(Place("s3://nowhere/x", None)).names("a") == []
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(Unavailable, match="credentials"):
        opened(s3).write("a/b", b"1")


def test_drive_says_what_is_wrong(drive: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Busy, it is asked again; a refusal is told by Drive's own word and without its sentences; so are missing keys."""
    archive = opened(drive)
    archive.write("a/b", b"1")
    served: Drive = drive.server
    served.faults = [(503, "backendError"), (429, "rateLimitExceeded")]
    assert archive.read("a/b") == b"1"
    served.faults = [(403, "storageQuotaExceeded")]
    with pytest.raises(Unavailable, match="storageQuotaExceeded") as told:
        archive.write("a/c", b"2")
    assert "secret words" not in str(told.value)
    with pytest.raises(ConfigError, match="endpoint"):
        open_archive("gdrive:///x?colour=red")
    served.tokens.clear()  # expired: a new one is fetched
    assert archive.read("a/b") == b"1"
    away = open_archive("gdrive:///x?endpoint=http://127.0.0.1:9")
    assert away is not None
    with pytest.raises(Unavailable, match="cannot be reached"):
        away.read("a")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "nowhere.json"))
    with pytest.raises(ConfigError, match="GOOGLE_APPLICATION_CREDENTIALS"):
        opened(drive)


def test_drive_can_hold_a_name_twice(drive: Place) -> None:
    """Two who wrote at once, or one who died before the old file was gone, leave two: the newest counts, both go."""
    archive, other = opened(drive), opened(drive)
    archive.write("a/b", b"old")
    served: Drive = drive.server
    twin = next(one for one in served.files.values() if one.name == "b")
    other.write("a/b", b"new")
    served.files[twin.id] = twin
    assert (archive.read("a/b"), archive.names("a")) == (b"new", ["b"])
    archive.remove("a/b")
    assert served.everything() == b""
