"""Many memories changed at once, by a filter: looked at first if asked, in one commit, and taken back as one run."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.find.filters import build
from recollect.flows.keep.revise import in_place
from recollect.model.change import Patch, Write
from recollect.model.expectation import Version
from recollect.model.kinds import KINDS
from recollect.model.owner import Scope
from recollect.model.receipt import Report
from recollect.runtime import Runtime

NODE = "bulk"
MOST = 10_000
ACTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "forget": ("deleted", {"state": "deleted"}),
    "pin": ("pinned", {"pinned": True}),
    "unpin": ("unpinned", {"pinned": False}),
    "update": ("updated", {}),
}
"""What can be done to many: the journal's word for it, and the values that say so."""


def bulk(
    runtime: Runtime, scope: Scope, action: str, where: Mapping[str, Any], changes: Mapping[str, Any], dry: bool
) -> Report:
    """Do one thing to all memories that pass a filter; the report names the run that undo takes back."""
    if action not in ACTIONS:
        raise InvalidInput(f"unknown action {action!r}: use one of {', '.join(ACTIONS)}")
    if not where:
        raise InvalidInput("the filter is empty, which would mean everything: name at least one condition")
    op, values = ACTIONS[action]
    values = {**values, **in_place(runtime, changes)} if action == "update" else values
    if changes and action != "update":
        raise InvalidInput(f"{action} takes no changes: leave them out, or use update")
    chosen = build(runtime, scope, _timed(where), tuple(kind for kind in KINDS if kind not in ("episode", "block")))
    with runtime.store.view() as view:
        found = view.page(chosen, "oldest", MOST + 1)
    if len(found) > MOST:
        raise InvalidInput(f"more than {MOST:,} memories pass the filter: narrow it down")
    touched = [one for one in found if any(getattr(one, name) != value for name, value in values.items())]
    steps = tuple(f"{op} {one.id}" for one in touched)
    if dry or not touched:
        told = f"Would change {len(touched)} memories." if dry else "There is nothing to change."
        return Report(job=NODE, owner=scope.owner, changed=len(touched), text=told, steps=steps)
    run = runtime.token()
    runtime.store.commit(
        Write(
            owner=scope.owner,
            at=runtime.now(),
            node=NODE,
            actor=scope.agent,
            session=scope.session,
            changes=tuple(Patch(one.id, values, op) for one in touched),
            expect=tuple(Version(one.id, one.version) for one in touched),
            run=run,
        )
    )
    text = f"Changed {len(touched)} memories."
    return Report(job=NODE, owner=scope.owner, changed=len(touched), text=text, steps=steps, run=run)


def _timed(where: Mapping[str, Any]) -> dict[str, Any]:
    """Read times that came as text, as they do over HTTP."""
    made = dict(where)
    for name, value in where.items():
        if isinstance(value, str) and name.endswith(("_after", "_before", "as_of")):
            try:
                made[name] = datetime.fromisoformat(value)
            except ValueError as error:
                raise InvalidInput(f"{name}: use ISO 8601, such as 2026-05-01T09:30:00Z") from error
    return made
