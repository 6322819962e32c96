"""The gate every memory but a raw message passes: form, writing, slots, exact and near duplicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.meaning import Vectors
from recollect.flows.near import Near, links, neighbours, said_before
from recollect.flows.words import best_matches
from recollect.model.change import Absent, Change, Connect, Expectation, Fresh, Patch, Put, Version
from recollect.model.clock import checked_time
from recollect.model.filter import Filter
from recollect.model.kinds import EXPLICIT, KINDS
from recollect.model.memory import Memory
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.providers.entities import extract
from recollect.rules import checks
from recollect.rules.categories import settled
from recollect.rules.similarity import content_hash, same
from recollect.rules.terms import terms
from recollect.rules.writing import tidy, violations
from recollect.runtime import Runtime
from recollect.store.base import View


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate decided: the receipt, and what has to be written for it to come true."""

    receipt: Receipt
    changes: tuple[Change, ...] = ()
    expect: tuple[Expectation, ...] = ()
    put: Put | None = None


def draft(content: object, details: Mapping[str, Any], runtime: Runtime) -> Draft:
    """Check what was given and fill in what was not."""
    unknown = details.keys() - Draft.__dataclass_fields__.keys()
    if unknown:
        known = ", ".join(sorted(Draft.__dataclass_fields__.keys() - {"content"}))
        raise InvalidInput(f"remember does not take {', '.join(sorted(unknown))}: it takes {known}")
    kind = checks.kind(details.get("kind", "fact"))
    if kind == "episode":
        raise InvalidInput("an episode is a raw message: use observe(role, content) instead of remember")
    born = KINDS[kind]
    text = checks.content(content)
    wrong = violations(text, born.policy, runtime.settings.writing) if born.policy == "block" else []
    if wrong:
        raise InvalidInput(f"content {wrong[0]}")
    event_time, valid_until = details.get("event_time"), details.get("valid_until")
    return Draft(
        content=text,
        kind=kind,
        topic=checks.text("topic", details.get("topic", ""), checks.LONGEST_TOPIC * 4).strip()[: checks.LONGEST_TOPIC],
        category=checks.name("category", details.get("category", "")),
        key=checks.name("key", details.get("key", "")).strip(),
        private=checks.flag("private", details.get("private", False)),
        tags=checks.tags(details.get("tags", ())),
        importance=checks.importance(details.get("importance", born.importance)),
        confidence=checks.share("confidence", details.get("confidence", 1.0)),
        pinned=checks.flag("pinned", details.get("pinned", False)),
        source=checks.source(details.get("source", "user")),
        actor=checks.name("actor", details.get("actor", "")),
        event_time=None if event_time is None else checked_time("event_time", event_time),
        valid_until=None if valid_until is None else checked_time("valid_until", valid_until),
        attributes=checks.attributes(details.get("attributes", {})),
    )


def judge(
    runtime: Runtime,
    view: View,
    scope: Scope,
    given: Draft,
    request_id: str,
    before: Sequence[Put],
    vectors: Vectors,
) -> Verdict:
    """Decide what becomes of a draft, given what is stored and what the same batch has admitted `before`."""
    policy = KINDS[given.kind].policy
    notes: list[str] = []
    if given.source not in EXPLICIT:
        given = replace(given, content=tidy(given.content, policy))
        if not given.content:
            return Verdict(Receipt(outcome="rejected", reason="nothing is left of the content after tidying"))
        wrong = violations(given.content, policy, runtime.settings.writing)
        if wrong:
            return Verdict(Receipt(outcome="rejected", reason=f"the content {wrong[0]}"))
    else:
        notes = [f"the content {wrong}" for wrong in violations(given.content, policy, runtime.settings.writing)]
    category = settled(given.category, runtime.settings.categories)
    if given.category and category.casefold() != given.category.strip().casefold():
        notes.append(f"there is no such category: filed under {category!r}")  # receipts outlive what they tell of
    if given.private and not (given.key and scope.agent):
        notes.append("private is for a slot of an agent: without key= and an agent it changes nothing")
    put = _put(runtime, scope, replace(given, category=category), (scope.owner, request_id, len(before)))
    if given.key:
        return _slot(view, scope, put, tuple(notes), before)
    near = neighbours(runtime, view, put.memory, vectors)
    twin = _twin(runtime, view, put, before, near)
    if twin:
        reason = "already known, no action is needed"
        return Verdict(Receipt(outcome="duplicate", op="none", id=twin, other=twin, reason=reason))
    expect: tuple[Expectation, ...] = (Absent(given.kind, put.content_hash),)
    if policy in ("semantic", "episodic"):
        expect += (Fresh(given.kind, view.counters(scope.owner).rev),)
    receipt = Receipt(outcome="stored", op="created", id=put.memory.id, warnings=tuple(notes))
    return Verdict(receipt, (put, *links(put.memory, near, runtime.link_min)), expect, put)


def _put(runtime: Runtime, scope: Scope, given: Draft, request: tuple[str, str, int]) -> Put:
    now = runtime.now()
    born = KINDS[given.kind]
    event = given.event_time or now
    memory = Memory(
        owner=scope.owner,
        id=runtime.new_id(given.kind, now, request if request[1] else None),
        kind=given.kind,
        content=given.content,
        created_at=now,
        updated_at=now,
        event_time=event,
        valid_from=min(event, now),
        valid_until=given.valid_until,
        tier=born.tier,
        # Slots are shared between the owner's agents unless asked for otherwise.
        agent=scope.agent if given.private or not given.key else "",
        session=scope.session,
        actor=given.actor,
        source=given.source,
        category=given.category,
        topic=given.topic,
        key=given.key,
        importance=given.importance,
        confidence=given.confidence,
        decay_rate=born.decay,
        pinned=given.pinned,
        tags=given.tags,
        attributes=given.attributes,
    )
    if memory.valid_until is not None and memory.valid_until <= memory.valid_from:
        raise InvalidInput("valid_until is not after the memory becomes true: give a later time, or leave it out")
    return index(runtime, memory)


def index(runtime: Runtime, memory: Memory) -> Put:
    """Give a memory what it is found by: its words, tags and names."""
    settings = runtime.settings.terms
    return Put(
        memory,
        content_hash(memory.content),
        terms(f"{memory.topic}\n{memory.content}" if memory.topic else memory.content, settings, memory.tags),
        tuple(extract(memory.content, settings.language)),
    )


def retire(old: Memory, by: str, at: datetime) -> Patch:
    """Let an old memory give up its place: it keeps its row, its words and the time it was true."""
    end = max(old.valid_from, at)
    until = end if old.valid_until is None else min(end, old.valid_until)
    return Patch(old.id, {"state": "superseded", "valid_until": until}, "superseded", {"by": by})


def supersede(old: Memory, put: Put) -> tuple[Change, ...]:
    """Let a new memory take the place of an old one; the old goes first, since a slot holds only one."""
    new = put.memory
    return retire(old, new.id, new.valid_from), put, Connect(new.id, old.id, "supersedes")


def _slot(view: View, scope: Scope, put: Put, notes: tuple[str, ...], before: Sequence[Put]) -> Verdict:
    memory = put.memory
    if any((b.memory.agent, b.memory.kind, b.memory.key) == (memory.agent, memory.kind, memory.key) for b in before):
        return Verdict(Receipt(outcome="rejected", reason="the batch writes the same key twice"))
    old = view.slot(scope.owner, memory.agent, memory.kind, memory.key)
    if old is None:
        return Verdict(Receipt(outcome="stored", op="created", id=memory.id, warnings=notes), (put,), (), put)
    stands = old.valid_until is None or old.valid_until > memory.created_at
    if stands and content_hash(old.content) == put.content_hash:
        reason = "already known, no action is needed"
        return Verdict(Receipt(outcome="duplicate", op="none", id=old.id, other=old.id, reason=reason))
    if memory.valid_from <= old.valid_from:  # told late: it is true here from now on, not before the old value was
        put = replace(put, memory=replace(memory, valid_from=memory.created_at))
    receipt = Receipt(outcome="superseded", op="superseded", id=memory.id, other=old.id, warnings=notes)
    return Verdict(receipt, supersede(old, put), (Version(old.id, old.version),), put)


def _twin(runtime: Runtime, view: View, put: Put, before: Sequence[Put], close: Sequence[Near]) -> str:
    """Find a memory of the same kind, outside slots, that already says this; in any tier, or in the batch."""
    kind, settings = put.memory.kind, runtime.settings
    known = view.active_with_hash(put.memory.owner, kind, put.content_hash, put.memory.created_at)
    if known:
        return known
    peers = [b.memory for b in before if b.memory.kind == kind and not b.memory.key]
    near = KINDS[kind].policy in ("semantic", "episodic")
    if near:
        where = Filter(owner=put.memory.owner, now=put.memory.created_at, kinds=(kind,))
        most = settings.similarity.candidates
        ranked = best_matches(view, where, list(put.terms), settings.terms, most).tolist()
        found = view.documents(put.memory.owner, ranked)
        peers += [found[doc] for doc in ranked if not found[doc].key]
    if twin := said_before(put.memory, close, runtime.same_min):
        return twin
    for peer in peers:
        # Texts equal after normalising are the same at any length, so the digest says nothing more here.
        if near and same(peer.content, put.memory.content, settings.similarity):
            return peer.id
        if not near and content_hash(peer.content) == put.content_hash:
            return peer.id
    return ""
