"""Asking a model: look at the budget, ask, and write down what it cost; whatever happens, the answer is a value."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.model.asking import ROLES, Answer, Failed, OverBudget, Question, Refused, Spending, Usage
from recollect.model.change import Spend, Write
from recollect.model.event import Event
from recollect.model.owner import tenant_key
from recollect.rules.budget import Spent, affordable, cost
from recollect.runtime import Runtime

NO_MODEL = "no model is set"


def ask(runtime: Runtime, owner: str, question: Question, *, job: str = "", session: str = "") -> Answer:
    """Ask a question on behalf of an owner, a job and a session, if the budgets allow it.

    Calls under way at the same moment do not see each other's cost: together they may pass a budget by what they take.
    """
    llm = runtime.llm
    if llm is None:
        return Failed(f"{absent(runtime)}: name one in llm, and its key")
    if question.role not in llm.roles:
        return Failed(f"no model is set for the role {question.role}: name one in models.{question.role}, or in llm")
    day = runtime.now().date().isoformat()
    room = _room(runtime, owner, question, day, (job, session))
    if isinstance(room, str):
        runtime.note(Event(owner, "ask", question.role, "skipped", session))
        return OverBudget(room)
    born = _born(runtime, owner)
    answer = llm.ask(question, room)
    if isinstance(answer, Failed | Refused):
        runtime.note(Event(owner, "ask", question.role, "failed" if isinstance(answer, Failed) else "refused", session))
    # Who was erased meanwhile leaves no trace, not even of what the last answer cost.
    gone = born and _born(runtime, owner) != born
    _note(runtime, "" if gone else owner, tenant_key(owner), Spending(day, question.role, job, session, answer.usage))
    return answer


def absent(runtime: Runtime) -> str:
    """Say why there is no model to ask: none is named, or the one that is named cannot be reached without its key."""
    models = runtime.settings.models
    named = runtime.settings.llm or next((one for role in ROLES if (one := getattr(models, role))), "")
    return f"the model {named} is not asked, its key is missing" if named else NO_MODEL


def _born(runtime: Runtime, owner: str) -> int:
    with runtime.store.view() as view:
        return view.counters(owner).born


def _room(runtime: Runtime, owner: str, question: Question, day: str, run: tuple[str, str]) -> int | str:
    """Give how many tokens a question may take, 0 for any number, or say which budget forbids it."""
    policy = runtime.settings.budget
    with runtime.store.view() as view:
        mine = view.spent(owner, day)
        tenants = view.spent(tenant_key(owner), day)
    of_run = [one for one in mine if (one.job, one.session) == run]
    tokens = cost(question, runtime.settings.models.max_tokens)
    verdict = affordable(policy, tokens, total(mine), total(of_run), total(tenants))
    return verdict.reason if isinstance(verdict, Spent) else verdict.most_tokens


def _note(runtime: Runtime, owner: str, tenant: str, line: Spending) -> None:
    """Put a cost into the owner's ledger, and into its tenant's, which knows neither jobs nor sessions."""
    if line.usage == Usage():
        return
    at = runtime.now()
    tenants = Spending(line.day, line.role, usage=line.usage)
    for whose, what in [(tenant, tenants), *([(owner, line)] if owner else [])]:
        runtime.store.commit(Write(owner=whose, at=at, node="ask", changes=(Spend(what),)))


def total(lines: Iterable[Spending]) -> Usage:
    """Add up lines of a ledger."""
    return sum((line.usage for line in lines), Usage())
