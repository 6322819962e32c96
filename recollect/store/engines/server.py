"""What the two client-server engines share: placeholders, reconnecting, and reading URLs without showing secrets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from time import sleep
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from recollect.errors import InvalidInput, NewerSchema, NotADatabase, RecollectError, Unavailable
from recollect.store.engines.migrate import migrations, newer
from recollect.store.sql.remove import OWNED
from recollect.store.sql.store import SqlStore
from recollect.store.writer import Connection

WRITE_IT = (
    "write user:password@host:port/database with a port from 1 to 65535, and percent-encode the signs : / ? # @ % "
    "inside a user, password or path"
)
WAITS = (0.1, 0.5, 2.0)
"""How long a migration waits for those who were in its way, before each further try."""


@cache
def percent(sql: str) -> str:
    """Turn `?` placeholders into `%s`; no statement of ours holds either sign otherwise."""
    return sql.replace("?", "%s")


class Wire:
    """A driver's connection that takes our statements."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def execute(self, sql: str, params: Sequence[Any] = (), /) -> Any:
        """Run one statement and give its cursor."""
        cursor = self.raw.cursor()
        cursor.execute(self.spelled(sql), params or None)
        return cursor

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]], /) -> Any:
        """Run one statement for many rows."""
        cursor = self.raw.cursor()
        cursor.executemany(self.spelled(sql), rows)
        return cursor

    def spelled(self, sql: str) -> str:
        """Write a statement as this driver wants it."""
        return percent(sql)

    def close(self) -> None:
        """Close the connection."""
        self.raw.close()


class Address:
    """A database URL taken apart; it prints itself without the password."""

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            # What Python says would show a piece of a password that is not percent-encoded.
            raise InvalidInput(f"the database URL cannot be read: {WRITE_IT}") from None
        if "@" in parts.path + parts.query + parts.fragment:
            raise InvalidInput(f"the database URL has an @ in a place it does not belong: {WRITE_IT}")
        self.scheme = parts.scheme
        self.host = parts.hostname or ""
        self.port = port
        self.user = unquote(parts.username or "")
        self.password = unquote(parts.password or "")
        self.database = unquote(parts.path.lstrip("/"))
        self.options = dict(parse_qsl(parts.query, keep_blank_values=True))

    def __str__(self) -> str:
        host = f"{self.user}@{self.host}" if self.user else self.host
        return urlunsplit((self.scheme, f"{host}:{self.port}" if self.port else host, f"/{self.database}", "", ""))

    def take(self, name: str, default: str = "") -> str:
        """Take one option out of the URL's query."""
        return self.options.pop(name, default)

    def number(self, name: str, default: float) -> float:
        """Take one option that is a number."""
        value = self.take(name) or str(default)
        try:
            return float(value)
        except ValueError:
            raise InvalidInput(f"the option {name} of the database URL is {value!r}: use a number") from None


class ServerStore(SqlStore):
    """A store on a database server: connections may break at any time and are made anew."""

    ENGINE = ""
    WIRE: type[Wire] = Wire

    def __init__(self, address: Address, upto: int | None = None, idle_readers: int = 8) -> None:
        self._address = address
        self._steps = migrations(self.ENGINE)[:upto]
        self._write: Wire | None = None
        self._prepare()
        super().__init__(idle_readers)

    # What an engine provides

    def connect(self) -> Any:
        """Open a driver connection."""
        raise NotImplementedError

    def begin_writing(self, connection: Wire) -> None:
        """Begin a transaction that may write."""
        raise NotImplementedError

    def migrate(self, connection: Wire) -> None:
        """Bring the schema up to date, one process at a time."""
        raise NotImplementedError

    def version(self, connection: Wire) -> int:
        """Give the schema's number, 0 for none yet; a table of another program's is not touched."""
        raise NotImplementedError

    # What both share

    def _prepare(self) -> None:
        """Bring the schema up to date; those at work on the tables meanwhile may be in the way for a moment."""
        waits = iter(WAITS)
        while True:
            wire = self._open()
            try:
                self.migrate(wire)
                return
            except self.DRIVER_ERRORS as error:
                wait = next(waits, 0.0) if self.passing(error) else 0.0
                if not wait:
                    raise self.translate(error) from error
            finally:
                wire.close()
            sleep(wait)

    def _open(self) -> Wire:
        try:
            return self.WIRE(self.connect())
        except self.DRIVER_ERRORS as error:
            raise self.translate(error) from error

    def open_for_reading(self) -> Wire:
        return self._open()

    def open_for_writing(self) -> Wire:
        """Open the connection that writes."""
        return self._open()

    def begin(self) -> Connection:
        """Begin on the standing connection, or on a new one where that has died; nothing was sent yet."""
        if self._write is not None:
            try:
                self.begin_writing(self._write)
            except self.DRIVER_ERRORS:
                self.hang_up()
            else:
                return self._write
        self._write = self.open_for_writing()
        self.begin_writing(self._write)
        return self._write

    def end(self, *, keep: bool) -> None:
        if self._write is None:
            return
        if keep:
            self._write.raw.commit()
            return
        try:
            self._write.raw.rollback()
        except self.DRIVER_ERRORS:
            self.hang_up()

    def hang_up(self) -> None:
        if self._write is not None:
            self._discard(self._write)
        self._write = None

    def fatal(self, error: Exception) -> bool:
        return isinstance(error, self.DRIVER_ERRORS) and not self.owns(error)

    def owns(self, error: Exception) -> bool:
        """Tell whether the error is one caller's own: a row that clashes, or a value that does not fit."""
        raise NotImplementedError

    def recognised(self, tables: set[str], advice: str) -> bool:
        """Tell whether there is a schema of ours; what has our tables' names but no `meta` is another program's."""
        if "meta" in tables:
            return True
        strange = sorted(tables.intersection(OWNED))
        if strange:
            raise NotADatabase(f"{self._address} has a table {strange[0]} of another program: {advice}")
        return False

    def known(self, row: Sequence[Any] | None) -> int:
        """Read the schema's number, 0 where none is written yet; a newer one is not ours to touch."""
        version = int(row[0]) if row else 0
        if version > self.newest:
            raise NewerSchema(
                f"{self._address} has schema {version}, this Recollect knows up to {self.newest}: upgrade the package, "
                "and start this program again"
            )
        return version

    @property
    def newest(self) -> int:
        """The schema this version makes."""
        return len(self._steps)

    def newer(self) -> NewerSchema | None:
        """Tell whether a newer program has changed the schema under this one."""
        return newer(self._open, self.version)

    def lost(self, error: Exception) -> RecollectError:
        """Say that the server went away."""
        return Unavailable(
            f"the connection to {self._address} was lost ({type(error).__name__}): whether the last write was kept is "
            "not known; call again with the same request_id, which never writes twice"
        )
