"""PostgreSQL with pgvector, and what speaks its language: Citus, CockroachDB, YugabyteDB, Aurora."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from time import monotonic, sleep
from typing import Any

import psycopg
from psycopg import errors, sql
from psycopg.types.string import BytesDumper

from recollect.errors import Conflict, InvalidInput, NotADatabase, RecollectError, StoreError, Unavailable
from recollect.model.job import Finding
from recollect.store.engines.pgvector import HalvesDumper, PlainView, PostgresView
from recollect.store.engines.server import Address, ServerStore, Wire, percent
from recollect.store.sql.remove import OWNED
from recollect.store.sql.rows import Halves
from recollect.store.sql.work import Locks

OLDEST = 13_00_00
LOCK = 0x52434C54
NO_VECTOR = (
    "the extension pgvector is not installed on this server: install it (on Debian the package "
    "postgresql-NN-pgvector) and let an administrator run CREATE EXTENSION vector; search by words works without it"
)
SCRUB_SECONDS = 2.0
ADVICE = "choose a schema with ?schema=recollect"

_META = 'CREATE TABLE IF NOT EXISTS meta ("key" TEXT COLLATE "C" NOT NULL PRIMARY KEY, value TEXT NOT NULL)'


COPY_FROM = 3
_INSERT = re.compile(r"INSERT INTO (\w+ \([^)]*\)) VALUES \([?, ]*\)")


class PostgresWire(Wire):
    """A connection that puts several rows in by COPY: a third of the time of an INSERT for each of a few rows."""

    def executemany(self, statement: str, rows: Sequence[Sequence[Any]], /) -> Any:
        """Run one statement for many rows."""
        insert = _INSERT.fullmatch(statement)
        if insert is None:
            return super().executemany(statement, rows)
        cursor = self.raw.cursor()
        if len(rows) < COPY_FROM:
            for row in rows:
                cursor.execute(percent(statement), row)
            return cursor
        with cursor.copy(f"COPY {insert[1]} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return cursor


class PostgresStore(ServerStore):
    """A PostgreSQL database; `?schema=` chooses the schema, other options go to the driver."""

    ENGINE = "postgres"
    WIRE = PostgresWire
    DRIVER_ERRORS = (psycopg.Error,)
    LOCKS = Locks(ServerStore.LOCKS.take + " FOR UPDATE", ServerStore.LOCKS.make + " ON CONFLICT DO NOTHING")

    def __init__(self, url: str, upto: int | None = None) -> None:
        address = Address(url)
        self._schema = address.take("schema")
        self._patience = address.number("statement_timeout", 30)
        self._vectors = False
        unknown = set(address.options) - _driver_options()
        if unknown:
            raise InvalidInput(f"unknown options in the URL: {', '.join(sorted(unknown))}")
        super().__init__(address, upto)

    def connect(self) -> psycopg.Connection[Any]:
        address = self._address
        timeout = int(self._patience * 1000)
        given: dict[str, Any] = {"dbname": "postgres", "connect_timeout": 10, "application_name": "recollect"}
        # A machine that vanished never says so; without these the kernel would wait for hours.
        given |= {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": timeout}
        named = {"host": address.host, "port": address.port, "user": address.user, "password": address.password}
        given |= address.options | {name: value for name, value in named.items() if value}
        if address.database:
            given["dbname"] = address.database
        limits = f"-c statement_timeout={timeout} -c idle_in_transaction_session_timeout={timeout * 4}"
        given["options"] = f"{limits} {given.get('options', '')}".strip()
        connection = psycopg.connect(autocommit=True, **given)
        connection.adapters.register_dumper(Halves, HalvesDumper if self._vectors else BytesDumper)
        if self._schema:
            connection.execute(sql.SQL("SET search_path TO {}, public").format(sql.Identifier(self._schema)))
        return connection

    # Reading and writing

    def enter(self, connection: Wire) -> None:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def leave(self, connection: Wire) -> None:
        connection.execute("COMMIT")

    def stream(self, connection: Wire, statement: str, params: Sequence[Any]) -> Iterator[Sequence[Any]]:
        with connection.raw.cursor(name="stream") as cursor:
            cursor.itersize = 500
            cursor.execute(connection.spelled(statement), params)
            yield from cursor

    def begin_writing(self, connection: Wire) -> None:
        connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")

    # Errors

    def owns(self, error: Exception) -> bool:
        return isinstance(error, psycopg.IntegrityError | psycopg.DataError | errors.ProgramLimitExceeded)

    def passing(self, error: Exception) -> bool:
        return isinstance(error, errors.SerializationFailure | errors.DeadlockDetected | errors.LockNotAvailable)

    def translate(self, error: Exception) -> RecollectError:
        where = str(self._address)
        if isinstance(error, psycopg.IntegrityError):
            return Conflict(f"the database already holds such a row ({type(error).__name__})")
        for kind, text in _MEANING:
            if isinstance(error, kind):
                return Unavailable(text.format(where=where))
        if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
            return self._connection(error)
        if isinstance(error, errors.UndefinedColumn | errors.UndefinedTable) and (newer := self.newer()):
            return newer
        return StoreError(f"the database {where} failed: {type(error).__name__}: {_first_line(error)}")

    def _connection(self, error: Exception) -> RecollectError:
        where, text = str(self._address), str(error)
        for part, meaning in _WORDS:
            if part in text:
                return Unavailable(meaning.format(where=where))
        return self.lost(error)

    # Care

    def migrate(self, connection: Wire) -> None:
        if connection.raw.info.server_version < OLDEST:
            raise StoreError(
                f"{self._address} runs PostgreSQL {connection.raw.info.server_version}: 13 is the oldest that works"
            )
        if not self._ready(connection):
            with connection.raw.transaction():
                connection.execute("SET LOCAL statement_timeout = 0")  # an index over very much takes its time
                connection.execute("SELECT pg_advisory_xact_lock(?)", (LOCK,))
                self._step_up(connection)
        self._vectors = self._column(connection) == "halfvec"
        self.VIEW = PostgresView if self._vectors else PlainView

    @property
    def segmented(self) -> bool:
        return not self._vectors

    def _ready(self, connection: Wire) -> bool:
        """Tell whether there is nothing to do, so that a user who may only read and write rows gets in."""
        if self._missing_schema(connection) or self.version(connection) < self.newest:
            return False
        return self._column(connection) == "halfvec" or not self._available(connection)

    def _missing_schema(self, connection: Wire) -> bool:
        found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (self._schema,)).fetchone()
        return bool(self._schema) and found is None

    def _step_up(self, connection: Wire) -> None:
        """Take the steps that are missing, and pgvector where it can be had; without it there is search by words."""
        raw = connection.raw
        if self._missing_schema(connection):
            raw.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(self._schema)))
        if not self._has_vector(connection):
            # In public: other schemas of this database want to see it too.
            with suppress(psycopg.Error), raw.transaction():
                raw.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
        vectors = self._has_vector(connection)
        version = self.version(connection)
        if version < self.newest:
            raw.execute(_META)
            for step in self._steps[version:]:
                for statement in step.statements:
                    raw.execute(statement.replace("{vector}", "halfvec" if vectors else "bytea"))
            connection.execute("DELETE FROM meta WHERE \"key\" = 'schema'")
            connection.execute("INSERT INTO meta (\"key\", value) VALUES ('schema', ?)", (str(self.newest),))
        if vectors and self._column(connection) == "bytea":
            self._upgrade_vectors(connection)

    def version(self, connection: Wire) -> int:
        # Only in the schema we live in: what is further down the search path is somebody else's.
        rows = connection.execute(
            "SELECT relname FROM pg_class "
            "WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
        ).fetchall()
        if not self.recognised({row[0] for row in rows}, ADVICE):
            return 0
        try:
            return self.known(connection.execute("SELECT value FROM meta WHERE \"key\" = 'schema'").fetchone())
        except errors.UndefinedColumn as error:
            raise NotADatabase(f"{self._address} has a table meta of another program: {ADVICE}") from error

    def _has_vector(self, connection: Wire) -> bool:
        return connection.execute("SELECT to_regtype('halfvec')").fetchone()[0] is not None

    def _available(self, connection: Wire) -> bool:
        """Tell whether pgvector is there, or could be had by asking."""
        listed = connection.execute(
            "SELECT 1 FROM pg_available_extensions WHERE name = 'vector' "
            "AND has_database_privilege(current_database(), 'CREATE')"
        ).fetchone()
        return listed is not None or self._has_vector(connection)

    def _column(self, connection: Wire) -> str:
        """Name the type of the column that holds vectors, nothing where there is none yet."""
        kind = connection.execute(
            "SELECT t.typname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            "WHERE a.attrelid = to_regclass(quote_ident(current_schema()) || '.vectors') AND a.attname = 'embedding'"
        ).fetchone()
        return kind[0] if kind else ""

    def _upgrade_vectors(self, connection: Wire) -> None:
        """Turn the plain column of a server without pgvector into the real one; the vectors have to be made anew."""
        with suppress(errors.InsufficientPrivilege), connection.raw.transaction():  # the table's owner will do it
            connection.execute("TRUNCATE vectors, segments")
            connection.execute("UPDATE owners SET model = '', vec_rev = vec_rev + 1 WHERE model <> ''")
            connection.execute("ALTER TABLE vectors DROP COLUMN embedding")
            connection.execute("ALTER TABLE vectors ADD COLUMN embedding halfvec NOT NULL")

    def scrub(self) -> bool:
        wire = self._open()
        try:
            wire.execute("SET statement_timeout = 0")
            if not self._unseen(wire):
                return False
            for table in OWNED:
                wire.execute(f"VACUUM {table}")
        except self.DRIVER_ERRORS as error:
            raise self.translate(error) from error
        finally:
            wire.close()
        return True

    def _unseen(self, wire: Wire) -> bool:
        """Wait until nobody looks at a state from before now: a VACUUM leaves what somebody may still see."""
        now = wire.execute("SELECT pg_current_xact_id()::xid::text").fetchone()[0]
        older = (
            "SELECT COUNT(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database() "
            "AND backend_xmin IS NOT NULL AND age(backend_xmin) > age(?::xid)"
        )
        deadline = monotonic() + SCRUB_SECONDS
        while wire.execute(older, (now,)).fetchone()[0]:
            if monotonic() > deadline:
                return False
            sleep(0.05)
        return True

    def integrity(self) -> list[Finding]:
        return [Finding("pgvector", self._vectors, int(not self._vectors), "missing extension pgvector", NO_VECTOR)]

    def describe(self) -> dict[str, Any]:
        with self.view() as view:
            rows = view._rows("SELECT version(), pg_database_size(current_database())")  # type: ignore[attr-defined]
        return {
            "engine": self.ENGINE,
            "version": rows[0][0].split(" on ")[0],
            "url": str(self._address) + (f"?schema={self._schema}" if self._schema else ""),
            "schema": self.newest,
            "bytes": rows[0][1],
            "vectors": self._vectors,
        }


def _driver_options() -> set[str]:
    return {option.keyword.decode() for option in psycopg.pq.Conninfo.get_defaults()}


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]


_MEANING: tuple[tuple[type[Exception], str], ...] = (
    (errors.InvalidPassword, "{where} refused the password: check user and password in the URL"),
    (errors.InvalidAuthorizationSpecification, "{where} does not let this user in: check the user in the URL"),
    (errors.InvalidCatalogName, "{where} does not exist on the server: create the database first"),
    (errors.InsufficientPrivilege, "this user may not do that on {where}: grant CREATE on the database or schema"),
    (errors.InvalidSchemaName, "the schema does not exist on {where} and could not be made: create it first"),
    (
        errors.QueryCanceled,
        "{where} took too long and the statement was given up: try again, or raise ?statement_timeout=",
    ),
    (errors.DiskFull, "there is no room left on {where}: free some disk space and try again"),
    (errors.ReadOnlySqlTransaction, "{where} is read-only: connect to the primary server"),
    (errors.ProgramLimitExceeded, "a value is too long for a key on {where}: shorten it"),
    (errors.DeadlockDetected, "{where} kept running into deadlocks, and nothing was changed: try again"),
    (errors.SerializationFailure, "others kept changing the same rows of {where}, and nothing was changed: try again"),
    (errors.LockNotAvailable, "another process has kept a row of {where} locked for a long time: try again"),
    (errors.TooManyConnections, "{where} has no connection left: raise max_connections, or use a pooler"),
)
_WORDS: tuple[tuple[str, str], ...] = (
    ("password authentication failed", "{where} refused the password: check user and password in the URL"),
    ("no password supplied", "{where} asks for a password: put it into the URL"),
    ("does not exist", "the database or user of {where} does not exist on the server: create it first"),
    ("Connection refused", "nothing answers at {where}: check host and port, and that the server runs"),
    ("No such file or directory", "nothing answers at {where}: check host and port, and that the server runs"),
    ("could not translate host name", "the host of {where} is not known: check its name"),
    ("failed to resolve host", "the host of {where} is not known: check its name"),
    ("timeout", "{where} did not answer in time: check host, port and network"),
    ("too many clients", "{where} has no connection left: raise max_connections, or use a pooler"),
    (' value: "', "the URL of {where} has an option with a value that cannot be used: see docs/scale.md"),
    ("starting up", "{where} is starting up: try again in a moment"),
    ("shutting down", "{where} is shutting down: try again when it is back"),
)
