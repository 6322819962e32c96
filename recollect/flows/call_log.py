"""The log of calls, where it is wanted: what a model was asked and what it wrote, without secrets, for a few days."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from recollect.model.asking import Answer, Call, Failed, Question, Refused, Spending, Value
from recollect.model.change import Change, Enqueue, Log
from recollect.model.clock import to_ms
from recollect.model.values import plain
from recollect.rules.life.schedule import next_time
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime

LONGEST = 200_000
"""How many characters of a text are kept."""
CUT = " […]"
_STATUS = {"Value": "answered", "Nothing": "nothing", "Refused": "refused", "Failed": "failed"}


def logged(
    runtime: Runtime, owner: str, question: Question, answer: Answer, line: Spending, asked: datetime
) -> tuple[Change, ...]:
    """Give what keeps a call, and cuts it when its time has come; nothing where that is not wanted."""
    policy = runtime.settings.record
    if not policy.calls:
        return ()
    call = Call(
        id=runtime.ordered_id("call", asked),
        at=asked,
        role=question.role,
        name=question.name,
        status=_STATUS[type(answer).__name__],
        model=getattr(answer, "model", ""),
        version=question.version,
        job=line.job,
        session=line.session,
        milliseconds=to_ms(runtime.now()) - to_ms(asked),
        usage=line.usage,
        instructions=_kept(question.instructions),
        data=_kept(question.data),
        answer=_kept(_written(answer)),
        reason=_kept(answer.reason) if isinstance(answer, Refused | Failed) else "",
    )
    due = next_time(owner, "trim", asked + timedelta(days=policy.calls_days), runtime.settings.jobs)
    return (Log(call), *(() if due is None else (Enqueue("trim", due),)))


def _written(answer: Answer) -> str:
    """Give what the model wrote, or what was read in it where only that is known."""
    if isinstance(answer, Value) and not answer.text:
        return json.dumps(plain(answer.value), ensure_ascii=False, default=str)
    return getattr(answer, "text", "")


def _kept(text: str) -> str:
    """Give a text as it may be kept: no secrets, no characters a database refuses, and no more than is read."""
    clean = redacted(text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd"))[0]
    return clean if len(clean) <= LONGEST else clean[:LONGEST] + CUT
