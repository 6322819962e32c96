"""How much time a call takes, with few owners and with many, with few memories and with very many.

CPU is that of all threads of this process, not of a database server: there the wall time is what counts.
Embedding is measured apart: every query comes with its vector ready. Each database is filled in one process
and measured in another, so that the memory the second one takes is its own.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent import futures
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, process_time
from typing import Any, TypeVar

from recollect.config import Settings
from recollect.errors import ConfigError
from recollect.front.space import Space
from recollect.jobs.registry import tasks
from recollect.jobs.run import run as run_job
from recollect.model.change import Enqueue, Write
from recollect.model.owner import Scope, owner_key
from recollect.model.values import dataclass
from recollect.providers.embedders import open_embedder
from recollect.rules.find.fusion import FusionPolicy
from recollect.runtime import Runtime
from recollect.serve.bench import engines
from recollect.serve.bench.corpus import Corpus
from recollect.serve.bench.engines import opened
from recollect.serve.bench.exactness import share_found
from recollect.serve.bench.loader import STEP, Batch, batches, load
from recollect.serve.bench.progress import bar
from recollect.serve.bench.synthetic import Synthetic
from recollect.store.cache.blocks import block_of

if sys.platform != "win32":
    import resource

CALLS = 300
FACTS = 30
TEMPLATES = 5
"""So many owners differ; the others hold the same under other names."""
MOST_TOUCHED = 1000
LARGE = 20_000
"""From how many memories an owner on the nearest vectors are held against all of them."""
FIRST, HYBRID, WORDS = "first recall of an owner", "recall", "recall by words"
LEXICAL = f"{WORDS}, BM25 alone"
OPENING, OBSERVE = "first message of a session", "observe"

Call = Callable[[], object]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Line:
    """How long calls of one sort took: milliseconds, the median and the 95th percentile."""

    calls: int
    cpu: float
    cpu_p95: float
    wall: float
    wall_p95: float


@dataclass(frozen=True, slots=True)
class Run:
    """One database of one size, and what was measured on it."""

    engine: str
    version: str
    owners: int
    memories: int
    lines: dict[str, Line]
    figures: dict[str, float]


def run(engine: str, owners: int, memories: int, looks: int = 1, asked: int = MOST_TOUCHED) -> Run:
    """Fill one database and measure it with calls for so many owners at most.

    Of several looks the cheapest counts, for a busy machine only adds.
    """
    with tempfile.TemporaryDirectory(prefix="recollect-speed-") as named, engines.database(engine, Path(named)) as url:
        figures = {"loaded per second": apart(fill, url, owners, memories)}
        seen = [apart(measured, url, min(owners, asked)) for _ in range(looks)]
        (lines, found, version), *_ = seen
        lines = {name: min((one[0][name] for one in seen), key=lambda line: line.cpu) for name in lines}
        figures["bytes per memory"] = round(found.pop("bytes") / (owners * memories))
        figures |= found
        if memories >= LARGE:
            figures["recall@10 of exact"] = apart(exactness, url)
    return Run(version.partition(" ")[0], version, owners, memories, lines, figures)


def apart(work: Callable[..., T], *given: Any) -> T:
    """Do something in a process of its own, begun anew."""
    with futures.ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *given).result()


def space(runtime: Runtime, number: int, session: str = "now") -> Space:
    """Speak for one of the owners."""
    return Space(runtime, Scope(owner_key(f"user{number}"), "", session))


def source(number: int) -> tuple[list[dict[str, Any]], Corpus]:
    """Give an owner's facts, and where its messages come from; the same owner's are the same every time."""
    corpus = Corpus(1000 + number % TEMPLATES)
    # Without capitals, so that nobody is named who would be counted again by the messages.
    facts = [{"content": corpus.message().lower(), "importance": 3 + at % 7} for at in range(FACTS)]
    return facts, corpus


def fill(url: str, owners: int, memories: int) -> float:
    """Give every owner messages through the loader, and who will be asked facts through the verb; memories a second."""
    embedder = Synthetic()
    kept: dict[tuple[int, int], tuple[list[dict[str, Any]], Iterable[Batch]]] = {}
    total, begun = owners * memories, perf_counter()
    with opened(url, embedder) as runtime, bar(f"filling {owners:,} × {memories:,}", total) as tick:
        start = runtime.now() - memories * STEP
        for number in range(owners):
            many = min(FACTS, memories) if number < MOST_TOUCHED else 0
            which = (number % TEMPLATES, many)
            if which not in kept:
                facts, corpus = source(number)
                # The facts are one commit, and the first: the messages come after revision 1.
                said = batches(runtime, corpus.messages(memories - many), start, min(many, 1), embedder)
                kept[which] = facts[:many], list(said) if owners > TEMPLATES else said
            facts, made = kept[which]
            if facts:
                space(runtime, number, "s0").remember_many(facts)
                tick(many)
            load(runtime, owner_key(f"user{number}"), made, tick)
            if block_of(memories):
                _pack(runtime, owner_key(f"user{number}"))
    return round(total / (perf_counter() - begun))


def _pack(runtime: Runtime, owner: str) -> None:
    """Pack the words of an owner's whole blocks, as a worker would have done meanwhile."""
    due = Write(owner=owner, at=runtime.now(), node="bench", changes=(Enqueue("pack", runtime.now()),))
    runtime.store.commit(due)
    with runtime.store.view() as view:
        waiting = view.job(owner, "pack")
    while waiting and (report := run_job(runtime, tasks()["pack"], waiting, force=True)) and report.changed:
        pass


def measured(url: str, owners: int) -> tuple[dict[str, Line], dict[str, float], str]:
    """Measure every sort of call: lines, figures, and which database it was."""
    embedder = Synthetic()
    alone = FusionPolicy(method="rank")
    with opened(url, embedder) as runtime, opened(url) as wordy, opened(url, fusion=alone) as lexical:
        size = engines.size(runtime.store)
        told = runtime.store.describe()
        plan = _Plan(runtime, wordy, lexical, embedder, owners)
        lines = {name: timed(calls, name) for name, calls in plan.looks().items()}
        peak = _peak_mb()
        lines |= {name: timed(calls, name) for name, calls in plan.others().items()}
    return lines, {"bytes": size, "peak RSS MB": peak}, f"{told['engine']} {told['version']}"


class _Plan:
    """The calls to be measured: each for an owner drawn at random, about what that owner has said."""

    def __init__(self, runtime: Runtime, wordy: Runtime, lexical: Runtime, embedder: Synthetic, owners: int) -> None:
        self._runtime, self._wordy, self._lexical, self._embedder = runtime, wordy, lexical, embedder
        self._touched = min(owners, MOST_TOUCHED)
        self._chance = Random(5)
        self._sources = [source(number)[1] for number in range(TEMPLATES)]

    def looks(self) -> dict[str, list[Call]]:
        """Give what is asked with an embedder; every owner is touched once before it is drawn."""
        first = [self._recall(self._runtime, number, Corpus.known) for number in range(self._touched)]
        return {
            FIRST: first,
            HYBRID: self._drawn(lambda number: self._recall(self._runtime, number, Corpus.known)),
            "recall of facts": self._drawn(
                lambda number: partial(space(self._runtime, number).recall, self._text(number, Corpus.question))
            ),
            "context": self._drawn(
                lambda number: partial(space(self._runtime, number).context, self._text(number, Corpus.question))
            ),
        }

    def others(self) -> dict[str, list[Call]]:
        """Give what is asked by words alone, and last what is written: few owners would have more to look through."""
        for runtime in (self._wordy, self._lexical):
            for number in range(self._touched):
                space(runtime, number).recall("anything", kinds=["episode"])
        for runtime in (self._runtime, self._wordy, self._lexical):
            runtime.store.flush()  # what was noted of that, and before, is no part of what is measured
        return {
            WORDS: self._drawn(lambda number: self._recall(self._wordy, number, Corpus.known)),
            LEXICAL: self._drawn(lambda number: self._recall(self._lexical, number, Corpus.known)),
            f"{WORDS}, misspelt and part": self._drawn(
                lambda number: self._recall(self._wordy, number, Corpus.unknown)
            ),
            # Apart, since it opens the session, and makes those before it due; who draws few owners draws them again.
            OPENING: [self._observe(number) for number in range(min(self._touched, CALLS))],
            OBSERVE: self._drawn(self._observe, CALLS),
            "remember": self._drawn(
                lambda number: partial(space(self._runtime, number).remember, self._text(number, Corpus.message))
            ),
        }

    def _drawn(self, make: Callable[[int], Call], among: int = MOST_TOUCHED) -> list[Call]:
        return [make(self._chance.randrange(min(self._touched, among))) for _ in range(CALLS)]

    def _observe(self, number: int) -> Call:
        return partial(space(self._runtime, number).observe, "user", self._text(number, Corpus.message))

    def _recall(self, runtime: Runtime, number: int, make: Callable[[Corpus], str]) -> Call:
        return partial(space(runtime, number).recall, self._text(number, make), kinds=["episode"])

    def _text(self, number: int, make: Callable[[Corpus], str]) -> str:
        """Make a text of an owner's words, its vector ready."""
        text = make(self._sources[number % TEMPLATES])
        self._embedder.prepare([text])
        return text


def timed(calls: Sequence[Call], name: str) -> Line:
    """Run calls one after another and note what each took."""
    cpu: list[float] = []
    wall: list[float] = []
    # The bar is drawn before and after, not between: that would be measured too.
    with bar(f"measuring: {name}", len(calls)) as tick:
        for call in calls:
            begun, spent = perf_counter(), process_time()
            call()
            cpu.append((process_time() - spent) * 1000)
            wall.append((perf_counter() - begun) * 1000)
        tick(len(calls))
    return Line(len(calls), median(cpu), _p95(cpu), median(wall), _p95(wall))


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _peak_mb() -> float:
    """Give the most memory this process has had; systems differ in the unit."""
    if sys.platform == "win32":
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)


def exactness(url: str) -> float:
    """Give the share of the truly nearest vectors that the search finds, for questions to the first owner."""
    embedder = Synthetic()
    corpus = source(0)[1]
    with opened(url, embedder) as runtime, bar("comparing with every vector", None) as tick:
        return share_found(runtime, owner_key("user0"), embedder, [corpus.known() for _ in range(50)], tick)


def embedding() -> dict[str, Line]:
    """Measure what the bundled embedder takes for a question and for a message; nothing where it is not installed."""
    corpus, settings = Corpus(), Settings()
    try:
        embedder = open_embedder(settings.embedder, settings.embedding)
    except ConfigError:
        return {}
    assert embedder is not None
    embedder.embed([corpus.question()])  # loads the model
    questions = [partial(embedder.embed, [corpus.question()]) for _ in range(CALLS // 10)]
    messages = [partial(embedder.embed, [corpus.message()]) for _ in range(CALLS // 10)]
    lines = {"question": timed(questions, "embedding"), "message": timed(messages, "embedding")}
    embedder.close()
    return {f"embedding a {what} with {embedder.name}": line for what, line in lines.items()}
