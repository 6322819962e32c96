"""The engines the tests run on: a file, a throwaway PostgreSQL, a throwaway MariaDB, and servers of your own.

`RECOLLECT_TEST_URLS` adds servers, separated by spaces. A PostgreSQL gets a schema of its own; of a MariaDB the
named database is emptied, so its name must contain `test`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pymysql

from recollect.store.engines.mariadb import MariaStore
from recollect.store.engines.postgres import PostgresStore
from recollect.store.engines.server import Address
from recollect.store.engines.sqlite import SqliteStore
from recollect.testing.servers import MariaDb, Postgres, Server

OWN = tuple(os.environ.get("RECOLLECT_TEST_URLS", "").split())
ENGINES: tuple[str, ...] = ("sqlite", "postgresql", "mariadb", *OWN)
_numbers = count()


@cache
def server(engine: str) -> Server:
    """Give this process's throwaway server of an engine, started at its first use."""
    started: Server = {"postgresql": Postgres, "mariadb": MariaDb}[engine]()
    atexit.register(started.stop)
    return started


@cache
def _template() -> Path:
    """Make one empty file that the others are copies of: its schema is made once, as on the servers."""
    folder = Path(tempfile.mkdtemp(prefix="recollect-"))
    atexit.register(shutil.rmtree, folder)
    SqliteStore(f"{folder}/empty.db").close()
    return folder / "empty.db"


def fresh(engine: str, folder: Path) -> str:
    """Give the URL of an empty database on an engine."""
    if engine == "sqlite":
        path = folder / f"memory{next(_numbers)}.db"
        shutil.copyfile(_template(), path)
        return f"sqlite:///{path}"
    if engine in OWN:
        return _emptied(engine)
    server(engine).empty()
    return server(engine).url


def apart(engine: str, folder: Path) -> str:
    """Give the URL of a database nobody has opened yet, beside the one of `fresh`."""
    if engine == "sqlite":
        return f"sqlite:///{folder}/memory{next(_numbers)}.db"
    name = f"apart_{os.getpid()}_{next(_numbers)}"
    house = server(engine)
    house.run(f"CREATE DATABASE {name}")
    return house.url.replace("/postgres?", f"/{name}?").replace("/recollect?", f"/{name}?")


def ask(url: str, *statements: str) -> list[Any]:
    """Run statements in a database behind the store's back; give the rows of the last."""
    with closing(_driver(url)) as connection:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        return [tuple(row) for row in cursor.fetchall()] if cursor.description else []


def _driver(url: str) -> Any:
    if url.startswith("sqlite"):
        return sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    if url.startswith("postgresql"):
        return psycopg.connect(url, autocommit=True)
    address = Address(url)
    return pymysql.connect(
        unix_socket=address.take("unix_socket"),
        user=address.user,
        password=address.password,
        database=address.database,
        autocommit=True,
        ssl_disabled=True,
        init_command="SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')",
    )


def _emptied(url: str) -> str:
    if url.startswith("postgresql"):
        mark = "&" if "?" in url else "?"
        return f"{url}{mark}schema=recollect_test_{os.getpid()}_{next(_numbers)}"
    assert "test" in url.rsplit("/", 1)[1], f"{url} would be emptied: use a database with test in its name"
    store = MariaStore(url)
    connection = store.begin()
    for table in ("vectors", "segments", "postings", "packs", "terms", "names", "entities", "links", "sessions"):
        connection.execute(f"DELETE FROM {table}")
    for table in ("jobs", "journal", "spend", "events", "calls", "windows", "checkpoints", "memories", "owners"):
        connection.execute(f"DELETE FROM {table}")
    store.end(keep=True)
    store.close()
    return url


def versions() -> list[tuple[str, str]]:
    """Start every engine once and ask for its version: none may be missing."""
    found = [("sqlite", sqlite3.sqlite_version)]
    for engine in ("postgresql", "mariadb"):
        found.append((engine, str(server(engine).run("SELECT version()")[0][0]).split(" on ")[0]))
    return found + [("own", OPENERS[url.partition(":")[0]](url).describe()["version"]) for url in OWN]


OPENERS: dict[str, Callable[[str], PostgresStore | MariaStore]] = {"postgresql": PostgresStore, "mariadb": MariaStore}
