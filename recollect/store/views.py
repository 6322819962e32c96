"""What a view of the store can be asked, by who asks: reading, searching, the queue, administration.

A walk names in its signature the part it needs. Every method sees the same moment, and only the owner it is given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.model.asking import Call, Spending
from recollect.model.entity import Entity
from recollect.model.event import Activity, Old
from recollect.model.filter import Filter
from recollect.model.hit import Entry, Growth, Stats
from recollect.model.job import Finding, Job
from recollect.model.memory import Link, Memory, Session
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.model.window import Checkpoint, Window
from recollect.rules.find.columns import Columns, Postings
from recollect.rules.find.snapshot import Nearest, Snapshot, Sought
from recollect.rules.find.words import Matched, Words
from recollect.text.arrays import Flags, Ints, Reals

TABLES: tuple[str, ...] = (
    "sessions", "memories", "entities", "names", "links", "journal", "jobs", "spend", "windows",
    "checkpoints",
)  # fmt: skip
"""The tables an export carries, in order; the rest is derived from them."""

ORDERS: tuple[str, ...] = ("recent", "oldest", "importance", "updated", "event", "used")
"""The orders a page can have."""

Place = tuple[int, int]
"""A place in an order: the value it goes by, 0 where that is the document number alone, and the document number."""

Line = tuple[int, int, int]
"""A place in the journal by time: its moment in milliseconds, revision and number."""

BORN_BITS = 20

LEFT = 0.75
"""From which strength on a pair to be compared is left as it is: nobody gave a verdict, time after time."""

EXACT = 16
"""Of how many of the nearest the originals are compared."""

COMMON = 512
"""A term of so many memories is common: nobody counts further, and of very many the postings are read row by row."""


@dataclass(frozen=True, slots=True)
class Counters:
    """One owner's counters: its revision, and what BM25 needs to know of the whole."""

    rev: int = 0
    docs: int = 0
    total_length: int = 0
    vec_rev: int = 0
    """Counts the writes of vectors; the upper bits tell when the owner's memory was begun."""
    model: str = ""
    """The embedder whose vectors serve this owner; empty while there are none."""
    next_doc: int = 1
    """The number the next document will have."""

    @property
    def average_length(self) -> float:
        """How many words a memory has on average."""
        return self.total_length / self.docs if self.docs else 1.0

    @property
    def born(self) -> int:
        """Tell one beginning of this owner's memory from another, after everything was erased."""
        return self.vec_rev >> BORN_BITS


class Reading(ABC):
    """What one owner has: memories, entities, links, sessions and the journal."""

    @abstractmethod
    def counters(self, owner: str) -> Counters:
        """Give the owner's counters; zeros for an owner never seen."""

    @abstractmethod
    def replay(self, owner: str, request_id: str) -> Receipt | None:
        """Give the receipt journaled for this request, if it was carried out before."""

    @abstractmethod
    def get(self, owner: str, ids: Sequence[str]) -> list[Memory]:
        """Give these memories in any state, in the order asked; unknown ids are left out."""

    @abstractmethod
    def documents(self, owner: str, docs: Sequence[int], *, said: bool = False) -> dict[int, Memory]:
        """Give memories by document number; `said` where they are raw messages, which takes less time."""

    @abstractmethod
    def numbers(self, owner: str, ids: Sequence[str]) -> dict[str, int]:
        """Give the document numbers of memories; unknown ids are left out."""

    @abstractmethod
    def page(self, where: Filter, order: str, limit: int, offset: int = 0, after: Place | None = None) -> list[Memory]:
        """Give the memories that pass the filter, in one of the orders of `ORDERS`; those behind a place, if given."""

    @abstractmethod
    def lives(self, where: Filter) -> Iterator[Memory]:
        """Give every memory that passes the filter, in no order and without text, tags and attributes."""

    @abstractmethod
    def lightest(self, where: Filter, limit: int, offset: int = 0) -> list[Memory]:
        """Give memories that pass the filter, the lowest importance × (uses + 1) first, of equals the one longest
        unused, then by id."""

    @abstractmethod
    def count(self, where: Filter) -> int:
        """Count the memories that pass the filter."""

    @abstractmethod
    def active_with_hash(self, owner: str, kind: str, content_hash: str, now: datetime) -> str | None:
        """Give the id of the active memory of this kind, outside slots and not run out, with this content hash."""

    @abstractmethod
    def slot_with_hash(self, owner: str, kind: str, content_hash: str, now: datetime) -> str | None:
        """Give the id of a memory of this kind that fills a slot, has not run out, and has this content hash."""

    @abstractmethod
    def slot(self, owner: str, agent: str, kind: str, key: str) -> Memory | None:
        """Give the active memory in this slot."""

    @abstractmethod
    def entities(self, owner: str, names: Sequence[str], kind: str = "") -> list[Entity]:
        """Give the entities known by any of these folded names, most mentioned first."""

    @abstractmethod
    def namesakes(self, owner: str, name: str) -> list[Entity]:
        """Give the entities known by this folded name or by a longer one that has it among its words, by id."""

    @abstractmethod
    def known(self, owner: str, part: str, kind: str, limit: int, offset: int = 0) -> list[Entity]:
        """Give entities with a folded name that has this part, of one type where given, the most mentioned first."""

    @abstractmethod
    def by_id(self, owner: str, ids: Sequence[str]) -> list[Entity]:
        """Give these entities in the order asked; unknown ids are left out."""

    @abstractmethod
    def near(self, owner: str, entity: str) -> list[tuple[str, int]]:
        """Give the entities that memories which stand mention together with one, and how many do, the most first."""

    @abstractmethod
    def joined(self, owner: str, ids: Sequence[str]) -> list[tuple[str, str, int]]:
        """Give each two of these entities that memories which stand mention together, and how many do, by id."""

    @abstractmethod
    def links(self, owner: str, ids: Sequence[str]) -> list[Link]:
        """Give every link that starts or ends at one of these ids."""

    @abstractmethod
    def founded(self, owner: str, ids: Sequence[str], now: datetime | None) -> dict[str, int]:
        """Say on how many memories each of these rests, by links `derived_from`, that are active and not run out.

        Without a moment, on how many that were never taken back: those another took the place of count too. What rests
        on none is left out.
        """

    @abstractmethod
    def journal(self, owner: str, ids: Sequence[str] = (), since: int = 0, limit: int = 1000) -> list[Entry]:
        """Give journal lines after revision `since`, oldest first, of these memories or of all."""

    @abstractmethod
    def happened(
        self, owner: str, after: datetime, before: datetime, limit: int, place: Line | None = None
    ) -> list[Entry]:
        """Give journal lines from one moment until before another, the newest first; those older than a place."""

    @abstractmethod
    def revision(self, owner: str, rev: int) -> list[Entry]:
        """Give all journal lines of one revision but its receipt, in order."""

    @abstractmethod
    def stats(self, owner: str) -> Stats:
        """Count what the owner has by kind, tier and state."""

    @abstractmethod
    def growth(self, owner: str, since: datetime) -> list[Growth]:
        """Count what was made from a moment on by day and kind, in order."""

    @abstractmethod
    def sessions(self, owner: str) -> list[Session]:
        """Give the owner's sessions, the one seen last first."""

    @abstractmethod
    def last_session(self, owner: str, but: str) -> str:
        """Name the session seen last, other than one; nothing where there is none."""

    @abstractmethod
    def session(self, owner: str, session: str) -> Session | None:
        """Give one session."""

    @abstractmethod
    def window(self, owner: str, session: str) -> Window | None:
        """Give what is known of a session's window."""

    @abstractmethod
    def laid(self, owner: str, session: str, limit: int) -> list[tuple[datetime, str, str, str, int]]:
        """Give what the last contexts of a session were, the newest first: moment, op, profile, memory and tokens."""

    @abstractmethod
    def told(self, owner: str, agent: str) -> int:
        """Give the greatest revision an agent was told of in any session; 0 when it never was."""

    @abstractmethod
    def checkpoints(
        self, owner: str, session: str, ns: str | None, limit: int, id: str = "", before: str = ""
    ) -> list[Checkpoint]:
        """Give the states saved in a session, the newest first: of one namespace, one id, or before an id."""

    @abstractmethod
    def said(self, owner: str, session: str, after: int, limit: int) -> list[tuple[int, Memory]]:
        """Give the messages of a session behind a document, ascending, each with its number."""

    @abstractmethod
    def progress(self, owner: str) -> dict[str, tuple[int, int]]:
        """Count each session's messages, and those of them that were worked through."""

    @abstractmethod
    def spent(self, owner: str, since_day: str = "") -> list[Spending]:
        """Give the owner's ledger from a day on, an ISO date: a line for each day, role, job and session, in order."""

    @abstractmethod
    def logged(self, owner: str, session: str, before: str, limit: int) -> list[Call]:
        """Give the log of calls without its texts, the newest first, of one session if named, those before an id."""

    @abstractmethod
    def call(self, owner: str, id: str) -> Call | None:
        """Give one call of the log with its texts."""

    @abstractmethod
    def embeddings(self, owner: str, model: str, docs: Sequence[int]) -> dict[int, bytes]:
        """Give the vectors of chosen documents, as float16."""


class Searching(Reading):
    """What a query finds. Who searches reads the rows of what was found, so it is reading too."""

    @abstractmethod
    def snapshot(self, sought: Sought) -> Snapshot:
        """Give all that ranking looks at for one filter and query: every channel's finds, candidates, and columns."""

    @abstractmethod
    def matched(self, where: Filter, words: Words) -> Matched:
        """Give what words find among the memories that pass the filter; known terms stand in for unknown ones."""

    @abstractmethod
    def allowed(self, where: Filter) -> Flags:
        """Say of every document number, from 0 to the size of the columns, whether it passes the filter."""

    @abstractmethod
    def columns(self, owner: str) -> Columns:
        """Give the owner's documents as columns, up to this moment or a later one."""

    @abstractmethod
    def postings(self, owner: str, terms: Sequence[str]) -> Postings:
        """Give the documents of each known term, ascending, and how often each holds it; whatever their state."""

    @abstractmethod
    def frequencies(self, owner: str, terms: Sequence[str]) -> dict[str, int]:
        """Say in how many memories each known term occurs, about how many from `COMMON` on; leave out unknown terms."""

    @abstractmethod
    def terms_with(self, owner: str, part: str, limit: int) -> list[str]:
        """Give known terms that contain a run of characters, the shortest first."""

    @abstractmethod
    def terms_from(self, owner: str, start: str, shortest: int, longest: int) -> list[str]:
        """Give known terms that begin with these characters and are this long."""

    @abstractmethod
    def about(
        self, where: Filter, names: Sequence[str], limit: int, type: str = "", most: int | None = None
    ) -> list[tuple[int, int]]:
        """Give (document, number of entities) of memories that mention these folded names, best first.

        Names of other types, and those mentioned more than `most` times, do not count.
        """

    @abstractmethod
    def nearest(self, where: Filter, model: str, vector: Reals, limit: int) -> Nearest:
        """Give the documents that pass the filter with the vectors most similar to this one, best first.

        Never fewer than there are, up to `limit`; the similarities of the first `EXACT` are exact, those behind to
        two digits. A vector of another size than the model's finds nothing.
        """

    @abstractmethod
    def similar(self, owner: str, model: str, vector: Reals, docs: Ints) -> Reals:
        """Give the similarity of chosen documents to a vector, to two digits; NaN for those without one. Any shape."""

    @abstractmethod
    def alike(self, owner: str, model: str, docs: Ints) -> Reals:
        """Give how similar chosen documents are, each to each, to two digits; 0 where there is no vector."""


class Queue(ABC):
    """What waits to be done."""

    @abstractmethod
    def due(
        self, now: datetime, names: Sequence[str] = (), limit: int = 100, since: datetime | None = None
    ) -> list[Job]:
        """Give jobs of all owners that are due, where given since a moment, and not leased, the longest due first."""

    @abstractmethod
    def job(self, owner: str, name: str, key: str = "") -> Job | None:
        """Give one of the owner's jobs, due or not; None when it does not wait."""

    @abstractmethod
    def jobs(self, owner: str) -> list[Job]:
        """Give the owner's jobs, due or not."""

    @abstractmethod
    def runs(self, owner: str, limit: int) -> list[Entry]:
        """Give the journal lines that name runs of jobs, the last `ran` and `undone` of each, the newest first."""


class Administration(Reading, Queue):
    """What is looked at to care for a database: all owners, whole tables, what is missing, old or unjudged."""

    @abstractmethod
    def owners(self) -> list[str]:
        """Give every owner, sorted: for administration, exports and the doctor. The ledgers of tenants are none."""

    @abstractmethod
    def unread(self, where: Filter, few: int, limit: int, below: int = 0) -> list[Memory]:
        """Give memories not read again for names yet that name at most so few, the newest first, below a document.

        Names of which nothing but the spelling is known do not count.
        """

    @abstractmethod
    def unjudged(self, owner: str, limit: int, judged_before: datetime | None = None) -> list[Link]:
        """Give the pairs nobody has judged yet, the oldest first: links of the type `compared` weaker than `LEFT`.

        With a moment, those judged before it instead: they have the strength 1 and are as old as their verdict.
        """

    @abstractmethod
    def pending(self, owner: str, model: str, after: int, limit: int) -> list[tuple[int, str]]:
        """Give (document, id) of memories behind a document that have no vector of this model, ascending."""

    @abstractmethod
    def unpacked(self, owner: str) -> tuple[int, list[tuple[int, Mapping[str, int]]]] | None:
        """Give the first whole block of documents whose postings are not packed: its number, documents and terms."""

    @abstractmethod
    def before(self, owner: str, ids: Sequence[str]) -> dict[str, Memory]:
        """Give for each of these messages the one before it in its session that is not outdated, where there is one."""

    @abstractmethod
    def embedded(self, owner: str) -> Mapping[str, int]:
        """Count the owner's vectors by model."""

    @abstractmethod
    def activity(self, owner: str, days: Sequence[datetime]) -> list[Activity]:
        """Count events and journal lines from the first of these days on, each day apart, in any order."""

    @abstractmethod
    def old_events(self, owner: str, before: datetime, most: int) -> Old:
        """Find events of before a moment, about so many at most."""

    @abstractmethod
    def old_calls(self, owner: str, before: datetime, most: int) -> Old:
        """Find calls in the log of before a moment, about so many at most."""

    @abstractmethod
    def old_lines(self, owner: str, before: datetime, most: int, after: int = 0) -> Old:
        """Find journal lines of before a moment that tell of nothing that is there, about so many after a revision."""

    @abstractmethod
    def dump(self, owner: str, table: str) -> Iterator[Mapping[str, Any]]:
        """Stream the rows of one table of `TABLES` in their canonical order, derived columns left out."""

    @abstractmethod
    def check(self, owner: str) -> list[Finding]:
        """Hold the owner's counters, postings and links against its memories."""


class View(Searching, Administration):
    """Reads of one moment, of all sorts."""
