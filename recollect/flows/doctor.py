"""Is the house in order? Every question the store can answer about itself, and the mending."""

from __future__ import annotations

from recollect.model.change import Mend, Write
from recollect.model.job import Finding
from recollect.runtime import Runtime


def examine(runtime: Runtime, owners: list[str] | None = None) -> list[Finding]:
    """Check the files, then every owner; one finding per question, with how many owners' rows are wrong."""
    runtime.store.flush()
    found = runtime.store.integrity()
    if any(not finding.ok for finding in found if finding.check == "integrity"):  # rows cannot be trusted
        return found
    with runtime.store.view() as view:
        totals: dict[str, Finding] = {}
        for owner in view.owners() if owners is None else owners:
            for one in view.check(owner):
                before = totals.get(one.check)
                count = one.count + (before.count if before else 0)
                totals[one.check] = Finding(one.check, count == 0, count, one.text, one.fix)
    return [*found, *totals.values()]


def mend(runtime: Runtime) -> list[str]:
    """Rebuild what is derived, for every owner whose rows do not agree; give those owners."""
    mended = []
    with runtime.store.view() as view:
        wrong = [owner for owner in view.owners() if any(not one.ok for one in view.check(owner))]
    for owner in wrong:
        runtime.store.commit(Write(owner=owner, at=runtime.now(), node="doctor", changes=(Mend(),)))
        mended.append(owner)
    return mended
