"""Simulated lives: some owners talk, save, read and change their minds for days on a clock of their own, jobs run as
they fall due, and at every day's end what must hold is checked for every memory.

The same seed gives the same lives on every engine, ids included, so that their exports can be compared.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

from recollect import Recollect, RecollectError, Space
from recollect.flows.find.recall import Wish, find
from recollect.flows.life.crossings import life_of
from recollect.jobs.registry import tasks
from recollect.model.clock import EPOCH
from recollect.model.filter import Filter
from recollect.model.hit import Entry
from recollect.model.kinds import DEFAULT_KINDS, KINDS, STATES
from recollect.model.memory import Memory
from recollect.model.receipt import Receipt, Report
from recollect.rules.life.lifecycle import MS
from recollect.rules.life.schedule import next_time
from recollect.testing.clock import START, FixedClock
from recollect.testing.judge import PlainJudge

HOUR = timedelta(hours=1)
JOBS = ("expire", "age", "forget", "ttl", "purge")
"""The jobs that move memories on."""
WAKING = range(8, 18)
"""The hours in which people do something; jobs run in the others, and in the first of them."""
WORDS = (
    "copper kettle harbour lantern pepper violin meadow ladder saffron bicycle marble orchard pigeon ribbon cellar "
    "thunder walnut anchor blanket candle dragon engine feather garden hammer island jacket kitchen lemon mirror"
).split()
SYLLABLES = ("ba", "do", "fe", "gu", "ki", "lo", "ma", "ne", "pu", "ri", "so", "ta", "ve", "wo", "zi")
VERBS = ("gave", "sold", "lent", "showed", "sent", "brought", "carried", "returned")
TOPICS = ("", "home", "work/plans", "work/people", "health")
PLACES = ("Porto", "Faro", "Braga", "Evora", "Lagos")


class Lives:
    """Ten people, or as many as wanted, and the days they have lived so far."""

    def __init__(self, url: str, owners: int = 10, seed: int = 6, **settings: Any) -> None:
        self.clock = FixedClock(START.replace(hour=0))
        passing = {"preset": "fading+expiring"}  # else there were little to check
        self.rc = Recollect(url, clock=self.clock, embedder="none", retention=passing, **settings)
        self.rc._runtime.own_judge = PlainJudge()
        self.runtime = self.rc._runtime
        self.runtime.random = Random(seed).getrandbits
        self.life = life_of(self.runtime)
        self.days = 0
        self.counts: Counter[str] = Counter()
        """How often what happened."""
        self._chance = Random(seed + 1)
        self._people = [f"person{n}" for n in range(owners)]
        self._known: dict[str, list[str]] = {name: [] for name in self._people}
        self._owner = {name: self.rc.space(name).owner for name in self._people}
        self._revs = dict.fromkeys(self._owner.values(), 0)
        self._rows: dict[tuple[str, str], Memory] = {}
        self._purged: set[tuple[str, str]] = set()

    def day(self) -> None:
        """Live through one day, hour by hour, and check at its end what must hold."""
        morning = self.clock.moment
        for hour in range(24):
            self.clock.moment = morning + hour * HOUR
            if hour in WAKING:
                for name in self._people:
                    if self._chance.random() < 0.1:
                        self.clock.advance(seconds=7)
                        self._act(name)
                if self.days % 20 == 4 and hour < WAKING[3]:
                    self._pour(self._people[0])
            if hour == 5 and self.days % 8 == 7:
                self._by_name()
            if hour not in WAKING[1:]:
                self._as_due()
        self._by_hand(self._owner[self._people[self.days % len(self._people)]])
        self._check()
        self.days += 1
        self.clock.moment = morning + 24 * HOUR

    def export(self) -> str:
        """Give everything as text, the same for the same lives."""
        out = io.StringIO()
        self.rc.export(out)
        return out.getvalue()

    def close(self) -> None:
        """Let the database go."""
        self.rc.close()

    # What people do

    def _act(self, name: str) -> None:
        verbs: tuple[tuple[int, Callable[[str], object]], ...] = (
            (5, self._talk), (6, self._save), (6, self._read), (4, self._change), (2, self._restore),
            (2, self._propose), (1, self._answer),
        )  # fmt: skip
        chosen = self._chance.choices([verb for _, verb in verbs], [weight for weight, _ in verbs])[0]
        self.counts[chosen.__name__.strip("_")] += 1
        try:
            chosen(name)
        except RecollectError:  # a refusal is an answer too
            self.counts["refused"] += 1

    def _space(self, name: str) -> Space:
        return self.rc.space(name, agent="helper", session=f"day{self.days}")

    def _sentence(self) -> str:
        """Say something new: a thing everybody has, and a name nobody else has."""
        name = "".join(self._chance.choices(SYLLABLES, k=4)).capitalize()
        return f"{name} {self._chance.choice(VERBS)} the {self._chance.choice(WORDS)} to {name[::-1].lower()}."

    def _keep(self, name: str, *receipts: Receipt) -> None:
        self._known[name] += [one.id for one in receipts if one.id and one.id not in self._known[name]]

    def _some(self, name: str) -> str:
        """Give an id this person knows, the newer the likelier."""
        known = self._known[name] or ["fact_none"]
        return known[min(len(known) - 1, int(len(known) * self._chance.random() ** 0.4))]

    def _talk(self, name: str) -> None:
        mine = self._space(name)
        mine.observe("user", f"I bought a {self._chance.choice(WORDS)} in {self._chance.choice(PLACES)}.")
        mine.observe("assistant", "Good to know.")
        if self._chance.random() < 0.3:
            mine.end()

    def _save(self, name: str) -> None:
        self._keep(name, self._space(name).remember(self._sentence(), **self._about()))

    def _about(self) -> dict[str, Any]:
        chance = self._chance
        return {
            "kind": chance.choices(("fact", "event", "lesson", "insight", "passage"), (10, 4, 1, 2, 1))[0],
            "topic": chance.choice(TOPICS),
            "importance": chance.choices(range(1, 11), (2, 3, 5, 5, 5, 3, 3, 1, 1, 1))[0],
            "confidence": chance.choice((1.0, 1.0, 0.8, 0.5)),
            "pinned": chance.random() < 0.05,
            "source": chance.choices(("user", "directive"), (20, 1))[0],
        }

    def _pour(self, name: str) -> None:
        """Save many at once: three times, and the short tier holds more than it may."""
        self.counts["pour"] += 1
        items = [{"content": self._sentence(), "importance": self._chance.randint(2, 7)} for _ in range(40)]
        self._keep(name, *self._space(name).remember_many(items))

    def _read(self, name: str) -> None:
        hits = self._space(name).recall(self._chance.choice(WORDS), limit=5)
        assert all(hit.memory.state == "active" for hit in hits)
        self.runtime.store.flush()  # not when the machine's clock says so, which has no place in these lives
        self._space(name).context(self._chance.choice(WORDS), budget_tokens=300)
        self.runtime.store.flush()

    def _change(self, name: str) -> None:
        mine, one = self._space(name), self._some(name)
        verbs: tuple[Callable[[], Receipt], ...] = (
            lambda: mine.correct(one, self._sentence()),
            lambda: mine.confirm(one),
            lambda: mine.pin(one, self._chance.random() < 0.4),
            lambda: mine.rate(one, self._chance.randint(1, 10)),
            lambda: mine.forget(one),
        )
        self._keep(name, self._chance.choices(verbs, (3, 1, 3, 3, 3))[0]())

    def _restore(self, name: str) -> None:
        gone = [id for (owner, id), row in self._rows.items() if owner == self._owner[name] and row.state == "deleted"]
        if gone:
            self._space(name).restore(self._chance.choice(sorted(gone)))

    def _propose(self, name: str) -> None:
        content = f"The user lives in {self._chance.choice(PLACES)}."
        self._keep(name, self._space(name).remember(content, key="city", source="session"))

    def _answer(self, name: str) -> None:
        mine = self._space(name)
        for one in mine.inbox()[:1]:
            self._keep(name, (mine.inbox.accept if self._chance.random() < 0.5 else mine.inbox.reject)(one.memory.id))

    # What jobs do

    def _as_due(self) -> None:
        while reports := self.rc.run_jobs():
            self._done(reports)

    def _by_name(self) -> None:
        """Run each job that moves memories by name: as its dry run said, and a second time without effect."""
        for name in JOBS:
            told = self.rc.run_jobs([name], now=self.clock(), dry=True)
            done = self.rc.run_jobs([name], now=self.clock())
            assert [_effect(one) for one in told] == [_effect(one) for one in done]
            self._done(done)
            while any(one.again == self.clock() for one in done):  # one run moves only so many
                done = self.rc.run_jobs([name], now=self.clock())
                self._done(done)
            assert not any(one.changed for one in self.rc.run_jobs([name], now=self.clock()))

    def _by_hand(self, owner: str) -> None:
        """Run every job for one owner, another every evening, and a second time at the same moment without effect."""
        with self.runtime.store.view() as view:
            if not view.counters(owner).rev:  # he has not said a word yet
                return
        for name in tasks():
            while any(one.again == self.clock() for one in self._hand(name, owner)):
                pass
            assert not any(one.changed for one in self._hand(name, owner)), f"{name} changed something twice"

    def _hand(self, name: str, owner: str) -> list[Report]:
        reports = self.rc.run_jobs([name], now=self.clock(), owner=owner)
        self._done(reports)
        return reports

    def _done(self, reports: list[Report]) -> None:
        """Hold what jobs did against what they may."""
        for report in reports:
            assert report.status in ("ok", "skipped"), report
            self.counts[f"{report.job} runs"] += 1
            self.counts[f"{report.job} changed"] += report.changed
        for owner in sorted({report.owner for report in reports if report.changed and report.job in JOBS}):
            with self.runtime.store.view() as view:
                lines = view.journal(owner, since=self._revs[owner], limit=100_000)
                self._revs[owner] = view.counters(owner).rev
                mine = [line for line in lines if line.actor in JOBS and line.op != "ran"]
                rows = {row.id: row for row in view.get(owner, [line.memory_id for line in mine])}
            for line in mine:
                self._allowed(owner, line, rows.get(line.memory_id))

    def _allowed(self, owner: str, line: Entry, row: Memory | None) -> None:
        """No protected memory is moved, and nothing goes before its date."""
        if line.op == "purged":
            before = self._rows[owner, line.memory_id]
            assert before.purge_at is not None
            assert before.purge_at <= line.at, f"{line.memory_id} was purged early"
            self._purged.add((owner, line.memory_id))
        elif line.actor != "expire":
            assert row is not None
            assert not self.life.kept(row), f"{line.memory_id} is protected"

    # What must hold

    def _check(self) -> None:
        seen: dict[tuple[str, str], Memory] = {}
        for owner in self._revs:
            with self.runtime.store.view() as view:
                everything = Filter(owner=owner, now=EPOCH, states=STATES, kinds=tuple(KINDS))
                rows = list(view.lives(everything))
                self._revs[owner] = view.counters(owner).rev
            for row in rows:
                self._in_time(row)
            short = [row for row in rows if row.state == "active" and row.tier == "short" and not self.life.kept(row)]
            assert len(short) <= self.life.lifecycle.short_most, f"{owner} has {len(short)} in the short tier"
            self.counts["fullest"] = max(self.counts["fullest"], len(short))
            seen |= {(owner, row.id): row for row in rows}
        lost = self._rows.keys() - seen.keys() - self._purged
        assert not lost, f"gone without being purged: {sorted(lost)}"
        self._rows = seen
        self._unseen(self._people[self.days % len(self._people)])

    def _in_time(self, row: Memory) -> None:
        """Nothing stays beyond the next time of the job that should have taken it; jobs run within the hour here."""
        lines = {
            "forget": self.life.forgotten_at(row) if row.state == "active" else None,
            "ttl": self.life.expires_at(row) if row.state == "active" else None,
            "purge": row.purge_at if row.state == "deleted" else None,
        }
        for job, line in lines.items():
            if line is not None and line < self.clock():
                time = next_time(row.owner, job, line - MS, self.runtime.settings.jobs)
                assert time is not None
                assert time + HOUR > self.clock(), f"{job} is late for {row.id}"

    def _unseen(self, name: str) -> None:
        """What was put out of sight is found by no query."""
        where = Filter(owner=self._owner[name], now=self.clock(), kinds=DEFAULT_KINDS)
        found = find(self.runtime, " ".join(WORDS), where, Wish(limit=1000))
        assert {hit.memory.state for hit in found} <= {"active"}
        self.counts["found"] += len(found)


def _effect(report: Report) -> tuple[object, ...]:
    return report.owner, report.job, report.status, report.changed, dict(report.numbers), report.steps, report.text
