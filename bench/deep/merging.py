"""Merging, measured on facts somebody else wrote: a week is told, and after every night it is seen what became one.

    python -m bench.deep.merging FILE [--later 7] [--embedder recollect-1] [--model right] [--json]

FILE has a JSON object a line, with exactly these fields:

    id     unique
    day    1 to 7, never falling from line to line
    said   what the person said that day, one message without line breaks
    fact   what a note-taker made of it, third person
    is     new, repeat (says what line `of` says), alike (looks like it, is another fact), or change (makes it untrue)
    of     the id of an earlier line; "" for new

Every message is observed and consolidated as any other; the model that reads, and judges pairs, is a script on this
machine, reached over HTTP, that knows the file. `--model credulous` says `same` of every pair it is shown: what is kept
apart then is kept apart by rules alone. The exit code is 1 when after all nights (of the week, and `--later` more)
fewer than 95 of 100 repeats were merged, another fact was touched, a merged fact does not lead to all its quotes, or
undoing a night does not restore what was remembered before it.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect import Recollect, Space
from recollect.model.kinds import STATES
from recollect.model.memory import Memory
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Saying, ScriptedLlm

FIELDS = {"id", "day", "said", "fact", "is", "of"}
SORTS = ("new", "repeat", "alike", "change")
TALK = 15
"""How many messages one conversation has."""
APART = ("proposed", "quarantined")
"""States of what is no fact yet: it waits for the user, or for evidence."""
NIGHTLY = ("merge", "judge")
ENOUGH = 0.95
_PAIR = re.compile(r"\[(\d+)\] OLD[^:]*: (.*)\n +NEW: (.*)")
_TURN = re.compile(r"^\[(\d+)\] PERSON [^:]*: (.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Line:
    """One line of the file."""

    id: str
    day: int
    said: str
    fact: str
    sort: str
    of: str


@dataclass
class Week:
    """What was written, and what follows from it."""

    lines: list[Line]
    groups: dict[str, str] = field(default_factory=dict)
    """The first line that says what a line says, by line."""
    changed: set[tuple[str, str]] = field(default_factory=set)
    """(old, new): groups of which the new one makes the old one untrue."""
    facts: dict[str, Line] = field(default_factory=dict)
    saids: dict[str, Line] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for one in self.lines:
            self.groups[one.id] = self.groups[one.of] if one.sort == "repeat" else one.id
            if one.sort == "change":
                self.changed.add((self.groups[one.of], one.id))
            self.facts[flat(one.fact)] = self.saids[flat(one.said)] = one

    @property
    def speaker(self) -> str:
        """The name of who is speaking: the one most facts begin with."""
        first = Counter(one.fact.split()[0].removesuffix("'s").removesuffix("’s") for one in self.lines)
        return first.most_common(1)[0][0]

    def line(self, text: str) -> Line | None:
        """Give the line a memory's text comes of: its fact, or words of what was said."""
        text = flat(text)
        return self.facts.get(text) or next((one for said, one in self.saids.items() if text and text in said), None)

    def verdict(self, older: str, newer: str) -> str:
        """Say how two texts stand to each other, as the file has it."""
        old, new = self.line(older), self.line(newer)
        if old is None or new is None:
            return "both_true"
        first, second = self.groups[old.id], self.groups[new.id]
        if first == second:
            return "same"
        return "newer_replaces" if (first, second) in self.changed else "both_true"


def flat(text: str) -> str:
    """Give a text on one line."""
    return " ".join(text.split())


def read(path: Path) -> list[Line]:
    """Read the file, or say which line cannot be used."""
    found: list[Line] = []
    seen: set[str] = set()
    for number, text in enumerate(path.read_text("utf-8").splitlines(), 1):
        if not text.strip():
            continue
        one = json.loads(text)
        wrong = set(one) != FIELDS or one["is"] not in SORTS or one["id"] in seen or not 1 <= one["day"] <= 7
        wrong = wrong or (one["is"] == "new") != (one["of"] == "") or bool(one["of"] and one["of"] not in seen)
        if wrong or (found and one["day"] < found[-1].day):
            raise SystemExit(f"line {number} of {path} cannot be used: see --help")
        seen.add(one["id"])
        found.append(Line(one["id"], one["day"], flat(one["said"]), flat(one["fact"]), one["is"], one["of"]))
    if not found:
        raise SystemExit(f"{path} holds no line")
    return found


class Model:
    """The script: reads the facts out of messages, and judges pairs rightly, or calls all of them the same."""

    def __init__(self, week: Week, credulous: bool) -> None:
        self.week, self.credulous, self.judged = week, credulous, Counter[str]()

    def __call__(self, asked: Asked) -> Saying:
        """Answer one question."""
        if "compare memories" in asked.system:
            return {"verdicts": [self._ruled(int(n), old, new) for n, old, new in _PAIR.findall(asked.user)]}
        if "long-term memory" in asked.system:
            turns = [(int(number), self.week.saids.get(flat(text))) for number, text in _TURN.findall(asked.user)]
            facts = [{"content": one.fact, "quote": one.said, "turn": at, "importance": 5} for at, one in turns if one]
            return {"facts": facts, "summary": "A day of a week."}
        return {}

    def _ruled(self, number: int, old: str, new: str) -> dict[str, Any]:
        verdict = "same" if self.credulous else self.week.verdict(old, new)
        self.judged[verdict] += 1
        return {"pair": number, "verdict": verdict}


def exported(rc: Recollect) -> list[str]:
    """Give what is remembered, without versions, times of change and the record."""
    out = io.StringIO()
    rc.export(out)
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    kept = [one for one in lines if one["type"] in ("memory", "link", "entity")]
    return sorted(
        json.dumps({name: value for name, value in one.items() if name not in ("version", "updated_at")})
        for one in kept
    )


def day(rc: Recollect, clock: FixedClock, week: Week, number: int) -> None:
    """Let a day be told, in conversations that are worked through as they end."""
    clock.moment = datetime(2026, 5, 3 + number, 18, tzinfo=UTC)
    lines = [one for one in week.lines if one.day == number]
    for at in range(0, len(lines), TALK):
        talk = rc.space("writer", session=f"day{number}-{at}")
        for one in lines[at : at + TALK]:
            talk.observe("user", one.said, actor=week.speaker)
            clock.advance(seconds=40)
            talk.observe("assistant", "I see.")
            clock.advance(seconds=20)
        talk.end()
    rc.run_jobs(["embed"])


def night(rc: Recollect, clock: FixedClock, folder: Path) -> dict[str, Any]:
    """Let a night pass: what is due, then merging and judging; then undo it in a copy and compare."""
    clock.advance(hours=9)
    rc.run_jobs(sorted({job.name for job in rc.jobs() if job.due_at <= clock()} - {*NIGHTLY}))
    before = exported(rc)
    reports = list(rc.run_jobs(["merge"]))
    while True:
        judged = rc.run_jobs(["judge"])
        reports += judged
        if not any(one.numbers for one in judged):
            break
        rc.run_jobs(["embed"])
    copy = folder / "copy.db"
    rc.backup(copy)
    with Recollect(copy, clock=clock, embedder="none") as other:
        mine = other.space("writer")
        for one in reversed([one for one in reports if one.run]):
            mine.jobs.undo(one.run)
        restored = exported(other) == before
    for file in folder.glob("copy.db*"):
        file.unlink()
    pairs = sum(one.numbers.get("pairs", 0) for one in reports if one.job == "merge")
    return {"pairs": pairs, "restored": restored, "same": sum(one.numbers.get("same", 0) for one in reports)}


def outcome(week: Week, mine: Space) -> dict[str, Any]:
    """Say what became of every line: what stands, what was merged, and what was touched that should not have been."""
    facts = [one for at in range(0, 10_000, 1000) for one in _page(mine, at)]
    kept = [one for one in facts if one.state not in APART and not one.attributes.get("note")]
    claims = {one.id: week.facts[flat(one.content)] for one in kept if flat(one.content) in week.facts}
    active = [one.id for one in facts if one.state == "active" and one.id in claims]
    standing = Counter(week.groups[claims[id].id] for id in active)
    heard = {week.groups[line.id] for line in claims.values()}
    waiting = {
        week.facts[flat(one.content)].id for one in facts if one.state in APART and flat(one.content) in week.facts
    }
    # A line whose words were never kept, because somebody had said so before, counts as merged with that.
    kept_of = Counter(week.groups[one.id] for one in week.lines if one.id not in waiting)
    repeats = sum(max(0, kept_of[group] - 1) for group in heard)
    apart = sum(max(0, many - 1) for many in standing.values())
    wrong = sorted({bad for id in claims for bad in _touched(week, mine, id, claims)})
    old = {first for first, _ in week.changed}
    return {
        "lines": len(week.lines),
        "facts": len(set(week.groups.values())),
        "facts kept": len(heard),
        "repeats": repeats,
        "merged": repeats - apart,
        "share": round((repeats - apart) / repeats, 4) if repeats else 1.0,
        "touched": wrong,
        "gone": sorted(group for group in heard - old if not standing[group]),
        "changes": len(week.changed),
        "replaced": sum(not standing[first] for first, _ in week.changed),
        "lines kept apart for want of evidence or consent": len(waiting),
        "lost quotes": _lost(week, mine, active, claims),
    }


def _page(mine: Space, at: int) -> list[Memory]:
    return mine.list(kinds=["fact"], states=list(STATES), order="oldest", limit=1000, offset=at)


def _touched(week: Week, mine: Space, id: str, claims: dict[str, Line]) -> Iterable[str]:
    """Name pairs of which one gave way to the other and should not have."""
    for link in mine.links(id):
        if link.type not in ("merged_into", "supersedes") or not {link.from_id, link.to_id} <= claims.keys():
            continue
        gone, stays = (link.from_id, link.to_id) if link.type == "merged_into" else (link.to_id, link.from_id)
        first, second = week.groups[claims[gone].id], week.groups[claims[stays].id]
        if first != second and (first, second) not in week.changed:
            yield f"{claims[gone].id} gave way to {claims[stays].id}"


def _lost(week: Week, mine: Space, active: list[str], claims: dict[str, Line]) -> list[str]:
    """Name the lines whose fact stands, in whatever words, without leading to what was said."""
    heard: dict[str, set[str]] = {}
    for id in active:
        ends = [link.to_id for link in mine.links(id) if link.type == "derived_from" and link.from_id == id]
        said = {flat(mine.get(end).content) for end in ends}
        heard.setdefault(week.groups[claims[id].id], set()).update(said)
    kept = {line.id for id, line in claims.items() if mine.get(id).state in ("active", "merged")}
    return [
        one.id
        for one in week.lines
        if one.id in kept and week.groups[one.id] in heard and one.said not in heard[week.groups[one.id]]
    ]


def drill(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Tell the week, let the nights pass, and say how it stands."""
    week, clock = Week(read(Path(given.file))), FixedClock()
    model = Model(week, given.model == "credulous")
    with ScriptedLlm(model) as server:
        models = {"base_url": server.url, "timeout_seconds": 60, "retries": 0}
        settings: dict[str, Any] = {"models": models}
        with Recollect(
            folder / "week.db", clock=clock, llm="openai:scripted", embedder=given.embedder, **settings
        ) as rc:
            nights = []
            for number in range(1, 8):
                day(rc, clock, week, number)
                nights.append(night(rc, clock, folder))
            at_end = outcome(week, rc.space("writer"))
            for _ in range(given.later):
                clock.advance(hours=15)
                nights.append(night(rc, clock, folder))
            found = outcome(week, rc.space("writer"))
    cost = {"calls": len(server.requests), "pairs judged": sum(model.judged.values())}
    return {
        **found,
        "merged after the week": at_end["merged"],
        "nights": nights,
        **cost,
        "problems": problems(found, nights),
    }


def problems(found: dict[str, Any], nights: list[dict[str, Any]]) -> list[str]:
    """Name the promises that were broken."""
    broken = []
    if found["share"] < ENOUGH:
        broken.append(f"{found['merged']} of {found['repeats']} repeats were merged")
    broken += [f"touched: {one}" for one in found["touched"]]
    broken += [f"{one} is gone" for one in found["gone"]]
    broken += [f"{one} does not lead to what was said" for one in found["lost quotes"]]
    return broken + [f"undoing night {at} does not restore" for at, one in enumerate(nights, 1) if not one["restored"]]


def main() -> int:
    """Run the drill and say how it went."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m bench.deep.merging", description=__doc__, formatter_class=form)
    parser.add_argument("file")
    parser.add_argument("--later", type=int, default=7, help="how many nights pass after the week")
    parser.add_argument("--embedder", default="recollect-1")
    parser.add_argument("--model", choices=["right", "credulous"], default="right")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-merging-") as folder:
        told = drill(given, Path(folder))
    if given.json:
        print(json.dumps(told))
    else:
        for name, value in told.items():
            print(f"{name}: {value}")
    return 1 if told["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
