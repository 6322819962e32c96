"""Portraits: those who matter get a few sentences, a vector and protection, are found by meaning, and are renewed."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import InvalidInput, NotFound, Recollect, Space
from recollect.serve.cli import whole
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Saying, ScriptedLlm
from tests.life.test_undo import remembered
from tests.patience import PATIENCE

BOATS = (
    "Jonas Weber repairs wooden boats in Lagos.",
    "Jonas Weber is Ana's neighbour.",
    "Jonas Weber learnt carpentry from his father.",
    "Jonas Weber lends Ana his tools.",
    "Jonas Weber plays chess on Fridays.",
)
BANK = tuple(f"Marta Klein {what}." for what in ("works at a bank", "gives loans", "has two cats", "runs", "sings"))
SAID = {
    "Jonas Weber": "Jonas Weber is Ana's neighbour in Lagos. He mends wooden boats and lends her his tools.",
    "Marta Klein": "Marta Klein gives loans at a bank. She once lived in Reykjavik with 731 penguins.",
}
Opening = Callable[..., Recollect]


def painter(asked: Asked) -> Saying:
    """Describe whoever is shown, by number."""
    shown = re.findall(r"^E(\d+) (.+) \(\w+\)$", asked.user, re.MULTILINE)
    return {"portraits": [{"entity": int(number), "text": SAID[name]} for number, name in shown if name in SAID]}


@pytest.fixture
def model() -> Iterator[ScriptedLlm]:
    """Give a model that describes."""
    with ScriptedLlm(painter) as started:
        yield started


@pytest.fixture
def opened(database: str, clock: FixedClock, model: ScriptedLlm) -> Iterator[Opening]:
    """Give what opens a memory with that model."""
    made: list[Recollect] = []

    def open_it(**more: Any) -> Recollect:
        chosen = {"base_url": model.url, "timeout_seconds": PATIENCE, "retries": 0}
        settings: dict[str, Any] = {"llm": "openai:small", "models": chosen, "embedder": "none", **more}
        made.append(Recollect(database, clock=clock, **settings))
        return made[-1]

    yield open_it
    for one in made:
        one.close()


def told(rc: Recollect, clock: FixedClock, *texts: str) -> Space:
    """Save facts, a minute apart."""
    ana = rc.space("ana")
    for text in texts:
        clock.advance(minutes=1)
        assert ana.remember(text).ok
    clock.advance(minutes=1)
    return ana


def export_of(rc: Recollect) -> list[str]:
    """Give what undo must give back: memories, links, names and entities, not the bill."""
    out = io.StringIO()
    rc.export(out)
    return [line for line in remembered(out.getvalue()) if json.loads(line)["type"] not in ("spent", "job")]


def summary(space: Space, name: str) -> str:
    """Give what is said of a name."""
    found = space.entity(name)
    assert found is not None
    return found.entity.summary


def test_001_42_who_matters_gets_a_summary_a_vector_and_protection(
    opened: Opening, clock: FixedClock, model: ScriptedLlm
) -> None:
    """At night a model is asked once about several; what it makes up is left out; meaning finds them afterwards."""
    rc = opened(embedder="minilm")
    ana = told(rc, clock, *BOATS, *BANK, "Otto Braun called.")
    assert next(one.due_at for one in ana.jobs() if one.name == "portray").hour in (2, 3)
    before = export_of(rc)
    shown = rc.run_jobs(["portray"], dry=True)[0]
    assert (shown.changed, len(model.requests), export_of(rc)) == (2, 0, before)
    report = rc.run_jobs(["portray"])[0]
    assert (report.status, report.changed, len(model.requests)) == ("ok", 2, 1), report.text
    assert report.numbers == {"portraits": 2, "waiting": 0}
    assert summary(ana, "Jonas Weber") == SAID["Jonas Weber"]
    assert summary(ana, "Marta Klein") == "Marta Klein gives loans at a bank."
    assert summary(ana, "Otto Braun") == ""
    people = {one.name: (one.protected, bool(one.summary)) for one in ana.entities(type="")}
    assert people["Jonas Weber"] == people["Marta Klein"] == (True, True)
    assert people["Otto Braun"] == (False, False)
    rc.run_jobs(["embed"])
    with rc._runtime.store.view() as view:
        assert view.pending(ana.owner, rc._runtime.model, 0, 10) == []
    assert [one.name for one in ana.entities(about="someone handy with ships", limit=1)] == ["Jonas Weber"]
    assert [one.name for one in ana.entities(about="who could help with a mortgage?", limit=1)] == ["Marta Klein"]
    assert {hit.memory.kind for hit in ana.recall("boats", limit=20)} == {"fact"}
    assert [line.job for line in ana.cost()] == ["portray"]
    assert rc.run_jobs(["portray"])[0].changed == 0
    assert len(model.requests) == 1


def test_001_42_undone_and_done_again(opened: Opening, clock: FixedClock) -> None:
    """Undo gives back the export of before, without portraits and protection; the next night makes them anew."""
    rc = opened()
    ana = told(rc, clock, *BOATS)
    before = export_of(rc)
    run = rc.run_jobs(["portray"])[0].run
    assert export_of(rc) != before
    ana.jobs.undo(run)
    assert export_of(rc) == before
    assert rc.run_jobs(["portray"])[0].changed == 1


def test_001_42_renewed_when_enough_has_changed(opened: Opening, clock: FixedClock, model: ScriptedLlm) -> None:
    """A few new facts are not enough, four are; a fact that is replaced is enough at once."""
    rc = opened()
    ana = told(rc, clock, *BOATS)
    rc.run_jobs(["portray"])
    first = ana.list(kinds=["portrait"])[0]
    told(rc, clock, *(f"Jonas Weber met friend number {number}." for number in range(3)))
    assert rc.run_jobs(["portray"])[0].changed == 0
    told(rc, clock, "Jonas Weber met friend number 3.")
    assert rc.run_jobs(["portray"])[0].changed == 1
    second = ana.list(kinds=["portrait"])[0]
    assert [one.id for one in ana.list(kinds=["portrait"])] == [second.id] != [first.id]
    assert ana.get(first.id).state == "superseded"
    fact = next(one for one in ana.list(limit=50) if one.content == BOATS[0])
    clock.advance(minutes=1)
    ana.correct(fact.id, "Jonas Weber repairs wooden boats in Sagres.")
    assert summary(ana, "Jonas Weber") == ""  # it rests on what is no longer true
    assert rc.run_jobs(["portray"])[0].changed == 2  # the old one goes, whatever a model says; the new one comes
    assert "Sagres" in model.requests[-1].user
    assert "in Lagos." not in model.requests[-1].user.replace(SAID["Jonas Weber"], "")


def test_001_42_what_it_rests_on_goes_and_it_goes(opened: Opening, clock: FixedClock) -> None:
    """Forgotten facts take a portrait with them; erased ones leave no name behind, protected or not."""
    rc = opened()
    ana = told(rc, clock, *BOATS)
    rc.run_jobs(["portray"])
    for fact in ana.list(kinds=["fact"], limit=4):
        ana.forget(fact.id)
    assert "portray" in {one.name for one in ana.jobs()}
    assert rc.run_jobs(["portray"])[0].text.startswith("Nothing is new. Dropped 1")
    assert summary(ana, "Jonas Weber") == ""
    ana = told(rc, clock, *(f"{text} Really." for text in BOATS))
    assert rc.run_jobs(["portray"])[0].changed == 1
    ana.erase(entity="Jonas Weber")
    out = io.StringIO()
    rc.export(out)
    assert "onas" not in out.getvalue()


def test_001_42_erasing_the_memories_erases_who_was_protected(opened: Opening, clock: FixedClock) -> None:
    """Protection is against time, not against the owner's word."""
    rc = opened()
    ana = told(rc, clock, *BOATS)
    rc.run_jobs(["portray"])
    for fact in ana.list(kinds=["fact"]):
        ana.erase(fact.id)
    assert ana.entity("Jonas Weber") is None
    assert ana.list(kinds=["portrait"]) == []


def test_001_42_without_a_model_it_is_skipped(opened: Opening, clock: FixedClock) -> None:
    """It says why; nothing waits in the queue for it, and protecting by hand works."""
    rc = opened(llm="")
    ana = told(rc, clock, *BOATS)
    assert "portray" not in {one.name for one in ana.jobs()}
    report = rc.run_jobs(["portray"])[0]
    assert (report.status, report.skipped) == ("skipped", "no model is set")
    assert ana.protect("jonas weber").op == "protected"
    assert ana.protect("Jonas Weber").outcome == "duplicate"
    assert ana.entities()[0].protected
    assert ana.protect("Jonas Weber", False).op == "protected"
    assert not ana.entities()[0].protected
    with pytest.raises(NotFound):
        ana.protect("Nobody")


def test_001_42_a_model_with_nothing_to_say(opened: Opening, clock: FixedClock, model: ScriptedLlm) -> None:
    """Of whom it says nothing, or nothing that is known, the weightiest facts stand in their own words, once."""
    rc = opened()
    ana = told(rc, clock, *(text.replace("Jonas Weber", "Rui Costa") for text in BOATS))
    ana.remember("Rui Costa is in charge of the harbour.", importance=9)
    report = rc.run_jobs(["portray"])[0]
    assert report.steps[0].endswith("in the words of its facts")
    assert summary(ana, "Rui Costa").startswith("Rui Costa is in charge of the harbour. Rui Costa plays chess")
    assert rc.run_jobs(["portray"])[0].changed == 0


def test_001_42_so_many_a_night_within_the_budget(opened: Opening, clock: FixedClock, model: ScriptedLlm) -> None:
    """The others wait for the next night; where the budget is spent nobody is asked, and it says so."""
    rc = opened(portraits={"a_run": 2, "per_question": 1})
    ana = told(
        rc, clock, *(f"{name} {what}" for name in ("Ivo Lang", "Eva Kern", "Uwe Rath") for what in
                     ("sings.", "runs.", "cooks.", "paints.", "reads."))
    )  # fmt: skip
    report = rc.run_jobs(["portray"])[0]
    assert (report.changed, len(model.requests), report.numbers["waiting"]) == (2, 2, 1)
    assert "portray" in {one.name for one in ana.jobs()}
    assert rc.run_jobs(["portray"])[0].changed == 1
    rc.close()
    poor = opened(budget={"tokens_per_day": 10})
    told(poor, clock, *(f"Eva Kern counts to {number}." for number in range(20, 26)))
    report = poor.run_jobs(["portray"])[0]
    assert report.status == "skipped", report.text
    assert "budget" in report.text


def test_001_42_an_agent_sees_no_more_of_it_than_of_the_facts(opened: Opening, clock: FixedClock) -> None:
    """A portrait of facts of several categories is hidden from an agent that may see one of them."""
    lists = {"allowlists": [{"agent": "clerk", "categories": ["general"]}]}
    rc = opened(categories=lists)
    ana = told(rc, clock, *BOATS[:4])
    ana.remember(BOATS[4], category="relationships")
    assert rc.run_jobs(["portray"])[0].changed == 1
    assert summary(ana, "Jonas Weber")
    clerk = rc.space("ana", "clerk")
    assert summary(clerk, "Jonas Weber") == ""
    assert clerk.entities(about="boats") == []
    assert clerk.list(kinds=["portrait"]) == []


def test_entities_on_the_command_line(opened: Opening, database: str, clock: FixedClock) -> None:
    """They are listed, and found by what is known of them."""
    rc = opened()
    told(rc, clock, *BOATS)
    rc.run_jobs(["portray"])
    for given in ([], ["--about", "boats"], ["webe"]):
        shown = CliRunner().invoke(whole(), ["entities", "--db", database, "--user", "ana", "--json", *given])
        assert [one["summary"] for one in json.loads(shown.stdout) if one["name"] == "Jonas Weber"] == [
            SAID["Jonas Weber"]
        ], shown.output
    shown = CliRunner().invoke(whole(), ["entity", "Jonas Weber", "--db", database, "--user", "ana"])
    assert "mends wooden boats" in " ".join(shown.stdout.split())
    with pytest.raises(InvalidInput, match="leave part"):
        rc.space("ana").entities("x", about="boats")


def test_a_portrait_does_not_tell_what_was_forgotten(opened: Opening, clock: FixedClock) -> None:
    """From the moment a fact is forgotten, and however little a model may do since; what an owner said stands."""
    rc = opened(portraits={"a_run": 1})
    ana = told(rc, clock, *BOATS)
    rc.run_jobs(["portray"])
    assert summary(ana, "Jonas Weber")
    ana.protect("Jonas Weber", False)
    ana.forget(next(one.id for one in ana.list(limit=50) if one.content == BOATS[3]))
    assert summary(ana, "Jonas Weber") == ""
    assert not any(one.summary for one in ana.entities(about="wooden boats"))
    rc.run_jobs(["portray"])
    known = ana.entity("Jonas Weber")
    assert known is not None
    assert not known.entity.protected
