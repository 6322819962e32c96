"""Judging: pairs rules cannot tell apart go before a model, several in one question, and its verdicts are checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Report, Space
from recollect.model.change import Connect, Write
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")

NOBODY = "no model is set for the role judge, and no embedder, whose judge could be asked"
OLD = "Ana and her sister bake bread for the kitchen downtown."
NEW = "Ana and her sister bake bread for the kitchen uptown."


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """Give a model that says nothing but what it is told to."""
    with ScriptedLlm() as started:
        yield started


def opened(url: str, server: ScriptedLlm, clock: FixedClock, **more: Any) -> Recollect:
    """Open a memory with a judge."""
    chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
    return Recollect(url, embedder="none", llm="openai:small", models=chosen, clock=clock, **more)


def verdicts(*said: str) -> dict[str, Any]:
    """Make the answer that gives these verdicts, pair by pair."""
    return {"verdicts": [{"pair": number, "verdict": one} for number, one in enumerate(said, 1)]}


def pair(space: Space, clock: FixedClock, newer: str = "user", **details: Any) -> tuple[str, str]:
    """Keep two memories that rules cannot tell apart; `newer` is where the second comes from."""
    old = space.remember(OLD, **details)
    clock.advance(days=1)
    new = space.remember(NEW, source=newer)
    assert (old.outcome, new.outcome) == ("stored", "stored")
    return old.id, new.id


def state(space: Space, *ids: str) -> list[str]:
    """Give the states of memories."""
    return [space.get(one).state for one in ids]


def judged_by(rc: Recollect) -> Report:
    """Run what is due, whatever else that is, and give the judge's report."""
    (report,) = [one for one in rc.run_jobs() if one.job == "judge"]
    return report


@pytest.mark.parametrize(
    ("verdict", "states", "says"),
    [
        ("same", ["active", "merged"], "1 same"),
        ("newer_replaces", ["superseded", "active"], "1 replaced"),
        ("contradicts_confirmed", ["superseded", "active"], "1 replaced"),
        ("both_true", ["active", "active"], "1 both true"),
    ],
)
def test_verdicts(
    database: str, server: ScriptedLlm, clock: FixedClock, verdict: str, states: list[str], says: str
) -> None:
    """Each verdict is carried out once, linked, and noted with its prompt; a judged pair is not asked again."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        old, new = pair(ana, clock)
        server.say(verdicts(verdict))
        report = judged_by(rc)
        assert report.status == "ok"
        assert says in report.text
        assert state(ana, old, new) == states
        assert [link.strength for link in ana.links(new) if link.type == "compared"] == [1.0]
        noted = [
            entry.meta for entry in ana.journal() if entry.node == "judge" and entry.op in ("merged", "superseded")
        ]
        assert all(meta and meta["prompt"] == "judge@2" for meta in noted)
        assert "judge" not in [job.name for job in ana.jobs()]
        assert rc.run_jobs(["judge"])[0].text == "There is nothing to judge."
        assert len(server.requests) == 1
        assert "OLD" in server.requests[0].user
        assert OLD in server.requests[0].user


@pytest.mark.parametrize("answered", [True, False])
def test_a_confirmed_fact_stands_until_somebody_is_asked(
    database: str, server: ScriptedLlm, clock: FixedClock, answered: bool
) -> None:
    """What contradicts it waits in the inbox, whichever word the model has for it; unanswered, it stands again."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        old, new = pair(ana, clock, newer="agent", source="agent")
        ana.confirm(old)
        server.say(verdicts("newer_replaces"))
        assert "1 proposed" in rc.run_jobs(["judge"])[0].text
        assert "OLD, confirmed" in server.requests[0].user
        assert state(ana, old, new) == ["active", "proposed"]
        assert [(one.memory.id, one.replaces) for one in ana.inbox()] == [(new, (old,))]
        if answered:
            ana.inbox.accept(new)
        clock.advance(days=8)
        rc.run_jobs(["expire"])
        assert state(ana, old, new) == (["superseded", "active"] if answered else ["active", "active"])


@pytest.mark.parametrize(("older", "newer", "sure"), [("user", "user", True), ("user", "agent", False)])
def test_what_the_user_saved_is_not_taken_away(
    database: str, server: ScriptedLlm, clock: FixedClock, older: str, newer: str, sure: bool
) -> None:
    """A model's word takes nothing from the user: both stand, and the report says so."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        old, new = pair(ana, clock, newer, source=older)
        if sure:
            ana.confirm(old)
        server.say(verdicts("newer_replaces"))
        (report,) = rc.run_jobs(["judge"])
        assert (report.changed, report.numbers, report.steps) == (0, {"left": 1}, (f"left: {old} and {new}",))
        assert state(ana, old, new) == ["active", "active"]


@pytest.mark.parametrize(
    "saying", [None, {"verdicts": []}, verdicts("same") | {"verdicts": [{"pair": 99, "verdict": "same"}]}]
)
def test_a_pair_without_a_verdict_is_asked_about_three_times(
    database: str, server: ScriptedLlm, clock: FixedClock, saying: Any
) -> None:
    """No verdict is told and asked for again a day later, three times in all; then the pair is left."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        old, new = pair(ana, clock)
        server.say(*[saying] * 4)
        texts = []
        for _ in range(5):
            texts += [report.text for report in rc.run_jobs() if report.job == "judge"]
            clock.advance(hours=25)
        assert len(texts) == len(server.requests) == 3
        assert "1 without a verdict: asked again later." in texts[0]
        assert "asked again" not in texts[2]
        assert state(ana, old, new) == ["active", "active"]


def test_the_same_questions_are_not_asked_for_ever(server: ScriptedLlm, clock: FixedClock, tmp_path: Path) -> None:
    """With more pairs than a question holds and no verdict, the next question waits for another day."""
    with opened(f"sqlite:///{tmp_path}/m.db", server, clock) as rc:
        ana = rc.space("ana")
        for town in ("Oslo", "Bergen", "Moss", "Narvik", "Hamar", "Halden", "Larvik", "Skien", "Bodo", "Alta"):
            ana.remember(f"Ana and her sister run the bakery in {town}.")
        server.say(*[{"verdicts": [{"pair": 99, "verdict": "same"}]}] * 9)
        for _ in range(5):
            rc.run_jobs()
            clock.advance(seconds=10)
        assert len(server.requests) == 1


def test_other_names_are_not_the_same(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """A model that overlooks a name is not believed."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        for name in ("Marta", "Paulo"):
            ana.remember(f"Ana and her sister bake bread for {name} in Lisbon.")
        server.say(verdicts("same"))
        assert "1 both true" in rc.run_jobs(["judge"])[0].text
        assert len(ana.list()) == 2


def test_what_merges_loses_no_tag_and_no_weight(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """Of two that say the same the one with all tags stays, with the greater importance."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        old = ana.remember(OLD, importance=7).id
        clock.advance(days=1)
        new = ana.remember(NEW, tags=["work"]).id
        server.say(verdicts("same"))
        rc.run_jobs(["judge"])
        assert state(ana, old, new) == ["merged", "active"]
        assert (ana.get(new).tags, ana.get(new).importance) == (("work",), 7)


def test_a_judged_pair_fills_a_later_question(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """After 14 days a pair is asked about again, where a question is being asked anyway."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        pair(ana, clock)
        server.say(*[verdicts("both_true", "both_true")] * 3)
        rc.run_jobs(["judge"])
        for days in (2, 15):
            clock.advance(days=days)
            for street in ("north", "south"):
                ana.remember(f"Ben and his brother repair {days} old clocks for the museum {street}.")
            rc.run_jobs(["judge"])
            assert "NEW: Ben" in server.requests[-1].user
            assert (OLD in server.requests[-1].user) is (days == 15)


def test_numbers_and_negations_are_never_merged_away(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """A model that calls two numbers the same is not believed."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        for text in ("Ana and her sister bake 3 loaves at home.", "Ana and her sister bake 4 loaves at home."):
            assert ana.remember(text).outcome == "stored"
        server.say(verdicts("same"))
        assert "1 both true" in rc.run_jobs(["judge"])[0].text
        assert len(ana.list()) == 2


@pytest.mark.parametrize(
    ("old", "new", "states"),
    [
        ("Ana and her sister bake loaves at home.", "Ana and her sister bake 3 loaves at home.", ["merged", "active"]),
        ("Ana and her sister bake 3 loaves at home.", "Ana and her sister bake loaves at home.", ["active", "merged"]),
        ("Ana and Bo bake 2 loaves at home.", "Ana and Bo bake one loaf at home.", ["active", "active"]),
        ("Ana and Bo bake 3 loaves at home.", "Ana and Bo bake loaves at home with rye.", ["active", "active"]),
        ("Ana and her sister owe 640,000 kroner.", "Ana and her sister owe 640 thousand.", ["active", "merged"]),
        ("Ana and her sister owe Rui 3 loaves.", "Ana and her sister owe 3 loaves in May.", ["active", "active"]),
    ],
)
def test_the_one_that_tells_more_stays(
    database: str, server: ScriptedLlm, clock: FixedClock, old: str, new: str, states: list[str]
) -> None:
    """Of two that say the same the one with a number more stays; where each tells something of its own, both do."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        ids = [ana.remember(old).id]
        clock.advance(days=1)
        ids.append(ana.remember(new).id)
        server.say(verdicts("same"))
        rc.run_jobs(["judge"])
        assert state(ana, *ids) == states


@pytest.mark.parametrize(
    ("old", "new", "embedder", "many"),
    [
        ("Ana dislikes garlic.", "Ana cannot bear garlic and wants no recipes with it.", "recollect-1", 1),
        ("Ana dislikes garlic.", "Ana cannot bear garlic and wants no recipes with it.", "none", 2),
        ("Ana is allergic to penicillin.", "Ana is not allergic to penicillin.", "recollect-1", 2),
        ("Ana Silva is allergic to penicillin.", "Ana is allergic to penicillin, latex and nuts.", "recollect-1", 2),
        ("Ana has her dance class on Tuesday at 7.", "On Tuesdays Ana goes to a class for dancing.", "recollect-1", 1),
    ],
)
def test_a_negation_in_the_wording_alone(
    server: ScriptedLlm, clock: FixedClock, tmp_path: Path, old: str, new: str, embedder: str, many: int
) -> None:
    """What differs by a negation, or says something beside a number less, is the same if the learnt judge agrees."""
    models = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
    with Recollect(tmp_path / "m.db", embedder=embedder, llm="openai:small", models=models, clock=clock) as rc:
        ana = rc.space("ana")
        ids = [ana.remember(old).id]
        clock.advance(days=1)
        ids.append(ana.remember(new).id)
        rc._runtime.store.commit(
            Write(owner=ana.owner, at=clock(), node="t", changes=(Connect(ids[1], ids[0], "compared", 0.0),))
        )
        server.say(verdicts("same"))
        rc.run_jobs(["judge"])
        assert state(ana, *ids).count("active") == many


def test_many_pairs_are_one_question(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """Ten pairs go into a question and one question into a run; what is left comes back."""

    def judged(asked: Asked) -> Any:
        return verdicts(*["both_true"] * asked.user.count("NEW:"))

    with ScriptedLlm(judged) as judge, opened(database, judge, clock) as rc:
        ana = rc.space("ana")
        for town in (
            "Oslo",
            "Bergen",
            "Moss",
            "Narvik",
            "Hamar",
            "Halden",
            "Larvik",
            "Skien",
            "Bodo",
            "Alta",
            "Tromso",
        ):
            ana.remember(f"Ana and her sister run the bakery in {town}.")
        pairs = sum(link.type == "compared" for one in ana.list() for link in ana.links(one.id)) // 2
        assert pairs > 10
        assert "Judged 10 of 10 pairs" in judged_by(rc).text
        assert len(judge.requests) == 1
        clock.advance(minutes=6)
        assert judged_by(rc).changed == 0
        assert len(judge.requests) == 2
        assert rc.space("bob").jobs() == []


@pytest.mark.parametrize("saying", [500, "no idea", "{", '{"verdicts": [{"pair": 9, "verdict": "same"}]}', None])
def test_a_bad_judge_changes_nothing(database: str, server: ScriptedLlm, clock: FixedClock, saying: Any) -> None:
    """An error, prose, half an answer and a verdict on a pair nobody asked about leave both facts as they are."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        old, new = pair(ana, clock)
        server.say(*[saying] * 8)
        (report,) = rc.run_jobs(["judge"])
        assert report.status in ("ok", "failed")
        assert report.text
        assert state(ana, old, new) == ["active", "active"]


def test_a_spent_budget_is_said(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """Nobody is asked when the budget does not allow it, and the pair waits."""
    with opened(database, server, clock, budget={"tokens_per_day": 1}) as rc:
        ana = rc.space("ana")
        old, new = pair(ana, clock)
        report = judged_by(rc)
        assert (report.status, server.requests, state(ana, old, new)) == ("skipped", [], ["active", "active"])
        assert report.skipped


def test_what_is_gone_is_not_judged(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """A pair of which one was forgotten meanwhile is dropped without asking."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        old, new = pair(ana, clock)
        ana.forget(old)
        rc.run_jobs(["judge"])
        assert server.requests == []
        assert [link for link in ana.links(new) if link.type == "compared"] == []


def test_without_a_model_nothing_is_due(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Without a judge such facts stand side by side, no job waits, and asked to, the job says why it does nothing."""
    old, new = pair(ana, clock)
    assert state(ana, old, new) == ["active", "active"]
    assert "judge" not in [job.name for job in ana.jobs()]
    (report,) = rc.run_jobs(["judge"])
    assert (report.status, report.skipped) == ("skipped", NOBODY)


COMPOUND = "Ana lives in Lisbon with her diabetic husband."


def parted(rest: str, verdict: str = "replaces_part") -> dict[str, Any]:
    """Make the answer that says what is left of an older memory."""
    return {"verdicts": [{"pair": 1, "verdict": verdict, "rest": rest}]}


def test_a_compound_memory_is_split_by_the_model(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """What still holds of the older goes on by itself, in its own words; the older keeps its row and its links."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        old = ana.remember(COMPOUND, tags=["home"])
        clock.advance(days=1)
        new = ana.remember("Ana lives in Porto with her husband.")
        server.say(parted("Ana lives with her diabetic husband."))
        assert "1 replaced in part" in judged_by(rc).text
        assert state(ana, old.id, new.id) == ["superseded", "active"]
        left = [one for one in ana.list() if one.id != new.id]
        assert [(one.content, one.tags) for one in left] == [("Ana lives with her diabetic husband.", ("home",))]
        assert [link.to_id for link in ana.links(left[0].id) if link.type == "derived_from"] == [old.id]
        assert ana.recall("diabetic husband")[0].memory.content == left[0].content


@pytest.mark.parametrize("rest", ["", "Ana lives with her husband Tom.", "Ana is diabetic."])
def test_a_compound_memory_that_cannot_be_split_is_kept(
    database: str, server: ScriptedLlm, clock: FixedClock, rest: str
) -> None:
    """A rest in words the older does not have, or none, changes nothing: both stand, linked, the newer first."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana")
        old = ana.remember(COMPOUND)
        clock.advance(days=1)
        new = ana.remember("Ana lives in Porto.")
        verdict = "newer_replaces" if not rest else "replaces_part"
        server.say(parted(rest if rest != "Ana is diabetic." else "Ana is very diabetic.", verdict))
        judged_by(rc)
        assert state(ana, old.id, new.id) == ["active", "active"]
        hits = ana.recall("where does Ana live?")
        assert [(hit.memory.id, hit.outdated_by) for hit in hits] == [(new.id, ""), (old.id, new.id)]
