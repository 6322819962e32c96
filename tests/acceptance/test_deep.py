"""A week with its nights on every engine: what is merged, portrayed, reflected, inferred, archived, undone and erased.

Rows 000.6, 000.73, 000.76, 000.82, 001.8, 001.9, 001.18, 001.20, 001.42, 003.13, 003.15, 003.18 and 003.60 in one walk;
each has tests of its own.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Saying, ScriptedLlm
from tests.learn.test_merging import AGAIN, BREAD, judging, uncompared
from tests.patience import PATIENCE

SUNDAY = datetime(2026, 1, 11, 5, 0, tzinfo=UTC)
BOATS = tuple(
    f"Jonas Weber {what}." for what in ("repairs boats", "lives in Lagos", "plays chess", "has a dog", "sings")
)
LONG = "The letter of the Zorblaxing company of harbour {number:02} told much that nobody reads, " + "and so on " * 20
SENTENCES = ("Ana spent the week at the harbour.", "She baked bread with her sister.", "The boats seem to matter most.")
JOBS = ("merge", "judge", "portray", "reflect", "infer")


def wise(asked: Asked) -> Saying:
    """Answer whatever the nights ask."""
    if "You describe people" in asked.system:
        shown = re.findall(r"^E(\d+) (.+) \(\w+\)$", asked.user, re.MULTILINE)
        return {"portraits": [{"entity": int(at), "text": f"{name} repairs boats."} for at, name in shown]}
    if "insights" in asked.system:
        return {"insights": [{"summary": "Ana seems to trust the helper.", "sources": [1], "confidence": 0.6}]}
    if "look back on a week" in asked.system:
        return {"sentences": [{"text": text, "sources": [at]} for at, text in enumerate(SENTENCES, 1)]}
    return judging(asked)


@pytest.fixture
def rc(database: str, clock: FixedClock, tmp_path: Path) -> Iterator[Recollect]:
    """Give a memory with a model and an archive."""
    with ScriptedLlm(wise) as model:
        chosen = {"base_url": model.url, "timeout_seconds": PATIENCE, "retries": 0}
        settings: dict[str, Any] = {"llm": "openai:small", "models": chosen, "embedder": "none"}
        archive = {"url": str(tmp_path / "archive"), "beyond": 2, "batch": 3}
        with Recollect(database, clock=clock, archive=archive, **settings) as opened:
            yield opened


def lived(rc: Recollect, clock: FixedClock) -> Space:
    """Let a week pass until its Sunday."""
    clock.moment = datetime(2026, 1, 6, 9, tzinfo=UTC)
    ana = rc.space("ana", "helper", "s1")
    told = [(BREAD, "baking"), *((text, "the harbour") for text in BOATS), (AGAIN, "bakng"), ("Ana swims.", "harbour")]
    for text, topic in told:
        assert ana.remember(text, topic=topic, importance=7).ok
        ana.observe("user", "Thank you, that was kind.", actor="Ana")
        clock.advance(hours=9)
    uncompared(rc, ana)
    clock.moment = SUNDAY
    return ana


def written(rc: Recollect) -> str:
    """Give everything as text."""
    out = io.StringIO()
    rc.export(out)
    return out.getvalue()


def test_a_week_and_its_nights(rc: Recollect, clock: FixedClock) -> None:
    """What is due runs by itself, each once; each can be undone, and a model was asked within its budget."""
    ana = lived(rc, clock)
    due = {one.name for one in ana.jobs() if one.due_at <= clock()}
    assert {"merge", "portray", "reflect", "infer"} <= due
    reports = {one.job: one for one in [*rc.run_jobs(["merge"]), *rc.run_jobs(JOBS[1:])]}
    assert {name: reports[name].status for name in JOBS} == dict.fromkeys(JOBS, "ok")
    standing = [one for one in ana.list(kinds=["fact"]) if "bread" in one.content]
    assert len(standing) == 1
    assert standing[0].created_at == datetime(2026, 1, 6, 9, tzinfo=UTC)
    assert [one.memory.content for one in ana.inbox()] == ["bakng → baking", "harbour → the harbour"]
    person = ana.entity("Jonas Weber")
    assert person is not None
    assert (person.entity.summary, person.entity.protected) == ("Jonas Weber repairs boats.", True)
    assert [one.name for one in ana.entities(about="boats")] == ["Jonas Weber"]
    assert SENTENCES[2] in str(ana.context("What about the boats?"))
    assert [one.category for one in ana.list(kinds=["insight"])] == ["relationship_dynamic"]
    spent = {line.job: line.usage.calls for line in ana.cost()}
    assert spent == dict.fromkeys(("judge", "portray", "reflect", "infer"), 1)
    again = rc.run_jobs(["merge", "portray", "reflect", "infer"])
    assert sum(one.changed for one in again) == 0
    ana.jobs.undo(reports["judge"].run)
    assert len([one for one in ana.list(kinds=["fact"]) if "bread" in one.content]) == 2
    for name in ("infer", "reflect", "portray"):
        ana.jobs.undo(reports[name].run)
    assert ana.list(kinds=["insight", "reflection", "portrait"]) == []
    assert all(one.ok for one in rc.doctor())


def test_old_life_goes_to_the_archive_and_comes_back(rc: Recollect, clock: FixedClock, tmp_path: Path) -> None:
    """What matters least leaves in files, is found and brought back whole, and what is erased is in none of them."""
    ana = rc.space("ana")
    for number in range(8):
        assert ana.remember(LONG.format(number=number), importance=3, topic="letters").ok
    clock.advance(days=3)
    rc.run_jobs(["age"])
    before = {one.id: one.content for one in ana.list(limit=100)}
    while rc.run_jobs(["archive"])[0].changed:
        pass
    assert ana.stats().tiers == {"archive": 6, "long": 2}
    hit = next(one for one in ana.recall("Zorblaxing harbour", limit=8) if one.memory.tier == "archive")
    assert hit.memory.archive
    assert all(not one.problem for one in ana.archive.verify())
    ana.archive.restore(everything=True)
    assert {one.id: one.content for one in ana.list(limit=100)} == before
    assert ana.stats().tiers == {"long": 2, "short": 6}
    clock.advance(days=3)
    rc.run_jobs(["age"])
    rc.run_jobs(["archive"])
    assert ana.erase(entity="Zorblaxing").archive == "scrubbed"
    assert "Zorblaxing" not in written(rc)
    left = [file.read_bytes() for file in (tmp_path / "archive").rglob("*") if file.is_file()]
    assert not any(b"Zorblaxing" in data for data in left)
