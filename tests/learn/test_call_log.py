"""The log of calls (issue 18, issue 19): opt-in, without secrets, read and erased by its owner, on every engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from recollect import InvalidInput, NotFound, Recollect, Space
from recollect.flows.asking import ask
from recollect.model.asking import Question
from recollect.model.proposals import Consolidated
from recollect.serve.cli import whole
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.doors.serving import serving
from tests.engines import fresh
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")

SECRET = "sk-proj-" + "Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z" * 2
GOOD = {"facts": [{"content": "Ana lives in Lisbon.", "quote": "I live in Lisbon", "turn": 1}], "summary": "s"}
QUESTION = Question("extractor", "Read this.", f"I live in Lisbon. My key is {SECRET} \x00.", Consolidated)


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give an empty database of each engine."""
    return fresh(request.param, tmp_path)


def opened(url: str, server: ScriptedLlm, clock: FixedClock | None = None, **record: Any) -> Recollect:
    """Open a memory with a model, whose calls are kept or not."""
    chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
    kept = {"calls": True, **record}
    return Recollect(url, embedder="none", llm="openai:small", models=chosen, record=kept, clock=clock or FixedClock())


def talked(rc: Recollect, **on: str) -> Space:
    """Give a space with a memory, on whose behalf a model was asked."""
    ana = rc.space("ana", session="s1")
    ana.observe("user", "I live in Lisbon.")
    ask(rc._runtime, ana.owner, QUESTION, **on)
    return ana


def test_nothing_is_kept_unless_it_is_wanted(tmp_path: Path) -> None:
    """By default the ledger counts, and no word of a question or an answer is written down."""
    with ScriptedLlm(lambda asked: GOOD) as server, opened(f"sqlite:///{tmp_path}/m.db", server, calls=False) as rc:
        ana = talked(rc)
        assert Recollect(tmp_path / "other.db").settings.record.calls is False
        assert len(ana.cost()) == 1
        assert (ana.calls().calls, ana.calls().kept) == ((), False)
    assert b"Read this." not in (tmp_path / "m.db").read_bytes()


def test_a_log_left_from_before_is_not_denied(tmp_path: Path) -> None:
    """Where calls are no longer kept, those that were are shown as what they are."""
    with ScriptedLlm(lambda asked: GOOD) as server, opened(f"sqlite:///{tmp_path}/m.db", server) as rc:
        talked(rc)
    shown = CliRunner().invoke(whole(), ["calls", "--db", str(tmp_path / "m.db"), "--user", "ana"])
    assert "answered" in shown.stdout
    assert "these were kept before, new calls are not" in shown.stderr
    none = CliRunner().invoke(whole(), ["calls", "--db", str(tmp_path / "m.db"), "--user", "ben"])
    assert "these were kept" not in none.stderr


def test_a_call_is_kept_whole_and_without_secrets(url: str) -> None:
    """Question, answer, model, cost and how it ended can be read; secrets are taken out; nobody else sees any of it."""
    with ScriptedLlm(lambda asked: GOOD) as server, opened(url, server) as rc:
        ana = talked(rc, job="consolidate", session="s1")
        server.say(*["Let me think aloud."] * 3)
        ask(rc._runtime, ana.owner, QUESTION)
        failed, answered = ana.calls().calls
        assert (failed.status, answered.status, answered.job, answered.session) == (
            "failed",
            "answered",
            "consolidate",
            "s1",
        )
        assert (answered.data, answered.model, answered.usage.calls) == ("", "openai:small", 1)
        one = ana.calls.get(answered.id)
        assert one.instructions == "Read this."
        assert one.data.startswith("I live in Lisbon. My key is ")
        assert SECRET not in one.data
        assert json.loads(one.answer) == GOOD
        other = ana.calls.get(failed.id)
        assert (other.answer, "prose" in other.reason) == ("Let me think aloud.", True)
        assert [each.id for each in ana.calls(session="s1").calls] == [answered.id]
        first = ana.calls(limit=1)
        assert [each.id for each in ana.calls(limit=1, cursor=first.next).calls] == [answered.id]
        assert rc.space("bob").calls().calls == ()
        with pytest.raises(NotFound):
            rc.space("bob").calls.get(answered.id)


def test_the_log_goes_with_what_it_quotes(url: str) -> None:
    """Erasing a memory, or the log itself, leaves no word of it; what the calls have cost stays."""
    clock = FixedClock()
    with ScriptedLlm(lambda asked: GOOD) as server, opened(url, server, clock) as rc:
        ana = talked(rc)
        ana.erase(ana.list(kinds=["episode"])[0].id)
        assert ana.calls().calls == ()
        ask(rc._runtime, ana.owner, QUESTION)  # its words may have been chosen before
        assert ana.calls().calls == ()
        clock.advance(hours=1)
        ask(rc._runtime, ana.owner, QUESTION)
        receipt = ana.calls.erase()
        assert (receipt.op, receipt.count, ana.calls().calls) == ("erased", 1, ())
        assert ana.calls.erase().count == 0
        assert sum(line.usage.calls for line in ana.cost()) == 3


def test_no_word_is_left_in_the_file(tmp_path: Path) -> None:
    """After the log was erased its words are nowhere in the files of the database."""
    with ScriptedLlm(lambda asked: GOOD) as server, opened(f"sqlite:///{tmp_path}/m.db", server) as rc:
        ana = talked(rc)
        assert ana.calls.erase().scrub == "scrubbed"
    for file in tmp_path.iterdir():
        assert b"Read this." not in file.read_bytes(), file


def test_the_log_is_cut_in_time(url: str) -> None:
    """After its days a call is cut by the job `trim`, which the call itself has made due; a dry run only tells."""
    clock = FixedClock()
    with ScriptedLlm(lambda asked: GOOD) as server, opened(url, server, clock, calls_days=3) as rc:
        ana = talked(rc)
        clock.advance(days=2)
        assert "calls" not in rc.run_jobs(["trim"], owner=ana.owner)[0].numbers
        clock.advance(days=2)
        assert rc.run_jobs(["trim"], dry=True, owner=ana.owner)[0].numbers["calls"] == 1
        assert len(ana.calls().calls) == 1
        due = [one for one in rc.run_jobs() if one.job == "trim"]
        assert [one.numbers["calls"] for one in due] == [1]
        assert ana.calls().calls == ()


def test_an_agent_of_some_categories_may_not_read_it(tmp_path: Path) -> None:
    """What models were shown knows no categories: who is held to some is refused, and told what to do."""
    with ScriptedLlm(lambda asked: GOOD) as server:
        chosen = {"base_url": server.url, "timeout_seconds": PATIENCE}
        held = {"allowlists": [{"agent": "clerk", "categories": ["general"]}]}
        with Recollect(
            tmp_path / "m.db", embedder="none", llm="openai:small", models=chosen, record={"calls": True},
            categories=held,
        ) as rc:  # fmt: skip
            ana = talked(rc)
            assert len(ana.calls().calls) == 1
            with pytest.raises(InvalidInput, match="categories"):
                rc.space("ana", agent="clerk").calls()


def test_the_log_at_the_doors(tmp_path: Path) -> None:
    """REST and the command line list, show and erase it; an unknown id is told like somebody else's."""
    path = f"sqlite:///{tmp_path}/m.db"
    with ScriptedLlm(lambda asked: GOOD) as server, opened(path, server) as rc:
        ana = talked(rc)
        with serving(rc) as base, httpx.Client(base_url=f"{base}/v1/spaces/ana", timeout=PATIENCE) as http:
            (listed,) = http.get("/calls").json()["calls"]
            assert http.get(f"/calls/{listed['id']}").json()["instructions"] == "Read this."
            assert http.get("/calls/call_none").status_code == 404
            shown = CliRunner().invoke(whole(), ["calls", listed["id"], "--db", path, "--user", "ana"])
            assert "Read this." in shown.stdout
            table = CliRunner().invoke(whole(), ["calls", "--db", path, "--user", "ana"])
            assert "extractor" in table.stdout
            assert "record.calls" in table.stderr
            assert http.delete("/calls").json()["count"] == 1
        assert ana.calls().calls == ()
        gone = CliRunner().invoke(whole(), ["calls", "--erase", "--db", path, "--user", "ana", "--json"])
        assert json.loads(gone.stdout)["op"] == "erased"
