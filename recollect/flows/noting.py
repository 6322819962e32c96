"""What is noted for statistics on the way of a search, a verdict or a run: names and numbers, never text."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.model.event import Event
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt, Report
from recollect.runtime import Runtime


def classified(runtime: Runtime, scope: Scope, node: str, parts: Iterable[Receipt]) -> None:
    """Note what the gate said of each candidate; what it never saw was skipped, what was said before is no news."""
    for part in parts:
        if part.category:
            unseen = part.outcome == "rejected" and part.op == "none"
            op = "skip" if unseen else "classify"
            runtime.note(Event(scope.owner, node, op, part.outcome, scope.session, part.id, part.category))


def ended(runtime: Runtime, report: Report) -> None:
    """Note a run that was skipped or failed; what the others did, the journal tells."""
    if report.status != "ok":
        runtime.note(Event(report.owner, report.job, "run", report.status))
