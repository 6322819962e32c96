"""The databases a benchmark runs on: a file, a throwaway server, or one you name; and how large they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect import Recollect
from recollect.model.change import Wipe, Write
from recollect.model.owner import owner_key
from recollect.store.server import ServerStore
from recollect.testing.servers import TABLES, MariaDb, Postgres, Server

BUFFER_MB = 1024
SERVERS = ("postgresql", "mariadb")


def throwaway(engine: str, *, memory_mb: int = 64) -> Server:
    """Start a server that keeps its word about what is on the disk."""
    return Postgres(durable=True) if engine == "postgresql" else MariaDb(durable=True, memory_mb=memory_mb)


@contextmanager
def database(name: str, folder: Path, owners: int) -> Iterator[str]:
    """Give the URL of an empty database on the engine, or of the server, that is named."""
    if name == "sqlite":
        yield f"sqlite:///{folder}/speed-{owners}.db"
    elif name in SERVERS:
        server = throwaway(name, memory_mb=BUFFER_MB)
        try:
            yield server.url
        finally:
            server.stop()
    else:
        yield name
        _clear(name, owners)


def _clear(url: str, owners: int) -> None:
    """Take out of a server of your own what the benchmark has put in."""
    with Recollect(url) as memory:
        runtime = memory._runtime
        for number in range(owners):
            wipe = Write(owner=owner_key(f"user{number}"), at=runtime.now(), node="bench", changes=(Wipe(),))
            runtime.store.commit(wipe)


def size(memory: Recollect) -> int:
    """Give the bytes our tables and their indexes take, after a look that makes the engine's own figures true."""
    store = memory._runtime.store
    if not isinstance(store, ServerStore):
        return int(memory.describe()["bytes"])
    wire = store._open()
    try:
        if store.ENGINE == "mariadb":
            wire.execute(f"ANALYZE TABLE {', '.join(TABLES)}").fetchall()
            return int(memory.describe()["bytes"])
        names = ", ".join(f"'{table}'" for table in TABLES)
        for table in TABLES:
            wire.execute(f"ANALYZE {table}")
        return int(
            wire.execute(
                "SELECT SUM(pg_total_relation_size(oid)) FROM pg_class "
                f"WHERE relkind = 'r' AND pg_table_is_visible(oid) AND relname IN ({names})"
            ).fetchone()[0]
        )
    finally:
        wire.close()
