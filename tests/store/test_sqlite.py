"""SQLite: the contract, and what only a file can do wrong."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect
from recollect.errors import Closed, InvalidInput, NewerSchema, NotADatabase, StoreError, Unavailable
from recollect.store.base import Store
from recollect.store.engines.sqlite import SqliteStore
from recollect.testing.contract import ANA, StoreContract, commit, everything, make, put, stock
from tests.patience import PATIENCE


class TestSqlite(StoreContract):
    """The contract on a file."""

    path: Path

    def prepare(self, folder: Path) -> None:
        """Choose a file."""
        self.path = folder / "memory.db"

    def open(self) -> Store:
        """Open the file once more."""
        return SqliteStore(f"sqlite:///{self.path}")

    def harm(self, sql: str) -> None:
        """Run raw SQL on the file."""
        with sqlite3.connect(self.path) as connection:
            connection.execute(sql)
        connection.close()


def run(code: str, *args: str) -> str:
    """Run code in another process and give what it printed."""
    command = [sys.executable, "-c", textwrap.dedent(code), *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("junk", [b"hello", b"{}\n" * 100, b"\x00" * 4096, b"%PDF-1.7 " * 1000])
def test_a_file_that_is_no_database(tmp_path: Path, junk: bytes) -> None:
    """A file with other content is refused by name and left as it was."""
    path = tmp_path / "notes.txt"
    path.write_bytes(junk)
    with pytest.raises(NotADatabase):
        SqliteStore(str(path))
    assert path.read_bytes() == junk
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_a_database_of_another_program(tmp_path: Path) -> None:
    """Another program's database is refused and not changed by a byte."""
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE meta (key TEXT, value TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NotADatabase, match="another program"):
        SqliteStore(str(path))
    assert path.read_bytes() == before


def test_a_newer_schema(tmp_path: Path) -> None:
    """A database of a newer version is refused with advice, and not changed."""
    path = tmp_path / "memory.db"
    SqliteStore(str(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NewerSchema, match="upgrade"):
        SqliteStore(str(path))
    assert path.read_bytes() == before


def test_a_missing_folder(tmp_path: Path) -> None:
    """A folder that does not exist is named and not made."""
    with pytest.raises(Unavailable, match="nowhere"):
        SqliteStore(str(tmp_path / "nowhere" / "memory.db"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_as_path(tmp_path: Path) -> None:
    """A folder is no database."""
    with pytest.raises(NotADatabase, match="folder"):
        SqliteStore(str(tmp_path))


@pytest.mark.parametrize("url", ["", ":memory:", "sqlite://", "sqlite:///", "sqlite:///:memory:", "a\0b", "oracle://x"])
def test_urls_that_name_no_file(url: str) -> None:
    """A URL without a file, or of an unknown engine, is refused with what to write instead."""
    with pytest.raises(InvalidInput):
        Recollect(url)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give a folder that other users can look into: pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        Path(folder).chmod(0o755)


def test_a_read_only_folder(open_folder: Path, tmp_path: Path) -> None:
    """Without the right to write, opening a new file or writing to an old one is `Unavailable`."""
    with Recollect(f"sqlite:///{open_folder}/memory.db") as rc:
        rc.space("ana").remember("Tea is served at four.")
    code = """
        import os, sys
        from recollect import Recollect, Unavailable
        folder, other = sys.argv[1:]
        Recollect(f"sqlite:///{other}/x.db").space("ana").remember("Everything is imported now.")
        if os.getuid() == 0:  # root may write anywhere
            os.setgid(65534)
            os.setuid(65534)
        for name in ("new.db", "memory.db"):
            try:
                rc = Recollect(f"sqlite:///{folder}/{name}")
                rc.space("ana").remember("Coffee is served at five.")
            except Unavailable as error:
                print(type(error).__name__, name in str(error))
    """
    for file in open_folder.iterdir():
        file.chmod(0o444)
    open_folder.chmod(0o555)
    assert run(code, str(open_folder), str(tmp_path)).splitlines() == ["Unavailable True"] * 2


def test_a_read_only_file_is_read_with_what_others_write(tmp_path: Path) -> None:
    """Only a folder that takes no files is read as one that nobody writes to."""
    from recollect.store.engines.sqlite import SqliteStore

    url = f"sqlite:///{tmp_path}/memory.db"
    with Recollect(url) as rc:
        rc.space("ana").remember("Tea is served at four.")
    store = SqliteStore(url)
    store._only_read = True
    opened: list[str] = []
    connect = store._connect_as
    store._connect_as = lambda how: opened.append(how) or connect(how)  # type: ignore[method-assign, func-returns-value]
    store._connect().close()
    assert opened == ["mode=ro"]
    store._only_read = False
    store.close()


def test_a_full_disk(tmp_path: Path) -> None:
    """When a file cannot grow, the write is `Unavailable`, nothing is half written, and reading goes on."""
    code = """
        import resource, signal, sys
        from recollect import Recollect, Unavailable
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        rc = Recollect(sys.argv[1])
        ana = rc.space("ana")
        kept = [ana.remember(f"Fact number {n} about tea.").id for n in range(3)]
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
        stored = 0
        try:
            for n in range(100):
                ana.observe("user", f"{n} " + "long talk " * 2000)
                stored += 1
        except Unavailable as error:
            print("unavailable")
        print(len(ana.list()) == 3, ana.stats().kinds.get("episode", 0) == stored, ana.get(kept[0]).content)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(ana.observe("user", "There is room again.").outcome)
        print(all(finding.ok for finding in rc.doctor()))
    """
    url = f"sqlite:///{tmp_path}/memory.db"
    assert run(code, url).splitlines() == ["unavailable", "True True Fact number 0 about tea.", "stored", "True"]
    with Recollect(url) as rc:
        assert all(finding.ok for finding in rc.doctor())


def test_a_full_database(tmp_path: Path) -> None:
    """SQLite's own limit of pages is told as a full disk, and the callers of the same batch all hear of it."""
    store = SqliteStore(str(tmp_path / "memory.db"))
    stock(store)
    pages = store._write.execute("PRAGMA page_count").fetchone()[0]
    store._write.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(Unavailable, match="no room"):
        commit(store, put(make("fact_big", "long talk " * 5000)))
    store._write.execute("PRAGMA max_page_count = 1000000")
    with store.view() as view:
        assert view.get(ANA, ["fact_big"]) == []
        assert view.count(everything()) == 3
        assert all(finding.ok for finding in view.check(ANA))
    assert commit(store, put(make("fact_big", "long talk " * 5000))).rev == 7
    store.close()


def test_a_damaged_file(tmp_path: Path) -> None:
    """Damaged pages are told apart from an empty memory, and the doctor names them."""
    path = tmp_path / "memory.db"
    with Recollect(str(path)) as rc:
        for n in range(300):
            rc.space("ana").observe("user", f"Message number {n}, and some more words to fill a page.")
    whole = bytearray(path.read_bytes())
    for at in range(len(whole) // 8192 * 4096, len(whole), 4096):
        whole[at : at + 200] = b"\xff" * 200
    path.write_bytes(bytes(whole))
    with Recollect(str(path)) as rc:
        assert [finding.ok for finding in rc.doctor()] == [False]
        with pytest.raises(StoreError):
            rc.space("ana").list(kinds=["episode"], limit=1000)


def test_a_handle_does_not_survive_a_fork(tmp_path: Path) -> None:
    """In a forked child the handle says `Closed`, closing it is harmless, and the parent goes on."""
    code = """
        import os, sys
        from recollect import Closed, Recollect
        rc = Recollect(sys.argv[1])
        ana = rc.space("ana")
        ana.remember("Tea is served at four.")
        child = os.fork()
        if child == 0:
            heard = 0
            for verb in (lambda: ana.remember("From the child, a fact."), lambda: ana.recall("tea"), rc.doctor):
                try:
                    verb()
                except Closed:
                    heard += 1
            rc.close()
            os._exit(heard)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print(ana.remember("The parent writes on and on.").outcome, len(ana.list()))
        rc.close()
    """
    url = f"sqlite:///{tmp_path}/memory.db"
    assert run(code, url).splitlines() == ["3", "stored 2"]
    with Recollect(url) as rc:
        assert len(rc.space("ana").list()) == 2
        assert all(finding.ok for finding in rc.doctor())


def test_a_closed_recollect(tmp_path: Path) -> None:
    """Every verb of a closed Recollect raises `Closed`; closing twice does not."""
    rc = Recollect(str(tmp_path / "memory.db"))
    ana = rc.space("ana")
    ana.remember("Tea is served at four.")
    rc.close()
    rc.close()
    for verb in (lambda: ana.remember("Tea?"), lambda: ana.observe("user", "x"), ana.list, ana.stats, ana.context):
        with pytest.raises(Closed):
            verb()


def test_odd_paths(tmp_path: Path) -> None:
    """Spaces, signs of URLs and other scripts in a path are part of its name."""
    for name in ("a b.db", "50%20off?.db", "#x.db", "память.db", "😀.db"):
        with Recollect(f"sqlite:///{tmp_path}/{name}") as rc:
            rc.space("ana").remember("Tea is served at four.")
        assert (tmp_path / name).is_file()


def test_the_process_may_die(tmp_path: Path) -> None:
    """What was answered survives a process that ends without closing."""
    code = """
        import os, sys
        from recollect import Recollect
        ana = Recollect(sys.argv[1]).space("ana")
        for n in range(20):
            print(ana.observe("user", f"Message {n}").id, flush=True)
        os.kill(os.getpid(), 9)
    """
    url = f"sqlite:///{tmp_path}/memory.db"
    command = [sys.executable, "-c", textwrap.dedent(code), url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == -signal.SIGKILL
    with Recollect(url) as rc:
        assert {m.id for m in rc.space("ana").list(kinds=["episode"])} == set(done.stdout.split())
        assert all(finding.ok for finding in rc.doctor())


def test_only_its_owner_reads_a_new_file(tmp_path: Path) -> None:
    """A file that is begun here, what stands beside it and a backup are nobody else's; one that is there keeps its
    rights."""
    with Recollect(f"{tmp_path}/memory.db") as rc:
        rc.space("ana").remember("Ana drinks tea.")
        rc.backup(tmp_path / "copy.db")
        begun = sorted(tmp_path.iterdir())
        assert len(begun) >= 2
        assert {one.stat().st_mode & 0o077 for one in begun} == {0}
    (tmp_path / "memory.db").chmod(0o640)
    with Recollect(f"{tmp_path}/memory.db"):
        assert (tmp_path / "memory.db").stat().st_mode & 0o777 == 0o640
