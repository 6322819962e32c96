"""Administration over REST: whose memory there is, settings and their origin, health, backup, and jobs held back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from recollect import Recollect
from tests.doors.serving import serving

READS = ("/v1/owners", "/v1/settings", "/v1/doctor", "/v1/database", "/v1/export")


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recollect]:
    """Give a memory with settings from a file, a variable and a keyword."""
    (tmp_path / "recollect.toml").write_text("[terms]\nlanguage = 'german'\n")
    monkeypatch.setenv("RECOLLECT_CACHE_MB", "64")
    with Recollect(f"sqlite:///{tmp_path}/m.db", config=tmp_path / "recollect.toml", embedder="none") as made:
        yield made


def test_settings_tell_where_they_are_from(memory: Recollect) -> None:
    """A file, a variable and a keyword are named; what is at its default has no origin, and every setting is told."""
    with serving(memory) as base:
        found = {one["name"]: one for one in httpx.get(f"{base}/v1/settings", timeout=60).json()}
    assert found["terms.language"]["origin"].endswith("recollect.toml")
    assert (found["cache_mb"]["origin"], found["cache_mb"]["value"]) == ("RECOLLECT_CACHE_MB", 64)
    assert found["embedder"]["origin"] == "given at the start"
    assert (found["reader"]["origin"], found["reader"]["value"]) == ("", found["reader"]["default"])
    assert found["embedder"]["text"]


def test_whose_memory_there_is_and_how_it_is(memory: Recollect, tmp_path: Path) -> None:
    """Owners come with how much they have; the doctor answers; a backup can be put back elsewhere."""
    memory.space("ana").remember("Ana likes tea.")
    memory.space("<b>", tenant="acme").remember("Tea.")
    with serving(memory) as base, httpx.Client(base_url=base, timeout=60) as http:
        owners = http.get("/v1/owners").json()
        assert [(one["tenant"], one["user"], one["memories"]) for one in owners] == [("", "ana", 1), ("acme", "<b>", 1)]
        assert http.get("/v1/owners", params={"offset": 2}).json() == []
        assert http.get("/v1/owners", params={"offset": "x"}).status_code == 422
        assert all(one["ok"] for one in http.get("/v1/doctor").json())
        assert all(one["ok"] for one in http.post("/v1/doctor").json())
        assert http.get("/v1/database").json()["engine"] == "sqlite"
        backup = http.get("/v1/export")
        assert "attachment" in backup.headers["content-disposition"]
    with Recollect(tmp_path / "other.db", embedder="none") as other, serving(other) as base:
        assert httpx.post(f"{base}/v1/import", content=backup.content, timeout=60).status_code == 200
        assert [one.content for one in other.space("ana").list()] == ["Ana likes tea."]


def test_jobs_are_held_back_and_let_go(memory: Recollect) -> None:
    """Held back a job is paused for all; let go it is not; what is put aside can be made due again."""
    memory.space("ana").remember("Ana likes tea.")
    with serving(memory) as base, httpx.Client(base_url=base, timeout=60) as http:
        assert "age" in [one["name"] for one in http.get("/v1/jobs/known").json()]
        assert http.put("/v1/jobs/paused", json={"names": ["age"], "paused": True}).json() == ["age"]
        assert http.put("/v1/jobs/paused", json={"names": ["age"], "paused": False}).json() == []
        assert http.put("/v1/jobs/paused", json={"names": ["no"], "paused": True}).status_code == 422
        assert http.post("/v1/jobs/retry", json={"names": ["age"]}).json() == []


@pytest.mark.parametrize("rights", [{"user": "ana"}, {"read_only": True}])
def test_only_who_may_administer_sees_it(memory: Recollect, rights: dict[str, object]) -> None:
    """A key of one user, or one that only reads, is refused everywhere."""
    _, secret = memory.keys.create("k", **rights)  # type: ignore[arg-type]
    with serving(memory) as base, httpx.Client(base_url=base, timeout=60, headers={"x-api-key": secret}) as http:
        assert {http.get(path).status_code for path in READS} == {403}
        assert http.post("/v1/doctor").status_code == 403
        assert http.put("/v1/jobs/paused", json={"names": ["age"], "paused": True}).status_code == 403
        assert http.post("/v1/jobs/retry", json={}).status_code == 403


def test_names_with_a_slash_are_reached(tmp_path: Path) -> None:
    """An entity whose name holds a slash has its page and can be renamed; many are changed by their time."""
    with Recollect(tmp_path / "m.db", embedder="none") as memory, serving(memory) as base:
        memory.space("ana").remember("Bob Stone met Cy Lake.")
        http = httpx.Client(base_url=f"{base}/v1/spaces/ana", timeout=60)
        assert http.get("/entities/Bob%20Stone").json()["entity"]["name"] == "Bob Stone"
        assert http.post("/entities/Bob%20Stone/rename", json={"to": "AC/DC Stone"}).status_code == 200
        assert http.get("/entities/AC%2FDC%20Stone").json()["entity"]["name"] == "AC/DC Stone"
        assert http.post("/entities/AC%2FDC%20Stone/rename", json={"to": "Bob Stone"}).status_code == 200
        wanted = {"action": "pin", "where": {"created_before": "2999-01-01T00:00:00Z"}, "dry": True}
        assert http.post("/memories/bulk", json=wanted).json()["changed"] == 1
        wanted["where"] = {"created_before": "soon"}
        assert http.post("/memories/bulk", json=wanted).status_code == 422
        http.close()
