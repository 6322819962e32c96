"""The owner's word on what waits: listed, accepted, rejected, amended, answered in chat, or run out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.errors import Conflict, NotFound
from recollect.flows.find.filters import allows, sight
from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.commit import Origin, commit
from recollect.flows.gate.conflicts import merge_into, told
from recollect.flows.gate.gate import index
from recollect.flows.gate.pending import FORGETS, GATE, PENDING, TOPICS, absorbed, end, lies, named, noted, waiting
from recollect.flows.gate.slots import place, standing
from recollect.flows.gate.verdict import KNOWN, Verdict, confirmed, retire, since, supersede
from recollect.flows.keep.filing import refiled
from recollect.model.change import Change, Connect, Enqueue, Patch
from recollect.model.expectation import Absent, Expectation, Version
from recollect.model.filter import Filter
from recollect.model.kinds import EXPLICIT, KINDS
from recollect.model.memory import Memory, Pending
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.turn import Turn
from recollect.rules.gate import checks
from recollect.rules.gate.hashes import hash_of
from recollect.rules.gate.writing import violations
from recollect.rules.learn.notes import is_note
from recollect.rules.people.speakers import Identity
from recollect.rules.privacy.secrets import redacted, warned
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.normal import content_hash
from recollect.text.roles import is_machine

Decided = Callable[[Searching, Memory], Verdict]


def inbox(runtime: Runtime, scope: Scope) -> list[Pending]:
    """Give what waits for the owner, the newest first; to an agent, what it may see of it."""
    may = sight(runtime, scope)
    with runtime.store.view() as view:
        found = [one for one in waiting(view, scope.owner, runtime.now()) if allows(may, one)]
        return [
            Pending(one, str(noted(one).get("reason", "")), one.purge_at, tuple(old.id for old in _olds(view, one)))
            for one in found
        ]


def accept(runtime: Runtime, scope: Scope, memory_id: str, request_id: str) -> Receipt:
    """Let what waits become true: it takes the place of what it would replace."""

    def decided(view: Searching, memory: Memory) -> Verdict:
        return _accepted(runtime, view, memory)

    return _decide(runtime, scope, memory_id, "accept", request_id, decided)


def reject(runtime: Runtime, scope: Scope, memory_id: str, request_id: str) -> Receipt:
    """Put what waits out of sight; what stands, stands."""

    def decided(view: Reading, memory: Memory) -> Verdict:
        return _rejected(runtime, view, memory)

    return _decide(runtime, scope, memory_id, "reject", request_id, decided)


def amend(runtime: Runtime, scope: Scope, memory_id: str, content: object, request_id: str) -> Receipt:
    """Accept what waits in other words, the owner's own."""
    text, secrets = redacted(checks.content(content))

    def decided(view: Searching, memory: Memory) -> Verdict:
        if named(memory, TOPICS):
            return refiled(runtime, view, memory, checks.topic(text))
        if content_hash(text) == content_hash(memory.content):
            return _accepted(runtime, view, memory)
        notes = violations(text, KINDS[memory.kind].policy, runtime.settings.writing, runtime.reader)
        verdict = _amended(runtime, view, scope, memory, text, request_id)
        warnings = (*warned(secrets), *(f"the content {note}" for note in notes))
        return replace(verdict, receipt=replace(verdict.receipt, warnings=warnings))

    return _decide(runtime, scope, memory_id, "amend", request_id, decided)


def answered(runtime: Runtime, view: Searching, scope: Scope, turn: Turn, user: Identity) -> Verdict | None:
    """Read a turn as the user's yes or no to what is proposed; None when it is not plainly one.

    A yes may be meant for anything: it counts when it says itself what it is about, or follows a question that asked
    for the proposed value, and when one proposal alone was meant. Nobody answers for somebody else.
    """
    if not user.says(turn.role, turn.actor):
        return None
    reader = runtime.reader
    asked = [
        one
        for one in waiting(view, scope.owner, runtime.now(), states=("proposed",))
        if one.created_at <= turn.at and reader.answer(turn.content, one.content)
    ]
    said = turn.content
    meant = [one for one in asked if reader.meant(said, one.key, one.content)]
    if not meant and asked:
        before = _said_before(view, scope, turn)
        meant = [one for one in asked if reader.asks_for(before, one.key, one.content)]
    if len(meant) != 1:
        return None
    yes = reader.answer(turn.content, meant[0].content) == "yes"
    return _accepted(runtime, view, meant[0], turn.id) if yes else _rejected(runtime, view, meant[0], turn.id)


def _said_before(view: Reading, scope: Scope, turn: Turn) -> str:
    """Give what a machine said to the user just before a turn."""
    session = scope.session or next((one.session for one in view.get(scope.owner, [turn.id])), "")
    where = Filter(
        owner=scope.owner,
        now=turn.at,
        kinds=("episode",),
        sessions=(session,) if session else (),
        event_before=turn.at,
    )
    for one in view.page(where, "event", 5):
        if one.id != turn.id:
            return one.content if is_machine(one.role) else ""
    return ""


def _accepted(runtime: Runtime, view: Searching, memory: Memory, turn: str = "") -> Verdict:
    """Make what waits active, and let what it changes give way."""
    now = runtime.now()
    meta = {"turn": turn} if turn else {}
    if topics := named(memory, TOPICS):
        return refiled(runtime, view, memory, topics[0])
    if named(memory, FORGETS):
        return _forgetting(runtime, view, memory, meta)
    if twin := _twin(view, memory, now):
        receipt = Receipt(outcome="duplicate", op="accepted", id=twin, other=twin, reason=KNOWN)
        return Verdict(receipt, absorbed(memory, "accepted", twin), (Version(memory.id, memory.version),))
    olds, others = _olds(view, memory), _others(view, memory, now)
    if newer := [old for old in olds if memory.state == "quarantined" and told(runtime, memory) < told(runtime, old)]:
        return _of_the_past(memory, min(newer, key=lambda old: told(runtime, old)), meta)
    whole = since(replace(memory, created_at=now), olds)
    same = content_hash(memory.content)
    plain = [one for one in _plain(view, memory) if one not in olds and content_hash(one.content) == same]
    kept = {**memory.attributes, GATE: {**noted(memory), "accepted": True}}
    values = {"state": "active", "purge_at": None, "valid_from": whole.valid_from, "attributes": kept}
    changes = (
        *(retire(old, memory.id, whole.valid_from) for old in olds),
        Patch(memory.id, values, "accepted", meta),
        *(Connect(memory.id, old.id, "supersedes") for old in olds),
        *(change for one in plain for change in merge_into(one, whole)),
        *(end(runtime, one, "replaced", {"by": memory.id}) for one in others),
        *((Enqueue("embed", now),) if runtime.model else ()),
    )
    expect: tuple[Expectation, ...] = tuple(Version(one.id, one.version) for one in (memory, *olds, *plain, *others))
    expect += () if memory.key else (Absent(memory.kind, hash_of(memory)),)
    return Verdict(_receipt(memory.id, olds, "accepted"), changes, expect)


def _forgetting(runtime: Runtime, view: Reading, memory: Memory, meta: Mapping[str, Any]) -> Verdict:
    """Forget what a question asked about, which is answered with that."""
    gone = [one for one in view.get(memory.owner, named(memory, FORGETS)) if one.state == "active"]
    changes = (
        end(runtime, memory, "accepted", meta),
        *(Patch(one.id, {"state": "deleted"}, "forgotten", {"with": memory.id}) for one in gone),
    )
    receipt = Receipt(outcome="stored", op="accepted", id=memory.id, other=gone[0].id if gone else "", count=len(gone))
    return Verdict(receipt, changes, tuple(Version(one.id, one.version) for one in (memory, *gone)))


def _rejected(runtime: Runtime, view: Reading, memory: Memory, turn: str = "") -> Verdict:
    """Put what waits out of sight, and with it what the same message left as a plain fact."""
    patch = end(runtime, memory, "rejected", {"turn": turn} if turn else {})
    plain = [one for one in _plain(view, memory) if one.source not in EXPLICIT and not confirmed(one)]
    gone = (end(runtime, one, "taken back", {"with": memory.id}) for one in plain)
    receipt = Receipt(outcome="stored", op="rejected", id=memory.id)
    return Verdict(receipt, (patch, *gone), tuple(Version(one.id, one.version) for one in (memory, *plain)))


def _plain(view: Reading, memory: Memory) -> list[Memory]:
    """Give the plain facts that say what a slot's value says: those of the same quote, and one in the same words."""
    if not memory.key:
        return []
    turns = sorted({str(memory.attributes.get("turn", "")), *named(memory, "turns")} - {""})
    links = view.links(memory.owner, turns) if turns else []
    ids = [one.from_id for one in links if one.type == "derived_from" and one.to_id in turns]
    twin = view.active_with_hash(memory.owner, memory.kind, hash_of(memory), memory.created_at)
    found = view.get(memory.owner, list(dict.fromkeys((*ids, *([twin] if twin else ())))))
    return [
        one
        for one in found
        if one.state == "active"
        and (one.kind, one.key) == (memory.kind, "")
        and not is_note(one)
        and (one.id == twin or one.attributes.get("quote") == memory.attributes.get("quote"))
    ]


def _amended(runtime: Runtime, view: Searching, scope: Scope, memory: Memory, text: str, request_id: str) -> Verdict:
    """Put the owner's words in the place of what waited, and of the plain fact that came with it."""
    now = runtime.now()
    attributes = {name: value for name, value in memory.attributes.items() if name != GATE}
    new = replace(
        memory,
        id=runtime.new_id(memory.kind, now, (scope.owner, f"amend\n{memory.id}\n{request_id}", 0)),
        content=text,
        state="active",
        source="user",
        trust=1.0,
        confidence=1.0,
        purge_at=None,
        created_at=now,
        updated_at=now,
        version=1,
        attributes=attributes,
    )
    gone = absorbed(memory, "amended", new.id)
    expect: tuple[Expectation, ...] = (Version(memory.id, memory.version),)
    plain = [one for one in _plain(view, memory) if not confirmed(one)]
    if twin := _twin(view, new, now):
        plain = [one for one in plain if one.id != twin]
        receipt = Receipt(outcome="duplicate", op="amended", id=twin, other=twin, reason=KNOWN)
        left: list[Change] = [retire(one, twin, now) for one in plain]
        left += [Connect(twin, one.id, "supersedes") for one in plain]
        expect += tuple(Version(one.id, one.version) for one in plain)
        return Verdict(receipt, (*absorbed(memory, "amended", twin), *left), expect)
    olds, others = _olds(view, memory), _others(view, memory, now)
    olds += [one for one in plain if one.id not in {old.id for old in olds}]
    put = index(runtime, since(new, olds))
    expect += tuple(Version(one.id, one.version) for one in (*olds, *others))
    expect += () if memory.key else (Absent(memory.kind, put.content_hash),)
    changes = (*supersede(olds, put), *gone, *(end(runtime, one, "replaced", {"by": new.id}) for one in others))
    return Verdict(_receipt(new.id, olds, "amended"), changes, expect, put)


def _receipt(memory_id: str, olds: Sequence[Memory], op: str) -> Receipt:
    if not olds:
        return Receipt(outcome="stored", op=op, id=memory_id)
    return Receipt(outcome="superseded", op=op, id=memory_id, other=olds[0].id)


def _twin(view: Reading, memory: Memory, now: datetime) -> str:
    """Find the memory that says so already."""
    if memory.key:
        current = standing(view, memory)
        stands = current is not None and (current.valid_until is None or current.valid_until > now)
        return (
            current.id if current and stands and content_hash(current.content) == content_hash(memory.content) else ""
        )
    return view.active_with_hash(memory.owner, memory.kind, hash_of(memory), now) or ""


def _olds(view: Reading, memory: Memory) -> list[Memory]:
    """Give what stands where a memory that waits would stand."""
    if memory.key:
        current = standing(view, memory)
        return [current] if current else []
    return [one for one in view.get(memory.owner, named(memory, "replaces")) if one.state == "active"]


def _of_the_past(memory: Memory, newer: Memory, meta: Mapping[str, Any]) -> Verdict:
    """Believe a claim of long ago as what was so before: what was told since stands."""
    until = max(memory.valid_from, newer.valid_from)
    kept = {**memory.attributes, GATE: {**noted(memory), "accepted": True}}
    values = {"state": "superseded", "purge_at": None, "valid_until": until, "attributes": kept}
    changes = (Patch(memory.id, values, "accepted", meta), Connect(newer.id, memory.id, "supersedes"))
    reason = "told long ago: it is kept as what was so before, and the newer value stands"
    receipt = Receipt(outcome="stored", op="accepted", id=memory.id, other=newer.id, reason=reason)
    return Verdict(receipt, changes, tuple(Version(one.id, one.version) for one in (memory, newer)))


def _others(view: Reading, memory: Memory, now: datetime) -> list[Memory]:
    """Give the other proposals for a slot that is about to be filled: with that they are answered."""
    if not memory.key:
        return []
    found = waiting(view, memory.owner, now, states=("proposed",), kind=memory.kind, key=memory.key)
    return [one for one in found if one.id != memory.id and place(one) == place(memory)]


def _decide(runtime: Runtime, scope: Scope, memory_id: str, verb: str, request_id: str, decided: Decided) -> Receipt:
    """Carry out a decision on one memory that waits."""
    wanted = checks.name("memory id", memory_id, empty=False)
    request = checks.request(request_id, verb, wanted)

    def plan(view: Searching) -> Verdict:
        return decided(view, _waits(runtime, view, scope, wanted))

    return commit(runtime, Origin(scope, "consent", scope.agent, request), plan, Vectors(runtime))


def _waits(runtime: Runtime, view: Reading, scope: Scope, memory_id: str) -> Memory:
    """Give a memory that waits, or say what became of it."""
    found = view.get(scope.owner, [memory_id])
    if not found or not allows(sight(runtime, scope), found[0]):
        raise NotFound(f"there is no memory {memory_id} for this owner: inbox gives those that wait")
    if found[0].state not in PENDING:
        raise Conflict(f"{memory_id} is {found[0].state}: nothing about it waits for an answer")
    if not lies(found[0], runtime.now()):
        raise Conflict(f"{memory_id} has waited too long and has run out: remember it if it is true")
    return found[0]
