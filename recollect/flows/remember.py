"""A memory is asked for: through the gate, and in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.gate import Verdict, draft, judge
from recollect.model.change import Change, Expectation, Put, Write
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules import checks
from recollect.runtime import Runtime
from recollect.store.base import View


def remember(runtime: Runtime, scope: Scope, content: object, details: Mapping[str, Any], request_id: str) -> Receipt:
    """Keep one memory; bad input raises, everything else is in the receipt."""
    return _admit(runtime, scope, [draft(content, details, runtime)], checks.name("request_id", request_id)).parts[0]


def remember_many(runtime: Runtime, scope: Scope, items: object, request_id: str) -> list[Receipt]:
    """Keep several in one commit; an item that cannot be used is rejected and does not sink the others."""
    checks.name("request_id", request_id)
    if not isinstance(items, Sequence) or isinstance(items, str | bytes):
        raise InvalidInput(f"items must be a list of mappings, not {type(items).__name__}")
    drafts: list[Draft | Receipt] = []
    for item in items:
        try:
            if not isinstance(item, Mapping) or not all(isinstance(name, str) for name in item):
                raise InvalidInput("an item must be a mapping of content and the keywords of remember")
            details = dict(item)
            drafts.append(draft(details.pop("content", None), details, runtime))
        except InvalidInput as error:
            drafts.append(Receipt(outcome="rejected", reason=str(error)))
    return list(_admit(runtime, scope, drafts, request_id).parts)


def _admit(runtime: Runtime, scope: Scope, drafts: Sequence[Draft | Receipt], request_id: str) -> Receipt:
    def plan(view: View) -> Write | Receipt:
        done = view.replay(scope.owner, request_id) if request_id else None
        if done is not None:
            if done.op != "batch" or len(done.parts) != len(drafts):
                raise InvalidInput("this request_id belongs to another request: give each request its own")
            return done
        return _write(runtime, scope, _judged(runtime, view, scope, drafts, request_id), request_id)

    whole = runtime.store.decide(scope.owner, plan)
    known = [part.id for part in whole.parts if part.outcome == "duplicate"]
    if known:
        runtime.store.touch(scope.owner, known, runtime.now())
    return whole


def _judged(
    runtime: Runtime, view: View, scope: Scope, drafts: Sequence[Draft | Receipt], request_id: str
) -> list[Verdict]:
    verdicts: list[Verdict] = []
    puts: list[Put] = []
    for one in drafts:
        verdict = Verdict(one) if isinstance(one, Receipt) else judge(runtime, view, scope, one, request_id, puts)
        verdicts.append(verdict)
        if verdict.put is not None:
            puts.append(verdict.put)
    return verdicts


def _write(runtime: Runtime, scope: Scope, verdicts: Sequence[Verdict], request_id: str) -> Write | Receipt:
    changes: list[Change] = [change for verdict in verdicts for change in verdict.changes]
    expect: list[Expectation] = [one for verdict in verdicts for one in verdict.expect]
    whole = Receipt(outcome="stored", op="batch", count=len(verdicts), parts=tuple(v.receipt for v in verdicts))
    if not changes and not request_id:
        return whole
    return Write(
        owner=scope.owner,
        at=runtime.now(),
        node="remember",
        changes=tuple(changes),
        expect=tuple(expect),
        actor=scope.agent,
        session=scope.session,
        request_id=request_id,
        receipt=whole,
    )
