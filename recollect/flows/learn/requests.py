"""What the owner asks of his memory in any session: to forget something, to take words back, to put a value right.

One clear match is done and reported, several become questions in the inbox, none is said to be none. Only the owner's
own words count, said to the assistant: not a guest's, and nothing quoted or pasted.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from recollect.flows.find.words import best_matches
from recollect.flows.gate.gate import index
from recollect.flows.gate.pending import FORGETS, PENDING, end, pending, propose
from recollect.flows.gate.retelling import hidden
from recollect.flows.gate.verdict import Batch, Verdict, confirmed, retire, supersede
from recollect.flows.learn.admission import BACK
from recollect.flows.learn.notes import to_assistant
from recollect.flows.learn.pages import Talk
from recollect.language.commands import Command
from recollect.model.change import Absent, Change, Connect, Expectation, Patch, Version
from recollect.model.clock import iso
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import COVERS, Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.turn import Turn
from recollect.rules.gate.hashes import hash_of
from recollect.rules.learn.notes import is_note, shown, speaker
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.normal import EDGES
from recollect.text.roles import is_machine
from recollect.text.stopwords import common
from recollect.text.terms import fold, terms

TAKEN_BACK, PUT_RIGHT = BACK
ASKED = ("forget", "back", "wrong", "correct", "call")
STANDING = ("active", *PENDING)
LEFT = tuple(kind for kind in KINDS if kind not in ("episode", "summary", "block"))
LOOKED_AT = 50
"""How many memories are held against what is to be forgotten or put right."""
MOST_ASKED = 5
"""How many questions one request may put into the inbox."""
SURE = 0.8
"""How sure the judge must be that two texts say the same."""
FEWEST = 2
"""Of fewer telling words a memory is not known again in what an assistant said."""
Group = tuple[Memory, ...]
"""A claim and the notes it covers: what happens to one happens to all."""


def carried_out(
    runtime: Runtime,
    view: Searching,
    scope: Scope,
    talk: Talk,
    turn: Turn,
    request: str,
    among: Container[str] | None = None,
) -> list[Verdict]:
    """Say what becomes of memories that a message of the owner asks to forget or to put right.

    With `among` only these are looked at: what was learnt of a page after its requests had been carried out.
    """
    if not talk.user.says(turn.role, turn.actor):
        return []
    said = [one for one in runtime.reader.commands(turn.content) if one.name in ASKED]
    asked = [one for one in said if to_assistant(talk, turn, one)]
    # Who puts a value right need not say that it is wrong, too.
    mending = any(one.name == "correct" for one in asked)
    batch = Batch()
    verdicts: list[Verdict] = []
    for command in asked:
        if (command.name == "wrong" and mending) or (command.name == "call" and command.what):
            continue
        found = _meant(runtime, view, scope, talk, turn, command)
        if among is not None:
            found = [group for group in found if any(one.id in among for one in group)]
            if not found:
                continue
        for verdict in _decided(runtime, view, scope, turn, command, found, f"{request}\n{len(verdicts)}", batch):
            batch.add(verdict)
            verdicts.append(verdict)
    return verdicts


def _decided(
    runtime: Runtime,
    view: Searching,
    scope: Scope,
    turn: Turn,
    command: Command,
    found: Sequence[Group],
    request: str,
    batch: Batch,
) -> list[Verdict]:  # long because it is the one place where a request becomes verdicts
    """Do what is clear, ask what is not, and say when there is nothing."""
    if not found:
        what = command.old or command.what or command.quote
        reason = (
            f"asked to {'put right' if command.name == 'correct' else 'forget'} “{what}”, and nothing is known of it"
        )
        return [Verdict(Receipt(outcome="rejected", op="none", reason=reason))]
    many = len(found) > 1
    out: list[Verdict] = []
    for group in found[:MOST_ASKED]:
        if command.name == "correct":
            out += [
                _put_right(runtime, view, scope, one, command, turn, f"{request}\n{one.id}", batch if many else None)
                for one in group
            ]
        elif many or any(map(confirmed, group)):
            out.append(_question(runtime, view, scope, group, turn, f"{request}\n{group[0].id}", batch))
        else:
            out += [_forgotten(runtime, view, one, turn) for one in group]
    return out


def _meant(runtime: Runtime, view: Searching, scope: Scope, talk: Talk, turn: Turn, command: Command) -> list[Group]:
    """Give the memories a request may mean, each with what goes with it."""
    before = _before(talk, turn)
    if command.name == "call":
        slot = view.slot(scope.owner, "", "fact", "preferred_name")
        found = [slot] if slot is not None and fold(command.old) in fold(slot.content) else []
    elif command.name == "correct":
        old = re.compile(rf"(?<![\w-]){re.escape(bare_value(command.old))}(?![\w-])", re.IGNORECASE)
        found = [one for one in _near(runtime, view, scope, command.old) if old.search(one.content)]
    elif command.name == "forget":
        found = _saying(runtime, view, scope, command)
    elif command.name == "wrong" and before is not None and is_machine(before.role):
        found = _said_by(runtime, view, scope, before)
    else:
        found = _left_by(view, scope, talk, turn)
    return _grouped(view, scope.owner, found)


def _before(talk: Talk, turn: Turn) -> Turn | None:
    at = next((at for at, one in enumerate(talk.turns) if one.id == turn.id), 0)
    return talk.turns[at - 1] if at else None


def _near(runtime: Runtime, view: Searching, scope: Scope, text: str) -> list[Memory]:
    """Give the memories that share words with a text."""
    policy = runtime.settings.terms
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=LEFT, states=STANDING)
    wanted = list(terms(text, policy)) or text.casefold().split()
    docs = best_matches(view, where, wanted, policy, LOOKED_AT).tolist()
    return list(view.documents(scope.owner, docs).values())


def _saying(runtime: Runtime, view: Searching, scope: Scope, command: Command) -> list[Memory]:
    """Give the memories that say what is to be forgotten: all its telling words, else all its names and numbers, or
    the same by the judge's word."""
    what, language = command.what, runtime.reader.told(command.quote).language
    wanted = runtime.reader.told(what, language)
    near = _near(runtime, view, scope, what)
    told = {one.id: runtime.reader.told(f"{speaker(one)} {one.content}", language) for one in near}
    whole = [
        one
        for one in near
        if wanted.stems and wanted.stems | wanted.numbers <= told[one.id].stems | told[one.id].numbers
    ]
    if whole:
        return whole
    large = {fold(word.strip(EDGES)) for word in what.split()[1:] if word[:1].isupper()}
    named = wanted.names | wanted.numbers | large
    if named:
        return [one for one in near if named <= told[one.id].words | told[one.id].numbers]
    if runtime.judge is None or not near:
        return []
    verdicts = runtime.judge.relation([(one.content, what) for one in near])
    return [one for one, said in zip(near, verdicts, strict=True) if said.label == "same" and said.sure >= SURE]


def _said_by(runtime: Runtime, view: Searching, scope: Scope, before: Turn) -> list[Memory]:
    """Give the memories an assistant has just told of: all their telling words are in what it said."""
    said = runtime.reader.told(before.content)
    near = _near(runtime, view, scope, before.content)
    found = []
    for one in near:
        # Whom it is about is the one who is spoken to.
        first, _, rest = one.content.partition(" ")
        told = runtime.reader.told(one.content if is_note(one) or not first[:1].isupper() else rest, said.language)
        known = told.stems <= said.stems | said.words and told.numbers <= said.numbers
        found += [one] if known and len(told.stems) >= FEWEST else []
    return found


def _left_by(view: Reading, scope: Scope, talk: Talk, turn: Turn) -> list[Memory]:
    """Give what was learnt of the message the speaker said before."""
    mine = [one.id for one in talk.turns if (one.role, one.actor) == (turn.role, turn.actor)]
    last = mine[mine.index(turn.id) - 1 : mine.index(turn.id)] if turn.id in mine[1:] else []
    links = [one for one in view.links(scope.owner, last) if one.type == "derived_from"] if last else []
    found = view.get(scope.owner, [one.from_id for one in links if one.to_id in last])
    return [one for one in found if one.kind in LEFT and one.state in STANDING]


def _grouped(view: Reading, owner: str, found: Iterable[Memory]) -> list[Group]:
    """Put claims and the notes they cover together."""
    once = {one.id: one for one in found}
    links = [one for one in view.links(owner, list(once)) if one.type == COVERS] if once else []
    groups: dict[str, list[str]] = {}
    head = {link.to_id: link.from_id for link in links}
    for one in once:
        groups.setdefault(head.get(one, one), []).append(one)
    for link in links:
        if link.from_id in groups:
            groups[link.from_id] += [end for end in (link.from_id, link.to_id) if end not in groups[link.from_id]]
    missing = [id for ids in groups.values() for id in ids if id not in once]
    once |= {one.id: one for one in view.get(owner, missing)}
    return [tuple(once[id] for id in ids if id in once and once[id].state in STANDING) for ids in groups.values()]


def _question(
    runtime: Runtime, view: Reading, scope: Scope, group: Group, turn: Turn, request: str, batch: Batch
) -> Verdict:
    """Ask whether a memory is meant that may be: accepted, it is forgotten."""
    now, first = runtime.now(), group[0]
    asked = replace(
        first,
        id=runtime.new_id("fact", now, (scope.owner, request, 0)),
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


def bare_value(text: str) -> str:
    """Leave out small words before a value: `on Friday` is Friday."""
    parts = text.split()
    while len(parts) > 1 and fold(parts[0]) in common():
        parts.pop(0)
    return " ".join(parts)


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
    scope: Scope,
    old: Memory,
    said: Command,
    turn: Turn,
    request: str,
    batch: Batch | None,
) -> Verdict:  # long because a correction is a memory of its own
    """Let a memory with the right value take the place of the one with the wrong; within a batch it is only asked."""
    now = runtime.now()
    wrong = re.compile(rf"(?<![\w-]){re.escape(bare_value(said.old))}(?![\w-])", re.IGNORECASE)
    content = redacted(wrong.sub(lambda _: bare_value(said.what), old.content, count=1))[0]
    expect: tuple[Expectation, ...] = (Version(old.id, old.version),)
    twin = None if old.key else view.active_with_hash(old.owner, old.kind, hash_of(replace(old, content=content)), now)
    if twin:
        receipt = Receipt(outcome="stored", op=PUT_RIGHT, id=twin, other=old.id)
        return Verdict(receipt, (retire(old, twin, now), Connect(twin, old.id, "supersedes")), expect)
    noted = {"quote": redacted(said.quote)[0], "turn": turn.id, "said": iso(turn.at)}
    new = replace(
        old,
        id=runtime.new_id(old.kind, now, (scope.owner, request, 0)),
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
    return Verdict(receipt, supersede([old], put), expect, put)
