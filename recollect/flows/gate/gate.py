"""The gate every memory but a raw message passes: form, writing, slots, duplicates, conflict and consent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.find.meaning import Vectors
from recollect.flows.find.neighbours import links, neighbours
from recollect.flows.gate.conflicts import Rivals, admitted, fuller, rivals
from recollect.flows.gate.duplicates import WORDED, peers, twin
from recollect.flows.gate.pending import pending, propose
from recollect.flows.gate.slots import holder, outdated, slot
from recollect.flows.gate.verdict import Batch, Verdict, known
from recollect.flows.people.identity import names_gone_by, naming_facts
from recollect.flows.people.naming import fast
from recollect.model.change import Absent, Expectation, Fresh, Put
from recollect.model.clock import checked_time
from recollect.model.filter import Filter
from recollect.model.kinds import EXPLICIT, KINDS
from recollect.model.memory import Memory
from recollect.model.options import Details, Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.rules.gate.categories import settled
from recollect.rules.gate.writing import tidy, violations
from recollect.rules.privacy.secrets import cleaned, redacted, warned
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.normal import digest
from recollect.text.terms import terms, words_of


def draft(content: object, details: Mapping[str, Any], runtime: Runtime) -> Draft:
    """Check what was given and fill in what was not."""
    unknown = details.keys() - Details.__annotations__.keys()
    if unknown:
        takes = ", ".join(sorted(Details.__annotations__))
        raise InvalidInput(f"remember does not take {', '.join(sorted(unknown))}: it takes {takes}")
    kind = checks.kind(details.get("kind", "fact"))
    if kind == "episode":
        raise InvalidInput("an episode is a raw message: use observe, with a role, instead of remember")
    born = KINDS[kind]
    text, secrets = redacted(checks.content(content))
    wrong = violations(text, born.policy, runtime.settings.writing, runtime.reader) if born.policy == "block" else []
    if wrong:
        raise InvalidInput(f"content {wrong[0]}")
    event_time, valid_until = details.get("event_time"), details.get("valid_until")
    topic, more = cleaned(checks.text("topic", details.get("topic", ""), checks.LONGEST_TOPIC * 4).strip())
    tags, others = cleaned(checks.tags(details.get("tags", ())))
    attributes, deeper = cleaned(checks.attributes(details.get("attributes", {})))
    secrets = tuple(dict.fromkeys((*secrets, *more, *others, *deeper)))
    return Draft(
        content=text,
        kind=kind,
        topic=topic[: checks.LONGEST_TOPIC],
        category=checks.name("category", details.get("category", "")),
        key=checks.name("key", details.get("key", "")).strip(),
        private=checks.flag("private", details.get("private", False)),
        tags=tuple(tags),
        importance=checks.importance(details.get("importance", born.importance)),
        confidence=checks.share("confidence", details.get("confidence", 1.0)),
        pinned=checks.flag("pinned", details.get("pinned", False)),
        source=checks.source(details.get("source", "user")),
        actor=checks.name("actor", details.get("actor", "")),
        event_time=None if event_time is None else checked_time("event_time", event_time),
        valid_until=None if valid_until is None else checked_time("valid_until", valid_until),
        attributes=attributes,
        notes=warned(secrets),
    )


def judged(
    runtime: Runtime,
    view: Searching,
    scope: Scope,
    drafts: Sequence[Draft | Receipt],
    request_id: str,
    vectors: Vectors,
) -> list[Verdict]:
    """Give the verdict on each draft, one after the other, each seeing what those before it bring.

    A receipt among them stands for one refused before. The ids of new memories derive from `request_id`.
    """
    verdicts: list[Verdict] = []
    batch = Batch()
    for one in drafts:
        if isinstance(one, Receipt):
            verdict, warnings = Verdict(one), one.warnings
        else:
            verdict = _judged(runtime, view, scope, one, request_id, batch, vectors)
            # Whatever became of it: who gave away a secret must hear of it.
            warnings = tuple(dict.fromkeys((*one.notes, *verdict.receipt.warnings)))
        category = settled("" if isinstance(one, Receipt) else one.category, runtime.settings.categories)
        verdict = replace(verdict, receipt=replace(verdict.receipt, category=category, warnings=warnings))
        verdicts.append(verdict)
        batch.add(verdict)
    return verdicts


def _judged(
    runtime: Runtime, view: Searching, scope: Scope, given: Draft, request_id: str, batch: Batch, vectors: Vectors
) -> Verdict:
    given, notes, refused = _written(runtime, given)
    if refused:
        return Verdict(Receipt(outcome="rejected", reason=refused))
    if given.private and not (given.key and scope.agent):
        notes = (*notes, "private is for a slot of an agent: without key= and an agent it changes nothing")
    put = _put(runtime, scope, given, (scope.owner, request_id, len(batch.puts)))
    if given.state == "quarantined":
        return _apart(runtime, view, put, given.reason, batch, notes)
    if given.key:
        return slot(runtime, view, put, notes, batch)
    if filled := holder(view, put, batch):
        return known(filled)
    twin_id = view.active_with_hash(scope.owner, given.kind, put.content_hash, put.memory.created_at)
    if twin_id and batch.now.get(twin_id, put.memory).state == "active":
        return known(twin_id)
    near = neighbours(runtime, view, put.memory, vectors)
    among = peers(runtime, view, put, batch, near)
    names = names_gone_by(put.memory, among, lambda: _naming(runtime, view, put.memory, batch), runtime.reader)
    same = twin(runtime, put, among, near, names)
    peer = next((one for one in among if one.id == same), None)
    if peer is not None:
        there, here = runtime.reader.on_one_subject(peer.content, given.content, names)
        if not runtime.reader.gist(there) < runtime.reader.gist(here):  # it adds nothing
            return known(same)
    shorter = peer if peer is not None and fuller(runtime, peer, put.memory) else None
    more = links(put.memory, near, runtime.link_min)
    found = Rivals(shorter=shorter) if shorter else rivals(runtime, put.memory, among, near, names)
    verdict = admitted(runtime, view, put, found, batch, more, notes)
    if verdict.put is None:
        return verdict
    verdict = outdated(runtime, view, verdict, batch)
    alone: tuple[Expectation, ...] = (Absent(given.kind, put.content_hash),) if not twin_id else ()
    if KINDS[given.kind].policy in WORDED:
        alone += (Fresh(given.kind, view.counters(scope.owner).rev),)
    return replace(verdict, expect=(*alone, *verdict.expect))


def _naming(runtime: Runtime, view: Searching, memory: Memory, batch: Batch) -> list[Memory]:
    """Give the facts that tell a name, also those another has taken the place of: facts may still go by it."""
    if batch.names is None:
        where = Filter(owner=memory.owner, now=memory.created_at, kinds=("fact",), states=("active", "superseded"))
        batch.names = naming_facts(runtime, view, where)
    return [*batch.names, *(put.memory for put in batch.puts if put.memory.state == "active")]


def _written(runtime: Runtime, given: Draft) -> tuple[Draft, tuple[str, ...], str]:
    """Bring a draft into form: what it is then, what to warn of, and why it is refused, if it is."""
    policy, settings, reader = KINDS[given.kind].policy, runtime.settings, runtime.reader
    notes = list(given.notes)
    if given.source not in EXPLICIT:
        given = replace(given, content=tidy(given.content, policy, reader))
        wrong = violations(given.content, policy, settings.writing, reader) if given.content else []
        if not given.content or wrong:
            return given, (), f"the content {wrong[0]}" if wrong else "nothing is left of the content after tidying"
    else:
        notes += [f"the content {wrong}" for wrong in violations(given.content, policy, settings.writing, reader)]
    category = settled(given.category, settings.categories)
    if given.category and category.casefold() != given.category.strip().casefold():
        notes.append(f"there is no such category: filed under {category!r}")  # receipts outlive what they tell of
    return replace(given, category=category), tuple(notes), ""


def _apart(runtime: Runtime, view: Reading, put: Put, reason: str, batch: Batch, notes: tuple[str, ...]) -> Verdict:
    """Keep a claim apart, unless it is known: it is not recalled, and goes when nobody approves it in time."""
    memory = put.memory
    if twin_id := view.active_with_hash(memory.owner, memory.kind, put.content_hash, memory.created_at):
        return known(twin_id)
    until = memory.created_at + timedelta(days=runtime.settings.consent.quarantine_days)
    return propose(runtime, view, batch, pending(put, "quarantined", reason, until), None, notes)


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
        trust=given.trust,
        category=given.category,
        topic=given.topic,
        key=given.key,
        # A slot is the owner's, whatever is being worked on.
        project="" if given.key else scope.project,
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
    """Give a memory what it is found by: its words, those of its topic and key, its tags and names."""
    found = terms(words_of(memory.topic, memory.key, memory.content), runtime.settings.terms, memory.tags)
    return Put(memory, digest(memory.content, memory.project), found, fast(runtime, memory.content))
