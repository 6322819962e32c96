"""A model that fails for a while: rules read meanwhile, the model is asked again, and nothing it said is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import NotFound, Recollect, Space
from recollect.testing import FixedClock
from recollect.testing.judge import PlainJudge
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")

GATE = {"content": "Ana's garden gate is painted green.", "quote": "our garden gate is painted green", "turn": 1}


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """Give a model that finds the gate and sums up."""
    with ScriptedLlm(lambda asked: {"facts": [GATE], "summary": "Ana spoke of tea."}) as opened:
        yield opened


def opened(url: str, server: ScriptedLlm, clock: FixedClock, **more: Any) -> Recollect:
    """Open a memory that asks a scripted model."""
    chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
    return Recollect(url, embedder="none", llm="openai:small", models=chosen, clock=clock, **more)


def talk(space: Space, clock: FixedClock, many: int = 5) -> None:
    """Speak of the gate, then of nothing much."""
    for at in range(many):
        text = "So our garden gate is painted green." if at == 0 else f"Well, tea, number {at}."
        space.observe("user", text, actor="Ana")
        clock.advance(seconds=10)


def summary(space: Space) -> str:
    """Give the summary of the session."""
    (found,) = space.list(kinds=["summary"])
    return found.content


def test_a_page_a_model_failed_on_is_asked_about_again(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """Rules read it at once, a job asks later with ever longer waits, and the answer is taken once."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana", "helper", "s1")
        talk(ana, clock)
        server.say(500, 500)
        told = ana.end()
        assert "A model is asked again later about 1 page(s)." in told.text
        assert ana.is_session_consolidated()
        assert [report for report in rc.run_jobs() if report.job == "reread"] == []
        clock.advance(minutes=2)
        (first,) = [report for report in rc.run_jobs() if report.job == "reread"]
        assert (first.status, ana.list(kinds=["fact"])) == ("failed", [])
        clock.advance(minutes=5)
        (second,) = [report for report in rc.run_jobs() if report.job == "reread"]
        assert (second.status, second.changed, second.numbers["calls"]) == ("ok", 1, 1)
        assert [one.content for one in ana.list(kinds=["fact"])] == [GATE["content"]]
        assert summary(ana) == "Ana spoke of tea."
        clock.advance(days=1)
        assert [report for report in rc.run_jobs() if report.job == "reread"] == []


def test_a_dead_model_is_not_asked_page_after_page(tmp_path: Path, server: ScriptedLlm, clock: FixedClock) -> None:
    """After two failures the rest of the run is read by rules, and every page is left to be asked about later."""
    with opened(str(tmp_path / "m.db"), server, clock) as rc:
        ana = rc.space("ana", "helper", "s1")
        talk(ana, clock, 240)
        server.say(*[500] * 10)
        told = ana.end()
        assert (told.numbers["pages"], len(server.requests)) == (4, 2)
        assert sum(job.name == "reread" for job in ana.jobs()) == 4


def test_a_models_summary_survives_pages_read_by_rules(tmp_path: Path, server: ScriptedLlm, clock: FixedClock) -> None:
    """What a model said stays, with a note of what came since; the next model goes on from it."""
    with opened(str(tmp_path / "m.db"), server, clock) as rc:
        ana = rc.space("ana", "helper", "s1")
        talk(ana, clock)
        ana.end()
        for since in (5, 10):
            talk(ana, clock)
            server.say(500)
            ana.end()
            assert summary(ana).startswith(f"Ana spoke of tea. ({since} later messages were not summarised")
        talk(ana, clock)
        ana.end()
        assert "Ana spoke of tea." in server.requests[-1].user
        assert "later messages" not in server.requests[-1].user


def test_a_session_in_small_bits_is_summarised(tmp_path: Path, server: ScriptedLlm, clock: FixedClock) -> None:
    """Whether a conversation is long enough is told by all of it, not by what is new."""
    with opened(str(tmp_path / "m.db"), server, clock) as rc:
        ana = rc.space("ana", "helper", "s1")
        for _ in range(2):
            talk(ana, clock, 3)
            ana.end()
        assert len(server.requests) == 1
        assert ana.list(kinds=["summary"])[0].attributes["messages"] == 6


def test_what_is_asked_for_is_kept_whatever_a_model_says(tmp_path: Path, clock: FixedClock) -> None:
    """Wishes are read beside the model, which may pass them over."""
    with (
        ScriptedLlm(lambda asked: {"facts": [], "summary": ""}) as server,
        opened(str(tmp_path / "m.db"), server, clock, learning={"mode": "off"}) as rc,
    ):
        ana = rc.space("ana", "helper", "s1")
        for text in ("Remember that I am allergic to nuts.", "I live in Porto.", "Fine.", "Bye."):
            ana.observe("user", text, actor="Ana")
        ana.end()
        assert [one.content for one in ana.list(kinds=["fact"])] == ["I am allergic to nuts."]


def test_a_summary_counts_all_messages_and_tells_what_stands(tmp_path: Path, clock: FixedClock) -> None:
    """Over several pages the count is the session's, and what was learnt is told with who said it and when."""
    with Recollect(tmp_path / "m.db", embedder="none", clock=clock) as rc:
        rc._runtime.own_judge = PlainJudge()
        ana = rc.space("ana", "helper", "s1")
        texts = ["I work at Acme.", *["ok then, let us go on"] * 130, "I work at Initech now."]
        for text in texts:
            ana.observe("user", text, actor="Ana")
            clock.advance(seconds=5)
        ana.end()
        (made,) = ana.list(kinds=["summary"])
        assert made.attributes["messages"] == 132
        assert "132 messages" in made.content
        assert "Ana, 5 January 2026: “I work at Initech now.”" in made.content


def test_messages_of_no_session_are_worked_through(rc: Recollect, clock: FixedClock) -> None:
    """The night reads them too; they are in no list of sessions, and nobody sums them up."""
    rc._runtime.own_judge = PlainJudge()
    ana = rc.space("ana")
    for text in ("I have a dog called Rex.", "Fine.", "Good.", "Bye."):
        ana.observe("user", text, actor="Ana")
    clock.advance(days=2)
    rc.run_jobs()
    assert [one.content for one in ana.list(kinds=["fact"])] == ["I have a dog called Rex."]
    assert (ana.sessions(), ana.list(kinds=["summary"]), ana.stats().sessions) == ([], [], 0)
    assert rc.run_jobs(["consolidate"])[0].text == "Nothing new since it was last worked through."


def test_claims_kept_apart_count_in_the_caps(tmp_path: Path, clock: FixedClock) -> None:
    """A model that invents without end fills no inbox, and what was asked for does not hide what was learnt."""
    invented = [
        {"content": f"Ana owns {1000 + at} horses.", "quote": f"nobody said this {at}", "turn": 1 + at}
        for at in range(40)
    ]
    with (
        ScriptedLlm(lambda asked: {"facts": invented, "summary": ""}) as server,
        opened(str(tmp_path / "m.db"), server, clock, consolidation={"facts_per_day": 10}) as rc,
    ):
        ana = rc.space("ana", "helper", "s1")
        talk(ana, clock, 50)
        told = ana.end()
        assert (told.numbers["quarantined"], len(ana.inbox())) == (10, 10)
        assert "rejected, for: 10 memories of this day are enough" in told.text


def test_a_session_is_marked_up_to_a_message(rc: Recollect, clock: FixedClock) -> None:
    """What came while an agent was reading is not passed over; a mark goes back only when asked to."""
    ana = rc.space("ana", "helper", "s1")
    first = ana.observe("user", "Hello.")
    clock.advance(seconds=1)
    second = ana.observe("user", "I have a dog called Rex.", actor="Ana")
    ana.mark_session_consolidated(upto=first.id)
    assert not ana.is_session_consolidated()
    ana.mark_session_consolidated(upto=second.id)
    ana.mark_session_consolidated(upto=first.id)
    assert ana.is_session_consolidated()
    ana.mark_session_consolidated(upto=first.id, back=True)
    assert not ana.is_session_consolidated()
    with pytest.raises(NotFound, match="no message"):
        ana.mark_session_consolidated(upto="ep_nowhere")


def test_a_model_without_its_key_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who set a model is not told that none is set."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Recollect(tmp_path / "m.db", embedder="none", llm="openai:small") as rc:
        ana = rc.space("ana", "helper", "s1")
        for text in ("One.", "Two.", "Three.", "Four."):
            ana.observe("user", text)
        assert "By rules: the model openai:small is not asked, its key is missing" in ana.end().text
