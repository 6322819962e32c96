"""Learning from one message before its conversation is over: what is asked for at once, more where that is set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta

from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import judged
from recollect.flows.gate.verdict import Verdict
from recollect.flows.keep.inbox import answered
from recollect.flows.learn.admission import Learnt, kept
from recollect.flows.learn.asked import in_words
from recollect.flows.learn.extract import Extracted, extracted, said
from recollect.flows.learn.notes import wishes
from recollect.flows.learn.pages import Talk, outside, turn_of
from recollect.flows.learn.requests import Request, carried_out
from recollect.flows.learn.screen import screened
from recollect.flows.people.identity import identity_of
from recollect.model.filter import Filter
from recollect.model.job import Job
from recollect.model.memory import Memory
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.rules.gate.caps import Count
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.normal import jaccard, words
from recollect.text.roles import is_machine

JOB = "learn"
WINDOW = 10
"""How many messages before it a message is read with."""


@dataclass(frozen=True, slots=True)
class Heard(Talk):
    """A message and what was said just before it."""

    message: Memory
    turn: Turn


def learn(runtime: Runtime, this: Job) -> Learnt | str:
    """Learn from the message a job is about; a text says why there was nothing to learn from."""
    with runtime.store.view() as view:
        heard = _heard(runtime, view, this.owner, this.key)
    if heard is None:
        return "The message is gone, or nobody said it."
    scope = Scope(this.owner, heard.message.agent, heard.message.session, heard.message.project)
    back = _requests(runtime, scope, heard, this)
    read = _read(runtime, this.owner, heard)
    vectors, origin = Vectors(runtime), Origin(scope, JOB, JOB, f"{JOB}\n{heard.message.id}", this)

    def plan(view: Searching) -> Resolution | Receipt:
        now = view.get(this.owner, [heard.message.id])
        if not now or now[0].state != "active":
            return Receipt(outcome="rejected", op="none")
        drafts = _drafts(runtime, view, scope, heard, read)
        vectors.prepare([one for one in drafts if isinstance(one, Draft)])
        # What asks for nothing may still be the user's word on something that waits.
        word = answered(runtime, view, scope, heard.turn, heard.user) if not drafts else None
        return _resolved(heard, [word] if word else judged(runtime, view, scope, drafts, origin.request, vectors))

    receipt = commit(runtime, origin, plan, vectors)
    return back + Learnt.of(receipt.parts, read.usage) + Learnt(dropped=read.dropped)


def _requests(runtime: Runtime, scope: Scope, heard: Heard, this: Job) -> Learnt:
    """Carry out what a message asks to forget or to put right, in a commit of its own."""
    origin = Origin(scope, JOB, JOB, f"{JOB}\n{heard.message.id}\nback", this)
    asked = in_words(runtime, heard, heard.turn)

    def plan(view: Searching) -> Resolution | Receipt:
        return _resolved(heard, carried_out(runtime, view, Request(scope, heard, heard.turn, origin.request), asked))

    return Learnt.of(commit(runtime, origin, plan, Vectors(runtime)).parts)


def _resolved(heard: Heard, verdicts: Sequence[Verdict]) -> Resolution | Receipt:
    """Give the one commit of what came of a message, if anything did."""
    if not verdicts:
        return Receipt(outcome="stored", op="none")
    receipt = Receipt(outcome="stored", op="learnt", count=len(verdicts))
    return Resolution(receipt, verdicts, [(heard.message.id,)] * len(verdicts), read=(heard.message,))


def _heard(runtime: Runtime, view: Reading, owner: str, message_id: str) -> Heard | None:
    found = view.get(owner, [message_id])
    if not found or found[0].state != "active" or is_machine(found[0].role):
        return None
    message, user = found[0], identity_of(view, owner, runtime.reader)
    turn = turn_of(message, user)
    if turn is None:
        return None
    before: list[Memory] = []
    if message.session:
        at = view.numbers(owner, [message.id])[message.id]
        # Numbers are shared with the owner's other memories: a stretch of them holds at most so many messages.
        said = view.said(owner, message.session, max(0, at - WINDOW * 5), WINDOW * 5)
        before = [one for doc, one in said if doc < at][-WINDOW:]
    turns = [one for memory in before if (one := turn_of(memory, user)) is not None]
    others = tuple(one.content for one in before if outside(one))
    return Heard(user, (*turns, turn), others, message, turn)


def _read(runtime: Runtime, owner: str, heard: Heard) -> Extracted:
    """Read what is asked for; with `all`, also what else the message tells."""
    policy = runtime.settings.learning
    asked = tuple(wishes(runtime, heard, heard.turn)) if policy.mode != "off" else ()
    if policy.mode != "all":
        return Extracted(asked)
    if runtime.llm is None:
        more = said(runtime, heard, [heard.turn])
    else:
        more = extracted(runtime, owner, heard, "", job=JOB, session=heard.message.session)
    told = [one for one in more.candidates if one.turn == heard.turn.id and not one.explicit]
    return replace(more, candidates=(*asked, *told)[: policy.candidates_per_turn])


def _drafts(runtime: Runtime, view: Searching, scope: Scope, heard: Heard, read: Extracted) -> list[Draft | Receipt]:
    """Screen what was read, and keep to the caps of turn, session and day, and to the pace of notes."""
    policy = runtime.settings.learning
    caps = (Count("session", policy.per_session), Count("day", policy.per_day))
    left = policy.writes_per_turn
    out: list[Draft | Receipt] = []
    for one in kept(runtime, view, scope, screened(runtime, view, scope, read, heard), read.by, caps):
        if isinstance(one, Draft) and one.kind == "event":
            one = _paced(runtime, view, scope, one, heard.message)
        if isinstance(one, Draft):
            left -= 1
            if left < 0:
                one = Receipt(outcome="rejected", reason=f"{policy.writes_per_turn} memories of one message are enough")
        out.append(one)
    return out


def _paced(runtime: Runtime, view: Reading, scope: Scope, draft: Draft, message: Memory) -> Draft | Receipt:
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


def _said_since(view: Reading, scope: Scope, note: Memory, message: Memory) -> int:
    """Count what the speaker has said since the message a note was made of, that one not counted."""
    made = str(note.attributes.get("turn", note.id))
    numbers = view.numbers(scope.owner, [made, message.id])
    said = view.said(scope.owner, scope.session, numbers.get(made, 0), 10 * WINDOW)
    return sum(one.role == message.role for doc, one in said if doc <= numbers[message.id])
