"""Questions of agents: allowlists, memory.query, three steps, reranking, on-demand recall, the archive, projects."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from recollect import InvalidInput, NotFound, Recollect, Space
from recollect.model.change import Connect, Write
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.engines import fresh

LISTS = [
    {"agent": "planner", "categories": ["goals", "tasks", "projects", "procedural"]},
    {"agent": "stylist", "categories": ["preferences", "tone", "style"]},
]


def test_003_23_an_agent_is_held_to_its_categories(database: str, clock: FixedClock) -> None:
    """Outside its list a request is refused whole, unknown agents are refused, and no verb shows more than the list."""
    with Recollect(database, clock=clock, categories={"allowlists": LISTS}) as rc:
        owner = rc.space("ana")
        owner.remember("The boat trip is a goal of Ana.", category="goals")
        owner.remember("Ana prefers a blue boat.", category="preferences", importance=9)
        planner, stranger = rc.space("ana", "planner"), rc.space("ana", "stranger")
        assert [one.category for one in planner.query("boat", top_k=9)] == ["goals"]
        assert [one.category for one in planner.query("boat", ["goals", "tasks"], top_k=9)] == ["goals"]
        for asked in (["preferences"], ["goals", "preferences"]):
            with pytest.raises(InvalidInput, match="may not ask for preferences: it may for goals"):
                planner.query("boat", asked)
        with pytest.raises(InvalidInput, match="has no allowlist"):
            stranger.query("boat")
        with pytest.raises(InvalidInput, match="who asks must be named"):
            owner.query("boat")
        for shown in (
            [hit.memory.category for hit in planner.recall("boat")],
            [one.category for one in planner.list()],
        ):
            assert shown == ["goals"]
        with pytest.raises(InvalidInput, match="may not ask for"):
            planner.recall("boat", categories="preferences")
        assert "blue" not in str(planner.context("boat"))
        assert str(stranger.context("boat")) == ""
        assert "has no allowlist" in stranger.context("boat").problems[0]
        assert len(owner.list()) == 2


def test_no_way_around_an_agents_categories(database: str, clock: FixedClock) -> None:
    """By its id, its history, its links, the archive and what changed an agent learns no more than by searching."""
    with Recollect(database, clock=clock, categories={"allowlists": LISTS}) as rc:
        owner, planner = rc.space("ana"), rc.space("ana", "planner", "s1")
        planner.context(profile="spec")
        goal = owner.remember("The boat trip is a goal of Ana.", category="goals").id
        secret = owner.remember("Ana prefers a blue boat.", category="preferences", importance=9).id
        owner.archival_insert("The blue boat's papers lie in the drawer.")
        link = Connect(goal, secret, "related_to", 0.9)
        rc._runtime.store.commit(Write(owner=owner.owner, at=clock(), node="test", changes=(link,)))
        for look in (planner.get, planner.history):
            assert look(goal)
            with pytest.raises(NotFound, match="there is no memory"):
                look(secret)
        assert owner.get(secret).id == secret
        assert planner.archival_search("boat") == []
        assert len(owner.archival_search("boat")) == 1
        text = str(planner.context("boat trip", profile="spec"))
        assert "boat trip" in text
        assert "blue" not in text


def test_no_context_tells_of_another_project(rc: Recollect, clock: FixedClock) -> None:
    """What changed, what is linked and what waits in another project stays there."""
    home, book = rc.space("ana", "helper", "s1"), rc.space("ana", "helper", "s2", project="book")
    home.context(profile="spec")
    here = home.remember("The deadline of the boat is in June.").id
    there = book.remember("The publisher is called Blau.", importance=9).id
    book.remember("Blau Verlag", key="publisher", source="agent")
    links = (Connect(here, there, "related_to", 0.9), Connect(here, there, "outdated_by", 0.9))
    rc._runtime.store.commit(Write(owner=home.owner, at=clock(), node="test", changes=links))
    for profile in ("spec", "default"):
        text = str(home.context("deadline boat", profile=profile))
        assert "June" in text
        assert "called Blau" not in text
    assert "called Blau" in str(book.context("publisher"))


def test_003_24_one_tool_bullets_or_full(ana: Space) -> None:
    """Bullets are `[category] text`; full adds the memory; the budget stops before what would overflow it."""
    for number in range(5):
        ana.remember(f"Ana's task number {number} is to paint the boat.", category="tasks", importance=3 + number)
    bullets = ana.query("paint the boat", "tasks")
    assert len(bullets) == 3
    assert all(one.text == f"[tasks] {ana.get(one.id).content}" and one.memory is None for one in bullets)
    (full, *_) = ana.query("paint the boat", ["tasks"], returns="full")
    assert full.memory == ana.get(full.id)
    assert len(ana.query("paint the boat", "tasks", top_k=5, budget_tokens=25)) == 1
    assert ana.query("paint the boat", "goals") == []
    found = ana.query("boat", filters={"importance_min": 6, "user_id": "ana", "run_id": "s1", "role": None}, top_k=9)
    assert len(found) == 2
    assert ana.query("boat", filters={"updated_before": "2020-01-01"}) == []
    with pytest.raises(InvalidInput, match="another user's"):
        ana.query("boat", filters={"user_id": "bob"})
    with pytest.raises(InvalidInput, match="there is no filter 'colour'"):
        ana.query("boat", filters={"colour": "red"})
    with pytest.raises(InvalidInput, match="updated_after"):
        ana.query("boat", filters={"updated_after": "soon"})


def test_003_53_procedures_are_found_when_they_are_asked_for(ana: Space) -> None:
    """The category answers to the kind, and nothing else finds it."""
    steps = ana.remember("1. Run the tests.\n2. Deploy the image.", kind="procedure", topic="deploy")
    assert ana.query("deploy") == []
    (found,) = ana.query("deploy", "procedural")
    assert (found.id, found.category) == (steps.id, "procedural")
    ana.remember("Ana's goal is to deploy on Friday.", category="goals")
    assert {one.category for one in ana.query("deploy", ["procedural", "goals"])} == {"procedural", "goals"}
    assert [hit.memory.id for hit in ana.recall("deploy", categories="procedural")] == [steps.id]


def test_002_21_categories_first_then_all(ana: Space) -> None:
    """The categories a query is about are searched first; where they give too little the rest fills up, each once."""
    for number in range(3):
        ana.remember(f"Ana's goal number {number} is a marathon.", category="goals")
    for number in range(12):
        ana.remember(f"Ana knows runner number {number}.", category=("history", "interests", "knowledge")[number % 3])
    other = ana.remember("A marathon shoe is red.", category="style").id
    found = ana.query("marathon goal", top_k=6)
    assert [one.category for one in found[:3]] == ["goals"] * 3
    assert other in [one.id for one in found]
    assert len({one.id for one in found}) == len(found)


def test_003_50_memory_is_asked_only_in_doubt(ana: Space) -> None:
    """A sure agent is not kept waiting; how often memory was asked is counted."""
    ana.remember("Ana's boat is called Gaivota.")
    for _ in range(19):
        sure = ana.on_demand("What is the boat called?", 0.9)
        assert (sure.asked, sure.bullets) == (False, [])
    unsure = ana.on_demand("What is the boat called?", 0.2)
    assert unsure.asked
    assert "Gaivota" in unsure.bullets[0].text
    assert ana.on_demand_rate() == pytest.approx(1 / 20)
    with pytest.raises(InvalidInput, match="confidence"):
        ana.on_demand("x", 7)


def test_003_59_reranking_keeps_the_two_best_raw_hits(ana: Space) -> None:
    """Whoever orders anew, the two best raw hits stay first and none is lost."""
    for number in range(6):
        ana.archival_insert(f"Passage {number} tells of the lighthouse" + " and the sea" * number + ".")
    raw = [hit.memory.id for hit in ana.archival_search("lighthouse", 6)]

    def upside_down(query: str, texts: Sequence[str]) -> list[float]:
        return [float(at) for at, _ in enumerate(texts)]

    again = [hit.memory.id for hit in ana.archival_search("lighthouse", 6, rerank=upside_down)]
    assert again[:2] == raw[:2]
    assert again[2:] == raw[:1:-1]
    assert {hit.memory.id for hit in ana.archival_search("lighthouse", 6, rerank="weights")} == set(raw)
    with pytest.raises(InvalidInput, match="use 'weights', 'model'"):
        ana.archival_search("lighthouse", rerank="magic")


def test_004_27_a_model_reranks_passages(tmp_path: Path, clock: FixedClock, forgetful: None) -> None:
    """A typed question gives the order; numbers that do not exist are passed over, and a failure leaves the order."""
    with ScriptedLlm(lambda asked: json.dumps({"ranked": [4, 99, 3]})) as server:
        chosen = {"base_url": server.url, "retries": 0}
        with Recollect(fresh("sqlite", tmp_path), clock=clock, llm="openai:script", models=chosen) as rc:
            ana = rc.space("ana")
            for number in range(4):
                ana.archival_insert(f"Passage {number} tells of the lighthouse" + " and the sea" * number + ".")
            raw = [hit.memory.id for hit in ana.archival_search("lighthouse", 4)]
            again = [hit.memory.id for hit in ana.archival_search("lighthouse", 4, rerank="model")]
            assert again == [raw[0], raw[1], raw[3], raw[2]]
            assert "lighthouse" in server.requests[-1].user
            server._script = lambda asked: "nothing of use"
            assert [hit.memory.id for hit in ana.archival_search("lighthouse", 4, rerank="model")] == raw


def test_004_13_the_archive(ana: Space) -> None:
    """Passages are inserted with tags, five are found by default, any of several tags will do, an empty one is none."""
    for number in range(7):
        ana.archival_insert(f"Recipe {number} is for bread.", tags="food, ,bread" if number % 2 else ["food"])
    ana.archival_insert("Bread is an old word.", tags="")
    assert len(ana.archival_search("bread")) == 5
    assert len(ana.archival_search("bread", 10)) == 8
    assert len(ana.archival_search("bread", 10, tags=["bread", "nothing"])) == 3
    assert len(ana.archival_search("bread", 10, tags="")) == 8
    assert ana.archival_search("  ") == []


def test_projects(rc: Recollect, clock: FixedClock) -> None:
    """What is learnt in a project is found there, before the user's other memory; other projects' stays out."""
    home, boat, book = rc.space("ana"), rc.space("ana", project="boat"), rc.space("ana", project="book")
    everywhere = home.remember("Ana's deadline style is to finish a day early.").id
    boats = boat.remember("The deadline of the boat is in June.").id
    books = book.remember("The deadline of the book is in May.").id
    assert [hit.memory.id for hit in boat.recall("deadline")] == [boats, everywhere]
    assert [hit.memory.id for hit in home.recall("deadline")] == [everywhere]
    assert {hit.memory.id for hit in boat.recall("deadline", projects="*")} == {everywhere, boats, books}
    assert [hit.memory.id for hit in home.recall("deadline", projects=["book"])] == [books]
    assert {one.id for one in boat.list()} == {boats, everywhere}
    assert boats in boat.context("deadline").ids
    assert boats not in home.context("deadline").ids
    assert books not in boat.context("deadline").ids
    assert boat.get(boats).project == "boat"


def test_the_same_words_in_two_projects_are_two_memories(rc: Recollect) -> None:
    """A project does not lose a fact because another has it; what is known everywhere is known in a project."""
    boat, book, home = rc.space("ana", project="boat"), rc.space("ana", project="book"), rc.space("ana")
    first = boat.remember("The kick-off meeting is on the first Monday.")
    assert boat.remember("The kick-off meeting is on the first Monday.").outcome == "duplicate"
    second = book.remember("The kick-off meeting is on the first Monday.")
    assert (first.outcome, second.outcome) == ("stored", "stored")
    home.remember("Ana keeps her notes in plain text files.")
    assert boat.remember("Ana keeps her notes in plain text files.").outcome == "duplicate"


def test_moving_a_fact_out_of_its_project(rc: Recollect) -> None:
    """One verb makes a project's fact the user's own; where that is known already, the project's gives way."""
    boat, home = rc.space("ana", project="boat"), rc.space("ana")
    one = boat.remember("Ana signs contracts with a blue pen.").id
    assert home.recall("blue pen") == []
    assert boat.move(one).op == "moved"
    assert [hit.memory.id for hit in home.recall("blue pen")] == [one]
    assert boat.move(one).outcome == "duplicate"
    again = rc.space("ana", project="book")
    assert again.remember("Ana signs contracts with a blue pen.").outcome == "duplicate"
    assert home.move(one, "boat").op == "moved"
    assert home.recall("blue pen") == []
    slot = home.remember("PST", key="timezone")
    with pytest.raises(InvalidInput, match="is a slot"):
        home.move(slot.id, "boat")
    with pytest.raises(NotFound):
        home.move("fact_unknown")
    with pytest.raises(InvalidInput, match="project takes"):
        rc.space("ana", project="x" * 61)
    assert all(finding.ok for finding in rc.doctor())


def test_no_memory_comes_back_beside_its_twin_in_a_project(rc: Recollect) -> None:
    """Restoring and correcting look for the same words in the same project, and only there."""
    boat, book = rc.space("ana", project="boat"), rc.space("ana", project="book")
    text = "The kick-off meeting is on the first Monday."
    gone = boat.remember(text).id
    boat.forget(gone)
    kept = boat.remember(text).id
    assert boat.restore(gone).id == kept
    other = boat.remember("The regatta takes place in Kiel.").id
    assert boat.correct(other, text).id == kept
    assert [one.content for one in boat.list()] == [text]
    apart = book.remember("The printer lives in Bremen.").id
    assert book.correct(apart, text).id not in (kept, apart)
    assert len(book.list()) == 1
    assert all(finding.ok for finding in rc.doctor())


def test_what_is_said_in_a_project_is_learnt_there(rc: Recollect) -> None:
    """Messages, facts of them and the summary belong to the project they were said in, and so does an export."""
    boat = rc.space("ana", "helper", "s1", project="boat")
    for text in ("Please remember that the mast is 14 metres high.", "Good.", "Thanks.", "Bye."):
        boat.observe("user", text, actor="Ana")
    boat.end()
    facts = boat.list(kinds=["fact", "summary"], limit=50)
    assert facts
    assert {one.project for one in facts} == {"boat"}
    assert rc.space("ana").list(kinds=["fact", "summary"]) == []
    out = io.StringIO()
    rc.export(out)
    assert '"project":"boat"' in out.getvalue()


# checkpoints


def test_003_57_checkpoints_by_user_and_thread(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """They are kept per user and thread with their history; the newest is loaded; what is gone is gone."""
    assert ana.checkpoints.load() is None
    for number in range(4):
        ana.checkpoints.save({"step": number, "state": ["ä", None, 1.5]})
    ana.checkpoints.save({"graph": 1}, ns="sub")
    last = ana.checkpoints.load()
    assert last is not None
    assert last.data == {"step": 3, "state": ["ä", None, 1.5]}
    history = ana.checkpoints("")
    assert [one.data["step"] for one in history] == [3, 2, 1, 0]
    assert [one.parent for one in history] == [*(one.id for one in history[1:]), ""]
    second = ana.checkpoints.load(id=history[2].id)
    assert second is not None
    assert second.data["step"] == 1
    assert len(ana.checkpoints()) == 5
    assert [one.id for one in ana.checkpoints("", before=history[1].id)] == [history[2].id, history[3].id]
    for other in (rc.space("bob", "helper", "s1"), rc.space("ana", "helper", "s2")):
        assert other.checkpoints() == []
    ana.checkpoints.save({"step": 4}, keep=2)
    assert [one.data["step"] for one in ana.checkpoints("")] == [4, 3]
    assert ana.checkpoints.delete("", history[0].id).count == 1
    assert ana.checkpoints.delete().count == 2
    assert ana.checkpoints() == []
    with pytest.raises(NotFound, match="no checkpoint"):
        ana.checkpoints.load(id="nothing")
    for wrong in ({"x": {1, 2}}, float("nan"), "half \ud800", {"x": "\0"}):
        with pytest.raises(InvalidInput):
            ana.checkpoints.save(wrong)
    with pytest.raises(InvalidInput, match="session"):
        rc.space("ana").checkpoints.save({})


def test_checkpoints_are_ordered_by_when_they_were_saved(ana: Space) -> None:
    """An id that sorts before the last one's is the newest all the same, also within one moment."""
    ana.checkpoints.save({"n": 9}, id="9")
    ana.checkpoints.save({"n": 10}, id="10")
    assert [one.id for one in ana.checkpoints("")] == ["10", "9"]
    assert [one.id for one in ana.checkpoints("", before="10")] == ["9"]
    ana.checkpoints.save({"n": 11}, id="11", keep=1)
    last = ana.checkpoints.load()
    assert last is not None
    assert (last.data, last.parent) == ({"n": 11}, "10")
    assert len(ana.checkpoints("")) == 1


def test_checkpoints_outlive_the_process_and_an_export(database: str, tmp_path: Path, clock: FixedClock) -> None:
    """A restart loses none, an export carries them and the window, and erasing the session takes them along."""
    with Recollect(database, clock=clock) as rc:
        ana = rc.space("ana", "helper", "s1")
        ids = [ana.messages.append("user", f"Hello {number}").id for number in range(3)]
        ana.messages.set_ids(ids[1:])
        ana.checkpoints.save([1, 2, 3], id="fixed")
        ana.checkpoints.save([4], id="fixed")
    with Recollect(database, clock=clock) as rc:
        ana = rc.space("ana", "helper", "s1")
        assert [one.data for one in ana.checkpoints()] == [[4]]
        with (tmp_path / "all.jsonl").open("w") as out:
            rc.export(out)
        with Recollect(f"sqlite:///{tmp_path}/other.db", clock=clock) as other:
            other.import_file(tmp_path / "all.jsonl")
            back = other.space("ana", "helper", "s1")
            assert [one.data for one in back.checkpoints()] == [[4]]
            assert back.messages.ids() == ids[1:]
        ana.erase(session="s1")
        assert ana.checkpoints() == []


# the prompt as a whole


def test_004_1_3_21_29_33_the_system_prompt(ana: Space, rc: Recollect, clock: FixedClock) -> None:
    """Blocks always stand in it, then what is stored outside of it: the date, the last change, how many messages out
    of sight, how many passages."""
    for number in range(7):
        ana.messages.append("user", f"Message {number}")
    ana.messages.set_ids(ana.messages.ids()[-2:])
    for number in range(3):
        ana.archival_insert(f"Passage {number} about tea.")
    ana.blocks.append("human", "Name: Alice")
    changed = clock.moment
    clock.advance(minutes=75)
    context = ana.context("anything", profile="letta", budget_tokens=4000)
    assert context.stable == ana.blocks.compile()
    assert "Name: Alice" in context.stable
    assert context.volatile == (
        "<memory_metadata>\n"
        f"- The current system date is: {clock.moment:%Y-%m-%d %H:%M:%S} UTC\n"
        f"- Memory blocks were last modified: {changed:%Y-%m-%d %H:%M:%S} UTC\n"
        "- 5 previous messages between you and the user are stored in recall memory "
        "(use conversation_search to access)\n"
        "- 3 total memories you created are stored in archival memory (use archival_search to access)\n"
        "</memory_metadata>"
    )
    empty = rc.space("bob", "helper", "s1").context(profile="letta")
    assert "archival" not in empty.volatile
    assert "<persona>" in empty.stable
