"""Reflection and theory of mind: when a model is asked, what it is shown, what is kept, and what it costs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Saying, ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")

SENTENCES = ("Ana spent the week on her move to Porto.", "She sold her old boat.", "The new flat seems to matter most.")
SUNDAY = datetime(2026, 1, 11, 5, 0, tzinfo=UTC)


def answering(asked: Asked) -> Saying:
    """Answer as a model would, by the numbers it is shown."""
    if "insights" in asked.system:
        return {
            "insights": [
                {
                    "summary": "Ana seems to trust the helper more.",
                    "sources": [1],
                    "tags": ["trust"],
                    "confidence": 0.9,
                },
                {"summary": "Ana may " + "worry " * 80, "sources": [1]},
                {"summary": "Ana appears to like lists.", "sources": [99]},
            ]
        }
    return {"sentences": [{"text": text, "sources": [at]} for at, text in enumerate(SENTENCES, 1)], "unknown": ""}


@pytest.fixture
def model() -> Iterator[ScriptedLlm]:
    """Give a model that answers."""
    with ScriptedLlm(answering) as started:
        yield started


@pytest.fixture
def told(tmp_path: Path, clock: FixedClock, model: ScriptedLlm) -> Iterator[Recollect]:
    """Give a memory with a model."""
    chosen: dict[str, Any] = {"base_url": model.url, "timeout_seconds": PATIENCE, "retries": 0}
    with Recollect(tmp_path / "m.db", clock=clock, llm="openai:small", models=chosen) as opened:
        yield opened


def lived(rc: Recollect, clock: FixedClock, facts: int = 4) -> Space:
    """Talk and learn for a day."""
    ana = rc.space("ana", "helper", "s1")
    for number in range(facts):
        mark = f"{clock.moment:%j%H}{number}"
        ana.remember(f"Ana carried box number {mark} into the flat in Porto.")
        ana.observe("user", f"I carried box {mark} upstairs, thank you for the list.")
    clock.advance(hours=1)
    return ana


def reports(rc: Recollect, job: str, now: datetime | None = None) -> list[Any]:
    """Run what is due and give the reports of one job."""
    return [one for one in rc.run_jobs(now=now) if one.job == job]


def test_001_18_on_sundays_at_three_it_reflects(told: Recollect, clock: FixedClock, model: ScriptedLlm) -> None:
    """Where something was learnt the job waits for Sunday 03:00, and does its work within the hour that follows."""
    ana = lived(told, clock)
    due = next(job.due_at for job in ana.jobs() if job.name == "reflect")
    assert (due.isoweekday(), due.hour) == (7, 3)
    assert reports(told, "reflect") == []
    clock.moment = SUNDAY
    assert [one.changed for one in reports(told, "reflect")] == [1]


def test_001_19_not_again_within_six_days_and_not_with_fewer_than_three_facts(
    told: Recollect, clock: FixedClock, model: ScriptedLlm
) -> None:
    """Then nobody is asked, and the report says why; a week later it is."""
    ana = lived(told, clock, 2)
    few = told.run_jobs(["reflect"])[0]
    assert (few.changed, "2 facts" in few.text, model.requests) == (0, True, [])
    ana.remember("Ana sold her old boat.")
    assert told.run_jobs(["reflect"])[0].changed == 1
    clock.advance(days=5)
    lived(told, clock)
    soon = told.run_jobs(["reflect"])[0]
    assert (soon.changed, "less than 6 days" in soon.skipped) == (0, True)
    clock.advance(days=2)
    assert told.run_jobs(["reflect"])[0].changed == 1
    assert len(model.requests) == 2


def test_001_20_it_is_kept_as_a_weekly_reflection_with_its_sources(told: Recollect, clock: FixedClock) -> None:
    """Its kind is reflection, its tag weekly, it never decays, and it leads to what it rests on."""
    ana = lived(told, clock)
    done = told.run_jobs(["reflect"])[0]
    made = ana.list(kinds=["reflection"])[0]
    assert (made.kind, made.tags, made.decay_rate, made.source) == ("reflection", ("weekly",), 0.0, "job")
    assert made.content == " ".join(SENTENCES)
    rests = [link.to_id for link in ana.links(made.id) if link.type == "derived_from"]
    assert len(rests) == 3
    assert made.attributes["prompt"] == "reflect@1"
    ana.erase(rests[0])
    assert ana.list(kinds=["reflection"]) == []
    assert done.run


def test_001_66_so_much_is_read_listed_and_cited(tmp_path: Path, clock: FixedClock) -> None:
    """Of 260 memories 200 are read, 100 listed, 50 cited at most; it is embedded, and stands in the context."""

    def many(asked: Asked) -> Saying:
        return {"sentences": [{"text": text, "sources": list(range(1, 101))} for text in SENTENCES]}

    with ScriptedLlm(many) as model:
        chosen: dict[str, Any] = {"base_url": model.url, "timeout_seconds": PATIENCE, "retries": 0}
        wide = {"characters": 100_000}
        with Recollect(tmp_path / "m.db", clock=clock, llm="openai:small", models=chosen, reflection=wide) as rc:
            ana = lived(rc, clock, 130)
            report = rc.run_jobs(["reflect"])[0]
            assert report.numbers == {"facts": 130, "episodes": 70, "cited": 50}
            asked = json.dumps(model.requests[0].body)
            assert len(re.findall(r"\[\d+\] 2026", asked)) == 100
            made = ana.list(kinds=["reflection"])[0]
            assert sum(link.type == "derived_from" for link in ana.links(made.id)) == 50
            assert made.content.split(".")[0] in str(ana.context("hello"))


@pytest.mark.parametrize("profile", ["default", "extensions"])
def test_001_8_001_9_the_latest_stands_in_the_context(told: Recollect, clock: FixedClock, profile: str) -> None:
    """Under Weekly insight, beside what the prompt is about; a newer one takes its place at once."""
    ana = lived(told, clock)
    fresh = told.space("ana", "helper", "s2")
    assert "Weekly insight" not in str(fresh.context("boxes in the flat", profile=profile))
    told.run_jobs(["reflect"])
    assert SENTENCES[0] in str(fresh.context("boxes in the flat", profile=profile))  # at first it may be news
    text = str(fresh.context("boxes in the flat", profile=profile))
    assert f"## Weekly insight\n{'- ' if profile == 'default' else ''}{SENTENCES[0]}" in text
    assert "box number" in text
    if profile == "extensions":
        assert text.index("## Relevant memory") < text.index("## Weekly insight")
    clock.advance(days=7)
    ana.remember("Ana looks back. All is well. The boat is gone.", kind="reflection")
    assert "All is well" in str(fresh.context("boxes", profile=profile))
    assert SENTENCES[0] not in str(fresh.context("boxes", profile=profile))


def test_a_reflection_that_is_none_is_not_kept(tmp_path: Path, clock: FixedClock) -> None:
    """One sentence, or none, changes nothing, and the report says why."""
    with ScriptedLlm(lambda asked: {"sentences": [{"text": "A week.", "sources": [1]}]}) as model:
        chosen: dict[str, Any] = {"base_url": model.url, "timeout_seconds": PATIENCE, "retries": 0}
        with Recollect(tmp_path / "m.db", clock=clock, llm="openai:small", models=chosen) as rc:
            ana = lived(rc, clock)
            report = rc.run_jobs(["reflect"])[0]
            assert (report.changed, "1 sentences" in report.text) == (0, True)
            assert ana.list(kinds=["reflection"]) == []


def test_without_a_model_it_is_skipped_and_says_why(rc: Recollect, clock: FixedClock) -> None:
    """Both jobs say that no model is set, and nothing waits in the queue for them."""
    lived(rc, clock)
    for name in ("reflect", "infer"):
        report = rc.run_jobs([name])[0]
        assert (report.status, report.changed) == ("skipped", 0)
        assert "no model is set" in report.skipped
    assert {job.name for job in rc.jobs()}.isdisjoint({"reflect", "infer"})


def test_003_11_003_12_003_13_insights_of_little_weight(told: Recollect, clock: FixedClock, model: ScriptedLlm) -> None:
    """At most 5 activities, 3 facts and 1,000 characters go in; what is too long or rests on nothing is not kept."""
    ana = lived(told, clock, 40)
    assert told.run_jobs(["infer"])[0].changed == 1
    asked = str(model.requests[0])
    assert len(re.findall(r"\[\d+\] 2026", asked)) == 8
    talk = asked.split('name=\\"conversation\\"' if 'name=\\"conversation\\"' in asked else 'name="conversation"')[1]
    assert len(talk.split("</data>")[0]) < 1100
    made = ana.list(kinds=["insight"])
    assert [(one.content, one.category, one.importance, one.pinned, one.tags) for one in made] == [
        ("Ana seems to trust the helper more.", "relationship_dynamic", 4, False, ("trust",))
    ]
    assert made[0].confidence == 0.9
    assert any(hit.memory.id == made[0].id for hit in ana.recall("does Ana trust the helper?"))


def test_003_14_temperature_zero_220_tokens_once_in_24_hours(
    told: Recollect, clock: FixedClock, model: ScriptedLlm
) -> None:
    """The question says so, and a second one waits a day; writing never waits for it."""
    lived(told, clock)
    told.run_jobs(["infer"])
    sent = model.requests[0].body
    assert sent["temperature"] == 0
    assert 220 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))
    clock.advance(hours=20)
    lived(told, clock)
    assert "less than 24 hours" in told.run_jobs(["infer"])[0].skipped
    clock.advance(hours=8)
    lived(told, clock)
    assert told.run_jobs(["infer"])[0].changed == 1
    assert len(model.requests) == 2


def test_an_insight_goes_when_what_it_rests_on_goes(told: Recollect, clock: FixedClock) -> None:
    """Erased at once, and forgotten with the next run."""
    ana = lived(told, clock)
    told.run_jobs(["infer"])
    made = ana.list(kinds=["insight"])[0]
    source = next(link.to_id for link in ana.links(made.id) if link.type == "derived_from")
    ana.forget(source)
    clock.advance(days=1)
    report = told.run_jobs(["infer"])[0]
    assert made.id not in [one.id for one in ana.list(kinds=["insight"])]
    assert "Dropped 1" in report.text


def test_a_quarter_costs_what_it_may(told: Recollect, clock: FixedClock, model: ScriptedLlm) -> None:
    """Thirteen weeks of a busy life: thirteen reflections, three insights a week at most, 3,000 tokens a week."""
    for _ in range(91):
        lived(told, clock, 3)
        clock.advance(hours=23)
        told.run_jobs(["infer"])
        if clock.moment.isoweekday() == 7:
            told.run_jobs(["reflect"])
    ana = told.space("ana")
    spent = [one for one in ana.cost() if one.job in ("reflect", "infer")]
    reflections = ana.list(kinds=["reflection"], limit=50)
    assert len(reflections) == 13
    assert len({one.day for one in spent if one.job == "infer"}) <= 13 * 3 + 1
    assert sum(one.usage.tokens_in + one.usage.tokens_out for one in spent) <= 13 * 3000
