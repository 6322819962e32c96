"""Portraits of those who matter: whose is due, what a model is shown of them, what is kept, and who is found by one.

A portrait is a memory whose key is the entity: so it gets its vector, is undone, exported and erased like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.flows.find import browse
from recollect.flows.find.filters import build, sees, sight
from recollect.flows.find.founded import SOURCES
from recollect.flows.find.founded import lost as gone_from
from recollect.flows.find.recall import LONGEST_QUERY, Wish, find
from recollect.flows.gate.verdict import supersede
from recollect.flows.learn.looking_back import borne, fitting
from recollect.model.change import Change, Connect, Enqueue, Protect, Put
from recollect.model.clock import EPOCH
from recollect.model.entity import Entity, Profile
from recollect.model.expectation import Expectation, Version
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.proposals import Portrayed
from recollect.model.values import dataclass
from recollect.rules.gate import checks
from recollect.rules.gate.hashes import hash_of
from recollect.rules.people.portraits import stale
from recollect.runtime import Runtime
from recollect.store.base import Reading, View
from recollect.text.terms import fold, terms

KIND = "portrait"
KNOWN_BY = ("fact", "event")
"""What a portrait rests on."""
MOST = 1000
OWN_WORDS = "facts"
"""Who wrote a portrait that no model did."""


@dataclass(frozen=True, slots=True)
class Subject:
    """An entity whose portrait is due: what is shown of it, and the portrait that stands."""

    entity: Entity
    facts: list[Memory]
    lines: list[str]
    old: Memory | None = None
    first: bool = True
    """Whether it never had one: only then is it protected, for what the owner said of it since counts."""


@dataclass(frozen=True, slots=True)
class Due:
    """Whose portraits are to be made now, how many wait behind them, and which rest on what is gone."""

    subjects: list[Subject]
    more: int
    unfounded: list[Memory]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is written of an answer: changes, what they rest on, whose portraits they are, and which in own words."""

    changes: tuple[Change, ...]
    expect: tuple[Expectation, ...]
    made: tuple[str, ...]
    plain: tuple[str, ...]


def due(runtime: Runtime, view: View, owner: str) -> Due:
    """Look through the entities that matter: those without a portrait, and those of which enough has changed."""
    policy = runtime.settings.portraits
    old = {one.key: one for one in view.page(_portraits(owner), "recent", policy.looked)}
    lost = gone_from(view, owner, list(old.values()), runtime.now())
    wanted: list[tuple[bool, Subject]] = []
    for entity in view.known(owner, "", "", policy.looked):
        portrait = old.get(entity.id)
        if entity.mentions < policy.mentions and portrait is None:
            continue
        gone = portrait is not None and portrait.id in lost
        if portrait is None or gone or entity.mentions != portrait.attributes.get("mentions"):
            subject = _subject(runtime, view, owner, entity, portrait, gone=gone)
            wanted += [(gone, subject)] if subject else []
    wanted.sort(key=lambda one: not one[0])  # what is no longer true comes first
    subjects = [one for _, one in wanted]
    known = {one.id for one in view.by_id(owner, list(old))}
    unfounded = [one for key, one in old.items() if key not in known or one.id in lost]
    return Due(subjects[: policy.a_run], max(0, len(subjects) - policy.a_run), unfounded)


def _portraits(owner: str) -> Filter:
    return Filter(owner=owner, now=EPOCH, kinds=(KIND,))


def _subject(
    runtime: Runtime, view: View, owner: str, entity: Entity, old: Memory | None, *, gone: bool
) -> Subject | None:
    policy = runtime.settings.portraits
    where = Filter(owner=owner, now=runtime.now(), kinds=KNOWN_BY, projects=("",))
    docs = [doc for doc, _ in view.about(where, list(entity.aliases), policy.read, entity.type)]
    facts = list(view.documents(owner, docs).values())
    new = sum(old is not None and one.created_at > old.created_at for one in facts)
    if len(facts) < policy.least_facts or (old is not None and not stale(policy, lost=gone, new=new)):
        return None
    facts.sort(key=lambda one: (-(one.importance or 0), -one.event_time.timestamp(), one.id))
    # What rests on something that is gone is taken away whether a model answers or not.
    return Subject(entity, *fitting(facts, policy.characters), None if gone else old, first=old is None)


def drawn(runtime: Runtime, owner: str, subjects: Sequence[Subject], told: Portrayed, version: str) -> Drawn:
    """Turn what a model says of several into portraits, one each.

    Sentences that rest on nothing it was shown are left out. Where nothing is left, the weightiest facts stand for
    themselves, in their own words: else it would be asked the same every night.
    """
    said: dict[int, str] = {}
    for one in told.portraits:
        said.setdefault(one.entity, one.text)
    changes: list[Change] = []
    expect: dict[str, Expectation] = {}
    plain: list[str] = []
    for number, subject in enumerate(subjects, 1):
        text = _borne_out(runtime, subject, said.get(number, ""))
        if not text:
            plain.append(subject.entity.id)
        changes += _written(runtime, subject, _memory(runtime, owner, subject, text, version if text else OWN_WORDS))
        expect |= {one.id: Version(one.id, one.version) for one in (*subject.facts, *_some(subject.old))}
    if changes and runtime.model:
        changes.append(Enqueue("embed", runtime.now()))
    return Drawn(tuple(changes), tuple(expect.values()), tuple(one.entity.id for one in subjects), tuple(plain))


def _written(runtime: Runtime, subject: Subject, memory: Memory) -> list[Change]:
    # It names no one: a portrait is no evidence that somebody is spoken of, and keeps nobody from being forgotten.
    put = Put(memory, hash_of(memory), terms(f"{subject.entity.name} {memory.content}", runtime.settings.terms))
    rests = [Connect(memory.id, one.id, "derived_from") for one in subject.facts]
    protect = [Protect(subject.entity.id, True)] if subject.first and not subject.entity.protected else []
    return [*supersede(_some(subject.old), put), *rests, *protect]


def _some(memory: Memory | None) -> list[Memory]:
    return [] if memory is None else [memory]


def _borne_out(runtime: Runtime, subject: Subject, text: str) -> str:
    """Give what of a model's words stands in the facts, within the limit of a summary; empty where that is nothing."""
    names = frozenset(fold(" ".join(subject.entity.aliases)).split())
    return borne(runtime, text, subject.lines, KIND, names)


def _own_words(runtime: Runtime, facts: Sequence[Memory]) -> str:
    """Give as many facts as a summary has room for, the weightiest first; of one that is too long, its beginning."""
    room, words = runtime.settings.writing.summary_words, list[str]()
    for one in facts:
        more = one.content.split()
        if words and len(words) + len(more) > room:
            break
        words += more[:room]
    return " ".join(words)


def _memory(runtime: Runtime, owner: str, subject: Subject, text: str, version: str) -> Memory:
    filed = {one.category for one in subject.facts}
    now, born = runtime.now(), KINDS[KIND]
    return Memory(
        owner=owner, id=runtime.new_id(KIND, now), kind=KIND, content=text or _own_words(runtime, subject.facts),
        created_at=now, updated_at=now, event_time=now, valid_from=now, tier=born.tier, source="job",
        key=subject.entity.id, topic=subject.entity.name, importance=born.importance, decay_rate=0.0,
        # What is of several categories is of none: an agent that may not see them all does not see it.
        category=filed.pop() if len(filed) == 1 else "",
        attributes={"prompt": version, SOURCES: len(subject.facts), "mentions": subject.entity.mentions},
    )  # fmt: skip


def portrayed(runtime: Runtime, view: Reading, scope: Scope, entities: Sequence[Entity]) -> list[Entity]:
    """Give entities with what their portraits say, as far as the scope may see them."""
    may = sight(runtime, scope)
    if len(entities) == 1:
        found = _some(view.slot(scope.owner, "", KIND, entities[0].id))
    else:
        found = view.page(_portraits(scope.owner), "recent", MOST) if entities else []
    lost = gone_from(view, scope.owner, found, runtime.now())
    said = {one.key: one.content for one in found if one.id not in lost and sees(may, one)}
    return [replace(one, summary=said.get(one.id, "")) for one in entities]


def profile(runtime: Runtime, scope: Scope, where: Filter, name: str, type: str, limit: int) -> Profile | None:
    """Give what is known of a name or alias: the entity with its portrait, and its memories, the newest first."""
    found = browse.entity(runtime, where, name, type, limit)
    if found is None:
        return None
    with runtime.store.view() as view:
        return replace(found, entity=portrayed(runtime, view, scope, [found.entity])[0])


def alike(runtime: Runtime, scope: Scope, about: str, type: str, limit: int) -> list[Entity]:
    """Find entities by what is known of them: by words and by meaning, the best first."""
    where = build(runtime, scope, {"kinds": [KIND]})
    hits = find(runtime, checks.text("about", about, LONGEST_QUERY), where, Wish(limit=MOST if type else limit))
    with runtime.store.view() as view:
        lost = gone_from(view, scope.owner, [hit.memory for hit in hits], runtime.now())
        said = {hit.memory.key: hit.memory.content for hit in hits if hit.memory.id not in lost}
        found = view.by_id(scope.owner, list(said))
    fitting_type = [one for one in found if not type or one.type == type]
    return [replace(one, summary=said[one.id]) for one in fitting_type[:limit]]
