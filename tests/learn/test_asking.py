"""Asking on somebody's behalf: budgets before, the ledger after, on every engine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import InvalidInput, Recollect
from recollect.flows.asking import NO_MODEL, ask, total
from recollect.model.asking import Answer, Failed, OverBudget, Question, Spending, Usage, Value
from recollect.model.owner import tenant_key
from recollect.model.proposals import Consolidated
from recollect.prompts import load
from recollect.prompts.quoting import turns
from recollect.providers.llm import Llm, models
from recollect.rules.window.budget import BudgetPolicy, Room, Spent, affordable, cost
from recollect.serve.cli import whole
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Saying, ScriptedLlm
from tests.engines import fresh
from tests.patience import PATIENCE

APP = whole()

pytestmark = pytest.mark.usefixtures("forgetful")

GOOD = {"facts": [{"content": "Ana lives in Lisbon.", "quote": "I live in Lisbon", "turn": 1}], "summary": "s"}
QUESTION = Question("extractor", "Read this.", "Ana lives in Lisbon.", Consolidated, max_tokens=100)


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """Give a model that answers well."""
    with ScriptedLlm(lambda asked: GOOD) as server:
        yield server


def opened(url: str, server: ScriptedLlm, **budget: Any) -> Recollect:
    """Open a memory with a model and a budget."""
    chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 1}
    return Recollect(url, embedder="none", llm="openai:small", models=chosen, budget=budget, clock=FixedClock())


def asked(rc: Recollect, user: str = "ana", tenant: str = "", **on: str) -> Answer:
    """Ask on behalf of a user."""
    return ask(rc._runtime, rc.space(user, tenant=tenant).owner, QUESTION, **on)


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give an empty database of each engine."""
    return fresh(request.param, tmp_path)


def test_every_call_is_in_the_ledger(url: str, server: ScriptedLlm) -> None:
    """Calls are counted by day, role, job and session, those that failed too; the memory's revision stands still."""
    with opened(url, server) as rc:
        assert isinstance(asked(rc, job="consolidate", session="s1"), Value)
        server.say(*["Let me think aloud."] * 3)
        assert isinstance(asked(rc, job="consolidate", session="s1"), Failed)
        assert isinstance(asked(rc), Value)
        lines = rc.space("ana").cost()
        assert [(one.day, one.role, one.job, one.session, one.usage.calls) for one in lines] == [
            ("2026-01-05", "extractor", "", "", 1),
            ("2026-01-05", "extractor", "consolidate", "s1", 4),
        ]
        assert total(lines).tokens_in == server.prompt_tokens
        assert total(lines).tokens_out == server.completion_tokens
        assert rc.space("ana").stats().rev == 0
        assert rc.space("bob").cost() == []
        assert rc.space("ana").cost(date(2026, 1, 6)) == []
        with pytest.raises(InvalidInput, match="since must be a date"):
            rc.space("ana").cost("2026")  # type: ignore[arg-type]


def test_a_users_budget_is_a_hard_stop(url: str, server: ScriptedLlm) -> None:
    """What would pass the budget is not asked, says why, and costs nothing; others and the next day are free."""
    with opened(url, server, tokens_per_day=1500) as rc:
        answers = [asked(rc) for _ in range(6)]
        done = len(server.requests)
        assert 0 < done < 6
        assert [type(one) for one in answers] == [Value] * done + [OverBudget] * (6 - done)
        assert total(rc.space("ana").cost()).tokens <= 1500
        last = answers[-1]
        assert isinstance(last, OverBudget)
        assert last.reason.startswith("budget.tokens_per_day is 1,500: ")
        assert isinstance(asked(rc, "bob"), Value)
        clock = rc._runtime.clock
        assert isinstance(clock, FixedClock)
        clock.advance(days=1)
        assert isinstance(asked(rc), Value)


def test_a_jobs_budget_is_its_own(server: ScriptedLlm, tmp_path: Path) -> None:
    """A job on one session stops at its budget, another session and another job go on."""
    with opened(f"sqlite:///{tmp_path}/m.db", server, tokens_per_job=700) as rc:
        answers = [type(asked(rc, job="consolidate", session="s1")) for _ in range(4)]
        assert answers[0] is Value
        assert answers[-1] is OverBudget
        assert isinstance(asked(rc, job="consolidate", session="s2"), Value)
        assert isinstance(asked(rc, job="dream"), Value)


def test_a_tenants_budget_is_shared(url: str, server: ScriptedLlm) -> None:
    """All users of a tenant draw on one budget, other tenants have theirs; the tenant itself is no user."""
    with opened(url, server, tenant_tokens_per_day=1500) as rc:
        answers = [type(asked(rc, user, "acme")) for user in ("ana", "bob", "cleo", "dora", "eve", "fay")]
        assert answers[0] is Value
        assert answers[-1] is OverBudget
        assert isinstance(asked(rc, "ana", "other"), Value)
        assert isinstance(asked(rc, "ana"), Value)
        assert ("acme", "") not in rc.owners()
        assert all(finding.ok for finding in rc.doctor())
        rc.space("ana", tenant="acme").erase(everything=True)
        assert isinstance(asked(rc, "ana", "acme"), OverBudget)
        with rc._runtime.store.view() as view:
            (line,) = view.spent(tenant_key("acme/ana"))
        assert (line.job, line.session, line.usage.calls) == ("", "", answers.count(Value))


@pytest.mark.parametrize(("name", "users"), [("tokens_per_day", "a"), ("tenant_tokens_per_day", "abcd")])
def test_calls_under_way_see_each_other(url: str, name: str, users: str) -> None:
    """Four openings that ask at the same moment keep to the budget of the user, or of the tenant, together."""
    refused = threading.Event()

    def script(asked: Asked) -> Saying:
        refused.wait(PATIENCE)  # whoever is let through is under way until somebody is not
        return GOOD

    def one(at: int) -> Answer:
        answer = asked(rcs[at], users[at % len(users)], "acme")
        if isinstance(answer, OverBudget):
            refused.set()
        return answer

    with ScriptedLlm(script) as server:
        rcs = [opened(url, server, **{name: 1300}) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(one, range(4)))
        with rcs[0]._runtime.store.view() as view:
            spent = total(view.spent(tenant_key("acme/a")))
        for rc in rcs:
            rc.close()
    assert {type(one) for one in answers} == {Value, OverBudget}
    assert spent == sum((one.usage for one in answers), Usage())
    assert spent.tokens <= 1300


def test_what_dies_counts_too_much(server: ScriptedLlm, tmp_path: Path) -> None:
    """A process that dies while it asks has spent what it set aside."""

    class Dying(Echo):
        roles = frozenset(("extractor",))

        def ask(self, question: Question, most_tokens: int = 0) -> Answer:
            raise KeyboardInterrupt

    with Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none", llm=Dying(), budget={"tokens_per_day": 5000}) as rc:
        with pytest.raises(KeyboardInterrupt):
            asked(rc)
        spent = total(rc.space("ana").cost())
        assert (spent.calls, spent.tokens >= cost(QUESTION, 0)) == (1, True)


def test_a_broken_try_does_not_break_the_budget(server: ScriptedLlm, tmp_path: Path) -> None:
    """A model that talks and talks is not asked in another way when that would pass the budget."""
    with opened(f"sqlite:///{tmp_path}/m.db", server, tokens_per_day=700) as rc:
        server.say(*["Let me think aloud. " * 10] * 9)
        answer = asked(rc)
        assert isinstance(answer, Failed)
        assert "would exceed the budget" in answer.reason
        assert answer.usage.calls == len(server.requests) < 3
        assert answer.usage.tokens <= 700


def test_money_is_counted_where_the_price_is_known() -> None:
    """Dollars stop what comes after they are reached; tokens that fit leave room."""
    policy = BudgetPolicy(dollars_per_day=0.01, tenant_dollars_per_day=0.05, tokens_per_day=1000)
    none = Usage()
    assert affordable(policy, 500, none, none, none) == Room(1000)
    assert affordable(policy, 500, Usage(1, 300, 100, 9_999), none, none) == Room(600)
    user = affordable(policy, 10, Usage(1, 1, 1, 10_000), none, none)
    assert user == Spent("budget.dollars_per_day is $0.01: $0.0100 are spent today")
    assert isinstance(affordable(policy, 10, none, none, Usage(1, 1, 1, 50_000)), Spent)
    assert isinstance(affordable(policy, 501, Usage(1, 500), none, none), Spent)
    assert affordable(BudgetPolicy(), 10**9, Usage(1, 10**12, 0, 10**12), none, none) == Room(0)
    assert cost(QUESTION, 5000) == 3 + 5 + 300 + 100


def test_without_a_model(tmp_path: Path) -> None:
    """Nobody is asked, nothing is written, and the answer says what to do."""
    with Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none") as rc:
        assert asked(rc) == Failed(f"{NO_MODEL}: name one in llm, and its key")
        assert rc.space("ana").cost() == []
        assert rc.owners() == []


def test_who_is_erased_meanwhile_leaves_no_trace(url: str) -> None:
    """An answer that comes after its user was erased does not bring the user back; the tenant still paid for it."""
    holder: list[Recollect] = []

    def erasing(asked: Asked) -> Saying:
        holder[0].space("ana", tenant="acme").erase(everything=True)
        return GOOD

    with ScriptedLlm(erasing) as server, opened(url, server) as rc:
        holder.append(rc)
        rc.space("ana", tenant="acme").remember("Ana has a cat.")
        assert isinstance(asked(rc, "ana", "acme", session="hush"), Value)
        assert rc.owners() == []
        with rc._runtime.store.view() as view:
            assert view.spent("acme/ana") == []
            assert total(view.spent("acme/")).calls == 1


class Echo(Llm):
    """Somebody's own model."""

    roles = frozenset(("judge",))

    def ask(self, question: Question, most_tokens: int = 0) -> Answer:
        """Give the data back."""
        return Value(question.data, Usage(1, 2, 3, 4))

    def close(self) -> None:
        """Keep nothing open."""


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    """Whoever brings a model is asked in the roles it has, and its cost is kept."""
    with Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none", llm=Echo()) as rc:
        assert asked(rc) == Failed("no model is set for the role extractor: name one in models.extractor, or in llm")
        answer = ask(rc._runtime, "/ana", Question("judge", "", "Hi.", Consolidated))
        assert answer == Value("Hi.", Usage(1, 2, 3, 4))
        assert [line.usage for line in rc.space("ana").cost()] == [Usage(1, 2, 3, 4)]


def test_the_ledger_moves_house(url: str, server: ScriptedLlm, tmp_path: Path) -> None:
    """An export carries what a user has cost, and an import puts it back; a line that is none is refused."""
    file = tmp_path / "all.jsonl"
    with opened(url, server) as rc:
        rc.space("ana").remember("Ana has a cat.")
        asked(rc, job="consolidate", session="s1")
        before = rc.space("ana").cost()
        with file.open("w") as out:
            rc.export(out)
    with opened(f"sqlite:///{tmp_path}/there.db", server) as there:
        there.import_file(file)
        assert there.space("ana").cost() == before
    lines = file.read_text().splitlines()
    for old, new in (
        ('"role":"extractor"', '"role":"king"'),
        ("2026-01-05", "yesterday!"),
        ('"calls":1', '"calls":-1'),
    ):
        file.write_text("\n".join(line.replace(old, new) if '"spent"' in line else line for line in lines) + "\n")
        with opened(f"sqlite:///{tmp_path}/no.db", server) as there:
            with pytest.raises(InvalidInput, match="cannot be used"):
                there.import_file(file)
            assert there.owners() == []


def test_a_page_of_conversation_is_cheap(server: ScriptedLlm, tmp_path: Path) -> None:
    """A page of 25 turns costs at most 90 prompt tokens a turn beyond the turns' own text, in every mode."""
    texts = [f"I think number {n} is the one we should take, since it was cheaper last time." for n in range(25)]
    page = turns((n, "user", "2026-05-01", text) for n, text in enumerate(texts, 1))
    asked_ = load("consolidate").question(
        categories="personal, work, goals", topics="home, food", summary="A summary. " * 30, known="", messages=page
    )
    own = sum(-(-len(text) // 4) for text in texts)
    for mode in ("native", "tool", "prompted"):
        models._MODES[(server.url, "small")] = mode
        with opened(f"sqlite:///{tmp_path}/{mode}.db", server) as rc:
            assert isinstance(ask(rc._runtime, "/ana", asked_), Value)
        beyond = (server.requests[-1].prompt_tokens - own) / len(texts)
        print(f"{mode}: {beyond:.0f} prompt tokens a turn beyond the text")
        assert server.requests[-1].mode == mode
        assert beyond <= 90


def test_the_command_line_shows_it(server: ScriptedLlm, tmp_path: Path) -> None:
    """`recollect cost` shows a table by day and role with a sum, or JSON with every line."""
    url = f"sqlite:///{tmp_path}/m.db"
    with opened(url, server) as rc:
        rc.space("ana").remember("Ana has a cat.")
        for session in ("s1", "s2"):
            asked(rc, job="consolidate", session=session)

    def call(*options: str) -> Any:
        return CliRunner().invoke(APP, ["cost", "--db", url, *options], env={"RECOLLECT_EMBEDDER": "none"})

    shown = call("--user", "ana", "--since", "2026-01-01")
    assert shown.exit_code == 0
    assert shown.stdout.count("2026-01-05") == 1
    assert "extractor" in shown.stdout
    assert "the price of 2 of 2 calls is not known" in shown.stderr + shown.stdout
    told = json.loads(call("--user", "ana", "--since", "2026-01-01", "--json").stdout)
    assert (told["since"], told["total"]["calls"], len(told["lines"])) == ("2026-01-01", 2, 2)
    assert {"day", "role", "job", "session", "calls", "tokens_in", "tokens_out", "money", "unpriced"} == set(
        told["lines"][0]
    )
    assert "no model was asked" in call("--user", "bob").stderr + call("--user", "bob").stdout
    assert call("--since", "gibberish").exit_code == 2
    assert "Example: recollect cost" in call("--help").stdout


def test_a_line_is_a_value() -> None:
    """Lines of the ledger compare by what they say."""
    assert Spending("2026-01-05", "judge") == Spending("2026-01-05", "judge", "", "", Usage())
    assert Usage(1, 2, 3, 4, 5) + Usage(1, 1, 1, 1, 1) == Usage(2, 3, 4, 5, 6)
