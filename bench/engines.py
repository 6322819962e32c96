"""The throwaway servers a drill runs on."""

from __future__ import annotations

from recollect.testing.servers import MariaDb, Postgres, Server

SERVERS = ("postgresql", "mariadb")


def throwaway(engine: str) -> Server:
    """Start a server that keeps its word about what is on the disk."""
    return Postgres(durable=True) if engine == "postgresql" else MariaDb(durable=True)
