"""Looking at the log of calls, and erasing it."""

from __future__ import annotations

from recollect.errors import InvalidInput, NotFound
from recollect.flows.admin.erase import promised, scrub
from recollect.flows.find.filters import sight
from recollect.model.asking import Call, CallLog
from recollect.model.change import Unlog, Write
from recollect.model.clock import LATEST
from recollect.model.owner import Scope
from recollect.model.receipt import Left, Receipt
from recollect.runtime import Runtime


def listed(runtime: Runtime, scope: Scope, session: str, limit: int, cursor: str) -> CallLog:
    """Give a part of the log without its texts, the newest first."""
    _unrestricted(runtime, scope)
    with runtime.store.view() as view:
        found = view.logged(scope.owner, session, cursor, limit)
    return CallLog(tuple(found), found[-1].id if len(found) == limit else "", runtime.settings.record.calls)


def one(runtime: Runtime, scope: Scope, id: str) -> Call:
    """Give one call with what was asked and answered."""
    _unrestricted(runtime, scope)
    with runtime.store.view() as view:
        found = view.call(scope.owner, id)
    if found is None:
        raise NotFound(f"there is no call {id} for this owner: it was never kept, was cut in time, or was erased")
    return found


def erase(runtime: Runtime, scope: Scope) -> Receipt:
    """Erase the whole log, from the files too."""
    ticket = promised(runtime)
    with runtime.store.view() as view:
        many = view.old_calls(scope.owner, LATEST, MOST).count
    if many:
        runtime.store.commit(Write(owner=scope.owner, at=runtime.now(), node="erase", changes=(Unlog(),)))
    done: Left = "scrubbed" if scrub(runtime, ticket) else "pending"
    return Receipt(outcome="stored", op="erased", count=many, scrub=done)


def _unrestricted(runtime: Runtime, scope: Scope) -> None:
    """Refuse an agent that is held to some categories: what models were shown knows none."""
    if sight(runtime, scope).categories:
        raise InvalidInput(f"the agent {scope.agent} is held to some categories, the log of calls is not: ask as none")


MOST = 10**9
