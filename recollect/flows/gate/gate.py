"""The gate every memory but a raw message passes: form, writing, slots, duplicates, conflict and consent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.find.meaning import Vectors
from recollect.flows.find.neighbours import links, neighbours, together
from recollect.flows.gate.conflicts import admitted, compared, doubts, says_more, with_notes
from recollect.flows.gate.duplicates import WORDED, peers, same_voice, twin
from recollect.flows.gate.overtaken import overtaken
from recollect.flows.gate.pending import pending, propose
from recollect.flows.gate.slots import holder, slot, standing
from recollect.flows.gate.verdict import Batch, Verdict, known
from recollect.flows.people.naming import fast
from recollect.model.change import Connect, Put
from recollect.model.clock import checked_time
from recollect.model.expectation import Absent, Expectation, Fresh
from recollect.model.kinds import EXPLICIT, KINDS
from recollect.model.memory import OUTDATED, Memory
from recollect.model.options import Details, Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.rules.gate.categories import named_by, settled
from recollect.rules.gate.hashes import hash_of
from recollect.rules.gate.writing import tidy, violations
from recollect.rules.learn.notes import NOTE, is_note
from recollect.rules.privacy.secrets import cleaned, redacted, warned
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.terms import fold, terms, words_of


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
        return slot(runtime, view, _added(runtime, view, put, batch), notes, batch)
    if filled := holder(view, put, batch):
        return known(filled)
    twin_id = view.active_with_hash(scope.owner, given.kind, put.content_hash, put.memory.created_at)
    if twin_id and batch.now.get(twin_id, put.memory).state == "active" and _same_voice(view, put.memory, twin_id):
        return known(twin_id)
    near = neighbours(runtime, view, put.memory, vectors)
    among = peers(runtime, view, put, batch, near)
    if same := twin(runtime, put, among):
        return known(same)
    olds = _updated(view, scope.owner, given, batch)
    changed = [one for one in olds if not says_more(runtime, one.content, given.content)]
    beside = together(put.memory, [one.memory for one in batch.puts], vectors)
    others = [one for one in doubts(runtime, put.memory, among, near, beside) if one not in olds]
    aside = (Connect(one.id, put.memory.id, OUTDATED, 1.0) for one in olds if one not in changed)
    before = overtaken(runtime, view, put)
    more = (*links(put.memory, near, runtime.link_min), *compared(put.memory, others), *aside, *before)
    verdict = admitted(runtime, view, put, changed, batch, more, notes)
    if verdict.put is None:
        return verdict
    alone: tuple[Expectation, ...] = (Absent(given.kind, put.content_hash),) if not twin_id else ()
    if KINDS[given.kind].policy in WORDED:
        alone += (Fresh(given.kind, view.counters(scope.owner).rev),)
    return replace(verdict, expect=(*alone, *batch.unchanged(others), *verdict.expect))


def _added(runtime: Runtime, view: Reading, put: Put, batch: Batch) -> Put:
    """Add what was learnt to what a slot of several values holds, unless it is one of them."""
    memory = put.memory
    if memory.key not in runtime.settings.consent.listed or memory.source in EXPLICIT:
        return put
    current = standing(view, memory, batch)
    held = current.content if current is not None else ""
    whole = held if fold(memory.content) in fold(held) else "; ".join(filter(None, (held, memory.content)))
    return index(runtime, replace(memory, content=whole))


def _same_voice(view: Reading, memory: Memory, twin_id: str) -> bool:
    """Tell whether a memory of the same words is the same: what two people say of themselves is not."""
    if not is_note(memory):
        return True
    found = view.get(memory.owner, [twin_id])
    return not found or same_voice(found[0], memory)


def _updated(view: Reading, owner: str, given: Draft, batch: Batch) -> list[Memory]:
    """Give the memory a model says this one takes the place of, with the notes it covers."""
    stored = view.get(owner, [given.updates]) if given.updates else []
    found = [batch.now.get(one.id, one) for old in stored for one in with_notes(view, old)]
    return [one for one in found if one.state == "active" and one.kind == given.kind and not one.key]


def _written(runtime: Runtime, given: Draft) -> tuple[Draft, tuple[str, ...], str]:
    """Bring a draft into form: what it is then, what to warn of, and why it is refused, if it is."""
    settings, reader = runtime.settings, runtime.reader
    policy = "note" if given.attributes.get(NOTE) else KINDS[given.kind].policy
    notes = list(given.notes)
    if given.source not in EXPLICIT:
        given = replace(given, content=tidy(given.content, policy, reader))
        wrong = violations(given.content, policy, settings.writing, reader) if given.content else []
        if not given.content or wrong:
            return given, (), f"the content {wrong[0]}" if wrong else "nothing is left of the content after tidying"
    else:
        notes += [f"the content {wrong}" for wrong in violations(given.content, policy, settings.writing, reader)]
    if given.key and not given.category:
        given = replace(given, category=named_by(given.key, settings.categories))
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
    return Put(memory, hash_of(memory), found, fast(runtime, memory.content))
