"""A bulk loader: the rows that `observe` and the job `embed` would write, message by message, in big transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent import futures
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice, pairwise
from typing import Any

from recollect.flows.admin.loading import stored
from recollect.flows.find.meaning import BATCH as EMBEDDED
from recollect.model.change import Change, Embed, Enqueue, Load, Seal, Write
from recollect.model.clock import LATEST, from_ms, to_ms
from recollect.model.memory import Memory
from recollect.providers.entities import extract
from recollect.rules.gate.trust import trust_of
from recollect.rules.learn.learning import worth_a_look
from recollect.rules.life.schedule import next_time
from recollect.rules.people.names import entity_id
from recollect.runtime import Runtime
from recollect.serve.bench.synthetic import Synthetic
from recollect.store.sql.rows import to_json, to_row
from recollect.text.terms import fold
from recollect.text.vectors import packed

SESSION = 100
"""How many messages a session has."""
STEP = timedelta(minutes=1)
ROLES = ("user", "assistant")
BATCH = 160 * EMBEDDED
"""How many messages go into one transaction: whole batches of the job `embed`, so that segments end where its would."""

Row = dict[str, Any]
Batch = tuple[Change, ...]


def batches(
    runtime: Runtime, texts: Iterable[str], begun: datetime, after: int = 0, embedder: Synthetic | None = None
) -> Iterator[Batch]:
    """Turn messages, said one a minute, into changes for an owner at revision `after`; any such owner can take them."""
    scribe = _Scribe(runtime, begun, after)
    texts = iter(texts)
    while said := list(islice(texts, BATCH)):
        ids = [scribe.observe(text) for text in said]
        yield scribe.written() + (_vectors(runtime, embedder, ids, said) if embedder else ())
    yield scribe.ended()


def load(runtime: Runtime, owner: str, made: Iterable[Batch], tick: Callable[[int], None]) -> None:
    """Give one owner what was made; `tick` hears of every batch how many memories it brought."""

    def nightly(row: Mapping[str, Any]) -> Mapping[str, Any]:
        """Put in the owner's own time of the night, where a job would wait for it."""
        if "after" not in row:
            return row
        night = next_time(owner, "consolidate", from_ms(row["after"]), runtime.settings.jobs)
        due = min(row["due_at"], to_ms(night or LATEST))
        return {name: value for name, value in row.items() if name != "after"} | {"due_at": due}

    def commit(changes: Batch) -> None:
        changes = tuple(
            Load("jobs", tuple(map(nightly, one.rows))) if isinstance(one, Load) and one.table == "jobs" else one
            for one in changes
        )
        if changes:
            runtime.store.commit(Write(owner=owner, at=runtime.now(), node="observe", changes=changes))
        tick(sum(len(one.rows) for one in changes if isinstance(one, Load) and one.table == "memories"))

    with futures.ThreadPoolExecutor(1) as hand:  # the next batch is made while one is written
        under_way = hand.submit(lambda: None)
        for changes in made:
            under_way.result()
            under_way = hand.submit(commit, changes)
        under_way.result()


def _vectors(runtime: Runtime, embedder: Synthetic, ids: list[str], texts: list[str]) -> Batch:
    """Give the vectors of messages as the job writes them: so many at a time, each time packed where it is due."""
    seal = (Seal(embedder.name),) if runtime.store.segmented else ()
    pairs = list(zip(ids, map(packed, embedder.matrix(texts)), strict=True))
    changes: list[Change] = []
    for at in range(0, len(pairs), EMBEDDED):
        changes += (Embed(embedder.name, tuple(pairs[at : at + EMBEDDED])), *seal)
    return tuple(changes)


@dataclass(slots=True)
class _Scribe:
    """Writes down one owner's rows as `observe` would, and what has to be known from one message to the next."""

    runtime: Runtime
    begun: datetime
    rev: int
    count: int = 0
    rows: dict[str, list[Row]] = field(default_factory=dict)
    sessions: dict[str, Row] = field(default_factory=dict)
    entities: dict[str, Row] = field(default_factory=dict)
    names: dict[str, dict[str, str]] = field(default_factory=dict)
    """Of each folded name, the entity by its type."""
    asking: list[tuple[str, int]] = field(default_factory=list)
    """Messages that may ask to be remembered, and when they were said."""
    blank: Row = field(default_factory=dict)

    def __post_init__(self) -> None:
        times: Row = dict.fromkeys(_TIMES, self.begun)
        memory = Memory(owner="", id="", kind="episode", content="", tier="long", **times)
        self.blank = to_row(memory) | {"tags": [], "attributes": {}}

    def observe(self, text: str) -> str:
        """Write down one message and give its id."""
        said = self.begun + self.count * STEP
        at, role, session = to_ms(said), ROLES[self.count % 2], f"s{self.count // SESSION}"
        id = self.runtime.new_id("episode", said)
        self.count += 1
        self.rev += 1
        times = dict.fromkeys(_TIMES, at)
        line = (
            self.blank
            | times
            | {"id": id, "content": text, "role": role, "session": session, "trust": trust_of(role, "")}
        )
        self._add("memories", stored(self.runtime, "memories", line))
        self._mention(id, text, at)
        self._note(0, session, role, at, id, "created")
        if session not in self.sessions:
            self.sessions[session] = _NEW_SESSION | {"id": session, "first_seen": at}
            self._note(1, session, role, at, "", "opened", to_json({"session": session}))
        self.sessions[session]["last_seen"] = at
        if worth_a_look(role, text, self.runtime.settings.learning, self.runtime.reader):
            self.asking.append((id, at))
        return id

    def written(self) -> Batch:
        """Give what was written down since the last time."""
        rows, self.rows = self.rows, {}
        return tuple(Load(table, tuple(some)) for table, some in rows.items())

    def ended(self) -> Batch:
        """Give what is known only at the end: names and sessions, and the jobs new sessions ask for."""
        job = {"due_at": to_ms(self.begun), "payload": "{}", "attempts": 0, "last_run": None, "last_report": None}
        self.rows = {
            "entities": list(self.entities.values()),
            "names": [
                {"folded": folded, "type": type, "entity_id": entity}
                for folded, types in self.names.items()
                for type, entity in types.items()
            ],
            "sessions": list(self.sessions.values()),
            "jobs": list(self._due(job)),
        }
        self.rows = {table: some for table, some in self.rows.items() if some}
        return (*self.written(), *((Enqueue("age", self.begun),) if self.sessions else ()))

    def _due(self, job: Row) -> Iterator[Row]:
        """Give the jobs of sessions, due when a newer one began or in the night, and of messages worth a look."""
        for left, newer in pairwise([*self.sessions.values(), {"first_seen": to_ms(LATEST)}]):
            due = {"due_at": newer["first_seen"], "after": left["first_seen"]}
            yield {"name": "consolidate", "key": left["id"], **job, **due}
        for id, at in self.asking:
            yield {"name": "learn", "key": id, **job, "due_at": at}

    def _add(self, table: str, row: Row) -> None:
        self.rows.setdefault(table, []).append(row)

    def _note(self, seq: int, session: str, actor: str, at: int, memory: str, op: str, meta: str | None = None) -> None:
        line = {"rev": self.rev, "seq": seq, "session": session, "memory_id": memory, "op": op, "actor": actor}
        self._add("journal", line | {"node": "observe", "status": "ok", "before": None, "meta": meta, "at": at})

    def _mention(self, memory: str, text: str, at: int) -> None:
        """Link a message to whom it names. The made-up texts hold no handles, so a name has one spelling."""
        linked: set[str] = set()
        for mention in extract(text, self.runtime.reader.cues(self.runtime.settings.terms.language)):
            folded = fold(mention.name)
            known = self.names.get(folded, {})
            found = min(known.items())[1] if mention.tentative and known else known.get(mention.type)
            if found is None and mention.tentative:
                continue
            entity = found or entity_id(mention.type, folded)
            if entity in linked:
                continue
            linked.add(entity)
            if found is None:
                self.names.setdefault(folded, {})[mention.type] = entity
                self.entities[entity] = _NEW_ENTITY | {"id": entity, "name": mention.name, "type": mention.type}
            self.entities[entity]["mentions"] += 1
            link = {"from_id": memory, "to_id": entity, "type": "mentions", "strength": mention.confidence}
            self._add("links", link | {"created_at": at})


_TIMES = ("created_at", "updated_at", "event_time", "valid_from")
_NEW_SESSION: Row = {"agent": "", "consolidated_upto": 0, "seen_rev": 0}
_NEW_ENTITY: Row = {"mentions": 0, "protected": 0}
