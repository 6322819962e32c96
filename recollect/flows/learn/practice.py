"""Learning from work that was observed: results of tools, and what a user says of the work; then put into words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from recollect.flows.asking import ask
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import index
from recollect.flows.gate.verdict import Verdict, supersede
from recollect.flows.learn.lessons import JOB, Learnt, failure, living, retired, said, tool_failed, tool_succeeded
from recollect.model.asking import Value
from recollect.model.expectation import Version
from recollect.model.job import Job
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.proposals import Distilled
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.prompts.quoting import numbered
from recollect.rules.learn import lessons as rules
from recollect.rules.learn.learning import of_tool
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.marks import asks
from recollect.text.roles import is_machine, is_outside

BEFORE = 50
"""How many memories before a message are looked through for the call it answers."""
EARLIER = 20
"""How many lessons a model sees beside a new one."""
GONE = "The message is gone, or there is nothing to learn from it."


@dataclass(frozen=True, slots=True)
class Call:
    """The call a tool's message answers, as far as it is known, and what was said before it."""

    tool: str
    args: Any
    context: str


def practise(runtime: Runtime, this: Job) -> Receipt | str:
    """Learn from the message a job is about, or put the lesson it is about into words; a text says why not."""
    with runtime.store.view() as view:
        found = view.get(this.owner, [this.key])
        if not found or found[0].state != "active":
            return GONE
        one = found[0]
        before = _before(view, one) if one.kind == "episode" else []
    scope = Scope(this.owner, one.agent, one.session, one.project)
    if one.kind == "lesson":
        return _distilled(runtime, scope, one, this)
    if of_tool(one.role, one.attributes):
        return _tool(runtime, scope, one, before, this)
    return _feedback(runtime, scope, one, before, this)


def _before(view: Reading, message: Memory) -> list[Memory]:
    """Give what was said in a message's session just before it, in order."""
    if not message.session:
        return []
    at = view.numbers(message.owner, [message.id])[message.id]
    said = view.said(message.owner, message.session, max(0, at - BEFORE * 5), BEFORE * 5)
    return [one for doc, one in said if doc < at][-BEFORE:]


def _tool(runtime: Runtime, scope: Scope, message: Memory, before: Sequence[Memory], this: Job) -> Receipt:
    """Keep how a call of a tool ended, as its message tells."""
    call = _call(message, before)
    error = rules.failed(message.content, _told(message))
    if error is None:
        error = runtime.reader.failure(message.content) or None
    if error is None:
        return tool_succeeded(runtime, scope, call.tool, call.args, message.id, this)
    told = failure(runtime, call.tool, call.args, error[:20_000] or message.content[:20_000], call.context, "")
    return tool_failed(runtime, scope, replace(told, turn=message.id, at=message.event_time), message.id, this)


def _told(message: Memory) -> Mapping[str, Any]:
    """Give what a message is beside its text, the parts of a chat model's message included."""
    wire = message.attributes.get("message")
    parts = wire.get("content") if isinstance(wire, Mapping) else None
    flagged = isinstance(parts, list) and any(isinstance(one, Mapping) and one.get("is_error") for one in parts)
    return {**message.attributes, **({"is_error": True} if flagged else {})}


def _call(message: Memory, before: Sequence[Memory]) -> Call:
    """Find the call a message answers: the one of its id, or what the message says of itself."""
    attributes, wire = message.attributes, message.attributes.get("message")
    wire = wire if isinstance(wire, Mapping) else {}
    answered = wire.get("tool_call_id") or attributes.get("tool_call_id")
    called: Mapping[str, Any] = {}
    for one in reversed(before):
        calls = one.attributes.get("message", {})
        listed = calls.get("tool_calls") if isinstance(calls, Mapping) else None
        for call in listed if isinstance(listed, list) and answered else ():
            if isinstance(call, Mapping) and call.get("id") == answered and not called:
                inner = call.get("function")
                called = inner if isinstance(inner, Mapping) else call
    own = (attributes.get("tool"), called.get("name"), wire.get("name"), attributes.get("name"), message.actor)
    name = next((str(one).strip() for one in own if one and str(one).strip()), message.role)
    args = attributes.get("args", attributes.get("arguments", called.get("arguments", called.get("input"))))
    spoken = next((one.content for one in reversed(before) if not is_outside(one.role)), "")
    return Call(name, _plain(args), spoken)


def _plain(args: Any) -> Any:
    """Read arguments that came as the text of JSON, so that they are known whatever the order of their names."""
    if not isinstance(args, str):
        return args
    try:
        return json.loads(args)
    except (ValueError, RecursionError):
        return args


def _feedback(runtime: Runtime, scope: Scope, message: Memory, before: Sequence[Memory], this: Job) -> Receipt | str:
    """Keep what a user says of the work before, where an agent had spoken and had not just asked him."""
    sort = {"correction": rules.CORRECTION, "praise": rules.WIN}.get(runtime.reader.feedback(message.content))
    last = next((one for one in reversed(before) if not is_outside(one.role)), None)
    if sort is None or last is None or not is_machine(last.role):
        return GONE
    if asks(last.content) and runtime.reader.refuses(message.content):
        return GONE  # a no to a question answers it
    policy = runtime.settings.lessons
    words = " ".join(message.content.split())[: policy.said_characters]
    fields = {
        rules.SAID: f'"{words}"',
        rules.CONTEXT: " ".join(last.content.split())[: policy.context_characters],
        rules.LESSON: words,
    }
    told = Learnt(sort, fields, role=message.role, turn=message.id, at=message.event_time)
    return said(runtime, scope, told, this)


def _distilled(runtime: Runtime, scope: Scope, lesson: Memory, this: Job) -> Receipt | str:
    """Let a model say what to do next time, and which older lessons that contradicts."""
    with runtime.store.view() as view:
        sort = rules.sort_of(lesson)
        others = [one for one in living(runtime, view, scope, sort) if one.id != lesson.id][:EARLIER]
    question = runtime.prompt("lesson").question(
        exchange=lesson.content, earlier=numbered(rules.in_short(one) for one in others)
    )
    answer = ask(runtime, scope.owner, question, job=JOB, session=lesson.session)
    if not isinstance(answer, Value):
        return f"No model has put it into words: {getattr(answer, 'reason', 'it found nothing to say')}."
    made: Distilled = answer.value
    over = [others[number - 1] for number in dict.fromkeys(made.contradicts) if 1 <= number <= len(others)]
    fields = {**rules.fields_of(lesson.content), rules.LESSON: made.lesson}
    new = replace(
        lesson,
        id=runtime.new_id("lesson", runtime.now()),
        content=rules.written(fields, sort),
        created_at=runtime.now(),
        updated_at=runtime.now(),
        valid_from=max(lesson.valid_from, runtime.now()),
        version=1,
    )

    def plan(view: Reading) -> Resolution | Receipt:
        now = view.get(scope.owner, [one.id for one in (lesson, *over)])
        if [(one.state, one.version) for one in now] != [("active", one.version) for one in (lesson, *over)]:
            return Receipt(outcome="rejected", op="none", reason="it was changed meanwhile")
        put = index(runtime, new)
        receipt = Receipt(outcome="superseded", op="superseded", id=new.id, other=lesson.id)
        gone = [retired(one, runtime.now(), "a newer lesson contradicts it") for one in over]
        expect = tuple(Version(one.id, one.version) for one in (lesson, *over))
        return Resolution(receipt, (Verdict(receipt, (*supersede([lesson], put), *gone), expect, put),))

    return commit(runtime, Origin(scope, JOB, JOB, f"{JOB}\n{lesson.id}", this), plan)
