"""Lives of any kind, then one run of any job, and undo: everything is as it was before the run."""

from __future__ import annotations

import argparse
import io
import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from rich.progress import Progress

from bench.drills.crew import Result
from recollect import NotFound, Recollect, RecollectError, Report
from recollect.flows.gate.pending import PENDING
from recollect.model.change import Connect, Write
from recollect.testing import FixedClock

JOBS = ("age", "forget", "ttl", "expire", "relate", "consolidate", "learn", "enrich", "purge", "trim")
"""The jobs that ask nobody."""
FINAL = ("purge", "trim")
MOST_VERBS = 24
NAMES = ("Robert Smith", "Bob", "@bob", "Ana Silva", "Lisbon", "Paris", "Acme", "#atlas", "Mimi", "Maria Gomez")
SAID = (
    "I live in {}.", "I moved to {}.", "I work at {} with {}.", "Please remember that {} has my key.", "I prefer {}.",
    "{} is also known as {}.", "My dog is called {}.", "We met {} in {}.", "Call me {}, please.", "See you.",
)  # fmt: skip
TOLD = ("{} gave the {} lamp to {}.", "Ana lives in {}.", "{}, nicknamed {}, likes tea.", "The user met {}.")
SETTINGS: dict[str, Any] = {
    "embedder": "none",
    "entities": {"accurate": ("regex", "spacy")},
    "record": {"journal_days": 30, "events_days": 7},
}
_VOLATILE = ("version", "updated_at", "seen_rev")


class Person:
    """One owner who does this and that."""

    def __init__(self, rc: Recollect, clock: FixedClock, seed: int) -> None:
        self.rc, self.clock, self.chance = rc, clock, Random(seed)
        self.space = rc.space(f"person{seed}", "helper", "s0")
        self._known: list[str] = []

    def live(self, verbs: int) -> None:
        """Do so many things; a refusal is an answer too."""
        todo: tuple[tuple[int, Callable[[], object]], ...] = (
            (6, self._observe), (6, self._remember), (3, self._change), (2, self._propose), (1, self._answer),
            (2, self._link), (1, self._unite), (2, self._job), (1, self._erase), (4, self._wait),
        )  # fmt: skip
        for verb in self.chance.choices([one for _, one in todo], [weight for weight, _ in todo], k=verbs):
            self.clock.advance(seconds=7)
            try:
                done = verb()
            except RecollectError:
                continue
            self._known += [done.id] if getattr(done, "id", "") else []  # type: ignore[attr-defined]

    def stir(self) -> None:
        """Leave something to do for most jobs."""
        for verb in (self._remember, self._remember, self._link, self._observe, self._link, self._change, self._link):
            with suppress(RecollectError):
                verb()
        self.clock.advance(minutes=5)

    def run(self, job: str, *, dry: bool = False) -> list[Report]:
        """Run a job of this owner, or say what it would do."""
        return self.rc.run_jobs([job], dry=dry, owner=self.space.owner)

    def kept(self) -> list[str]:
        """Give what undo must bring back: all but versions, times of change, the journal and the queue."""
        out = io.StringIO()
        self.space.export(out)
        lines = [json.loads(line) for line in out.getvalue().splitlines()]
        lasting = [line for line in lines if line["type"] not in ("entry", "job", "end")]
        for line in lasting:
            if line.get("state") in PENDING:  # what had run out waits a day more
                line.pop("purge_at")
        return [json.dumps({k: v for k, v in line.items() if k not in _VOLATILE}) for line in lasting]

    def _text(self, forms: tuple[str, ...]) -> str:
        form = self.chance.choice(forms)
        return form.format(*self.chance.choices(NAMES, k=form.count("{}")))

    def _some(self) -> str:
        return self.chance.choice(self._known or ["fact_none"])

    def _observe(self) -> object:
        mine = self.rc.space(self.space.owner.strip("/"), "helper", f"s{self.chance.randrange(3)}")
        return mine.observe("user", self._text(SAID), actor="Ana")

    def _remember(self) -> object:
        kind = self.chance.choice(("fact", "fact", "event", "insight"))
        key = self.chance.choice(("", "", "", "", "", "timezone"))
        return self.space.remember(
            self._text(TOLD), kind=kind, key=key, importance=self.chance.randint(2, 9), confidence=0.8
        )

    def _change(self) -> object:
        one, mine = self._some(), self.space
        verbs: tuple[Callable[[], object], ...] = (
            lambda: mine.correct(one, self._text(TOLD)),
            lambda: mine.confirm(one),
            lambda: mine.pin(one, self.chance.random() < 0.4),
            lambda: mine.rate(one, self.chance.randint(1, 10)),
            lambda: mine.forget(one),
            lambda: mine.restore(one),
            lambda: mine.merge([one, self._some()]),
        )
        return self.chance.choice(verbs)()

    def _propose(self) -> object:
        return self.space.remember(f"The user lives in {self.chance.choice(NAMES)}.", key="city", source="session")

    def _answer(self) -> None:
        for one in self.space.inbox()[:1]:
            (self.space.inbox.accept if self.chance.random() < 0.5 else self.space.inbox.reject)(one.memory.id)

    def _link(self) -> None:
        """Link as the gate does where meaning is compared."""
        standing = [one.id for one in self.space.list(limit=20)]
        if len(standing) > 1:
            one, other = self.chance.sample(standing, 2)
            link = Connect(one, other, "related_to", round(self.chance.uniform(0.4, 1), 2))
            self.rc._runtime.store.commit(Write(owner=self.space.owner, at=self.clock(), node="test", changes=(link,)))

    def _unite(self) -> object:
        if self.chance.random() < 0.3:
            return self.space.part(self.chance.choice(NAMES))
        return self.space.unite(*self.chance.sample(NAMES, 2))

    def _job(self) -> None:
        for report in self.run(self.chance.choice(JOBS)):
            if report.run and self.chance.random() < 0.3:
                self.space.jobs.undo(report.run)

    def _erase(self) -> None:
        if self.chance.random() < 0.2:
            self.space.erase(self._some())

    def _wait(self) -> None:
        self.clock.advance(hours=self.chance.choice((1, 12, 60, 24 * 31, 24 * 61)))


def story(rc: Recollect, clock: FixedClock, seed: int) -> tuple[Counter[str], list[str]]:
    """Live; run jobs, undo each and compare; then run one more, live on, and undo that."""
    one, counts, problems = Person(rc, clock, seed), Counter[str](), list[str]()
    one.live(one.chance.randint(8, MOST_VERBS))
    one.stir()
    for job in one.chance.sample(JOBS, len(JOBS)):
        if job not in FINAL or one.chance.random() < 0.1:
            told = _undone(one, job, counts)
            problems += [f"seed {seed}: {job} {what}" for what in told]
    return counts, problems + [f"seed {seed}: {what}" for what in _between(one, counts)]


def _undone(one: Person, job: str, counts: Counter[str]) -> list[str]:
    """Rehearse a job, run it, run it again and undo it; say what was not as it should be."""
    before, shown = one.kept(), one.run(job, dry=True)
    done, problems = one.run(job), list[str]()
    if [_effect(report) for report in shown] != [_effect(report) for report in done]:
        problems.append("did something else than its dry run told")
    if any(report.status == "failed" for report in done):
        problems.append(f"failed: {[report.text for report in done]}")
    if any(report.changed for report in one.run(job)):
        problems.append("changed something when it ran again")
    runs = [report.run for report in done if report.run]
    told = [one.space.jobs.undo(run) for run in reversed(runs)]
    counts[job] += len(runs)
    if job in FINAL:
        problems += ["was undone, though it cannot be" for report in told if report.status != "skipped"]
    elif one.kept() != before:
        problems.append(f"was undone, and not all is as before: {_unlike(before, one.kept())}")
    return problems


def _between(one: Person, counts: Counter[str]) -> list[str]:
    """Run jobs, live on, and undo them: what changed since stays, and nothing breaks."""
    done = [report for job in one.chance.sample(JOBS, 3) for report in one.run(job) if report.run]
    one.live(one.chance.randint(2, 8))
    for report in reversed(done):
        try:
            told = one.space.jobs.undo(report.run)
        except NotFound:  # its lines were trimmed meanwhile
            continue
        except RecollectError as error:
            return [f"{report.job} cannot be undone: {type(error).__name__}: {error}"]
        counts["undone later"] += told.status == "ok"
        counts["left as they are"] += told.numbers.get("left", 0)
    return []


def _effect(report: Report) -> tuple[object, ...]:
    return report.job, report.status, report.changed, dict(report.numbers), report.text, report.steps


def _unlike(before: list[str], after: list[str]) -> str:
    lost, new = sorted(set(before) - set(after)), sorted(set(after) - set(before))
    return f"{len(lost)} lines lost, {len(new)} new, the first {(lost[:1] or new[:1])[0][:300]}"


def undo(given: argparse.Namespace, where: tuple[str, Any], progress: Progress) -> Result:
    """Tell as many stories as asked for, and say what was not as it was."""
    counts, problems, clock = Counter[str](), list[str](), FixedClock()
    task = progress.add_task("undoing", total=given.seeds)
    with Recollect(where[0], clock=clock, **SETTINGS) as rc:
        for seed in range(given.seed, given.seed + given.seeds):
            told, wrong = story(rc, clock, seed)
            counts += told
            problems += wrong
            progress.advance(task)
        problems += [f"the doctor found {one.check}: {one.text}" for one in rc.doctor() if not one.ok]
    return {"seeds": given.seeds, **dict(sorted(counts.items())), "problems": problems}
