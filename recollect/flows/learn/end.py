"""A session ends: what is new in it is worked through now, and it is closed whatever a model does."""

from __future__ import annotations

from dataclasses import replace

from recollect.errors import InvalidInput
from recollect.flows.gate.commit import Origin, Resolution, commit, first_answer
from recollect.flows.learn.consolidate import consolidate, report
from recollect.model.memory import Session
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt, Report
from recollect.rules.gate import checks
from recollect.runtime import Runtime

VERB = "end"
NO_SESSION = "there is no such session: nothing was said in it"


def end(runtime: Runtime, scope: Scope, request_id: str) -> Report:
    """Work through everything new in the current session; a later message in it opens it again."""
    if not scope.session:
        raise InvalidInput("there is no session to end: name the session")
    request = checks.request(request_id, VERB, scope.session)
    with runtime.store.view() as view:
        done = first_answer(view, scope, request)
        known = view.session(scope.owner, scope.session)
    if done is not None:
        return Report(job=VERB, owner=scope.owner, changed=done.count, text=done.reason)
    if known is None:
        why = f"Skipped: {NO_SESSION}."
        return Report(job=VERB, owner=scope.owner, status="skipped", skipped=NO_SESSION, text=why)
    run = runtime.new_run()
    told = report(scope.owner, [consolidate(runtime, scope.owner, scope.session, run=run)], VERB)
    with runtime.store.view() as view:  # only what the journal tells can be undone
        told = replace(told, run=run if view.journal(scope.owner, [run], limit=1) else "")
    if request:
        receipt = Receipt(outcome="stored", op="ended", count=told.changed, reason=told.text)
        commit(runtime, Origin(scope, VERB, scope.agent, request), lambda _: Resolution(receipt))
    return told


def sessions(runtime: Runtime, scope: Scope) -> list[Session]:
    """Give the owner's sessions, the one seen last first, with how many messages each has and how far it has come."""
    with runtime.store.view() as view:
        counted = view.progress(scope.owner)
        rows = view.sessions(scope.owner)
    return [
        replace(row, messages=counted.get(row.id, (0, 0))[0], consolidated=counted.get(row.id, (0, 0))[1])
        for row in rows
        if row.id  # what was said in no session is kept track of, but is none
    ]
