"""One write on its way: the owner's counters, its index of words, and the journal lines so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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


def chunks(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Cut a long list into pieces that fit one statement."""
    for at in range(0, len(values), CHUNK):
        yield list(values[at : at + CHUNK])


def post(work: Work, documents: Iterable[tuple[int, Mapping[str, int]]]) -> None:
    """Make documents findable by their terms."""
    rows = [(work.owner, term, doc, tf) for doc, terms in documents for term, tf in terms.items()]
    rows.sort()  # in the order of the key: neighbours go into the same page
    work.db.executemany("INSERT INTO postings (owner, term, doc, tf) VALUES (?,?,?,?)", rows)
    for some in chunks(list(dict.fromkeys(row[1] for row in rows))):
        among = padded(some)
        sql = f"SELECT term FROM terms WHERE owner = ? AND term IN ({marks(among)})"
        known = {row[0] for row in work.db.execute(sql, (work.owner, *among)).fetchall()}
        if new := [(work.owner, term) for term in some if term not in known]:
            work.db.executemany("INSERT INTO terms (owner, term) VALUES (?,?)", new)


def count(work: Work, size: int, step: int) -> None:
    """Let a memory of so many words count (1), or count no more (-1)."""
    work.docs += step
    work.total_length += step * size


def index(work: Work, documents: Sequence[tuple[int, str, Mapping[str, int], int]]) -> None:
    """Index memories: the document, state, terms and length of each."""
    post(work, ((doc, terms) for doc, _, terms, _ in documents))
    for _, state, _, size in documents:
        count(work, size, int(state == "active"))
