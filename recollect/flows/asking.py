"""Asking a model: look at the budget, ask, and write down what it cost; whatever happens, the answer is a value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from recollect.flows.call_log import logged
from recollect.model.asking import ROLES, Answer, Failed, OverBudget, Question, Refused, Spending, Usage
from recollect.model.change import Change, Spend, Write
from recollect.model.event import Event
from recollect.model.owner import is_tenant, tenant_key
from recollect.model.receipt import Receipt
from recollect.rules.window.budget import BudgetPolicy, Spent, affordable, cost
from recollect.runtime import Runtime
from recollect.store.base import Reading

TRIES = 3
"""How many times what one request takes is set aside, where there is room: an answer may need a second try."""
NO_MODEL = "no model is set"


def ask(runtime: Runtime, owner: str, question: Question, *, job: str = "", session: str = "") -> Answer:
    """Ask a question on behalf of an owner, a job and a session, if the budgets allow it.

    Where a budget is set, what the question may take is put into the ledger before it is asked, and what it took
    instead of it afterwards: calls under way at the same moment see each other, in whatever process they are.
    """
    llm = runtime.llm
    if llm is None:
        return Failed(f"{absent(runtime)}: name one in llm, and its key")
    if question.role not in llm.roles:
        return Failed(f"no model is set for the role {question.role}: name one in models.{question.role}, or in llm")
    line = Spending(runtime.now().date().isoformat(), question.role, job, session)
    room = set_aside(runtime, owner, line, cost(question, runtime.settings.models.max_tokens))
    if isinstance(room, str):
        runtime.note(Event(owner, "ask", question.role, "skipped", session))
        return OverBudget(room)
    born, asked = _born(runtime, owner), runtime.now()
    answer = llm.ask(question, room)
    if isinstance(answer, Failed | Refused):
        runtime.note(Event(owner, "ask", question.role, "failed" if isinstance(answer, Failed) else "refused", session))
    owned = not born or _born(runtime, owner) == born
    kept = logged(runtime, owner, question, answer, replace(line, usage=answer.usage), asked) if born else ()
    settle(runtime, owner, line, answer.usage, room, owned=owned, also=kept)
    return answer


def settle(
    runtime: Runtime,
    owner: str,
    line: Spending,
    usage: Usage,
    room: int = 0,
    *,
    owned: bool = True,
    also: tuple[Change, ...] = (),
) -> None:
    """Put what asking has cost into the ledgers of owner and tenant, in the place of what was set aside for it.

    Who was erased meanwhile is not `owned`, and leaves no trace, not even of what the last answer cost. What is to be
    written with it is written where the owner is.
    """
    real = usage + (Usage(calls=-1, tokens_in=-room) if room else Usage())
    if real != Usage():
        runtime.store.commit(_spend(runtime, tenant_key(owner), line, real))
    if owned and (real != Usage() or also):
        runtime.store.commit(_spend(runtime, owner, line, real, also))


def absent(runtime: Runtime) -> str:
    """Say why there is no model to ask: none is named, or the one that is named cannot be reached without its key."""
    models = runtime.settings.models
    named = runtime.settings.llm or next((one for role in ROLES if (one := getattr(models, role))), "")
    return f"the model {named} is not asked, its key is missing" if named else NO_MODEL


def unable(runtime: Runtime, role: str) -> str:
    """Say why a model cannot be asked in a role; empty where it can."""
    if runtime.llm is None:
        return absent(runtime)
    return "" if role in runtime.llm.roles else f"no model is set for the role {role}"


def _born(runtime: Runtime, owner: str) -> int:
    with runtime.store.view() as view:
        return view.counters(owner).born


def set_aside(runtime: Runtime, owner: str, line: Spending, tokens: int) -> int | str:
    """Set aside what a question may take, for the tenant and then for the owner: how many tokens, 0 for any number,
    or which budget forbids it."""
    policy = runtime.settings.budget
    if policy == BudgetPolicy():
        return 0
    room = tokens * TRIES
    held: list[str] = []
    for whose in (tenant_key(owner), owner):
        found = _reserved(runtime, whose, line, (tokens, room))
        if isinstance(found, str):
            for one in held:
                runtime.store.commit(_spend(runtime, one, line, Usage(calls=-1, tokens_in=-room)))
            return found
        if held and found < room:  # the owner has less left than was set aside for the tenant
            runtime.store.commit(_spend(runtime, held[0], line, Usage(tokens_in=found - room)))
        room, held = found, [*held, whose]
    return room


def _reserved(runtime: Runtime, whose: str, line: Spending, wanted: tuple[int, int]) -> int | str:
    """Look at a ledger and write into it what may be spent, in one step nobody gets in between."""
    tokens, most = wanted
    held: list[int] = []

    def plan(view: Reading) -> Write | Receipt:
        lines = view.spent(whose, line.day)
        of_run = [one for one in lines if (one.job, one.session) == (line.job, line.session)]
        mine, none = total(lines), Usage()
        spent = (none, none, mine) if is_tenant(whose) else (mine, total(of_run), none)
        verdict = affordable(runtime.settings.budget, tokens, *spent)
        if isinstance(verdict, Spent):
            return Receipt(outcome="rejected", op="none", reason=verdict.reason)
        held[:] = [min(most, verdict.most_tokens) if verdict.most_tokens else most]
        return _spend(runtime, whose, line, Usage(calls=1, tokens_in=held[0]))

    answer = runtime.store.decide_locked(whose, plan, runtime.now())
    return held[0] if answer.ok else answer.reason


def _spend(runtime: Runtime, whose: str, line: Spending, usage: Usage, more: tuple[Change, ...] = ()) -> Write:
    """Put a cost into a ledger, and what else is kept of it; a tenant's knows neither jobs nor sessions."""
    what = Spending(line.day, line.role, usage=usage) if is_tenant(whose) else replace(line, usage=usage)
    done = Receipt(outcome="stored", op="none")
    return Write(owner=whose, at=runtime.now(), node="ask", changes=(Spend(what), *more), receipt=done)


def total(lines: Iterable[Spending]) -> Usage:
    """Add up lines of a ledger."""
    return sum((line.usage for line in lines), Usage())
