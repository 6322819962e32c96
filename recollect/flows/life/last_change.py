"""The last change a person made: what he would take back who has thought better of it."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.flows.find.browse import history
from recollect.flows.life.undo import REVISION, can_be_undone
from recollect.model.hit import Entry
from recollect.model.owner import Scope
from recollect.runtime import Runtime
from recollect.store.base import Reading

MOST_BACK = 10_000
"""How many revisions are looked through."""


def last_change(runtime: Runtime, scope: Scope, memory_id: str = "") -> list[Entry]:
    """Give the lines of the last change that still stands and was no job's, of one memory if named; none for none."""
    named = sorted({one.rev for one in history(runtime, scope, memory_id)}, reverse=True) if memory_id else None
    with runtime.store.view() as view:
        revisions: Iterable[int] = range(view.counters(scope.owner).rev, 0, -1) if named is None else named
        for _, revision in zip(range(MOST_BACK), revisions, strict=False):
            lines = view.revision(scope.owner, revision)
            if can_be_undone(lines) and _by_hand(lines) and not _undone(view, scope.owner, revision):
                return lines
    return []


def _by_hand(lines: list[Entry]) -> bool:
    """Tell whether a change is neither a job's nor itself the taking back of one."""
    return not any(one.op in ("ran", "undone") for one in lines)


def _undone(view: Reading, owner: str, revision: int) -> bool:
    return any(one.op == "undone" for one in view.journal(owner, [f"{REVISION}{revision}"]))
