"""SQLite, the embedded default: one file, no server, several threads and processes at once."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from recollect.config import SqliteSettings, secret
from recollect.errors import (
    ConfigError,
    Conflict,
    InvalidInput,
    NewerSchema,
    NotADatabase,
    RecollectError,
    StoreError,
    Unavailable,
)
from recollect.model.event import Event
from recollect.model.job import Finding
from recollect.store.engines.migrate import Migration, migrations, newer
from recollect.store.engines.sqlite_errors import FORBIDDEN, MEANING, code
from recollect.store.engines.write_queue import WriteQueue
from recollect.store.sql.store import SqlStore
from recollect.store.writer import Connection
from recollect.text.extras import installing
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.store.engines import sqlcipher
else:
    (sqlcipher,) = later("recollect.store.engines", "sqlcipher")

APPLICATION_ID = 0x52434C54  # "RCLT"
LARGEST_LOG = 16 * 1024 * 1024
ASK_EVERY = 0.0002
TRIM_SECONDS = 0.25
CLOSING_SECONDS = 0.5
MAPPED = 2**28
"""How many bytes of the file readers see without copying them; SQLite itself stops a little below. They are the
system's own copy of the file, which counts as memory of this process but is taken back whenever it is needed."""


def sqlite_path(url: str) -> Path:
    """Give the file a `sqlite:///…` URL or a plain path names."""
    rest = url.removeprefix("sqlite:///") if url.startswith("sqlite:///") else url
    if rest.startswith("sqlite:") or rest in ("", ":memory:"):
        raise InvalidInput(
            f"{url!r} names no file: write sqlite:///memory.db (relative) or sqlite:////folder/memory.db (absolute); "
            "for a throwaway database use a temporary file"
        )
    if rest != url and "=" in rest.rpartition("?")[2] and "?" in rest:
        raise InvalidInput(
            f"{url!r} has options behind a question mark, and a file takes none: leave them out; where the file's own "
            "name holds one, give its plain path"
        )
    if "\0" in rest:
        raise InvalidInput("the path of the database holds a NUL character: remove it")
    return Path(rest).expanduser()


def begun(path: Path) -> None:
    """Begin a file that nobody but its owner may read; one that is there keeps its rights, and is not even opened."""
    with suppress(OSError):  # who may not write here is told so by the database
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


class SqliteStore(SqlStore):
    """One SQLite file in WAL mode: one writing thread, a pool of read-only connections."""

    def __init__(self, url: str, settings: SqliteSettings | None = None, upto: int | None = None) -> None:
        self._policy = settings or SqliteSettings()
        self._path = sqlite_path(url).absolute()
        self._cipher = _cipher(self._path, self._policy.key_variable)
        self._sql: Any = self._cipher.library if self._cipher else sqlite3
        self.DRIVER_ERRORS = (self._sql.Error,)
        self._only_read = False
        self._write = self._opened(migrations("sqlite")[:upto])
        self._file = self._identity()
        self._turn = WriteQueue(Path(f"{self._path}-wal"))
        self._trim_at = LARGEST_LOG
        # From here on it is `begin` that waits, in short steps; inside a transaction nothing does.
        self._wait(0)
        super().__init__(self._policy.readers)

    # Opening

    def _opened(self, steps: tuple[Migration, ...]) -> sqlite3.Connection:
        """Open the file for writing, or for reading alone where the system allows no more."""
        try:
            # A file that cannot be written would be noticed with the first write, or not at all.
            if not self._path.is_file() or os.access(self._path, os.W_OK):
                return self._patiently(lambda: self._open_for_writing(steps))
        except Unavailable as error:
            if code(error.__cause__) not in FORBIDDEN or not os.access(self._path, os.R_OK):
                raise
        self._only_read = True
        return self._patiently(lambda: self._open_as_it_is(len(steps)))

    def _open_as_it_is(self, newest: int) -> sqlite3.Connection:
        connection = self.open_for_reading()
        version = self._recognise(connection, newest)
        if version < newest:
            connection.close()
            raise Unavailable(
                f"{self._path} can only be read, and has schema {version} where this Recollect needs {newest}: "
                "copy it to where it can be written, and open the copy"
            )
        return connection

    def _identity(self) -> tuple[int, int]:
        """Give what tells the file from any other that may come to stand under its name."""
        try:
            found = os.stat(self._path)
        except OSError:
            return 0, 0
        return found.st_dev, found.st_ino

    def _there(self) -> None:
        """Refuse to go on with a file that nobody else can see any more."""
        if self._identity() != self._file:
            raise Unavailable(
                f"{self._path} was removed or replaced while it was open: put it back from a copy, and open it again"
            )

    def _connect(self) -> sqlite3.Connection:
        if self._only_read:
            return self._connect_to_read()
        return self._opened_at(
            self._path,
            timeout=self._policy.busy_seconds,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
        )

    def _connect_to_read(self) -> sqlite3.Connection:
        """Open the file as one that others may write; only where that fails, in a folder that takes no files, as one
        that nobody can."""
        connection = self._connect_as("mode=ro")
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        except self._sql.OperationalError:
            connection.close()
            if Path(f"{self._path}-wal").exists() or os.access(self._path.parent, os.W_OK):
                raise
            return self._connect_as("immutable=1")
        return connection

    def _connect_as(self, how: str) -> sqlite3.Connection:
        return self._opened_at(
            f"{self._path.as_uri()}?{how}",
            timeout=self._policy.busy_seconds,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
            uri=True,
        )

    def _opened_at(self, target: Any, **how: Any) -> sqlite3.Connection:
        """Open a connection, with the key where there is one."""
        connection: sqlite3.Connection = (self._cipher or sqlite3).connect(target, **how)
        return connection

    def _patiently(self, open_it: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
        """Open, translating errors; processes that start at once may meet while switching to WAL."""
        if not self._path.parent.is_dir():
            raise Unavailable(f"the folder {self._path.parent} does not exist: create it, or choose another with --db")
        if self._path.is_dir():
            raise NotADatabase(f"{self._path} is a folder: name a file in it")
        deadline = monotonic() + self._policy.busy_seconds * 3
        while True:
            try:
                return open_it()
            except self._sql.Error as error:
                early = self._cipher is not None and self._cipher.outrun()
                if not (early or self.passing(error)) or monotonic() > deadline:
                    raise self.translate(error) from error
                sleep(0.05)

    def _open_for_writing(self, steps: tuple[Migration, ...]) -> sqlite3.Connection:
        begun(self._path)
        connection = self._connect()
        try:
            version = self._recognise(connection, len(steps))
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            # Savepoints set old pages aside: in memory, for a temporary file would hold text that no erasing reaches.
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute(f"PRAGMA secure_delete = {int(self._policy.secure_delete)}")
            if version < len(steps):
                self._migrate(connection, steps)
        except BaseException:
            connection.close()
            raise
        return connection

    def _recognise(self, connection: sqlite3.Connection, newest: int) -> int:
        """Give the schema's version without touching the file; 0 for a new one."""
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if not tables:
            return 0
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID or "meta" not in tables:
            raise NotADatabase(f"{self._path} is a database of another program: choose another file with --db")
        return self._version(connection, newest)

    def _version(self, connection: sqlite3.Connection, newest: int) -> int:
        row = connection.execute("SELECT value FROM meta WHERE \"key\" = 'schema'").fetchone()
        version = int(row[0]) if row else 0
        if version > newest:
            raise NewerSchema(
                f"{self._path} has schema {version}, this Recollect knows up to {newest}: upgrade the package, "
                "and start this program again"
            )
        return version

    def _migrate(self, connection: sqlite3.Connection, steps: tuple[Migration, ...]) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            'CREATE TABLE IF NOT EXISTS meta ("key" TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID'
        )
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for step in steps[self._version(connection, len(steps)) :]:
            for statement in step.statements:
                connection.execute(statement)
        connection.execute("DELETE FROM meta WHERE \"key\" = 'schema'")
        connection.execute("INSERT INTO meta (\"key\", value) VALUES ('schema', ?)", (str(len(steps)),))
        connection.execute("COMMIT")

    # Reading

    def open_for_reading(self) -> sqlite3.Connection:
        def open_it() -> sqlite3.Connection:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            if sys.platform != "win32":  # there a mapped file cannot be cut, and erased text would stay behind its end
                connection.execute(f"PRAGMA mmap_size = {MAPPED}")
            return connection

        return self._patiently(open_it)

    def _borrow(self) -> Any:
        self._there()
        return super()._borrow()

    def touch(self, owner: str, ids: Sequence[str], at: datetime) -> None:
        if not self._only_read:
            super().touch(owner, ids, at)

    def note(self, event: Event, at: datetime, id: str) -> None:
        if not self._only_read:
            super().note(event, at, id)

    def enter(self, connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN")

    def leave(self, connection: sqlite3.Connection) -> None:
        connection.execute("COMMIT")

    def stream(self, connection: sqlite3.Connection, sql: str, params: Sequence[Any]) -> Iterator[Sequence[Any]]:
        return connection.execute(sql, params)

    # Writing

    def begin(self) -> Connection:
        if self._only_read:
            raise Unavailable(f"{self._path} can only be read: check the rights of the file and its folder")
        self._there()
        # Closing writes nothing but touches: not worth keeping anybody waiting for.
        patience = min(self._policy.busy_seconds, CLOSING_SECONDS) if self._closing else self._policy.busy_seconds
        deadline = monotonic() + patience
        held = self._turn.take()  # every message pays for this: no context manager
        try:
            self._trim()
            while True:
                try:
                    self._write.execute("BEGIN IMMEDIATE")
                    return self._write
                except self._sql.OperationalError as error:
                    if not self.passing(error) or monotonic() > deadline:
                        raise
                sleep(ASK_EVERY)
        finally:
            if held:
                self._turn.give()

    def _wait(self, seconds: float) -> None:
        self._write.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def _trim(self) -> None:
        """Start the log anew when it has grown: while somebody always reads or writes, SQLite never would."""
        size = self._turn.size()
        if size < self._trim_at:
            return
        self._wait(TRIM_SECONDS)
        begun = monotonic()
        try:
            busy = self._write.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except self._sql.OperationalError as error:
            if not self.passing(error):
                raise
            busy = 1
        finally:
            self._wait(0)
        # Another process's own tidying turns us away at once: ask again soon. A reader who stays costs
        # the whole wait, so that is not repeated before as much has been added again.
        step = LARGEST_LOG if monotonic() - begun >= TRIM_SECONDS else LARGEST_LOG // 64
        self._trim_at = size + step if busy else LARGEST_LOG

    def end(self, *, keep: bool) -> None:
        if self._write.in_transaction:
            self._write.execute("COMMIT" if keep else "ROLLBACK")

    def passing(self, error: Exception) -> bool:
        return code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

    def fatal(self, error: Exception) -> bool:
        return isinstance(error, self._sql.DatabaseError) and not isinstance(
            error, (self._sql.IntegrityError, self._sql.ProgrammingError)
        )

    def translate(self, error: Exception) -> RecollectError:
        number = code(error)
        if isinstance(error, self._sql.IntegrityError):
            return Conflict(f"the database already holds such a row ({error})")
        if number == sqlite3.SQLITE_NOTADB and self._cipher:
            return NotADatabase(
                f"{self._path} cannot be read with the key in {self._cipher.variable}: it has another key, or is no "
                "database; nothing was changed"
            )
        for codes, kind, text in MEANING:
            if number in codes:
                return kind(text.format(path=self._path, error=error))
        if "no such" in str(error) and (changed := self._newer()):
            return changed
        return StoreError(f"the database {self._path} failed: {type(error).__name__}: {error}")

    def _newer(self) -> NewerSchema | None:
        return newer(self._connect, lambda connection: self._version(connection, len(migrations("sqlite"))))

    # Care

    def scrub(self) -> bool:
        done: bool = self._writer.submit(self._scrub)
        return done

    def _scrub(self) -> bool:
        # Slack inside pages and old frames of the write-ahead log keep deleted text; only all four of
        # these steps together get rid of it, and only when no reader still looks at an older state.
        write, policy = self._write, self._policy
        self._wait(policy.scrub_seconds)
        write.execute("PRAGMA secure_delete = ON")
        write.execute("PRAGMA temp_store = DEFAULT")  # VACUUM puts the whole database there
        try:
            write.execute("VACUUM")
            busy = write.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except self._sql.OperationalError as error:
            if not self.passing(error):
                raise
            return False
        finally:
            write.execute(f"PRAGMA secure_delete = {int(policy.secure_delete)}")
            write.execute("PRAGMA temp_store = MEMORY")
            self._wait(0)
        return not busy

    def backup(self, target: Path) -> bool:
        self.flush()
        with closing(self._connect_to_read()) as source, closing(self._opened_at(target)) as copy:
            try:
                source.backup(copy)  # one look at one moment: whoever writes meanwhile is not kept waiting
                found = copy.execute("PRAGMA quick_check").fetchone()[0]
            except self._sql.Error as error:
                raise Unavailable(f"the backup {target} could not be written: {error}") from error
        if found != "ok":
            raise StoreError(f"the backup {target} is not sound: {found}")
        return True

    def integrity(self) -> list[Finding]:
        connection = self.open_for_reading()
        try:
            rows = [row[0] for row in connection.execute("PRAGMA integrity_check").fetchall()]
        except self._sql.Error as error:
            rows = [str(error)]
        finally:
            connection.close()
        bad = [row for row in rows if row != "ok"]
        text = "pages the engine finds damaged" + (f": {bad[0]}" if bad else "")
        return [Finding("integrity", not bad, len(bad), text, "export what can be read, then import into a new file")]

    def describe(self) -> dict[str, Any]:
        files = [self._path, Path(f"{self._path}-wal")]
        return {
            "engine": "sqlite",
            "version": self._sql.sqlite_version,
            **({"encrypted": True} if self._cipher else {}),
            "url": f"sqlite:///{self._path}",
            "schema": len(migrations("sqlite")),
            "bytes": sum(file.stat().st_size for file in files if file.exists()),
        }

    def hang_up(self) -> None:
        self._write.close()
        self._turn.close()


def _cipher(path: Path, variable: str) -> sqlcipher.Cipher | None:
    """Give what encrypts a file, if a variable is named that holds its key."""
    if not variable:
        return None
    key = secret(variable)
    if not key:
        raise ConfigError(f"sqlite.key_variable names {variable}, which holds nothing: put the key of {path} into it")
    try:
        return sqlcipher.Cipher(path, key, variable)
    except ImportError as error:
        raise ConfigError(f"an encrypted file needs SQLCipher: {installing('encryption')}") from error
