"""The body of every engine's view: all parts over one connection in one read transaction."""

from __future__ import annotations

from recollect.store.base import View
from recollect.store.sql.read.administration import SqlAdministration
from recollect.store.sql.read.searching import SqlSearching


class SqlView(SqlSearching, SqlAdministration, View):
    """Reads of one moment, of all sorts."""
