"""One write on its way: the owner's counters, its index of words, and the journal lines so far."""

from __future__ import annotations

from collections import Counter
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


def post(work: Work, *documents: tuple[int, Mapping[str, int]]) -> None:
    """Make documents findable by their terms."""
    rows = [(work.owner, term, doc, tf) for doc, terms in documents for term, tf in terms.items()]
    rows.sort()  # in the order of the key: neighbours go into the same page
    work.db.executemany("INSERT INTO postings (owner, term, doc, tf) VALUES (?,?,?,?)", rows)


def count(work: Work, terms: Iterable[str], size: int, step: int) -> None:
    """Let one memory's terms count (+1), count no more (-1), or just be known (0)."""
    work.docs += step
    work.total_length += step * size
    add_up(work, dict.fromkeys(terms, step))


def add_up(work: Work, steps: Mapping[str, int]) -> None:
    """Change how many memories have each term; those that are new become known."""
    db, owner = work.db, work.owner
    wanted = list(steps)
    for at in range(0, len(wanted), CHUNK):
        some = wanted[at : at + CHUNK]
        alike: dict[int, list[str]] = {}
        for term in some:
            alike.setdefault(steps[term], []).append(term)
        met = 0
        for step, same in alike.items():
            if step:
                among = padded(same)
                sql = f"UPDATE terms SET df = df + ? WHERE owner = ? AND term IN ({marks(among)})"
                met += db.execute(sql, (step, owner, *among)).rowcount
        if met == len(some):  # as most are, all were known
            continue
        among = padded(some)
        sql = f"SELECT term FROM terms WHERE owner = ? AND term IN ({marks(among)})"
        known = {row[0] for row in db.execute(sql, (owner, *among)).fetchall()}
        if new := [(owner, term, max(steps[term], 0)) for term in some if term not in known]:
            db.executemany("INSERT INTO terms (owner, term, df) VALUES (?,?,?)", new)


def index(work: Work, documents: Sequence[tuple[int, str, Mapping[str, int], int]]) -> None:
    """Index many memories at once: the document, state, terms and length of each."""
    post(work, *((doc, terms) for doc, _, terms, _ in documents))
    steps: Counter[str] = Counter()
    for _, state, terms, size in documents:
        live = int(state == "active")
        work.docs += live
        work.total_length += live * size
        for term in terms:
            steps[term] += live
    add_up(work, steps)
