"""Words taken back or put right at once: what the message before left is forgotten, or says what was meant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from recollect.flows.gate.gate import index
from recollect.flows.gate.pending import PENDING, end
from recollect.flows.gate.verdict import Verdict, confirmed, retire, supersede
from recollect.flows.learn.admission import BACK
from recollect.language.values import Retraction
from recollect.model.candidate import Candidate
from recollect.model.change import Absent, Change, Connect, Expectation, Patch, Version
from recollect.model.clock import iso
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.turn import Turn
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.normal import content_hash

TAKEN_BACK, PUT_RIGHT = BACK
STANDING = ("active", *PENDING)
LEFT = tuple(kind for kind in KINDS if kind not in ("episode", "summary", "block"))


def before(turns: Sequence[Turn]) -> list[Turn]:
    """Give what the speaker of the last turn said before it, the last first."""
    last = turns[-1]
    return [one for one in reversed(turns[:-1]) if (one.role, one.actor) == (last.role, last.actor)]


def withdrawn(runtime: Runtime, turn: Turn, then: Turn) -> Retraction:
    """Read a message as what takes back or puts right another that its speaker said just before."""
    return runtime.reader.retraction(turn, then, runtime.settings.statements)


def retracted(runtime: Runtime, view: Reading, scope: Scope, turns: Sequence[Turn], request: str) -> list[Verdict]:
    """Say what becomes of memories that the last turn takes back or puts right; those somebody confirmed stand."""
    mine, turn = before(turns), turns[-1]
    if not mine:
        return []
    read, says = withdrawn(runtime, mine[0], turn), runtime.reader.says
    if not (read.gone or read.told or read.mended):
        return []
    left = _left(view, scope.owner, [one.id for one in (mine if read.told else mine[:1])])
    here = [one for one, source in left if source == mine[0].id]
    gone = [one for one in here if _of(one, (quote for _, quote in read.gone))]
    gone += [one for one, _ in left if one not in gone and any(says(one.content, told) for told in read.told)]
    verdicts = [_forgotten(runtime, view, one, turn) for one in gone]
    for (_, quote), candidate in read.mended:
        old = [one for one in here if one not in gone and _of(one, [quote])]
        verdicts += [
            _put_right(runtime, view, scope, one, candidate, turn, f"{request}\n{one.id}")
            for one in old
            if (one.kind, one.key) == (candidate.kind, candidate.key) and one.state == "active"
        ]
        verdicts += [_forgotten(runtime, view, one, turn) for one in old if one.state in PENDING]
    return verdicts


def _left(view: Reading, owner: str, turns: Sequence[str]) -> list[tuple[Memory, str]]:
    """Give what was learnt of messages and stands or waits, each with its message."""
    links = [one for one in view.links(owner, turns) if one.type == "derived_from" and one.to_id in turns]
    sources = {one.from_id: one.to_id for one in links}
    found = view.get(owner, list(sources))
    fits = (one for one in found if one.kind in LEFT and one.state in STANDING and not confirmed(one))
    return [(one, sources[one.id]) for one in fits]


def _of(memory: Memory, sentences: Iterable[str]) -> bool:
    """Tell whether a memory rests on one of these sentences."""
    quote = str(memory.attributes.get("quote", ""))
    return any(quote and (quote in said or said in quote) for said in sentences)


def _forgotten(runtime: Runtime, view: Reading, memory: Memory, turn: Turn) -> Verdict:
    """Put a memory out of sight, as `forget` does; what it had taken the place of stands again."""
    meta = {"turn": turn.id}
    receipt = Receipt(outcome="stored", op=TAKEN_BACK, id=memory.id)
    if memory.state in PENDING:
        gone = end(runtime, memory, TAKEN_BACK, meta)
        return Verdict(receipt, (gone,), (Version(memory.id, memory.version),))
    olds = _replaced(runtime, view, memory)
    changes: tuple[Change, ...] = (
        Patch(memory.id, {"state": "deleted"}, TAKEN_BACK, meta),
        *(Patch(one.id, {"state": "active", "valid_until": None}, "restored", meta) for one in olds),
    )
    expect: list[Expectation] = [Version(one.id, one.version) for one in (memory, *olds)]
    expect += [Absent(one.kind, content_hash(one.content)) for one in olds if not one.key]
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
        and (one.key or not view.active_with_hash(one.owner, one.kind, content_hash(one.content), runtime.now()))
    ]


def _put_right(
    runtime: Runtime, view: Reading, scope: Scope, old: Memory, said: Candidate, turn: Turn, request: str
) -> Verdict:  # long because a correction is a memory of its own
    """Let what was meant take the place of what was said."""
    now, content = runtime.now(), redacted(said.content)[0]
    expect: tuple[Expectation, ...] = (Version(old.id, old.version),)
    twin = None if old.key else view.active_with_hash(old.owner, old.kind, content_hash(content), now)
    if twin:
        receipt = Receipt(outcome="stored", op=PUT_RIGHT, id=twin, other=old.id)
        return Verdict(receipt, (retire(old, twin, now), Connect(twin, old.id, "supersedes")), expect)
    noted = {"quote": redacted(said.quote)[0], "turn": turn.id, "said": iso(turn.at)}
    new = replace(
        old,
        id=runtime.new_id(old.kind, now, (scope.owner, request, 0)),
        content=content,
        event_time=said.event_time or turn.at,
        valid_from=now,
        created_at=now,
        updated_at=now,
        access_count=0,
        last_accessed=None,
        version=1,
        attributes={**old.attributes, **noted},
    )
    put = index(runtime, new)
    expect += () if old.key else (Absent(old.kind, put.content_hash),)
    receipt = Receipt(outcome="stored", op=PUT_RIGHT, id=new.id, other=old.id)
    return Verdict(receipt, supersede([old], put), expect, put)
