"""What the owner asks of his memory in any session: to forget something, to take words back, to put a value right.

One clear match is done and reported, several become questions in the inbox, none is said to be none. Only the owner's
own words count, said to the assistant: not a guest's, and nothing quoted or pasted.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.gate import index, judged
from recollect.flows.gate.pending import FORGETS, PENDING, end, pending, propose
from recollect.flows.gate.retelling import hidden
from recollect.flows.gate.verdict import Batch, Verdict, confirmed, retire, supersede
from recollect.flows.learn.admission import BACK
from recollect.flows.learn.asked import CERTAIN
from recollect.flows.learn.free import messages_meant, values
from recollect.flows.learn.meant import (
    Group,
    bare_value,
    memories,
    message_with,
    messages,
    value_in,
    wrong_value,
)
from recollect.flows.learn.pages import Talk
from recollect.language.commands import Command
from recollect.model.change import Change, Connect, Patch
from recollect.model.clock import iso
from recollect.model.expectation import Absent, Expectation, Version
from recollect.model.memory import COVERS, OUTDATED, Memory
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.providers.judges import Sentence
from recollect.rules.gate.hashes import hash_of
from recollect.rules.learn.notes import CLASS, CORRECTS, NOTE, UNCLEAR, WEIGHTS, is_note, shown
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching

TAKEN_BACK, PUT_RIGHT, HIDDEN = BACK
MOST_ASKED = 5
"""How many questions one request may put into the inbox."""
MOST_OUTDATED = 3
"""How many memories a correction in free words may be said to be newer than."""


@dataclass(frozen=True, slots=True)
class Request:
    """Who asks in which message of a talk, and under which id what comes of it is known."""

    scope: Scope
    talk: Talk
    turn: Turn
    id: str

    def part(self, name: object) -> Request:
        """Give a part of it with an id of its own."""
        return replace(self, id=f"{self.id}\n{name}")


def carried_out(
    runtime: Runtime,
    view: Searching,
    request: Request,
    asked: Sequence[Command],
    among: Container[str] | None = None,
) -> list[Verdict]:
    """Say what becomes of memories that a message of the owner asks to forget or to put right.

    With `among` only these are looked at: what was learnt of a page after its requests had been carried out.
    """
    # Who puts a value right need not say that it is wrong, too.
    mending = any(one.name == "correct" for one in asked)
    where, batch = (request.scope, request.talk, request.turn), Batch()
    verdicts: list[Verdict] = []
    for command in asked:
        if (command.name == "wrong" and mending) or (command.name == "call" and command.what):
            continue
        if command.name == "correct" and not command.old and not command.free:
            command = replace(command, old=wrong_value(runtime, *where[1:], command.what))
        found = memories(runtime, view, *where, command)
        said_so: tuple[list[Memory], list[Memory]] = ([], [])
        own: list[Memory] = []
        if among is None:
            said_so = messages(runtime, view, *where, command, found)
            own = _itself(runtime, view, request, command)
        else:
            found = [group for group in found if any(one.id in among for one in group)]
            if not found:
                continue
        for verdict in _decided(runtime, view, request.part(len(verdicts)), command, found, said_so, own, batch):
            batch.add(verdict)
            verdicts.append(verdict)
    return verdicts


def _decided(
    runtime: Runtime,
    view: Searching,
    request: Request,
    command: Command,
    found: Sequence[Group],
    said_so: tuple[list[Memory], list[Memory]],
    own: Sequence[Memory],
    batch: Batch,
) -> list[Verdict]:  # long because it is the one place where a request becomes verdicts
    """Do what is clear, ask what is not, and say when there is nothing."""
    (clear, unclear), scope, turn = said_so, request.scope, request.turn
    if command.name == "correct" and command.free:
        return _freely_right(runtime, view, request, command, found)
    if command.name == "correct" and not found:
        told = message_with(runtime, view, scope, turn, command.old) if command.old else None
        return [_told_right(runtime, view, request, told, command)] if told else _unknown(command)
    if not found and not clear and not unclear:
        return _unknown(command)
    many = len(found) > 1 or not _certain(command)
    if not _certain(command):
        clear, unclear = [], [*clear, *unclear] if not found else []
    out: list[Verdict] = []
    for group in found[:MOST_ASKED]:
        if command.name == "correct":
            asked = batch if many else None
            out += [_put_right(runtime, view, request.part(one.id), one, command, asked) for one in group]
        elif many or any(map(confirmed, group)):
            out.append(_question(runtime, view, request.part(group[0].id), group, batch))
        else:
            out += [_forgotten(runtime, view, one, turn) for one in group]
    # Where it is asked which memory is meant, the messages stay until that is known.
    asking = any(one.receipt.op == "proposed" for one in out)
    clear = [*clear, *own] if out or clear else []
    out += [_out_of_sight(one, turn) for one in clear if not asking]
    for one in unclear[: 0 if asking else MOST_ASKED]:
        out.append(_question(runtime, view, request.part(one.id), (one,), batch))
    return out


def _itself(runtime: Runtime, view: Reading, request: Request, command: Command) -> list[Memory]:
    """Give the message of a request that names what was forgotten, and says nothing else."""
    alone = command.name == "forget" and command.what and len(runtime.reader.sentences(request.turn.content)) == 1
    return [one for one in view.get(request.scope.owner, [request.turn.id]) if one.state == "active"] if alone else []


def _certain(command: Command) -> bool:
    """Tell whether what is asked may be done without asking back; of free words, what is told in the same message."""
    itself = command.name == "private" and bool(command.what)
    return not command.free or itself or (command.name == "forget" and command.sure >= CERTAIN)


def _unknown(command: Command) -> list[Verdict]:
    """Say that nothing is known of what a request means; a turn of phrase that only sounds like one is no request."""
    what = command.old or command.what or command.quote
    if command.name == "correct" and not any(part[:1].isupper() or part[:1].isdecimal() for part in what.split()):
        return []
    asked = "put right" if command.name == "correct" else "forget"
    reason = f"asked to {asked} “{what}”, and nothing is known of it"
    return [Verdict(Receipt(outcome="rejected", op="none", reason=reason))]


def _out_of_sight(message: Memory, turn: Turn) -> Verdict:
    """Put a message out of sight, as `forget` does; it can be restored."""
    gone = Patch(message.id, {"state": "deleted"}, HIDDEN, {"turn": turn.id})
    receipt = Receipt(outcome="stored", op=HIDDEN, id=message.id)
    return Verdict(receipt, (gone,), (Version(message.id, message.version),))


def _question(runtime: Runtime, view: Reading, request: Request, group: Group, batch: Batch) -> Verdict:
    """Ask whether a memory is meant that may be: accepted, it is forgotten."""
    now, first, turn = runtime.now(), group[0], request.turn
    asked = replace(
        first,
        id=runtime.new_id("fact", now, (request.scope.owner, request.id, 0)),
        kind="fact",
        key="",
        content=f"Forget this? {shown(first)}",
        source="session",
        pinned=False,
        created_at=now,
        updated_at=now,
        event_time=turn.at,
        valid_from=min(turn.at, now),
        version=1,
        attributes={"turn": turn.id},
    )
    until = now + timedelta(days=runtime.settings.consent.days)
    reason = f"“{turn.content[:200]}” may mean this one: accept it to forget {first.id}"
    waits = pending(index(runtime, asked), "proposed", reason, until, **{FORGETS: [one.id for one in group]})
    return propose(runtime, view, batch, waits, first)


def _forgotten(runtime: Runtime, view: Reading, memory: Memory, turn: Turn) -> Verdict:
    """Put a memory out of sight, as `forget` does; what it had taken the place of stands again."""
    meta = {"turn": turn.id}
    receipt = Receipt(outcome="stored", op=TAKEN_BACK, id=memory.id)
    if memory.state in PENDING:
        gone = end(runtime, memory, TAKEN_BACK, meta)
        return Verdict(receipt, (gone,), (Version(memory.id, memory.version),))
    olds = _replaced(runtime, view, memory)
    also, told = hidden(view, memory)
    changes: tuple[Change, ...] = (
        *also,
        Patch(memory.id, {"state": "deleted"}, TAKEN_BACK, meta),
        *(Patch(one.id, {"state": "active", "valid_until": None}, "restored", meta) for one in olds),
    )
    expect: list[Expectation] = [*told, *(Version(one.id, one.version) for one in (memory, *olds))]
    expect += [Absent(one.kind, hash_of(one)) for one in olds if not one.key]
    return Verdict(replace(receipt, other=olds[0].id if olds else ""), changes, tuple(expect))


def _replaced(runtime: Runtime, view: Reading, memory: Memory) -> list[Memory]:
    """Give what a memory took the place of when it came; what was told late, after it, is past as it was."""
    if memory.attributes.get(CORRECTS):
        return []  # what was wrong before is wrong still
    links = view.links(memory.owner, [memory.id])
    ids = [one.to_id for one in links if one.type == "supersedes" and one.from_id == memory.id]
    ids += [one.from_id for one in links if one.type == "merged_into" and one.to_id == memory.id]
    found = [one for one in view.get(memory.owner, ids) if one.state in ("superseded", "merged")]
    return [
        one
        for one in found
        if one.created_at <= memory.created_at
        and (one.key or not view.active_with_hash(one.owner, one.kind, hash_of(one), runtime.now()))
    ]


def _put_right(
    runtime: Runtime,
    view: Reading,
    request: Request,
    old: Memory,
    said: Command,
    batch: Batch | None,
) -> Verdict:  # long because a correction is a memory of its own
    """Let a memory with the right value take the place of the one with the wrong; within a batch it is only asked."""
    now, scope, turn = runtime.now(), request.scope, request.turn
    content = _righted(old.content, said)
    expect: tuple[Expectation, ...] = (Version(old.id, old.version),)
    twin = None if old.key else view.active_with_hash(old.owner, old.kind, hash_of(replace(old, content=content)), now)
    if twin:
        receipt = Receipt(outcome="stored", op=PUT_RIGHT, id=twin, other=old.id)
        return Verdict(receipt, (retire(old, twin, now), Connect(twin, old.id, "supersedes")), expect)
    noted = {**_noted(said, turn), CORRECTS: [old.id]}
    new = replace(
        old,
        id=runtime.new_id(old.kind, now, (scope.owner, request.id, 0)),
        content=content,
        event_time=turn.at,
        valid_from=now,
        created_at=now,
        updated_at=now,
        access_count=0,
        last_accessed=None,
        version=1,
        attributes={**old.attributes, **noted},
    )
    put = index(runtime, new)
    if batch is not None:
        until = now + timedelta(days=runtime.settings.consent.days)
        reason = f"“{turn.content[:200]}” may mean {old.id}: accept it to put that right"
        return propose(runtime, view, batch, pending(put, "proposed", reason, until, replaces=[old.id]), old)
    expect += () if old.key else (Absent(old.kind, put.content_hash),)
    receipt = Receipt(outcome="stored", op=PUT_RIGHT, id=new.id, other=old.id)
    # A note of the sentence that puts it right says the same.
    links = [one for one in view.links(scope.owner, [turn.id]) if one.type == "derived_from" and one.to_id == turn.id]
    notes = [one for one in view.get(scope.owner, [one.from_id for one in links]) if is_note(one)]
    covers = (Connect(new.id, one.id, COVERS) for one in notes if one.id != old.id and one.state == "active")
    return Verdict(receipt, (*supersede([old], put), *covers), expect, put)


def _righted(text: str, said: Command) -> str:
    return redacted(value_in(said.old).sub(lambda _: bare_value(said.what), text, count=1))[0]


def _noted(said: Command, turn: Turn) -> dict[str, Any]:
    return {"quote": redacted(said.quote)[0], "turn": turn.id, "said": iso(turn.at)}


def _told_right(runtime: Runtime, view: Searching, request: Request, told: Memory, said: Command) -> Verdict:
    """Keep what a message said, with the right value, as a note; the message is marked as outdated by it."""
    spoken = runtime.reader.sentences(told.content)
    sentence = next((one for one in spoken if value_in(said.old).search(one)), told.content)
    return _beside(runtime, view, request, [told], _righted(sentence, said), said)


def _freely_right(
    runtime: Runtime, view: Searching, request: Request, said: Command, found: Sequence[Group]
) -> list[Verdict]:
    """Put right what a correction in free words means: a plain value in its place, else both stand, the newer first.

    A new fact sounds like a correction, so that the judge must also say that it replaces what is meant.
    """
    found = [some for some in found if _replaces(runtime, some[0], said)]
    group = found[0] if len(found) == 1 else ()
    plain = {one.id: values(runtime, one.content, said.what) for one in group}
    if group and all(old for old, _ in plain.values()):
        right = {id: replace(said, old=old, what=new) for id, (old, new) in plain.items()}
        return [_put_right(runtime, view, request.part(one.id), one, right[one.id], None) for one in group]
    olds = [one for some in found[:MOST_OUTDATED] for one in some]
    spoken = [] if olds else messages_meant(runtime, view, request.scope, request.turn, said)[:1]
    olds += [one for one in spoken if _replaces(runtime, one, said)]
    return [_beside(runtime, view, request, olds, redacted(said.quote)[0], said)] if olds else []


def _replaces(runtime: Runtime, old: Memory, said: Command) -> bool:
    verdicts = runtime.judge.relation([(old.content, said.quote)]) if runtime.judge else []
    return any(one.label == "replaces" for one in verdicts)


def _beside(
    runtime: Runtime, view: Searching, request: Request, olds: Sequence[Memory], content: str, said: Command
) -> Verdict:
    """Keep what is right as a note, if it is none yet; what it puts right is marked as outdated by it."""
    turn = request.turn
    kept = runtime.judge.keep([Sentence(turn.actor, content)])[0] if runtime.judge else None
    label = kept.label if kept and kept.label in WEIGHTS and kept.sure >= runtime.settings.notes.sure_class else UNCLEAR
    draft = Draft(
        content=content, kind="fact", topic=label, category=WEIGHTS[label].category, key="", private=False, tags=(),
        importance=WEIGHTS[label].importance, confidence=1.0, pinned=False, source="user", actor=turn.actor,
        event_time=turn.at, valid_until=None,
        attributes={**_noted(said, turn), NOTE: True, CLASS: label, CORRECTS: [one.id for one in olds]},
    )  # fmt: skip
    (verdict,) = judged(runtime, view, request.scope, [draft], request.id, Vectors(runtime))
    new = verdict.put.memory.id if verdict.put is not None else verdict.receipt.id
    if not verdict.receipt.ok or not new:
        return verdict
    outdated = tuple(Connect(one.id, new, OUTDATED, 1.0) for one in olds if one.id != new)
    receipt = replace(verdict.receipt, outcome="stored", op=PUT_RIGHT, id=new, other=olds[0].id)
    return replace(verdict, receipt=receipt, changes=(*verdict.changes, *outdated))
