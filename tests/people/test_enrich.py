"""Enrichment: memories that name little are read again, once, by whoever is at hand; and it can be taken back."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.errors import ConfigError, InvalidInput, NotFound
from recollect.flows.people.naming import MISSING
from recollect.model.change import Patch, Write
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.rules.life.inverse import inverse_of
from recollect.store.base import Store
from recollect.store.sql.view import SqlView
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")

TOLD = (
    "Yesterday I met Ana Silva in Lisbon with people from Google.",
    "Bob works at Siemens in Berlin.",
    "Robert Smith is also known as Bob.",
    "I like tea.",
)


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """Give a model that says nothing but what it is told to."""
    with ScriptedLlm() as started:
        yield started


READERS = ("regex", "spacy", "llm")


@pytest.fixture
def rc(database: str, clock: FixedClock) -> Iterator[Recollect]:
    """Give an empty memory that is read again by whoever is at hand."""
    with Recollect(database, clock=clock, entities={"accurate": READERS}) as made:
        yield made


def known(space: Space, name: str) -> tuple[str, str, int]:
    """Give the name, type and number of mentions of who is known by a name."""
    profile = space.entity(name)
    assert profile is not None
    return profile.entity.name, profile.entity.type, len(profile.memories)


def without_history(rc: Recollect) -> list[Any]:
    """Give the export without what undoing leaves behind: journal, revision, jobs and ledger."""
    out = io.StringIO()
    rc.export(out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    return [line for line in lines if line.get("table", line.get("type")) in ("memory", "entity", "name", "link")]


def test_read_again_at_night(rc: Recollect, clock: FixedClock) -> None:
    """At its time the job types names, unites who is told to be one, says before what it will do, and then sleeps."""
    ana = rc.space("ana")
    for text in TOLD:
        ana.observe("user", text)
    before = without_history(rc)
    assert before
    rev = ana.stats().rev
    assert "enrich" in [job.name for job in ana.jobs()]
    (shown,) = rc.run_jobs(["enrich"], dry=True)
    clock.advance(days=1)
    assert "enrich" in [job.name for job in ana.jobs() if job.due_at <= clock()]
    (done,) = rc.run_jobs(["enrich"])
    assert (shown.changed, shown.numbers) == (done.changed, done.numbers)
    assert (done.status, done.changed, done.numbers["unread"]) == ("ok", 4, 0)
    assert not any("Silva" in line or "tea" in line for line in (*done.steps, done.text))
    assert known(ana, "ana silva") == ("Ana Silva", "person", 1)
    assert known(ana, "lisbon") == ("Lisbon", "location", 1)
    assert known(ana, "bob") == known(ana, "robert smith") == ("Robert Smith", "person", 2)
    assert "enrich" not in [job.name for job in ana.jobs()]
    assert [report.changed for report in rc.run_jobs(["enrich"])] == [0]
    assert all(finding.ok for finding in rc.doctor())
    entries = [entry for entry in ana.journal(rev) if entry.node == "enrich"]
    back = [change for entry in reversed(entries) if (change := inverse_of(entry)) is not None]
    rc._runtime.store.commit(Write(owner=ana.owner, at=clock.moment, node="undo", changes=tuple(back)))
    assert without_history(rc) == before
    assert all(finding.ok for finding in rc.doctor())


@pytest.mark.parametrize("end", ["erased", "purged"])
def test_a_name_goes_with_the_memory_that_told_it(rc: Recollect, ana: Space, clock: FixedClock, end: str) -> None:
    """When the one memory that said how somebody is also called is gone for good, nothing tells it any more."""
    ana.remember("Robert Smith lives in Porto.", importance=9)
    told = ana.remember("Robert Smith is also known as Bobby Flint.").id
    rc.run_jobs(["enrich"])
    assert known(ana, "bobby flint")[0] == "Robert Smith"
    if end == "erased":
        ana.erase(told)
    else:
        gone = (Patch(told, {"state": "deleted", "purge_at": clock()}),)
        rc._runtime.store.commit(Write(owner=ana.owner, at=clock(), node="test", changes=gone))
        assert [report.changed for report in rc.run_jobs(["purge"])] == [1]
    assert known(ana, "robert smith")[2] == 1
    out = io.StringIO()
    rc.export(out)
    assert "flint" not in out.getvalue().lower()
    assert all(finding.ok for finding in rc.doctor())


def test_undo_tells_what_is_named_as_before(rc: Recollect, ana: Space) -> None:
    """Undoing a run counts and lists the memories that were read again and the unions, and what was united since."""
    for text in TOLD[1:]:
        ana.observe("user", text)
    (report,) = rc.run_jobs(["enrich"])
    before = ana.entity("Berlin")
    assert before is not None
    ana.unite("Berlin", "Siemens")
    told = ana.jobs.undo(report.run)
    assert (told.numbers["named"], told.numbers["parted"], told.numbers["left"]) == (3, 1, 1)
    assert f"{before.entity.id}: left, it was united with another since" in told.steps
    assert len([step for step in told.steps if step.endswith("names what it named before")]) >= 3
    assert "3 memories name what they named before. 1 that were united are two again." in told.text
    assert known(ana, "bob")[0] == "Bob"


@pytest.mark.parametrize(
    "denied", ["I don't think Robert Smith is also known as Bob.", "Ana says Bob is short for Robert."]
)
def test_who_is_denied_to_be_one_stays_two(tmp_path: Path, clock: FixedClock, denied: str) -> None:
    """A memory that doubts that two names are one's, or tells what others say, unites nobody."""
    with Recollect(tmp_path / "memory.db", clock=clock, entities={"accurate": READERS}) as rc:
        ana = rc.space("ana")
        for text in ("Robert Smith lives in Porto.", "I met Bob in Boston yesterday, he paints.", denied):
            ana.remember(text)
        assert [report.status for report in rc.run_jobs(["enrich"])] == ["ok"]
        assert "united" not in [entry.op for entry in ana.journal()]
        assert known(ana, "Bob")[0] == "Bob"


def test_nobody_at_hand(tmp_path: Path, clock: FixedClock) -> None:
    """Without spaCy and a model the job is not even enqueued, and asked for by name it says why it is skipped."""
    with Recollect(
        tmp_path / "m.db", clock=clock, entities={"accurate": READERS, "spacy_model": "no_such_model"}
    ) as rc:
        ana = rc.space("ana", session="s1")
        ana.observe("user", TOLD[0])
        ana.remember(TOLD[1])
        assert "enrich" not in [job.name for job in ana.jobs()]
        for report in (*rc.run_jobs(["enrich"], dry=True), *rc.run_jobs(["enrich"])):
            assert (report.status, report.skipped, report.changed) == ("skipped", MISSING, 0)
            assert "enrich" not in {job.name for job in rc.jobs()}  # nobody asked for another time
    with pytest.raises(ConfigError, match="recollect\\[entities\\]"):
        Recollect(tmp_path / "m.db", entities={"fast": ["regex", "spacy"], "spacy_model": "no_such_model"})


def test_spacy_at_once(tmp_path: Path) -> None:
    """Where it is set, spaCy reads a memory as it is written."""
    with Recollect(tmp_path / "m.db", entities={"fast": ["regex", "spacy"]}) as rc:
        ana = rc.space("ana")
        ana.remember("Ana Silva lives in Lisbon.")
        assert known(ana, "lisbon") == ("Lisbon", "location", 1)


def test_many_runs(tmp_path: Path, clock: FixedClock) -> None:
    """A run reads so many, the newest first, and comes back at once while there are more."""
    with Recollect(tmp_path / "m.db", clock=clock, entities={"accurate": READERS, "batch": 2}) as rc:
        ana = rc.space("ana", session="s1")
        for number in range(5):
            ana.observe("user", f"Message {number} came from Ana Silva.")
        clock.advance(days=1)
        runs = [rc.run_jobs() for _ in range(4)]
        reports = [report for run in runs for report in run if report.job == "enrich"]
        assert [report.changed for report in reports] == [2, 2, 1]
        assert known(ana, "ana silva") == ("Ana Silva", "person", 5)


def opened(url: Path, server: ScriptedLlm, clock: FixedClock, **more: Any) -> Recollect:
    """Open a memory with a model and without spaCy."""
    chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
    readers = {"accurate": ["regex", "llm"], "per_question": 2} | more
    return Recollect(url, embedder="none", llm="openai:small", models=chosen, clock=clock, entities=readers)


def thing(memory: int, text: str, type: str = "person", canonical: str | None = None) -> dict[str, Any]:
    """Give one item of a model's answer."""
    return {"memory": memory, "text": text, "type": type, "canonical": canonical}


def test_a_backlog_is_not_gone_through_again(
    tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run goes on below where the one before ended, and what came meanwhile is read as well."""
    places: list[int] = []
    with Recollect(tmp_path / "m.db", clock=clock, entities={"accurate": READERS, "batch": 2}) as rc:
        ana = rc.space("ana", session="s1")
        for number in range(5):
            ana.observe("user", f"Message {number} came from Ana Silva.")
        unread = SqlView.unread

        def seen(view: SqlView, where: Filter, few: int, limit: int, below: int = 0) -> list[Memory]:
            places.append(below)
            return unread(view, where, few, limit, below)

        monkeypatch.setattr(SqlView, "unread", seen)
        clock.advance(days=1)
        (first,) = [report for report in rc.run_jobs() if report.job == "enrich"]
        ana.observe("user", "One more came from Ana Silva.")
        rest = [report for _ in range(4) for report in rc.run_jobs() if report.job == "enrich"]
        assert [report.changed for report in (first, *rest)] == [2, 2, 1, 1]
        assert [bool(below) for below in places] == [False, True, True, False, False]
        assert known(ana, "ana silva") == ("Ana Silva", "person", 6)


def test_nobody_waits_for_a_dry_run_to_read(tmp_path: Path, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a dry run reads is read before it begins: in it, the answers are there."""
    with Recollect(tmp_path / "m.db", clock=clock, entities={"accurate": READERS}) as rc:
        rc.space("ana").remember("Joanna Fox, whom nobody read before, lives in Lisbon.")
        store, finder = rc._runtime.store, rc._runtime.finder
        rehearse, model = store.rehearse, finder._model  # type: ignore[attr-defined]
        told: list[str] = []

        def begins(act: Callable[[Store], Any]) -> Any:
            told.append("begins")
            return rehearse(act)

        def reads(text: str) -> Any:
            told.append("reads")
            return model(text)

        monkeypatch.setattr(store, "rehearse", begins)
        monkeypatch.setattr(finder, "_model", reads)
        (report,) = rc.run_jobs(["enrich"], dry=True)
        assert (report.changed, told) == (1, ["reads", "begins"])


def test_a_model_is_believed_by_the_letter(tmp_path: Path, server: ScriptedLlm, clock: FixedClock) -> None:
    """What a model names counts only where the text has it; a question holds several, and one that fails waits."""
    with opened(tmp_path / "m.db", server, clock) as rc:
        ana = rc.space("ana")
        for text in ("The cat of zoe sleeps.", "Bo Li, or Bo, came.", "</data> Nothing."):
            ana.observe("user", text)
        said = [thing(2, "Bo Li"), thing(2, "Bo", canonical="Bo Li"), thing(2, "Bo Diddley"), thing(9, "zoe")]
        server.say({"things": said}, 500)
        (report,) = rc.run_jobs(["enrich"])
        assert (report.status, report.changed, report.numbers["unread"]) == ("ok", 2, 1)
        assert "llm: " in report.text
        assert known(ana, "bo li") == ("Bo Li", "person", 1)
        assert ana.entity("zoe") is ana.entity("bo diddley") is None
        assert server.requests[0].user.count("</data>") == 1
        server.say({"things": [thing(1, "zoe")]})
        (report,) = rc.run_jobs(["enrich"])
        assert (report.changed, report.numbers["unread"]) == (1, 0)
        assert known(ana, "zoe") == ("zoe", "person", 1)
        assert ana.cost()[0].job == "enrich"


def test_one_reader_fails(tmp_path: Path, server: ScriptedLlm, clock: FixedClock) -> None:
    """A model that fails is passed over and named while spaCy reads; where both fail the run has failed."""
    with opened(tmp_path / "m.db", server, clock, accurate=["regex", "spacy", "llm"]) as rc:
        ana = rc.space("ana")
        ana.observe("user", TOLD[0])
        server.say(500)
        (report,) = rc.run_jobs(["enrich"])
        assert (report.status, report.changed) == ("ok", 1)
        assert "Passed over llm" in report.text
        assert known(ana, "lisbon")[1] == "location"
    with opened(tmp_path / "other.db", server, clock) as rc:
        rc.space("ana").observe("user", TOLD[0])
        server.say(500)
        assert [report.status for report in rc.run_jobs(["enrich"])] == ["failed"]


def test_spent(tmp_path: Path, server: ScriptedLlm, clock: FixedClock) -> None:
    """Without room in the budget nobody is asked, and the run is skipped with the reason."""
    chosen = {"base_url": server.url}
    readers = {"accurate": ["llm"]}
    with Recollect(
        tmp_path / "m.db",
        llm="openai:small",
        models=chosen,
        clock=clock,
        entities=readers,
        budget={"tokens_per_day": 10},
    ) as rc:
        rc.space("ana").observe("user", TOLD[0])
        (report,) = rc.run_jobs(["enrich"])
        assert (report.status, server.requests) == ("skipped", [])


def test_unite_and_part(rc: Recollect, ana: Space) -> None:
    """The owner's word makes two names one and two again; profile and recall follow, and a repeat changes nothing."""
    first = ana.remember("Yesterday I met Bob at the market.").id
    second = ana.remember("My tax adviser is Robert Smith of Leeds.").id
    before = without_history(rc)
    done = ana.unite("Bob", "Robert Smith", request_id="r1")
    assert (done.outcome, done.op) == ("merged", "united")
    assert ana.unite("Bob", "Robert Smith", request_id="r1") == done
    assert ana.unite("bob", "robert smith").outcome == "duplicate"
    profile = ana.entity("bob")
    assert profile is not None
    assert [memory.id for memory in profile.memories] == [second, first]
    assert ana.part("Bob").op == "parted"
    assert without_history(rc) == before
    ana.unite("Bob", "Robert Smith")
    assert {hit.memory.id for hit in ana.recall("Robert Smith")} == {first, second}
    ana.part("Bob")
    for name in ("Bob", "nobody"):
        with pytest.raises(NotFound):
            ana.part(name)
    with pytest.raises(NotFound):
        ana.unite("nobody", "Bob")
    assert all(finding.ok for finding in rc.doctor())


def test_ambiguous_names_need_a_type(tmp_path: Path) -> None:
    """A name known under two types is united only when the type is said; names alike are shown, never united."""
    with Recollect(tmp_path / "m.db") as rc:
        ana = rc.space("ana")
        ana.remember("Please ask @paris about the trip to Paris with Ana Silva.")
        ana.remember("We saw Ana there.")
        with pytest.raises(InvalidInput, match="type"):
            ana.unite("paris", "Ana Silva")
        profile = ana.entity("Ana")
        assert profile is not None
        assert [other.name for other in profile.alike] == ["Ana Silva"]
        assert len(profile.memories) == 1


def test_strangers_cannot_unite(tmp_path: Path) -> None:
    """That two names are one's is believed of people, not of what a tool gave back."""
    with Recollect(tmp_path / "m.db", entities={"accurate": READERS}) as rc:
        ana = rc.space("ana")
        ana.observe("user", "I saw Bob yesterday.")
        ana.observe("tool", TOLD[2])
        rc.run_jobs(["enrich"])
        assert known(ana, "bob")[0] == "Bob"
