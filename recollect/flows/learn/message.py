"""Learning from one message before its conversation is over: what is asked for at once, more where that is set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.verdict import Verdict
from recollect.flows.keep.inbox import answered
from recollect.flows.keep.remember import judged
from recollect.flows.learn.admission import Learnt, kept
from recollect.flows.learn.extract import Extracted, asked_for, by_rules, extracted
from recollect.flows.learn.pages import called, echo_of, outside, turn_of
from recollect.flows.learn.retract import retracted, withdrawn
from recollect.flows.learn.screen import screened
from recollect.flows.life.follow_ups import tended
from recollect.flows.noting import classified
from recollect.model.candidate import Candidate
from recollect.model.change import Change, Connect, Expectation, Leased, Version, Write
from recollect.model.filter import Filter
from recollect.model.job import Job
from recollect.model.memory import Memory
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.turn import Turn
from recollect.rules.gate.caps import Count
from recollect.runtime import Runtime
from recollect.store.base import View
from recollect.text.normal import jaccard, words
from recollect.text.roles import is_machine

JOB = "learn"
WINDOW = 10
"""How many messages before it a message is read with."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A message and what was said just before it."""

    message: Memory
    turn: Turn
    turns: tuple[Turn, ...]
    outside: tuple[str, ...]
    then: Turn | None = None
    """What its speaker said next, where that is known already."""


def learn(runtime: Runtime, this: Job) -> Learnt | str:
    """Learn from the message a job is about; a text says why there was nothing to learn from."""
    with runtime.store.view() as view:
        heard = _heard(runtime, view, this.owner, this.key)
    if heard is None:
        return "The message is gone, or nobody said it."
    scope = Scope(this.owner, heard.message.agent, heard.message.session)
    back = _retract(runtime, scope, heard, this)
    read = _read(runtime, this.owner, heard)
    vectors, request = Vectors(runtime), f"{JOB}\n{heard.message.id}"

    def plan(view: View) -> Write | Receipt:
        done = view.replay(this.owner, request)
        now = view.get(this.owner, [heard.message.id])
        if done is not None or not now or now[0].state != "active":
            return done or Receipt(outcome="rejected", op="none")
        return _write(runtime, view, scope, (heard, read, request, this), vectors)

    receipt = runtime.store.decide(this.owner, plan, runtime.now())
    classified(runtime, scope, JOB, receipt.parts)
    return back + Learnt.of(receipt.parts, read.usage) + Learnt(dropped=read.dropped)


def _retract(runtime: Runtime, scope: Scope, heard: Heard, this: Job) -> Learnt:
    """Let a message take back or put right what the one before it left, in a commit of its own."""
    vectors, request = Vectors(runtime), f"{JOB}\n{heard.message.id}\nback"

    def plan(view: View) -> Write | Receipt:
        done = view.replay(scope.owner, request)
        verdicts = retracted(runtime, view, scope, heard.turns, request) if done is None else []
        if not verdicts:
            return done or Receipt(outcome="stored", op="none")
        return _commit(runtime, view, scope, (verdicts, heard, request, this), vectors)

    return Learnt.of(runtime.store.decide(scope.owner, plan, runtime.now()).parts)


def _heard(runtime: Runtime, view: View, owner: str, message_id: str) -> Heard | None:
    found = view.get(owner, [message_id])
    if not found or found[0].state != "active" or is_machine(found[0].role):
        return None
    message, name = found[0], called(view, owner, runtime.reader)
    turn = turn_of(message, name)
    if turn is None:
        return None
    before: list[Memory] = []
    then: Turn | None = None
    if message.session:
        at = view.numbers(owner, [message.id])[message.id]
        later = (turn_of(one, name) for _, one in view.said(owner, message.session, at, WINDOW))
        then = next((one for one in later if one and (one.role, one.actor) == (turn.role, turn.actor)), None)
        # Numbers are shared with the owner's other memories: a stretch of them holds at most so many messages.
        said = view.said(owner, message.session, max(0, at - WINDOW * 5), WINDOW * 5)
        before = [one for doc, one in said if doc < at][-WINDOW:]
    turns = [one for memory in before if (one := turn_of(memory, name)) is not None]
    others = tuple(one.content for one in before if outside(one))
    return Heard(message, turn, (*turns, turn), others, then)


def _read(runtime: Runtime, owner: str, heard: Heard) -> Extracted:
    """Read what is asked for; with `all`, also what else the message tells, by a model or by rules."""
    policy = runtime.settings.learning
    asked = tuple(_meant(runtime, heard, asked_for(runtime, heard.turn))) if policy.mode != "off" else ()
    if policy.mode != "all":
        return Extracted(asked)
    if runtime.llm is None:
        more = by_rules(runtime, [heard.turn], "")
    else:
        more = extracted(runtime, owner, heard.turns, "", (JOB, heard.message.session))
    told = _meant(runtime, heard, [one for one in more.candidates if one.turn == heard.turn.id and not one.explicit])
    return replace(more, candidates=(*asked, *told)[: policy.candidates_per_turn])


def _meant(runtime: Runtime, heard: Heard, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Leave out what the speaker's next message takes back already: it is never stored."""
    if heard.then is None:
        return list(candidates)
    back, says = withdrawn(runtime, heard.turn, heard.then), runtime.reader.says
    return [
        one
        for one in candidates
        if not any(one.quote in said for _, said in back.gone)
        and not any(says(one.content, told) for told in back.told)
    ]


def _write(
    runtime: Runtime, view: View, scope: Scope, what: tuple[Heard, Extracted, str, Job], vectors: Vectors
) -> Write | Receipt:
    heard, read, request, this = what
    echo = echo_of(runtime, view, scope.owner, read.candidates, heard.outside, scope.session)
    passed = screened(runtime, view, scope, read.candidates, heard.turns, echo, read.version)
    drafts = _few(runtime, view, scope, list(zip(read.candidates, passed, strict=True)), read, heard.message)
    vectors.prepare([one for one in drafts if isinstance(one, Draft)])
    # What asks for nothing may still be the user's word on something that waits.
    word = answered(runtime, view, scope, heard.turn) if not drafts else None
    verdicts = [word] if word else judged(runtime, view, scope, drafts, request, vectors)
    if not verdicts:
        return Receipt(outcome="stored", op="none")
    return _commit(runtime, view, scope, (verdicts, heard, request, this), vectors)


def _commit(
    runtime: Runtime, view: View, scope: Scope, what: tuple[Sequence[Verdict], Heard, str, Job], vectors: Vectors
) -> Write:
    """Give the one commit of what came of a message."""
    verdicts, heard, request, this = what
    new = [verdict.put.memory for verdict in verdicts if verdict.put is not None]
    changes: list[Change] = [change for verdict in verdicts for change in verdict.changes]
    changes += [Connect(one.id, heard.message.id, "derived_from") for one in new]
    changes += vectors.changes(view.counters(scope.owner).model, new, runtime.now())
    expect: list[Expectation] = [one for verdict in verdicts for one in verdict.expect]
    expect += [Version(heard.message.id, heard.message.version), Leased(this.name, this.key, this.lease_token)]
    receipts = tuple(verdict.receipt for verdict in verdicts)
    return Write(
        owner=scope.owner,
        at=runtime.now(),
        node=JOB,
        changes=(*changes, *tended(runtime, scope.owner, changes)),
        expect=tuple(expect),
        actor=JOB,
        run=this.lease_token,
        session=scope.session,
        request_id=request,
        receipt=Receipt(outcome="stored", op="learnt", count=len(receipts), parts=receipts),
    )


def _few(
    runtime: Runtime,
    view: View,
    scope: Scope,
    passed: Sequence[tuple[Candidate, Draft | Receipt]],
    read: Extracted,
    message: Memory,
) -> list[Draft | Receipt]:
    """Keep to the caps of turn, session and day, and to the pace of notes of what happened."""
    policy = runtime.settings.learning
    caps = (Count("session", policy.per_session), Count("day", policy.per_day))
    left = policy.writes_per_turn
    out: list[Draft | Receipt] = []
    for one in kept(runtime, view, scope, passed, read, caps):
        if isinstance(one, Draft) and one.kind == "event":
            one = _paced(runtime, view, scope, one, message)
        if isinstance(one, Draft):
            left -= 1
            if left < 0:
                one = Receipt(outcome="rejected", reason=f"{policy.writes_per_turn} memories of one message are enough")
        out.append(one)
    return out


def _paced(runtime: Runtime, view: View, scope: Scope, draft: Draft, message: Memory) -> Draft | Receipt:
    """Let a note of what happened pass when the last was made long enough ago, and none says the same."""
    policy, now = runtime.settings.learning, runtime.now()
    since = now - timedelta(hours=policy.event_hours)
    events = view.page(Filter(owner=scope.owner, now=now, kinds=("event",), created_after=since), "recent", 100)
    for one in events:
        if jaccard(words(one.content), words(draft.content)) >= policy.event_same:
            return Receipt(outcome="duplicate", op="none", id=one.id, other=one.id, reason="it was noted already")
    today = datetime.combine(now.date(), time(), now.tzinfo)
    notes = [one for one in events if one.source == "session" and one.session == scope.session]
    if sum(one.created_at >= today for one in events if one.source == "session") >= policy.events_per_day:
        return Receipt(outcome="rejected", reason=f"{policy.events_per_day} notes a day are enough")
    if notes and now - notes[0].created_at < timedelta(minutes=policy.event_minutes):
        return Receipt(outcome="rejected", reason="the last note was made only a moment ago")
    if notes and _said_since(view, scope, notes[0], message) < policy.event_turns:
        return Receipt(outcome="rejected", reason="the last note was made only a few messages ago")
    return draft


def _said_since(view: View, scope: Scope, note: Memory, message: Memory) -> int:
    """Count what the speaker has said since the message a note was made of, that one not counted."""
    made = str(note.attributes.get("turn", note.id))
    numbers = view.numbers(scope.owner, [made, message.id])
    said = view.said(scope.owner, scope.session, numbers.get(made, 0), 10 * WINDOW)
    return sum(one.role == message.role for doc, one in said if doc <= numbers[message.id])
