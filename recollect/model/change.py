"""Everything that can happen to the store: a small closed set of changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from recollect.model.asking import Call, Spending
from recollect.model.entity import Mention
from recollect.model.expectation import Expectation
from recollect.model.memory import Memory
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.model.window import Checkpoint

Row = Mapping[str, Any]

IMPORT = "import"
"""The job that stands in an owner's rows while they are being loaded; no worker runs it."""


@dataclass(frozen=True, slots=True)
class Put:
    """A new memory with what it is found by."""

    memory: Memory
    content_hash: str
    terms: Mapping[str, int]
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Patch:
    """New values for some columns of one memory. The text is never among them: a new text is a new row."""

    id: str
    values: Mapping[str, Any]
    op: str = "updated"
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shelve:
    """A memory's text moved into an archive file, of which a line stays; or back, when `archive` is empty."""

    id: str
    content: str
    tier: str = "archive"
    archive: str = ""
    op: str = "archived"
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Connect:
    """A link between two ids; an existing one keeps the greater strength."""

    from_id: str
    to_id: str
    type: str
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Cut:
    """A link taken away."""

    from_id: str
    to_id: str
    type: str


@dataclass(frozen=True, slots=True)
class Name:
    """What a memory was found to name when it was read again, on top of what it is linked to already.

    `at` marks it as read, in its attributes; its version stays, since it says what it said.
    """

    memory_id: str
    mentions: tuple[Mention, ...] = ()
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Unname:
    """A `Name` taken back: its links, the entities and names it made, the types it gave, and its mark."""

    memory_id: str
    linked: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    names: tuple[tuple[str, str, str], ...] = ()
    typed: tuple[tuple[str, str], ...] = ()
    left: tuple[tuple[str, float, int], ...] = ()
    at: str | None = None


@dataclass(frozen=True, slots=True)
class Unite:
    """Two entities that are one: names, links and counts of the first go over to the second."""

    from_id: str
    into_id: str


@dataclass(frozen=True, slots=True)
class Part:
    """A `Unite` taken back: the entity that went, with its names and links, stands beside the other again."""

    into_id: str
    entity: Mapping[str, Any]
    names: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, float, int], ...]
    shared: frozenset[str]
    was: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rename:
    """Another name an entity is shown by; it is found by the old one too, unless `unlearn` takes that away again."""

    entity_id: str
    name: str
    unlearn: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Protect:
    """An entity that stays known when what mentions it is purged, and is united with no other by itself; or not."""

    entity_id: str
    protected: bool


@dataclass(frozen=True, slots=True)
class Rejoin:
    """A link put back as it was: exactly this strength, and this time if it is gone."""

    from_id: str
    to_id: str
    type: str
    strength: float
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """A line of the journal about something that is no row, such as a run that was undone."""

    about: str
    op: str
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Enqueue:
    """A job made due; an earlier due time already there is kept, one put aside starts over. Bumps no revision."""

    name: str
    due_at: datetime
    key: str = ""
    payload: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Open:
    """A session seen: its last sight moves on; a new one gets its row, and what is to follow is made due."""

    session: str
    agent: str
    at: datetime
    then: tuple[Enqueue, ...] = ()
    others: Enqueue | None = None
    """What is made due, with its id as key, for each other session that waits for it."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a session has been worked through: the number of the last message that was."""

    session: str
    upto: int


@dataclass(frozen=True, slots=True)
class SetWindow:
    """What is in sight of a session's model; None leaves a part as it is, `notes` are merged. Bumps no revision."""

    session: str
    agent: str = ""
    seen_rev: int | None = None
    messages: tuple[str, ...] | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SaveCheckpoint:
    """A state of an agent kept; one with the same id gives way to it. Bumps no revision."""

    checkpoint: Checkpoint
    keep: int = 0
    """How many of the session and namespace are kept, the newest; 0 keeps all."""


@dataclass(frozen=True, slots=True)
class DropCheckpoints:
    """Saved states taken away: of a session, of one namespace of it, or a single one. Bumps no revision."""

    session: str
    ns: str | None = None
    id: str = ""


@dataclass(frozen=True, slots=True)
class Embed:
    """Vectors for memories, as float16, by id; who is gone or has one is passed over. Bumps no revision."""

    model: str
    vectors: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class Seal:
    """Single vectors packed into segments, where the engine has no search of its own. Bumps no revision."""

    model: str


@dataclass(frozen=True, slots=True)
class Pack:
    """The postings of a whole block of documents, packed so that they are read at once. Bumps no revision."""

    block: int
    documents: int
    """How many documents the block has: if it has others by now, these are not kept."""
    rows: tuple[tuple[str, bytes], ...]
    """The terms that are common enough, and their postings."""
    born: int
    """When the owner's memory was begun: of one begun anew since they are not kept."""


@dataclass(frozen=True, slots=True)
class Adopt:
    """Another embedder's vectors serve the owner from now on; the old ones go. Bumps no revision."""

    model: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Memories gone for good, with every trace of their text: `op` is purged or erased."""

    ids: tuple[str, ...]
    op: str
    keep: tuple[str, ...] = ()
    """Entities that stay with their names though nobody mentions them, for they stood so before these memories."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Sessions and entities erased by id, with their names, jobs and journal text."""

    sessions: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wipe:
    """The whole owner gone, journal and counters included."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A job taken by one worker until `until`, if nobody else holds it. Bumps no revision."""

    name: str
    key: str
    token: str
    until: datetime
    force: bool = False
    """Whether it is taken before its time, too, and while another job of the owner runs."""
    made: bool = False
    """Whether it gets a row where it has none: whoever names a job need not have asked for it before."""


@dataclass(frozen=True, slots=True)
class Finish:
    """A leased job done: its row goes, or becomes due again. Bumps no revision."""

    name: str
    key: str
    token: str
    report: Mapping[str, Any]
    due_at: datetime | None = None
    attempts: int = 0
    meanwhile: datetime | None = None
    """When it is due if it was asked for while it ran, for a time after its lease; without one, at once."""


@dataclass(frozen=True, slots=True)
class Extend:
    """A lease that lasts longer, because its holder still works. Bumps no revision."""

    name: str
    key: str
    token: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Settle:
    """A job done without a lease, in the commit of its effects: the row goes, or becomes due again.

    It holds only if the row is still due when it was seen to be, and nobody has it. Bumps no revision.
    """

    name: str
    key: str
    seen: datetime
    report: Mapping[str, Any]
    due_at: datetime | None = None
    attempts: int = 0
    rev: int | None = None
    """The owner's revision the run has seen; what was written after it may have asked for the job."""
    meanwhile: datetime | None = None
    """When the job looks again at the latest, if something was written after that revision."""


@dataclass(frozen=True, slots=True)
class Dequeue:
    """A job that is not wanted any more, if nobody holds it. Bumps no revision."""

    name: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Spend:
    """What asking a model has cost, added to the ledger. Bumps no revision."""

    line: Spending


@dataclass(frozen=True, slots=True)
class Log:
    """A question to a model and its answer, kept to be looked at; not if something was erased meanwhile, or shortly
    before, for it may quote that. Bumps no revision."""

    call: Call


@dataclass(frozen=True, slots=True)
class Unlog:
    """The log of questions and answers cut up to a moment; without one, all of it. Bumps no revision."""

    upto: datetime | None = None


@dataclass(frozen=True, slots=True)
class Trim:
    """Journal lines of before a moment cut, up to a revision, but for those of memories that are still there."""

    upto: int
    before: datetime


@dataclass(frozen=True, slots=True)
class Clear:
    """Events cut, up to a moment. Bumps no revision."""

    upto: datetime


@dataclass(frozen=True, slots=True)
class Load:
    """Rows of an export put back as they were, derived columns and counters made anew."""

    table: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Mend:
    """Counters, postings and orphans made to agree with the memories again."""


Linked = Connect | Cut | Rejoin | Name | Unname | Unite | Part | Rename | Protect
Lasting = Put | Patch | Shelve | Linked | Note | Open | Reach | Remove | Drop | Wipe | Trim | Load | Mend
Derived = Embed | Seal | Adopt | Pack
Queued = Enqueue | Lease | Extend | Finish | Settle | Dequeue
Windowed = SetWindow | SaveCheckpoint | DropCheckpoints
Logged = Spend | Log | Unlog | Clear
Change = Lasting | Derived | Queued | Windowed | Logged


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One caller's changes to one owner: applied whole, under one revision, or not at all."""

    owner: str
    at: datetime
    node: str
    changes: tuple[Change, ...]
    expect: tuple[Expectation, ...] = ()
    actor: str = ""
    session: str = ""
    request_id: str = ""
    receipt: Receipt | None = None
    run: str = ""
    """The run of a job this belongs to: journaled, so that the run can be found and undone."""


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit answers: the owner's revision, and the receipt where one was journaled.

    `replayed` says that the request had been carried out before: nothing was written now, and the
    receipt is the first one.
    """

    rev: int
    receipt: Receipt | None = None
    replayed: bool = False
