"""What mem0, LangGraph, Letta, MemPalace and Graphiti themselves wrote comes in whole, once, and as they meant it."""

from __future__ import annotations

import json
import os
import pickle
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import InvalidInput, Memory, Recollect, Space
from recollect.adapters.importers.frame import Imported, Source, bring
from recollect.serve.cli import whole

PROGRAMS = Path(__file__).parent.parent / "fixtures" / "programs"
APP = whole()
EXACTLY = timedelta(milliseconds=1)


@pytest.fixture
def ana(database: str) -> Iterator[Space]:
    """Give the space of somebody who has said nothing yet."""
    with Recollect(database) as rc:
        yield rc.space("ana")


def brought(space: Space, format: str, name: str, of: str = "") -> Imported:
    """Bring a fixture in twice: nothing is refused, and the second time nothing new comes of it."""
    first = bring(space, Source(format, PROGRAMS / name, of))
    before = space.stats()
    second = bring(space, Source(format, PROGRAMS / name, of))
    assert (second.messages, second.notes, second.blocks, second.refused) == (0, 0, 0, {})
    assert second.known == first.known + first.messages + first.notes + first.blocks
    assert (space.stats().total, space.stats().sessions) == (before.total, before.sessions)
    assert first.refused == {}
    return first


MOMENT = re.compile(r"20\d\d-\d\d-\d\d[T ][\d:.]+(?:\+00:00)?")
BESIDE = {
    ".json": "SELECT value FROM json_each(?2) WHERE instr(value, ?1)",
    "chroma.sqlite3": "SELECT string_value FROM embedding_metadata WHERE id IN "
    "(SELECT id FROM embedding_metadata WHERE instr(string_value, ?1))",
    "storage.sqlite": "SELECT point FROM points WHERE instr(point, CAST(?1 AS BLOB))",
}
"""How what stands beside some words is found in each kind of file."""


def written(name: str, words: str) -> datetime:
    """Give the last moment a program itself wrote down beside some words."""
    file = PROGRAMS / name
    query = next(query for end, query in BESIDE.items() if name.endswith(end))
    text = file.read_text("utf-8") if file.suffix == ".json" else ""
    with closing(sqlite3.connect(":memory:" if text else file)) as made:
        rows = made.execute(query, [words, text] if text else [words]).fetchall()
    times = [datetime.fromisoformat(one) for row in rows for one in MOMENT.findall(str(row))]
    return max(one if one.tzinfo else one.replace(tzinfo=UTC) for one in times)


def kept(space: Space) -> dict[str, Memory]:
    """Give all notes by what they say."""
    return {one.content: one for one in space.list(limit=1000)}


def said(space: Space) -> list[tuple[str, str]]:
    """Give the messages, talk by talk, in the order in which they came in."""
    with space._runtime.store.view() as view:
        talks = [view.said(space.owner, one.id, 0, 1000) for one in space.sessions()]
    return [(one.role, one.content) for talk in talks for _, one in talk]


OF_ANA = {
    "Ana moved to Porto in May.",
    "Ana plays the viola.",
    "Ana's cat is called Mochi.",
    "Ana walks to work.",
    "Ana rents a bicycle.",
}
OF_ALL = {
    *OF_ANA,
    "Björn isst kein Fleisch, aber gern Käsespätzle 🧀.",
    "ビョルンは寿司が好きです。",
    "The chef answers in two sentences.",
}


@pytest.mark.parametrize(
    ("name", "dated", "known"),
    [
        ("mem0_everybody.json", "", 1),
        ("mem0", "/chroma/chroma.sqlite3", 0),
        ("mem0/chroma", "/chroma.sqlite3", 0),
        ("mem0_qdrant", "/collection/mem0/storage.sqlite", 0),
    ],
)
def test_mem0_of_everybody(ana: Space, name: str, dated: str, known: int) -> None:
    """What `get_all` gave and what stands in the databases say the same; a memory in two answers is one."""
    done = brought(ana, "mem0", name, "all")
    assert (done.notes, done.known) == (8, known)
    facts = kept(ana)
    assert facts.keys() == OF_ALL
    cat, bicycle = facts["Ana's cat is called Mochi."], facts["Ana rents a bicycle."]
    assert abs(cat.event_time - written(name + dated, "Mochi")) < EXACTLY
    assert cat.attributes["user_id"] == "ana"
    assert cat.attributes["imported"]["from"] == "mem0"
    assert {**cat.attributes, **cat.attributes.get("metadata", {})}["topic"] == "pets"
    assert bicycle.valid_until == datetime(2030, 7, 1, tzinfo=UTC)  # mem0 keeps it for the whole last day
    sushi = facts["ビョルンは寿司が好きです。"]
    assert (sushi.attributes["user_id"], sushi.attributes["agent_id"]) == ("björn", "chef")


def test_mem0_of_one_user(ana: Space) -> None:
    """Of a file with several users one can be chosen, with what belongs to nobody; unasked, they are not mixed."""
    with pytest.raises(InvalidInput, match=r"ana \(5\), björn \(3\).*--of ana"):
        bring(ana, Source("mem0", PROGRAMS / "mem0_everybody.json"))
    assert ana.stats().total == 0
    with pytest.raises(InvalidInput, match="nothing of 'carl'"):
        Source("mem0", PROGRAMS / "mem0_everybody.json", "carl")
    assert Source("mem0", PROGRAMS / "mem0_everybody.json").preview(ana).whose == {"ana": 5, "björn": 3}
    assert brought(ana, "mem0", "mem0_everybody.json", "ana").notes == 6
    assert kept(ana).keys() == {*OF_ANA, "The chef answers in two sentences."}
    assert brought(ana, "mem0", "mem0_ana.json").known == 5


def test_mem0_history(ana: Space) -> None:
    """The history alone gives every memory as it stands, without what was deleted, and the messages at hand."""
    done = brought(ana, "mem0", "mem0/history.sqlite")
    assert (done.notes, done.messages) == (8, 2)
    assert kept(ana).keys() == OF_ALL
    assert said(ana) == [
        ("user", "I moved to Porto in May, and I play the viola."),
        ("assistant", "Porto! How do you like it?"),
    ]
    assert ana.list(kinds=["episode"])[0].attributes["imported"]["whose"] == "ana"


def test_a_pickle_that_wants_to_run_something(ana: Space, tmp_path: Path) -> None:
    """What a point of Qdrant names is never called, and one that is broken is refused."""
    marker = tmp_path / "ran"

    class Wicked:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(marker),)

    for number, point in enumerate((pickle.dumps(Wicked()), b"no pickle at all")):
        path = tmp_path / f"{number}.sqlite"
        with closing(sqlite3.connect(path)) as made:
            made.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
            made.execute("INSERT INTO points VALUES ('1', ?)", [point])
            made.commit()
        with pytest.raises(InvalidInput, match="no pickle" if number else "nothing to bring in"):
            Source("mem0", path)
    assert not marker.exists()


def test_what_changed_there_changes_here(ana: Space, tmp_path: Path) -> None:
    """A later export with another text under a known id takes the old text's place; what is forgotten stays so."""
    path = tmp_path / "later.json"
    shutil.copyfile(PROGRAMS / "mem0_ana.json", path)
    bring(ana, Source("mem0", path))
    gone = kept(ana)["Ana plays the viola."].id
    ana.forget(gone)
    own = kept(ana)["Ana rents a bicycle."].id
    ana.correct(own, "Ana owns a bicycle.")
    for cat in ("Miso", "Tama", "Miso"):
        data: dict[str, Any] = json.loads((PROGRAMS / "mem0_ana.json").read_text("utf-8"))
        for one in data["results"]:
            if "cat" in one["memory"]:
                one["memory"] = f"Ana's cat is called {cat}."
        path.write_text(json.dumps(data), "utf-8")
        done = bring(ana, Source("mem0", path))
        assert (done.notes, done.known, done.refused) == (1, 4, {})
        assert bring(ana, Source("mem0", path)).known == 5
        cats = [text for text in kept(ana) if "cat" in text]
        assert cats == [f"Ana's cat is called {cat}."]
    assert ana.get(gone).state == "deleted"
    assert "Ana owns a bicycle." in kept(ana)
    assert "Ana rents a bicycle." not in kept(ana)


@pytest.mark.parametrize("name", ["langgraph.sqlite", "langgraph.json"])
def test_langgraph(ana: Space, name: str) -> None:
    """Items of every namespace come in: nested values as they are, LangMem's by their words, what expired not."""
    assert brought(ana, "langgraph", name, "all").notes == 9
    found = kept(ana)
    texts = {
        *({"It rains in Porto."} if name.endswith(".json") else ()),  # the store knew that it was true for a moment
        "The harbour opens in May.",
        "The ferry leaves at nine.",
        "Ana plays the viola in a quartet.",
        "Ana's cat is called Mochi.",
        "Björn isst kein Fleisch, aber gern Käsespätzle 🧀.",
    }
    rest = [one for text, one in found.items() if text not in texts]
    assert len(rest) == len(found) - len(texts) == 3
    assert {tuple(one.attributes["namespace"]) for one in rest} == {
        ("profiles", "ana"),
        ("profiles", "björn"),
        ("people", "ana"),
    }
    profile = next(one for one in rest if one.attributes["namespace"] == ["profiles", "ana"])
    assert profile.attributes["value"]["address"] == {"city": "Porto", "zip": "4000-001"}
    assert abs(profile.event_time - written("langgraph.json", "Ana Sousa")) < EXACTLY
    assert ana.recall("寿司")[0].memory.attributes["namespace"] == ["profiles", "björn"]


def test_langgraph_of_one_user(ana: Space) -> None:
    """Whose an item is stands in its namespace; what belongs to nobody comes along."""
    assert brought(ana, "langgraph", "langgraph.sqlite", "björn").notes == 4
    spaces = {tuple(one.attributes["namespace"]) for one in kept(ana).values()}
    assert spaces == {("docs",), ("memories", "björn"), ("profiles", "björn")}


def test_letta(ana: Space) -> None:
    """What people and agents said comes in, without packing, thoughts, tools and heartbeats; so do the blocks."""
    done = brought(ana, "letta", "letta_sage.af")
    assert (done.messages, done.blocks) == (5, 2)
    assert said(ana) == [
        ("assistant", "More human than human is our motto."),
        ("user", "Hello Sage, I am Ana. I moved to Porto in May."),
        ("assistant", "Hello Ana! How do you like Porto?"),
        ("user", "很好！And my cat Mochi likes it, too 🐈."),
        ("assistant", "Give Mochi my regards."),
    ]
    assert Source("letta", PROGRAMS / "letta_sage.af").preview(ana).left_out == 7
    assert ana.blocks.get("persona").value == "I am Sage, and I keep things short."
    first = min(ana.list(kinds=["episode"]), key=lambda one: one.event_time)
    assert first.event_time == datetime(2025, 5, 1, 10, 1, tzinfo=UTC)


def test_two_agents_of_letta(ana: Space) -> None:
    """Every agent file numbers its messages and blocks from nought: a second agent's are not taken for the first's."""
    brought(ana, "letta", "letta_sage.af")
    done = brought(ana, "letta", "letta_cook.af")
    assert (done.messages, done.blocks, done.known) == (2, 2, 0)
    assert {one.id for one in ana.sessions()} == {"letta:Sage", "letta:Koch"}
    assert ("assistant", "Käsespätzle, und dazu einen Salat.") in said(ana)
    assert ana.blocks.get("recipes").value == "Käsespätzle: Mehl, Eier, Käse."
    assert "Ich koche gern." in kept(ana)  # the persona stands already: nobody's words are overwritten


def test_mempalace(ana: Space) -> None:
    """Drawers come in whole under wing and room, mined files and the diary too; the index of closets does not."""
    done = brought(ana, "mempalace", "mempalace")
    assert done.notes == 7
    found = kept(ana)
    topics = sorted(one.topic for one in found.values() if one.kind == "passage")
    assert topics == [
        "ana/music",
        "ana/pets",
        "harbour/berths",
        "harbour_notes/general",
        "harbour_notes/general",
        "wing_sage/diary",
    ]
    berths = next(text for text in found if text.startswith("Berth 0 "))
    assert berths == " ".join(f"Berth {number} belongs to boat {number * 7}." for number in range(60))
    assert any("Käsespätzle 🧀" in text for text in found)
    assert not any("→drawer" in text or "deleted again" in text for text in found)
    viola = found["Ana plays the viola in a quartet."]
    assert abs(viola.event_time - written("mempalace/chroma.sqlite3", "viola")) < EXACTLY
    lives = found["Ana lives in Porto."]
    assert (lives.kind, lives.event_time) == ("fact", datetime(2020, 1, 1, tzinfo=UTC))


def test_graphiti(ana: Space) -> None:
    """Facts are true from when they were said to be until they ended; episodes come in as they were said, in order."""
    done = brought(ana, "zep", "graphiti.json", "ana")
    assert (done.messages, done.notes + done.known) == (3, 7)
    assert said(ana) == [
        ("Ana", "I live in Porto and play the viola."),
        ("Ana", "I have moved to Lisbon."),
        ("assistant", "How is it there?"),
    ]
    assert [hit.memory.content for hit in ana.recall("Ana lives in", kinds=["fact"])][:1] == ["Ana lives in Lisbon."]
    then = ana.recall("Ana lives in", kinds=["fact"], as_of=datetime(2022, 1, 1, tzinfo=UTC))
    assert "Ana lives in Porto." in [hit.memory.content for hit in then]
    viola = next(one for one in ana.list(kinds=["fact"]) if "viola" in one.content)
    assert viola.event_time == datetime(2020, 1, 1, 9, tzinfo=UTC)  # when it was said, where it does not say since when
    assert viola.attributes["between"] == ["Ana", "viola"]


def test_graphiti_of_everybody(ana: Space) -> None:
    """Groups are told apart, documents and JSON are kept as they are."""
    done = brought(ana, "zep", "graphiti.json", "all")
    assert (done.talks, done.messages) == (2, 5)
    assert {one.id for one in ana.sessions()} == {"zep:ana", "zep:bjorn"}
    assert ("document", '{"city": "Malmö", "name": "Björn"}') in said(ana)


FILES = [
    ("mem0", "mem0_everybody.json"),
    ("mem0", "mem0"),
    ("langgraph", "langgraph.sqlite"),
    ("letta", "letta_sage.af"),
    ("mempalace", "mempalace"),
    ("zep", "graphiti.json"),
]


@pytest.mark.parametrize(("format", "name"), FILES)
def test_the_command_line(tmp_path: Path, format: str, name: str) -> None:
    """The command shows a file without writing, brings it in, and says that all of it is known the second time."""
    runner = CliRunner()
    base = ["import-from", format, str(PROGRAMS / name), "--db", str(tmp_path / "m.db"), "--user", "ana", "--json"]
    shown = json.loads(runner.invoke(APP, [*base, "--dry-run"]).stdout)
    if len(shown["whose"]) > 1:
        refused = runner.invoke(APP, [*base, "--yes"])
        assert (refused.exit_code, "--of" in refused.output) == (2, True)
        base = [*base, "--of", "all"]
    first = json.loads(runner.invoke(APP, [*base, "--yes"]).stdout)
    again = json.loads(runner.invoke(APP, [*base, "--yes"]).stdout)
    whole = ("messages", "notes", "blocks")
    assert sum(first[one] for one in (*whole, "known")) == sum(shown[one] for one in whole) == again["known"]
    assert sum(first[one] for one in whole) > 0
    assert first["refused"] == again["refused"] == {}


def test_fixtures_are_whole(tmp_path: Path) -> None:
    """The databases among the fixtures are sound, and reading them changes nothing in them."""
    for file in PROGRAMS.rglob("*.sqlite*"):
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as made:
            assert made.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert not [one for one in PROGRAMS.rglob("*") if one.name.endswith(("-wal", "-shm", "-journal"))]
