"""The commands about the life of memories: ageing at once, looking ahead, and why something went."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from recollect import Recollect, Tools
from recollect.model.change import Connect, Write
from recollect.model.memory import OUTDATED
from recollect.runtime import system_clock
from recollect.serve.cli import whole
from recollect.testing import FixedClock

APP = whole()

RUNNER = CliRunner(env={"COLUMNS": "100", "FORCE_COLOR": None})


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give a database with a life behind it: an old fact, an old event, and something important."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECOLLECT_RETENTION__PRESET", "fading+expiring")
    path = str(tmp_path / "memory.db")
    with Recollect(path, clock=FixedClock(system_clock() - timedelta(days=20))) as rc:
        me = rc.space("me")
        me.remember("I had toast.", importance=3)
        me.remember("I went swimming.", kind="event", importance=4)
        me.remember("I am allergic to nuts.", importance=9)
    return path


def call(db: str, *args: str) -> Result:
    """Run a command on a database."""
    return RUNNER.invoke(APP, [args[0], "--db", db, *args[1:]], catch_exceptions=False)


def told(result: Result) -> Any:
    """Read the JSON answer of a command that worked."""
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_forgetting(db: str) -> None:
    """A table says what goes when by which job, bars how many a week, and no text of a memory is shown."""
    shown = call(db, "forgetting", "--weeks", "8")
    assert shown.exit_code == 0
    assert [word in shown.stdout for word in ("forget", "ttl", "█", "week of", "0.14", "toast")] == [True] * 5 + [False]
    found = told(call(db, "forgetting", "--json"))
    assert [fate["job"] for fate in found["fates"]] == ["forget", "ttl"]
    assert (sum(found["weeks"]), len(found["weeks"])) == (2, 12)
    assert "1 more" in call(db, "forgetting", "--limit", "1").stderr
    assert "nothing goes" in call(db, "forgetting", "--weeks", "1").stderr


def test_forgetting_one(db: str) -> None:
    """One memory has a curve, or a reason to stay."""
    fates = told(call(db, "forgetting", "--json"))["fates"]
    assert "is forgotten on" in call(db, "forgetting", fates[0]["id"]).stdout
    curve = told(call(db, "forgetting", fates[0]["id"], "--json"))["curve"]
    assert curve[0]["confidence"] > 0.1 > 0.05 > curve[-1]["confidence"]
    (vital,) = told(call(db, "list", "--importance-min", "9", "--json"))
    assert "stays: importance 9" in call(db, "forgetting", vital["id"]).stdout
    assert call(db, "forgetting", "fact_none").exit_code == 1


def test_unite_and_part(db: str) -> None:
    """Two names become one person and two again; a name nobody knows, or that was never united, is refused."""
    for text in ("I saw Robert Smith in Porto.", "I saw Bob in Boston."):
        assert call(db, "remember", text).exit_code == 0
    united = told(call(db, "unite", "Bob", "Robert Smith", "--request-id", "r1", "--json"))
    assert (united["outcome"], united["op"]) == ("merged", "united")
    assert told(call(db, "unite", "Bob", "Robert Smith", "--request-id", "r1", "--json"))["id"] == united["id"]
    assert told(call(db, "entity", "Bob", "--json"))["entity"]["name"] == "Robert Smith"
    assert told(call(db, "unite", "Bob", "Robert Smith", "--json"))["outcome"] == "duplicate"
    parted = told(call(db, "part", "Bob", "--json"))
    assert (parted["op"], parted["id"], parted["other"]) == ("parted", united["other"], united["id"])
    assert told(call(db, "entity", "Bob", "--json"))["entity"]["name"] == "Bob"
    again = call(db, "part", "Bob")
    assert (again.exit_code, "nothing to take back" in again.stderr) == (1, True)
    unknown = call(db, "unite", "Carol", "Robert Smith")
    assert (unknown.exit_code, "nothing is known of" in unknown.stderr) == (1, True)
    assert call(db, "unite", "Bob", "Robert Smith").stdout == f"merged {united['id']}\n"
    assert call(db, "part", "Bob").stdout.split()[1] == united["other"]


def test_age(db: str) -> None:
    """Ageing at once takes a length of time and a number; a dry run names what would move and moves nothing."""
    dry = call(db, "age", "--dry-run", "--after", "1w")
    assert ("Aged 2 memories" in dry.stdout, "not used since" in dry.stdout) == (True, True)
    assert told(call(db, "age", "--after", "30d", "--json"))["changed"] == 0
    assert told(call(db, "age", "--after", "12h", "--most", "1", "--json"))["changed"] == 1
    assert "Aged 1 memories" in call(db, "age").stdout
    wrong = call(db, "age", "--after", "soon")
    assert (wrong.exit_code, "12h, 30d or 2w" in wrong.stderr) == (2, True)


def test_history_tells_why(db: str) -> None:
    """What the job forgot says so in its history."""
    with Recollect(db, clock=FixedClock(system_clock() + timedelta(days=20))) as rc:
        (report,) = rc.run_jobs(["forget"])
    told_why = call(db, "history", report.steps[0].split(":")[0]).stdout
    assert "forgotten" in told_why
    assert "40 days without use" in told_why


def test_what_may_be_outdated_is_marked(tmp_path: Path) -> None:
    """recall, list and the tools say which newer memory may have taken a memory's place; in JSON, too."""
    db = str(tmp_path / "m.db")
    with Recollect(db) as rc:
        me = rc.space("me")
        old, new = me.remember("Ana lives in Lisbon.").id, me.remember("Ana has a flat in Porto.").id
        link = Connect(old, new, OUTDATED, 0.9)
        rc._runtime.store.commit(Write(owner=me.owner, at=me.get(old).created_at, node="test", changes=(link,)))
        assert me.outdated([old, new, "fact_none"]) == {old: new}
        assert rc.space("you").outdated([old]) == {}
        assert Tools(me, "default").dispatch("memory_search", {"query": "Lisbon"}).text.count(f"outdated by {new}") == 1
        assert Tools(me, "default").dispatch("memory_get", {"id": old}).data["outdated_by"] == new
    for command in (["recall", "where does Ana live?"], ["list"]):
        shown = call(db, *command)
        assert shown.stdout.count(f"maybe outdated by {new}") == 1
        marks = {one.get("memory", one)["id"]: one["outdated_by"] for one in told(call(db, *command, "--json"))}
        assert marks == {old: new, new: ""}
    with Recollect(db) as rc:
        rc.space("me").forget(new)
        assert rc.space("me").outdated([old]) == {}


def test_what_was_only_said_is_found(tmp_path: Path) -> None:
    """Before a conversation is worked through, a plain recall finds its messages, and says that they are messages."""
    db = str(tmp_path / "m.db")
    call(db, "observe", "user", "My dog Rex is allergic to chicken.", "--session", "s1")
    shown = call(db, "recall", "is the dog allergic to chicken?")
    assert "My dog Rex" in shown.stdout
    assert "it was said" in shown.stderr
    assert "nothing found" in call(db, "recall", "the capital of Norway").stderr
    assert "nothing found" in call(db, "recall", "is the dog allergic to chicken?", "--kind", "fact").stderr
    waits = call(db, "jobs", "run").stderr
    assert "s1 may go on" in waits
    assert "recollect end" in waits
    call(db, "end", "--session", "s1")
    assert "may go on" not in call(db, "jobs", "run").stderr


def test_an_unknown_prompt_is_named_first(tmp_path: Path) -> None:
    """Who mistypes the name of a prompt is told the names there are, not to bring examples."""
    shown = call(str(tmp_path / "m.db"), "tune", "nosuch")
    assert shown.exit_code == 2
    assert "there is no prompt 'nosuch'" in shown.stderr
    assert "judge" in shown.stderr
