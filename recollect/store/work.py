"""One write on its way: the owner's counters, its index of words, and the journal lines so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recollect.model.change import Write
from recollect.model.clock import to_ms
from recollect.store.rows import to_json
from recollect.store.where import marks, padded
from recollect.store.writer import Connection

CHUNK = 400
_JOURNAL = (
    "INSERT INTO journal (owner, rev, seq, session, memory_id, op, node, status, actor, "
    '"before", meta, at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)'
)


@dataclass(slots=True)
class Work:
    """One write on its way: the connection, the owner's counters, and the journal lines so far."""

    db: Connection
    write: Write
    rev: int = 0
    next_doc: int = 1
    docs: int = 0
    total_length: int = 0
    lines: list[tuple[Any, ...]] = field(default_factory=list)
    wiped: bool = False
    verbatim: bool = False

    @property
    def owner(self) -> str:
        """The owner written to."""
        return self.write.owner

    def note(self, memory_id: str, op: str, before: Any = None, meta: Any = None) -> None:
        """Add a line to the journal."""
        write = self.write
        self.lines.append(
            (
                write.owner, self.rev, len(self.lines), write.session, memory_id, op, write.node, "ok", write.actor,
                None if before is None else to_json(before), to_json(meta) if meta else None, to_ms(write.at),
            )
        )  # fmt: skip

    def write_journal(self) -> None:
        """Write the lines noted so far."""
        if self.lines:
            self.db.executemany(_JOURNAL, self.lines)


def post(work: Work, doc: int, terms: Mapping[str, int]) -> None:
    """Make a document findable by its terms."""
    work.db.executemany(
        "INSERT INTO postings (owner, term, doc, tf) VALUES (?,?,?,?)",
        [(work.owner, term, doc, tf) for term, tf in terms.items()],
    )


def count(work: Work, terms: Mapping[str, int], size: int, step: int) -> None:
    """Let one memory's terms count (+1), count no more (-1), or just be known (0)."""
    db, owner = work.db, work.owner
    work.docs += step
    work.total_length += step * size
    wanted = list(terms)
    for at in range(0, len(wanted), CHUNK):
        some = wanted[at : at + CHUNK]
        among = padded(some)
        condition = f"WHERE owner = ? AND term IN ({marks(among)})"
        known = {row[0] for row in db.execute(f"SELECT term FROM terms {condition}", (owner, *among)).fetchall()}
        if known and step:
            db.execute(f"UPDATE terms SET df = df + ? {condition}", (step, owner, *among))
        if new := [(owner, term, max(step, 0)) for term in some if term not in known]:
            db.executemany("INSERT INTO terms (owner, term, df) VALUES (?,?,?)", new)
