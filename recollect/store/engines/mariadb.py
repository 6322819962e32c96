"""MariaDB, through PyMySQL."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator, Sequence
from typing import Any

import pymysql
from pymysql import converters, err
from pymysql.constants import CLIENT
from pymysql.cursors import SSCursor

from recollect.errors import Conflict, InvalidInput, NotADatabase, RecollectError, StoreError, Unavailable
from recollect.model.job import Finding
from recollect.store.engines.server import Address, ServerStore, Wire, percent
from recollect.store.sql.read.words import POSTING
from recollect.store.sql.rows import Halves
from recollect.store.sql.view import SqlView
from recollect.store.sql.work import Locks

OLDEST = (10, 6)
DEADLOCK, LOCK_WAIT = 1213, 1205
UNKNOWN_COLUMN, UNKNOWN_TABLE = 1054, 1146
ADVICE = "use a database of its own"
LOST = (2006, 2013, 2055, 0)
WAIT_FOR_MIGRATION = 120
DIAL_SECONDS = 10


class MariaWire(Wire):
    """A connection to MariaDB, where LENGTH counts bytes and not characters."""

    def spelled(self, sql: str) -> str:
        """Write a statement as this driver wants it."""
        return percent(sql).replace("LENGTH(", "CHAR_LENGTH(")


class MariaView(SqlView):
    """A view that says in which order a group is put together."""

    together = f"group_concat({POSTING} ORDER BY doc)"


class MariaStore(ServerStore):
    """A MariaDB database. Options of the URL: unix_socket, ssl_ca, ssl_cert, ssl_key, ssl, timeout."""

    ENGINE = "mariadb"
    WIRE = MariaWire
    VIEW = MariaView
    DRIVER_ERRORS = (err.MySQLError, OSError)
    LOCKS = Locks(ServerStore.LOCKS.take + " FOR UPDATE", ServerStore.LOCKS.make.replace("INSERT", "INSERT IGNORE"))

    def __init__(self, url: str, upto: int | None = None) -> None:
        address = Address(url)
        if not address.database:
            raise InvalidInput("the URL names no database: write mariadb://user:password@host:3306/database")
        self._patience = address.number("timeout", 30)
        self._options = self._driver_options(address)
        self._reached = False
        super().__init__(address, upto)

    def _driver_options(self, address: Address) -> dict[str, Any]:
        self._socket_path = address.take("unix_socket")
        ca, certificate, key = (address.take(name) for name in ("ssl_ca", "ssl_cert", "ssl_key"))
        wanted = address.take("ssl").casefold()
        if address.options:
            raise InvalidInput(f"unknown options in the URL: {', '.join(address.options)}")
        if ca or certificate or key or wanted not in ("", "0", "no", "false"):
            return {"ssl": _tls(ca, certificate, key)}
        # Not asked for, the driver tries it all the same and reads the machine's authorities at every connection.
        return {"ssl_disabled": True} if wanted or self._socket_path else {}

    def connect(self) -> Any:
        address = self._address
        connection = pymysql.connect(
            host=address.host or "localhost",
            user=address.user or None,
            password=address.password,
            database=address.database,
            charset="utf8mb4",
            collation="utf8mb4_nopad_bin",
            autocommit=True,
            read_timeout=self._patience,
            write_timeout=self._patience,
            max_allowed_packet=64 * 1024 * 1024,
            client_flag=CLIENT.FOUND_ROWS,
            init_command="SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES,STRICT_ALL_TABLES'), "
            "SESSION innodb_lock_wait_timeout = 20, SESSION tx_isolation = 'REPEATABLE-READ', "
            "SESSION group_concat_max_len = 1073741824",
            defer_connect=True,
            conv=_CONVERSIONS,
            **self._options,
        )
        dialled = self._dial()
        try:
            connection.connect(dialled)
        except BaseException:
            dialled.close()
            raise
        self._reached = True
        return connection

    def _dial(self) -> socket.socket:
        """Open the socket ourselves: the driver forgets to close one that nobody answers."""
        address = self._address
        if not self._socket_path:
            dialled = socket.create_connection((address.host or "localhost", address.port or 3306), DIAL_SECONDS)
            dialled.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return dialled
        dialled = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        dialled.settimeout(DIAL_SECONDS)
        try:
            dialled.connect(self._socket_path)
        except BaseException:
            dialled.close()
            raise
        return dialled

    # Reading and writing

    def enter(self, connection: Wire) -> None:
        connection.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

    def leave(self, connection: Wire) -> None:
        connection.execute("COMMIT")

    def stream(self, connection: Wire, statement: str, params: Sequence[Any]) -> Iterator[Sequence[Any]]:
        with connection.raw.cursor(SSCursor) as cursor:
            cursor.execute(connection.spelled(statement), params)
            yield from cursor

    def open_for_writing(self) -> Wire:
        wire = self._open()
        # For the whole session: said before every transaction, it would be one more trip for each.
        wire.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        return wire

    def begin_writing(self, connection: Wire) -> None:
        connection.execute("START TRANSACTION")

    # Errors

    def owns(self, error: Exception) -> bool:
        return isinstance(error, err.IntegrityError | err.DataError)

    def passing(self, error: Exception) -> bool:
        return isinstance(error, err.OperationalError) and _code(error) in (DEADLOCK, LOCK_WAIT)

    def translate(self, error: Exception) -> RecollectError:
        where, code = str(self._address), _code(error)
        if isinstance(error, err.IntegrityError):
            return Conflict("the database already holds such a row")
        first = getattr(error, "original_exception", error)
        if isinstance(first, ssl.SSLError):
            return Unavailable(
                f"the TLS connection to {where} failed: {getattr(first, 'verify_message', first.reason)}"
            )
        if code in _MEANING:
            return Unavailable(_MEANING[code].format(where=where))
        if isinstance(error, socket.gaierror):
            return Unavailable(_MEANING[2005].format(where=where))
        if isinstance(error, ConnectionRefusedError | FileNotFoundError):
            return Unavailable(_MEANING[2003].format(where=where))
        if not self._reached and (code in LOST or isinstance(error, TimeoutError)):
            return Unavailable(f"{where} did not answer in time: check host, port and network")
        if code in LOST or isinstance(error, OSError | err.InterfaceError):
            return self.lost(error)
        if code in (UNKNOWN_COLUMN, UNKNOWN_TABLE) and (newer := self.newer()):
            return newer
        return StoreError(f"the database {where} failed: {type(error).__name__} {code}")

    # Care

    def migrate(self, connection: Wire) -> None:
        version = connection.execute("SELECT VERSION()").fetchone()[0]
        numbers = tuple(int(part) for part in version.split("-")[0].split(".")[:2])
        if "MariaDB" not in version or numbers < OLDEST:
            raise StoreError(f"{self._address} runs {version}: MariaDB 10.6 is the oldest that works")
        if self.version(connection) == self.newest:
            return
        lock = f"recollect:{self._address.database}"[:64]
        self._wait_for(connection, lock)
        try:
            self._step_up(connection)
        finally:
            connection.execute("SELECT RELEASE_LOCK(?)", (lock,))

    def _wait_for(self, connection: Wire, lock: str) -> None:
        """Take the lock, asking in short steps: the driver hangs up on an answer that takes its time."""
        step = min(1.0, self._patience / 2)
        for _ in range(int(WAIT_FOR_MIGRATION / step)):
            if connection.execute("SELECT GET_LOCK(?, ?)", (lock, step)).fetchone()[0]:
                return
        raise Unavailable(f"another process has been migrating {self._address} for a long time: try again")

    def version(self, connection: Wire) -> int:
        if not self.recognised({row[0] for row in connection.execute("SHOW TABLES").fetchall()}, ADVICE):
            return 0
        try:
            return self.known(connection.execute("SELECT value FROM meta WHERE \"key\" = 'schema'").fetchone())
        except err.OperationalError as error:
            if _code(error) != UNKNOWN_COLUMN:
                raise
            raise NotADatabase(f"{self._address} has a table meta of another program: {ADVICE}") from error

    def _step_up(self, connection: Wire) -> None:
        """Take the steps that are missing. Each can be run twice: what changes the schema commits by itself here."""
        version = self.version(connection)
        connection.execute(
            'CREATE TABLE IF NOT EXISTS meta ("key" VARCHAR(200) NOT NULL PRIMARY KEY, value LONGTEXT NOT NULL) '
            "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
        )
        for step in self._steps[version:]:
            for statement in step.statements:
                connection.execute(statement)
            connection.execute("REPLACE INTO meta (\"key\", value) VALUES ('schema', ?)", (str(step.number),))

    def scrub(self) -> bool:
        """Rows are gone; what the server's own pages and logs keep is documented."""
        return True

    def integrity(self) -> list[Finding]:
        wire = self._open()
        try:
            rows = [
                row
                for table in ("memories", "postings", "packs", "terms", "journal")
                for row in wire.execute(f"CHECK TABLE {table}").fetchall()
            ]
        finally:
            wire.close()
        bad = [row for row in rows if row[2] == "error"]
        return [
            Finding(
                "integrity", not bad, len(bad), "tables the engine finds damaged", "restore from a backup or export"
            )
        ]

    def describe(self) -> dict[str, Any]:
        wire = self._open()
        try:
            version = wire.execute("SELECT VERSION()").fetchone()[0]
            size = wire.execute(
                "SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables "
                "WHERE table_schema = DATABASE()"
            ).fetchone()[0]
        finally:
            wire.close()
        return {
            "engine": self.ENGINE,
            "version": version,
            "url": str(self._address),
            "schema": self.newest,
            "bytes": int(size),
        }


def _tls(ca: str, certificate: str, key: str) -> ssl.SSLContext:
    """Give what a connection must be encrypted with; with an authority named, the server must show who it is."""
    try:
        context = ssl.create_default_context(cafile=ca or None)
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # the certificates that servers make for themselves are plain
        if not ca:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if certificate or key:
            context.load_cert_chain(certificate, key or None)
    except OSError as error:
        files = ", ".join(name for name in (ca, certificate, key) if name)
        raise InvalidInput(f"the TLS files of the database URL ({files}) cannot be used: {error}") from error
    return context


def _halves(value: Halves, mapping: Any = None) -> str:
    return converters.escape_bytes(bytes(value))


_CONVERSIONS: dict[Any, Any] = {**converters.conversions, Halves: _halves}


def _code(error: Exception) -> int:
    code = error.args[0] if error.args else 0
    return code if isinstance(code, int) else 0


_MEANING = {
    1045: "{where} refused the user or the password: check both in the URL",
    1044: "this user may not use {where}: grant rights on the database",
    1142: "this user may not do that on {where}: grant rights on the database",
    1049: "{where} does not exist on the server: create the database first",
    1040: "{where} has no connection left: raise max_connections",
    1053: "{where} is shutting down: try again when it is back",
    1114: "there is no room left on {where}: free some disk space and try again",
    1290: "{where} is read-only: connect to the primary server",
    1836: "{where} is read-only: connect to the primary server",
    2002: "nothing answers at {where}: check host and port, and that the server runs",
    2003: "nothing answers at {where}: check host and port, and that the server runs",
    2005: "the host of {where} is not known: check its name",
    2026: "{where} speaks no TLS, and the URL asks for it: set up TLS on the server or take ssl out of the URL",
    DEADLOCK: "{where} kept running into deadlocks: try again",
    LOCK_WAIT: "another process has kept a row of {where} locked for a long time: try again",
}
