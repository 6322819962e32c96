"""A memory is asked for: through the gate, and in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.gate import draft, judge
from recollect.flows.gate.verdict import Batch, Verdict
from recollect.flows.life.follow_ups import tended
from recollect.flows.noting import classified
from recollect.model.change import Change, Expectation, Write
from recollect.model.kinds import EXPLICIT
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.rules.gate.categories import settled
from recollect.runtime import Runtime
from recollect.store.base import View

MOST_ITEMS = 1000


def remember(runtime: Runtime, scope: Scope, content: object, details: Mapping[str, Any], request_id: str) -> Receipt:
    """Keep one memory; bad input raises, everything else is in the receipt."""
    request = checks.request(request_id, "remember")
    return _admit(runtime, scope, [draft(content, details, runtime)], request).parts[0]


def remember_many(runtime: Runtime, scope: Scope, items: object, request_id: str) -> list[Receipt]:
    """Keep several in one commit; an item that cannot be used is rejected and does not sink the others."""
    request = checks.request(request_id, "remember_many")
    if not isinstance(items, Sequence) or isinstance(items, str | bytes):
        raise InvalidInput(f"items must be a list of mappings, not {type(items).__name__}")
    if len(items) > MOST_ITEMS:
        raise InvalidInput(f"there are {len(items):,} items, at most {MOST_ITEMS:,} fit one commit: split them")
    drafts: list[Draft | Receipt] = []
    reasons: dict[int, str] = {}
    for item in items:
        try:
            if not isinstance(item, Mapping) or not all(isinstance(name, str) for name in item):
                raise InvalidInput("an item must be a mapping of content and the keywords of remember")
            details = dict(item)
            drafts.append(draft(details.pop("content", None), details, runtime))
        except InvalidInput as error:
            # The message may quote what was given, and the journal keeps no text: it is told, not kept.
            reasons[len(drafts)] = str(error)
            drafts.append(Receipt(outcome="rejected", reason="the item cannot be used"))
    parts = _admit(runtime, scope, drafts, request).parts
    return [replace(part, reason=reasons.get(at, part.reason)) for at, part in enumerate(parts)]


def _admit(runtime: Runtime, scope: Scope, drafts: Sequence[Draft | Receipt], request_id: str) -> Receipt:
    vectors = Vectors(runtime)
    vectors.prepare([draft for draft in drafts if isinstance(draft, Draft)])

    def plan(view: View) -> Write | Receipt:
        done = view.replay(scope.owner, request_id) if request_id else None
        if done is not None:
            _same(view, scope, done, drafts)
            return done
        verdicts = judged(runtime, view, scope, drafts, request_id, vectors)
        serving, now = view.counters(scope.owner).model, runtime.now()
        new = [verdict.put.memory for verdict in verdicts if verdict.put is not None]
        return _write(runtime, scope, verdicts, vectors.changes(serving, new, now), request_id)

    whole = runtime.store.decide(scope.owner, plan, runtime.now())
    classified(runtime, scope, "remember", whole.parts)
    known = [part.id for part in whole.parts if part.outcome == "duplicate"]
    if known:
        runtime.store.touch(scope.owner, known, runtime.now())
    return whole


def _same(view: View, scope: Scope, done: Receipt, drafts: Sequence[Draft | Receipt]) -> None:
    """Refuse other texts under a request that was carried out: they would be lost without a word."""
    kept = {memory.id: memory.content for memory in view.get(scope.owner, [part.id for part in done.parts])}
    for part, given in zip(done.parts, drafts, strict=False):
        asked = part.outcome in ("stored", "superseded") and isinstance(given, Draft) and given.source in EXPLICIT
        if asked and isinstance(given, Draft) and kept.get(part.id, given.content) != given.content:
            raise InvalidInput(checks.TAKEN)
    if len(done.parts) != len(drafts):
        raise InvalidInput(checks.TAKEN)


def judged(
    runtime: Runtime,
    view: View,
    scope: Scope,
    drafts: Sequence[Draft | Receipt],
    request_id: str,
    vectors: Vectors,
) -> list[Verdict]:
    """Let drafts through the gate one after the other; a receipt among them stands for one refused before."""
    verdicts: list[Verdict] = []
    batch = Batch()
    for one in drafts:
        verdict = (
            Verdict(one) if isinstance(one, Receipt) else judge(runtime, view, scope, one, request_id, batch, vectors)
        )
        category = settled("" if isinstance(one, Receipt) else one.category, runtime.settings.categories)
        verdict = replace(verdict, receipt=replace(verdict.receipt, category=category))
        verdicts.append(verdict)
        batch.add(verdict)
    return verdicts


def _write(
    runtime: Runtime, scope: Scope, verdicts: Sequence[Verdict], meaning: tuple[Change, ...], request_id: str
) -> Write | Receipt:
    changes: list[Change] = [change for verdict in verdicts for change in verdict.changes]
    changes.extend(meaning)
    expect: list[Expectation] = [one for verdict in verdicts for one in verdict.expect]
    whole = Receipt(outcome="stored", op="batch", count=len(verdicts), parts=tuple(v.receipt for v in verdicts))
    if not changes and not request_id:
        return whole
    return Write(
        owner=scope.owner,
        at=runtime.now(),
        node="remember",
        changes=(*changes, *tended(runtime, scope.owner, changes)),
        expect=tuple(expect),
        actor=scope.agent,
        session=scope.session,
        request_id=request_id,
        receipt=whole,
    )
