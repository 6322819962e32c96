"""Putting rows of an export, or of another database, into this one: batches, and a mark while it is not whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.errors import RecollectError
from recollect.flows.find.meaning import Made, keeping
from recollect.model.change import IMPORT, Adopt, Change, Enqueue, Finish, Lease, Load, Wipe, Write
from recollect.model.clock import LATEST
from recollect.model.expectation import Vacant
from recollect.runtime import Runtime
from recollect.store.cache.blocks import block_of, first_of
from recollect.store.sql.rows import JSON_COLUMNS, pack_terms, to_json
from recollect.text.normal import digest
from recollect.text.terms import fold, length, terms, words_of

BATCH = 500
_NEVER_EMPTY = ("messages", "data")
"""Columns in which nothing is written as JSON too."""


class Loader:
    """Rows of one owner at a time, in batches. A half-done owner carries a mark; `then` follows when it is whole.

    With `together` all owners keep their marks until the last is whole, so that none can be had without the others.
    """

    def __init__(self, runtime: Runtime, then: tuple[Enqueue, ...] = (), *, together: bool = False) -> None:
        self._runtime = runtime
        self._then = then
        self._together = together
        self._begun: list[str] = []
        self._owner = ""
        self._table = ""
        self._rows: list[Mapping[str, Any]] = []
        self._many: Counter[str] = Counter()
        """How many memories each owner was given."""

    def marked(self, owner: str) -> Mapping[str, Any] | None:
        """Give what the mark of a half-done owner says, None without one."""
        with self._runtime.store.view() as view:
            return next((job.payload for job in view.jobs(owner) if job.name == IMPORT), None)

    def start(self, owner: str, mark: Mapping[str, Any] | None = None) -> None:
        """Begin an owner; what an interrupted run left is taken away first."""
        self._leave()
        self._owner = owner
        if self.marked(owner) is not None:
            self._commit(Wipe())
        self._commit(Enqueue(IMPORT, LATEST, payload=mark or {}), expect=(Vacant(),))
        self._begun.append(owner)

    def resume(self, owner: str) -> None:
        """Go on with an owner that carries a mark."""
        self._leave()
        self._owner = owner
        self._begun.append(owner)
        self._many[owner] = first_of(1)  # nobody knows how many there were before

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        """Hand in one row, as an export has it."""
        if table != self._table or len(self._rows) >= BATCH:
            self._flush()
            self._table = table
        self._rows.append(stored(self._runtime, table, row))
        self._many[self._owner] += table == "memories"

    def serve(self, model: str) -> None:
        """Say whose vectors shall serve the owner, before the first is handed in."""
        self._flush()
        self._commit(Adopt(model))

    def embed(self, model: str, vectors: Made) -> None:
        """Hand in vectors, behind the rows of their memories."""
        self._flush()
        self._commit(*keeping(self._runtime, model, vectors))

    def finish(self) -> None:
        """Write what is left and take the marks away, as many as fit one transaction at once."""
        self._flush()
        token, at = self._runtime.token(), self._runtime.now()
        whole: tuple[Change, ...] = (
            Lease(IMPORT, "", token, LATEST, force=True),
            Finish(IMPORT, "", token, {}),
            *self._then,
        )
        writes = [
            Write(owner=owner, at=at, node="import", changes=(*whole, *self._packing(owner, at)))
            for owner in self._begun
        ]
        for answer in self._runtime.store.commit_all(writes):
            if isinstance(answer, RecollectError):
                raise answer
        self._owner, self._begun = "", []

    def _packing(self, owner: str, at: datetime) -> tuple[Enqueue, ...]:
        """Let the words of an owner with very many memories be packed."""
        return (Enqueue("pack", at),) if block_of(self._many[owner] + 1) else ()

    def take_back(self) -> None:
        """Take away again what was loaded, of every owner that was begun."""
        self._rows = []
        for owner in self._begun:
            self._runtime.store.commit(Write(owner=owner, at=self._runtime.now(), node="import", changes=(Wipe(),)))
        self._owner, self._begun = "", []

    def _leave(self) -> None:
        """Let the next owner come."""
        if self._together:
            self._flush()
        else:
            self.finish()

    def _flush(self) -> None:
        if self._rows:
            self._commit(Load(self._table, tuple(self._rows)))
            self._rows = []

    def _commit(self, *changes: Change, expect: tuple[Vacant, ...] = ()) -> None:
        write = Write(owner=self._owner, at=self._runtime.now(), node="import", changes=changes, expect=expect)
        self._runtime.store.commit(write)


def stored(runtime: Runtime, table: str, line: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a row as an export has it into one as it is stored, its derived columns filled in."""
    row = dict(line)
    for name in JSON_COLUMNS:
        if name in row and (row[name] is not None or name in _NEVER_EMPTY):
            row[name] = to_json(row[name])
    if table == "memories":
        named = "" if line["kind"] == "episode" else line["topic"]
        text = words_of(named, line["key"], line["content"])
        found = terms(text, runtime.settings.terms, line["tags"])
        row |= {
            "topic_folded": fold(line["topic"]),
            "live_key": line["key"] if line["key"] and line["state"] == "active" else None,
            "content_hash": digest(line["content"], line["project"]) if line["kind"] != "episode" else "",
            "length": length(found),
            "terms": pack_terms(found),
            "marks": runtime.reader.marks(line["content"], line["role"]),
        }
    return row
