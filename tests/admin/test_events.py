"""What happened without changing anything: noted without text, written later, told over the days."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest
from typer.testing import CliRunner

from recollect import InvalidInput, Recollect, Space, Unavailable
from recollect.model.asking import ROLES, Answer, Failed, Question
from recollect.model.event import Event
from recollect.providers.llm import Llm
from recollect.serve.cli import whole
from recollect.store.sql.events import Waiting
from recollect.testing import FixedClock
from tests.engines import ask

APP = whole()

SECRET = "The passphrase of the vault is marmalade"


class Mute(Llm):
    """A model that never answers."""

    roles = frozenset(ROLES)

    def ask(self, question: Question, most_tokens: int = 0) -> Answer:
        """Fail."""
        return Failed("no answer")

    def close(self) -> None:
        """Keep nothing open."""


def told(space: Space) -> Counter[tuple[str, str, str, str]]:
    """Count what happened by node, op, status and category."""
    lines = space.activity(by=("node", "op", "status", "category"))
    return Counter({(one.node, one.op, one.status, one.category): one.count for one in lines})


def rows(rc: Recollect, database: str, columns: str = "*") -> list[tuple[object, ...]]:
    """Give the events as they are in the database."""
    rc._runtime.store.flush()
    return ask(database, f"SELECT {columns} FROM events ORDER BY at, id")


def test_searches_and_verdicts_are_counted(rc: Recollect, ana: Space, clock: FixedClock) -> None:
    """Who searched, what was found, and what the gate said by category is told, with the changes; of others nothing."""
    ana.observe("user", "Tea at four.")
    ana.remember("Ana likes green tea.", category="preferences")
    ana.remember("Ana likes green tea.", category="preferences")
    ana.remember("Ana lives in Faro.", key="city")
    assert ana.recall("tea")
    assert ana.recall("submarine") == []
    assert ana.recall("")
    ana.context("tea")
    ana.context()
    found = told(ana)
    assert found["remember", "classify", "stored", "preferences"] == 1
    assert found["remember", "classify", "duplicate", "preferences"] == 1
    assert found["recall", "search", "ok", ""] == found["recall", "search", "empty", ""] == 1
    assert found["recall", "list", "ok", ""] == found["context", "search", "ok", ""] == 1
    assert found["observe", "created", "ok", ""] == 1
    assert told(rc.space("bob")) == Counter()
    clock.advance(days=2)
    ana.recall("tea")
    assert [(one.day, one.count) for one in ana.activity(by=["day"])][-1] == ("2026-01-07", 1)
    assert ana.activity(since=clock.moment, by="op")[0].count == 1


def test_a_repeated_request_is_no_second_verdict(ana: Space) -> None:
    """A retry under the same request is answered from the journal and not counted again."""
    first = ana.remember("Ana likes tea.", request_id="r1")
    assert ana.remember("Ana likes tea.", request_id="r1") == first
    assert told(ana)["remember", "classify", "stored", "general"] == 1


def test_best_similarity(database: str, clock: FixedClock) -> None:
    """A search notes how near its best hit was in meaning."""
    with Recollect(database, clock=clock, embedder="minilm") as rc:
        ana = rc.space("ana")
        ana.remember("Ana lives in a flat by the river.")
        (hit,) = ana.recall("Where does Ana live?")
        (line,) = [one for one in ana.activity() if one.node == "recall"]
        assert line.sim == pytest.approx(hit.why["meaning"].score, abs=1e-3)
        assert line.compared == 1


def test_no_text_is_in_them(rc: Recollect, ana: Space, database: str) -> None:
    """Neither queries nor contents nor categories of one's own nor reasons reach the table."""
    ana.remember(SECRET, category="marmalade", topic="marmalade")
    ana.recall(SECRET)
    ana.context(SECRET)
    rc.run_jobs(["judge"])
    found = rows(rc, database)
    assert len(found) == 6
    assert "marmalade" not in str(found)


def test_skips_and_failures_are_counted(database: str, clock: FixedClock) -> None:
    """A job that could not run, a model that failed and an embedder that is gone are all told."""
    with Recollect(database, clock=clock, llm=Mute()) as rc:
        ana = rc.space("ana", session="s1")
        for number in range(6):
            ana.observe("user", f"I bought {number} apples in Faro.")
        ana.end()
        rc.run_jobs(["embed"])
        found = told(ana)
    assert found["embed", "run", "skipped", ""] == 1
    assert found["ask", "extractor", "failed", ""] >= 1


def test_erasing_takes_events_along(rc: Recollect, ana: Space, database: str) -> None:
    """Events of an erased memory or session go, those still in memory are written without the name."""
    kept = ana.observe("user", "Tea at four.").id
    gone = ana.remember("Ana likes tea.").id
    assert len(rows(rc, database)) == 1
    ana.remember("Ana likes tea.")
    ana.erase(gone)
    assert rows(rc, database, "status, session, memory_id") == [("duplicate", "s1", "")]
    ana.recall("tea")
    ana.erase(session="s1")
    assert rows(rc, database, "op, session, memory_id") == [("search", "", "")]
    assert kept
    ana.recall("tea")
    rc.space("ana").erase(everything=True)
    assert rows(rc, database) == []
    assert rc.owners() == []


def test_another_process_names_nothing_erased(database: str, clock: FixedClock) -> None:
    """What another process still has in memory when something is erased does not bring its name back."""
    with Recollect(database, clock=clock) as rc, Recollect(database, clock=clock) as other:
        rc.space("ana", session="hush").observe("user", "Tea at four.")
        other.space("ana", session="hush").recall("tea")
        rc.space("ana").erase(session="hush")
        assert rows(other, database, "op, session") == [("search", "")]
        other.space("ana").recall("tea")
        rc.space("ana").erase(everything=True)
        assert rows(other, database) == []


def test_they_can_be_turned_off(database: str, clock: FixedClock) -> None:
    """Without the setting nothing is noted, and no job waits for it."""
    with Recollect(database, clock=clock, record={"events": False}) as rc:
        ana = rc.space("ana")
        ana.remember("Ana likes tea.")
        ana.recall("tea")
        assert rows(rc, database) == []
        assert "trim" not in [job.name for job in ana.jobs()]
        assert {one.node for one in ana.activity()} == {"remember"}


def test_they_are_no_part_of_an_export(rc: Recollect, ana: Space, dump: Callable[[], str]) -> None:
    """An export holds what is remembered; what was searched stays behind."""
    ana.remember("Ana likes tea.")
    ana.recall("tea")
    types = Counter(json.loads(line)["type"] for line in dump().splitlines())
    known = {"header", "owner", "memory", "entity", "name", "link", "entry", "job", "end"}
    assert types.keys() == known
    assert types["entry"] == 1


def test_memory_holds_only_so_many() -> None:
    """When nobody can write, the oldest go and are counted."""
    waiting = Waiting(most=3)
    event = Event("/ana", "recall", "search", "ok")
    for number in range(5):
        waiting.add((event, number, str(number)))
    assert waiting.dropped == 2
    with waiting.taken() as (one,):
        assert [at for _, at, _ in one[1]] == [2, 3, 4]
        assert waiting
    waiting.kept(3)
    assert waiting.dropped == 2
    assert not waiting
    waiting.add((event, 5, "5"))
    with pytest.raises(Unavailable), waiting.taken():
        raise Unavailable("the database is gone")
    assert waiting.dropped == 3
    assert not waiting


def test_everybody_is_counted_owner_by_owner(rc: Recollect, clock: FixedClock) -> None:
    """The operator sees the sums of all owners, or each apart."""
    for user, many in (("ana", 1), ("bob", 2)):
        space = rc.space(user)
        space.remember(f"The dog of {user} barks.")
        for _ in range(many):
            space.recall("dog")
    assert [one.count for one in rc.activity(by=("node", "op")) if one.op == "search"] == [3]
    assert [(one.owner, one.count) for one in rc.activity(by=("op", "owner")) if one.op == "search"] == [
        ("/ana", 1),
        ("/bob", 2),
    ]
    with pytest.raises(InvalidInput, match="by"):
        rc.activity(by="weekday")
    with pytest.raises(InvalidInput, match="day by day"):
        rc.activity(since=clock.moment - timedelta(days=500))
    assert rc.activity(since=clock.moment - timedelta(days=500), by="op")


def test_stats_on_the_command_line(tmp_path: object) -> None:
    """The table has bars, JSON has the lines, and what makes no sense is refused in one line."""
    url = f"sqlite:///{tmp_path}/memory.db"
    with Recollect(url) as rc:
        ana = rc.space("ana")
        ana.remember("Ana likes tea.")
        ana.recall("tea")
    run = CliRunner().invoke
    shown = run(APP, ["stats", "--db", url, "--user", "ana"])
    assert shown.exit_code == 0
    assert "recall" in shown.output
    assert "█" in shown.output
    lines = json.loads(run(APP, ["stats", "--db", url, "--all", "--by", "op", "--json"]).output)["lines"]
    assert {one["op"]: one["count"] for one in lines} == {"classify": 1, "created": 1, "search": 1}
    assert "owner" in run(APP, ["stats", "--db", url, "--all", "--by", "owner"]).output
    assert run(APP, ["stats", "--db", url, "--all", "--user", "ana"]).exit_code == 2
    assert "nothing happened" in run(APP, ["stats", "--db", url, "--user", "bob"]).output
