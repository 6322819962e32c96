"""The digest in the head of MEMORY.md: where it is due, what a model is shown for it, and what of its answer is kept.

It is one section that a job writes and owns. Once a hand has changed it, it is the hand's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.flows.find.founded import COMPILED, SOURCES, compiled, lost
from recollect.flows.gate.verdict import supersede
from recollect.flows.learn.looking_back import Made, borne, fitting
from recollect.flows.window.workspace.ledger import ALL, FILES, SELF
from recollect.flows.window.workspace.renderings import (
    FILE,
    HEADING,
    PLACE,
    TAIL,
    composed,
    file_tag,
    item_of,
    place_of,
    sections_of,
)
from recollect.model.change import Connect, Enqueue, Put
from recollect.model.expectation import Version
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS, STATES
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.proposals import Thought
from recollect.model.values import dataclass
from recollect.rules.gate.hashes import hash_of
from recollect.rules.life.lifecycle import MS
from recollect.rules.window.files import DIGEST, MEMORY, WorkspacePolicy
from recollect.rules.window.markdown import BETWEEN, passages, text_hash, unmarked
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.patterns import pattern
from recollect.text.terms import terms, words_of

KIND = "document"
TAG = "compiled"
"""The tag of every digest a job has written, whatever became of it."""
READ = 500
"""How many facts are looked at, the weightiest first."""
TOLD = 0.5
"""From which share of its words on a fact is told by a sentence, and a sentence is borne out by facts."""
_LIST = pattern(r"^(?:[#*>•-]+\s+)+")


@dataclass(frozen=True, slots=True)
class Head:
    """The head of one project's MEMORY.md: what a digest would be made of, and why none is made now."""

    project: str
    sections: list[Memory]
    """What stands in it, the digest left out."""
    facts: list[Memory]
    lines: list[str]
    """Each fact as a model is shown it."""
    last: Memory | None
    """The digest a job wrote last, whatever became of it."""
    gone: bool
    """Whether something it rests on is gone."""
    looked: datetime
    why: str = ""
    """Why none is made now; empty where one is due."""
    again: datetime | None = None
    """When it may be, where that is only a matter of time."""

    @property
    def name(self) -> str:
        """Which file of which project it is."""
        return f"{MEMORY} of {self.project}" if self.project else MEMORY

    @property
    def old(self) -> Memory | None:
        """The digest that stands, where it can be shown and gone on with."""
        return None if self.gone or self.last is None or not _standing(self.last) else self.last

    @property
    def unfounded(self) -> list[Memory]:
        """The digest that stands and tells of what is gone."""
        return [self.last] if self.gone and self.last is not None and _standing(self.last) else []


def _standing(memory: Memory) -> bool:
    return memory.state == "active" and compiled(memory)


def heads(runtime: Runtime, view: Reading, owner: str) -> list[Head]:
    """Look at the head of every project in which somebody uses a workspace."""
    return [_head(runtime, view, Scope(owner, project=project)) for project in _projects(runtime, view, owner)]


def _projects(runtime: Runtime, view: Reading, owner: str) -> list[str]:
    """Give the projects with a folder in step with them, or a head by hand; to adopted folders nothing is added."""
    folders = [one.data for one in view.checkpoints(owner, FILES, None, ALL, id=SELF)]
    synced = {str(one["project"]) for one in folders}
    adopted = {str(one["project"]) for one in folders if one["adopted"]}
    where = Filter(owner=owner, now=runtime.now(), kinds=(KIND,), tags=(file_tag(MEMORY),))
    written = {one.project for one in view.page(where, "recent", READ) if not compiled(one)}
    return sorted((synced | written) - adopted)


def _head(runtime: Runtime, view: Reading, scope: Scope) -> Head:
    policy, now = runtime.settings.workspace, runtime.now()
    where = Filter(owner=scope.owner, now=now, kinds=("fact",), projects=(scope.project,))
    facts = view.page(where, "importance", READ)
    facts.sort(key=lambda one: (-(one.importance or 0), -one.event_time.timestamp(), one.id))
    ours = replace(where, kinds=(KIND,), tags=(TAG, file_tag(MEMORY)), states=STATES, source="job")
    last = next(iter(view.page(ours, "recent", 1)), None)
    gone = last is not None and last.state in ("active", "deleted") and last.id in lost(view, scope.owner, [last], now)
    sections = [one for one in sections_of(runtime, view, scope, MEMORY) if not compiled(one)]
    found = Head(scope.project, sections, *fitting(facts, policy.curate_shown), last, gone, now)
    return _judged(view, where, policy, found)


def _judged(view: Reading, where: Filter, policy: WorkspacePolicy, head: Head) -> Head:
    """Say why no digest is to be written now, if so."""
    if any(COMPILED in one.attributes or _title(one) == DIGEST for one in head.sections):
        return replace(head, why=f"a hand has written its {DIGEST!r}: delete that section to have one written again")
    if not head.lines:
        return replace(head, why="there are no facts")
    old = head.old
    if not head.gone and (old is None or len(old.content) <= room(policy)):
        since = old.created_at + MS if old is not None else None
        new = _characters(view, replace(where, created_after=since), policy.curate_characters)
        if new < policy.curate_characters:
            why = f"{new:,} characters of facts are new, and {policy.curate_characters:,} are needed"
            return replace(head, why=why)
    pause = timedelta(hours=policy.curate_hours)
    if head.last is not None and head.looked - head.last.created_at < pause:
        why = f"the last one is less than {policy.curate_hours:g} hours old"
        return replace(head, why=why, again=head.last.created_at + pause)
    return head


def room(policy: WorkspacePolicy) -> int:
    """Give how long a digest may be: one that is longer than a section would be read back as two."""
    return min(policy.curated_characters, policy.section_characters)


def _title(memory: Memory) -> str:
    return str(memory.attributes.get(HEADING, "")).rpartition(BETWEEN)[2]


def _characters(view: Reading, where: Filter, enough: int) -> int:
    """Count the characters of facts, until there are enough."""
    many = offset = 0
    while many < enough and (page := view.page(where, "recent", READ, offset)):
        many += sum(len(one.content) for one in page)
        offset += READ
    return many


def curated(runtime: Runtime, owner: str, head: Head, told: Thought, version: str) -> Made | str:
    """Turn a model's sentences into the digest, or say why none is kept."""
    policy = runtime.settings.workspace
    text, sources = f"## {DIGEST}\n\n", dict[str, Memory]()
    for one in told.sentences:
        line, facts = _borne(runtime, head, one.text, one.sources)
        if not line or f"- {line}\n" in text or len(text) + len(line) + 2 > room(policy):
            continue
        text += f"- {line}\n"
        sources |= {fact.id: fact for fact in facts}
    if not sources:
        return "nothing the model said stands in the facts" if told.sentences else "the model found nothing to say"
    memory = _memory(runtime, owner, head, text.rstrip("\n"), version, list(sources.values()))
    heading = _read_back(runtime, head, memory)
    if not heading:
        return "the head ends in a heading without words or in code that is not closed: mend that"
    memory = replace(memory, attributes={**memory.attributes, HEADING: heading}, topic=f"MEMORY {heading}"[:255])
    return _made(runtime, head, memory, list(sources.values()))


def _borne(runtime: Runtime, head: Head, text: str, cited: Sequence[int]) -> tuple[str, list[Memory]]:
    """Give what of a sentence is borne out by facts, and those facts: the cited ones, and whichever it tells."""
    policy = runtime.settings.terms
    said = set(terms(text, policy))
    known = [set(terms(line, policy)) for line in (one.partition(" ")[2] for one in head.lines)]
    rests = [
        at for at, words in enumerate(known) if at + 1 in cited or (words and len(words & said) >= TOLD * len(words))
    ]
    kept = borne(runtime, _LIST.sub("", unmarked(" ".join(text.split()))), [head.lines[at] for at in rests], KIND)
    words = set(terms(kept, policy))
    shared = words & set().union(*(known[at] for at in rests))
    if not words or len(shared) < TOLD * len(words):
        return "", []
    return unmarked(kept), [head.facts[at] for at in rests]


def _memory(runtime: Runtime, owner: str, head: Head, text: str, version: str, sources: Sequence[Memory]) -> Memory:
    now, born, filed = head.looked, KINDS[KIND], {one.category for one in sources}
    # Where it stood it stands again; a new one stands behind what a hand has written.
    place = head.last if head.last is not None and (head.gone or head.old is not None) else None
    kept = {PLACE: place.attributes[PLACE]} if place is not None and place_of(place) != float("inf") else {}
    return Memory(
        owner=owner, id=runtime.new_id(KIND, now), kind=KIND, content=text, created_at=now, updated_at=now,
        event_time=now, valid_from=now, tier=born.tier, source="job", project=head.project, importance=born.importance,
        decay_rate=born.decay, tags=(file_tag(MEMORY), TAG),
        # What is of several categories is of none: an agent that may not see them all does not see it.
        category=filed.pop() if len(filed) == 1 else "",
        attributes={
            FILE: MEMORY, TAIL: "\n", COMPILED: text_hash(text), "prompt": version, SOURCES: len(sources), **kept,
        },
    )  # fmt: skip


def _read_back(runtime: Runtime, head: Head, memory: Memory) -> str:
    """Give the heading under which a digest is read back from the file; empty where it would not be by itself."""
    shown = sorted((*head.sections, memory), key=lambda one: (place_of(one), one.created_at, one.id))
    text = composed(MEMORY, "memory", [item_of(one, "memory") for one in shown], {})
    found = passages(text, "memory", runtime.settings.workspace.section_characters)
    return next((one.heading for one in found if one.hash == text_hash(memory.content)), "")


def _made(runtime: Runtime, head: Head, memory: Memory, sources: Sequence[Memory]) -> Made:
    # It names no one: a digest is no evidence that somebody is spoken of, and keeps nobody from being forgotten.
    words = terms(words_of(memory.topic, "", memory.content), runtime.settings.terms, memory.tags)
    olds = [head.old] if head.old is not None else []
    links = [Connect(memory.id, one.id, "derived_from") for one in sources]
    embed = [Enqueue("embed", runtime.now())] if runtime.model else []
    expect = tuple(Version(one.id, one.version) for one in (*sources, *olds))
    put = Put(memory, hash_of(memory), words)
    return Made(memory.id, (*supersede(olds, put), *links, *embed), expect, len(sources))
