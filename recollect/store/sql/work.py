"""One write on its way: the owner's counters, its index of words, and the journal lines so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from recollect.errors import Conflict
from recollect.model.change import Write
from recollect.model.clock import to_ms
from recollect.store.base import BORN_BITS
from recollect.store.sql.rows import to_json
from recollect.store.sql.where import marks, padded
from recollect.store.writer import Connection
from recollect.text.marks import marked

CHUNK = 400
TRIES = 3
_JOURNAL = (
    "INSERT INTO journal (owner, rev, seq, session, memory_id, op, node, status, actor, "
    '"before", meta, at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)'
)


Marks = Callable[[str, str], int]
"""Gives the marks of a text, of its words and the role of who said it."""


class Locks(NamedTuple):
    """How an engine takes an owner's lock."""

    take: str
    """Reads the owner's counters, and lets nobody else write until the transaction ends."""
    make: str
    """Makes the owner's row, and does nothing when another process has just made it."""

    def taken(self, db: Connection, owner: str, at: int) -> tuple[int, int, int, int]:
        """Take the lock, making the owner's row if need be; give its revision, next document, documents and words."""
        for _ in range(TRIES):
            row = db.execute(self.take, (owner,)).fetchone()
            if row is not None:
                rev, next_doc, docs, total_length = row
                return rev, next_doc, docs, total_length
            db.execute(self.make, (owner, at << BORN_BITS))
        raise Conflict("this owner is being erased over and over, or its name does not fit: try again")


@dataclass(slots=True)
class Work:
    """One write on its way: the connection, the owner's counters, and the journal lines so far."""

    db: Connection
    write: Write
    made: Marks = marked
    """How the marks of a text are made."""
    rev: int = 0
    next_doc: int = 1
    docs: int = 0
    total_length: int = 0
    lines: list[tuple[Any, ...]] = field(default_factory=list)
    behind: list[int] = field(default_factory=list)
    """Messages whose vectors rest on one that was changed."""
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


def chunks(values: Sequence[Any], most: int = CHUNK) -> Iterator[list[Any]]:
    """Cut a long list into pieces that fit one statement."""
    for at in range(0, len(values), most):
        yield list(values[at : at + most])


def post(work: Work, documents: Iterable[tuple[int, Mapping[str, int]]]) -> None:
    """Make documents findable by their terms."""
    owner, db = work.owner, work.db
    rows = [(owner, term, doc, tf) for doc, terms in documents for term, tf in terms.items()]
    rows.sort()  # in the order of the key: neighbours go into the same page
    db.executemany("INSERT INTO postings (owner, term, doc, tf) VALUES (?,?,?,?)", rows)
    for some in chunks(list(dict.fromkeys([row[1] for row in rows]))):
        among = padded(some)
        sql = f"SELECT term FROM terms WHERE owner = ? AND term IN ({marks(among)})"
        known = db.execute(sql, (owner, *among)).fetchall()
        if len(known) < len(some):
            new = sorted(set(some).difference([row[0] for row in known]))
            db.executemany("INSERT INTO terms (owner, term) VALUES (?,?)", [(owner, term) for term in new])


def count(work: Work, size: int, step: int) -> None:
    """Let a memory of so many words count (1), or count no more (-1)."""
    work.docs += step
    work.total_length += step * size


def index(work: Work, documents: Sequence[tuple[int, str, Mapping[str, int], int]]) -> None:
    """Index memories: the document, state, terms and length of each."""
    post(work, ((doc, terms) for doc, _, terms, _ in documents))
    for _, state, _, size in documents:
        count(work, size, int(state == "active"))
