"""Encryption at rest: the same contract on a file of which no byte can be read without its key."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2

from recollect import ConfigError, NotADatabase, Recollect
from recollect.config import SqliteSettings
from recollect.store.base import Store
from recollect.store.engines.sqlite import SqliteStore
from recollect.testing.contract import StoreContract
from recollect.text.later import Later
from tests.patience import PATIENCE

KEY = "correct horse 'battery' staple"
NONCE = "Zorblaxing"
SETTINGS = SqliteSettings(key_variable="MEMORY_KEY")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the key where the settings say."""
    monkeypatch.setenv("MEMORY_KEY", KEY)


class TestEncrypted(StoreContract):
    """The contract on an encrypted file."""

    path: Path

    def prepare(self, folder: Path) -> None:
        """Choose a file."""
        self.path = folder / "memory.db"

    def open(self) -> Store:
        """Open the file once more."""
        return SqliteStore(f"sqlite:///{self.path}", SETTINGS)

    def harm(self, sql: str) -> None:
        """Run raw SQL on the file, with the tools of SQLCipher itself and the passphrase."""
        connection = dbapi2.connect(self.path)
        connection.execute(f"PRAGMA key = '{KEY.replace(chr(39), chr(39) * 2)}'")
        connection.execute(sql)
        connection.commit()
        connection.close()


def opened(path: Path) -> Recollect:
    """Open an encrypted memory."""
    return Recollect(path, embedder="none", sqlite={"key_variable": "MEMORY_KEY"})


def test_no_byte_of_it_can_be_read(tmp_path: Path) -> None:
    """Neither the file nor its log nor a backup holds a word of what is remembered; with the key all of it is there."""
    path = tmp_path / "m.db"
    with opened(path) as rc:
        rc.space("ana").remember(f"{NONCE} is the name of the boat.")
        files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert rc.describe()["encrypted"] is True
        rc.backup(tmp_path / "backup.db")
    files += b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert len(files) > 100_000
    for word in (NONCE, "boat", "memories", "SQLite format"):
        assert word.encode() not in files
        assert word.lower().encode() not in files
    for file in (path, tmp_path / "backup.db"):
        with opened(file) as rc:
            assert [one.content for one in rc.space("ana").list()] == [f"{NONCE} is the name of the boat."]
            assert all(finding.ok for finding in rc.doctor())


def test_a_wrong_key_is_told_and_nothing_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another key, no key, and no variable: each says what to do, and the file is as it was."""
    path = tmp_path / "m.db"
    with opened(path) as rc:
        rc.space("ana").remember("Tea.")
    before = path.read_bytes()
    monkeypatch.setenv("MEMORY_KEY", "another")
    with pytest.raises(NotADatabase, match="MEMORY_KEY") as told:
        opened(path)
    assert "another key" in str(told.value)
    monkeypatch.setenv("MEMORY_KEY", "")
    with pytest.raises(ConfigError, match=r"MEMORY_KEY, which holds nothing"):
        opened(path)
    with pytest.raises(NotADatabase, match=r"sqlite\.key_variable"):
        Recollect(path, embedder="none")
    assert path.read_bytes() == before


def test_a_file_that_is_not_encrypted_is_copied_not_converted(tmp_path: Path) -> None:
    """It is refused with what to do; copied into a new file with a key, everything is there."""
    plain = tmp_path / "plain.db"
    with Recollect(plain, embedder="none") as rc:
        rc.space("ana").remember("Ana likes tea.")
        with pytest.raises(NotADatabase, match="db copy"):
            opened(plain)
        with opened(tmp_path / "secret.db") as other:
            rc.copy_to(other)
            assert [one.content for one in other.space("ana").list()] == ["Ana likes tea."]


def test_erased_text_is_gone_from_an_encrypted_file_too(tmp_path: Path) -> None:
    """Decrypted page by page, nothing of it is left."""
    path = tmp_path / "m.db"
    with opened(path) as rc:
        ana = rc.space("ana")
        gone = ana.remember(f"{NONCE} is the name of the boat.").id
        ana.remember("The harbour is small.")
        assert ana.erase(gone).scrub == "scrubbed"
    connection = dbapi2.connect(path)
    connection.execute(f"PRAGMA key = '{KEY.replace(chr(39), chr(39) * 2)}'")
    connection.execute(f"ATTACH DATABASE '{tmp_path}/plain.db' AS plain KEY ''")
    connection.execute("SELECT sqlcipher_export('plain')")
    connection.close()
    data = (tmp_path / "plain.db").read_bytes()
    assert b"harbour" in data
    assert NONCE.encode() not in data
    assert NONCE.lower().encode() not in data


MAKER = """
import sys
from recollect import Recollect
with Recollect(sys.argv[1], embedder="none", sqlite={"key_variable": "MEMORY_KEY"}) as rc:
    print(rc.space("ana").remember(f"Number {sys.argv[2]}.").outcome)
"""


def test_processes_that_make_it_at_once_agree(tmp_path: Path) -> None:
    """Four begin with a file that is not there: all of them write, into one file with one key."""
    path = tmp_path / "m.db"
    started = [
        subprocess.Popen([sys.executable, "-c", MAKER, str(path), str(number)], stdout=subprocess.PIPE, text=True)
        for number in range(4)
    ]
    assert [one.communicate(timeout=PATIENCE)[0].strip() for one in started] == ["stored"] * 4
    with opened(path) as rc:
        assert len(rc.space("ana").list()) == 4


def test_without_the_library_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key without SQLCipher is no reason to write the file in the clear."""
    from recollect.store.engines import sqlite

    monkeypatch.setitem(sys.modules, "sqlcipher3", None)
    monkeypatch.delitem(sys.modules, "recollect.store.engines.sqlcipher", raising=False)
    monkeypatch.setattr(sqlite, "sqlcipher", Later("recollect.store.engines.sqlcipher"))
    with pytest.raises(ConfigError, match=r"\[encryption\]"):
        opened(tmp_path / "m.db")
    assert list(tmp_path.iterdir()) == []
