"""The databases a benchmark runs on: a file, a throwaway server, or one you name; and how large they are."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from recollect.config import Settings
from recollect.errors import InvalidInput, Unavailable
from recollect.model.change import Wipe, Write
from recollect.providers.embedders import Embedder
from recollect.rules.find.fusion import FusionPolicy
from recollect.runtime import Runtime, open_store
from recollect.store.base import Store
from recollect.store.engines.server import ServerStore
from recollect.store.sql.remove import OWNED

SERVERS = ("postgresql", "mariadb")
BUFFER_MB = 1024


@contextmanager
def database(name: str, folder: Path) -> Iterator[str]:
    """Give the URL of an empty database on the engine, or of the server, that is named."""
    if name == "sqlite":
        yield f"sqlite:///{folder}/speed.db"
    elif name in SERVERS:
        with _throwaway(name) as url:
            yield url
    else:
        _empty(name)
        try:
            yield name
        finally:
            _clear(name)


@contextmanager
def _throwaway(engine: str) -> Iterator[str]:
    """Run a server as a program of its own, which ends when nobody speaks to it any more."""
    program = [sys.executable, "-m", "recollect.testing.servers", engine, str(BUFFER_MB)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        if not url:
            raise Unavailable(f"no throwaway {engine} could be started: give --db the URL of an empty database instead")
        yield url


def opened(url: str, embedder: Embedder | None = None, fusion: FusionPolicy | None = None) -> closing[Runtime]:
    """Open a database with the settings as they are by default, whatever is set on this machine."""
    settings = Settings(embedder="none", fusion=fusion or FusionPolicy())
    return closing(Runtime(open_store(url, settings), settings, own=embedder))


def _empty(url: str) -> None:
    with opened(url) as runtime, runtime.store.view() as view:
        if view.owners():
            raise InvalidInput("the database is not empty: give the benchmark one of its own")


def _clear(url: str) -> None:
    """Take out of a database of yours what the benchmark has put in."""
    with opened(url) as runtime:
        with runtime.store.view() as view:
            owners = view.owners()
        for owner in owners:
            runtime.store.commit(Write(owner=owner, at=runtime.now(), node="bench", changes=(Wipe(),)))


def size(store: Store) -> int:
    """Give the bytes our tables and their indexes take, after a look that makes the engine's own figures true."""
    if not isinstance(store, ServerStore):
        return int(store.describe()["bytes"])
    wire = store._open()
    try:
        if store.ENGINE == "mariadb":
            wire.execute(f"ANALYZE TABLE {', '.join(OWNED)}").fetchall()
            return int(store.describe()["bytes"])
        wire.execute("SET statement_timeout = 0")  # of millions of rows a look takes longer than any request may
        names = ", ".join(f"'{table}'" for table in OWNED)
        for table in OWNED:
            wire.execute(f"ANALYZE {table}")
        return int(
            wire.execute(
                "SELECT SUM(pg_total_relation_size(COALESCE(part.relid, oid))) FROM pg_class "
                "LEFT JOIN LATERAL pg_partition_tree(oid) part ON true "
                f"WHERE relkind IN ('r', 'p') AND pg_table_is_visible(oid) AND relname IN ({names})"
            ).fetchone()[0]
        )
    finally:
        wire.close()
