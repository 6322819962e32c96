"""A memory is asked for: through the gate, and in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import draft, judged
from recollect.model.kinds import EXPLICIT
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching

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


def _admit(runtime: Runtime, scope: Scope, drafts: Sequence[Draft | Receipt], request: str) -> Receipt:
    vectors = Vectors(runtime)
    vectors.prepare([draft for draft in drafts if isinstance(draft, Draft)])

    def plan(view: Searching) -> Resolution:
        verdicts = judged(runtime, view, scope, drafts, request, vectors)
        return Resolution(Receipt(outcome="stored", op="batch", count=len(verdicts)), verdicts)

    def again(view: Reading, done: Receipt) -> None:
        _same(view, scope, done, drafts)

    whole = commit(runtime, Origin(scope, "remember", scope.agent, request), plan, vectors, again)
    known = [part.id for part in whole.parts if part.outcome == "duplicate"]
    if known:
        runtime.store.touch(scope.owner, known, runtime.now())
    return whole


def _same(view: Reading, scope: Scope, done: Receipt, drafts: Sequence[Draft | Receipt]) -> None:
    """Refuse other texts under a request that was carried out: they would be lost without a word."""
    kept = {memory.id: memory.content for memory in view.get(scope.owner, [part.id for part in done.parts])}
    for part, given in zip(done.parts, drafts, strict=False):
        asked = part.outcome in ("stored", "superseded") and isinstance(given, Draft) and given.source in EXPLICIT
        if asked and isinstance(given, Draft) and kept.get(part.id, given.content) != given.content:
            raise InvalidInput(checks.TAKEN)
    if len(done.parts) != len(drafts):
        raise InvalidInput(checks.TAKEN)
