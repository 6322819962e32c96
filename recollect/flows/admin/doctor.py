"""Is the house in order? Every question the store can answer about itself, and the mending."""

from __future__ import annotations

from recollect.flows.admin.coverage import coverage
from recollect.model.change import Mend, Write
from recollect.model.job import Finding
from recollect.runtime import Runtime
from recollect.store.base import Administration


def examine(runtime: Runtime, owners: list[str] | None = None) -> list[Finding]:
    """Check the files, then every owner; one finding per question, with how many owners' rows are wrong."""
    runtime.store.flush()
    found = runtime.store.integrity()
    if any(not finding.ok for finding in found if finding.check == "integrity"):  # rows cannot be trusted
        return found
    with runtime.store.view() as view:
        totals: dict[str, Finding] = {}
        chosen = view.owners() if owners is None else owners
        for owner in chosen:
            for one in view.check(owner):
                before = totals.get(one.check)
                count = one.count + (before.count if before else 0)
                totals[one.check] = Finding(one.check, count == 0, count, one.text, one.fix)
        return [*found, *totals.values(), _vectors(runtime, view, chosen)]


def _vectors(runtime: Runtime, view: Administration, owners: list[str]) -> Finding:
    """Say whose vectors serve and how many are to come; owners served by another than the embedder set are wrong."""
    all_of_them = [coverage(runtime, view, owner) for owner in owners]
    wrong = sum(bool(one.problem) for one in all_of_them)
    models = sorted({one.model for one in all_of_them if one.model}) or [runtime.model or "no embedder"]
    embedded, waiting = sum(one.embedded for one in all_of_them), sum(one.waiting for one in all_of_them)
    there = f"{embedded:,} vectors of {', '.join(models)}, {waiting:,} memories wait"
    if wrong:
        text = f"users not served by {runtime.model}, the embedder that is set ({there})"
        return Finding("vectors", False, wrong, text, "recollect reindex embeds them anew")
    return Finding("vectors", True, 0, there, "")


def mend(runtime: Runtime) -> list[str]:
    """Rebuild what is derived, for every owner whose rows do not agree; give those owners."""
    mended = []
    with runtime.store.view() as view:
        wrong = [owner for owner in view.owners() if any(not one.ok for one in view.check(owner))]
    for owner in wrong:
        runtime.store.commit(Write(owner=owner, at=runtime.now(), node="doctor", changes=(Mend(),)))
        mended.append(owner)
    return mended
