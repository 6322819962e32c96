"""Another embedder: every memory is embedded anew while the old vectors go on serving, owner by owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field, replace
from datetime import timedelta
from time import perf_counter

from recollect.errors import Conflict
from recollect.flows.find.meaning import Batch, Made, batches, keeping, made, text_of
from recollect.model.change import Adopt, Change, Enqueue, Write
from recollect.model.expectation import Served
from recollect.model.values import dataclass
from recollect.providers.embedders import LONGEST_TEXT, Embedder
from recollect.rules.window import budget
from recollect.runtime import Runtime
from recollect.store.base import Administration

PAGE = 500
SAMPLE = 16
ROUNDS = 5
"""How often an owner is looked through before the swap; whoever writes on and on must not put it off for ever."""
TRIES = 3
LATER = timedelta(minutes=1)
PROBE = "Ana drinks tea."
"""A text any model takes."""

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a reindex would do, and about what it costs."""

    model: str
    """The embedder that is set: the one to embed with; empty for none, and then there is nothing to do."""
    serving: Mapping[str, int]
    """How many of those owners each embedder serves now; an empty name stands for no vectors yet."""
    owners: int
    """How many owners have something to do."""
    of_owners: int
    memories: int
    """How many memories are to be embedded."""
    of_memories: int
    characters: int
    tokens: int
    """About: no tokeniser is asked."""
    seconds: float | None
    """By a timed sample of their texts; None for an endpoint, which is not asked for the sake of an estimate."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What a reindex did."""

    model: str
    """The embedder that is set; empty for none, and then nothing was done."""
    owners: int = 0
    """How many owners the model serves alone now, who had something to do."""
    memories: int = 0
    """How many memories were embedded."""
    kept: int = 0
    """How many owners the old vectors go on serving, because the model gives none for most of their memories."""
    left: int = 0
    """How many the model gives no vector for; they are found by their words."""
    problem: str = ""
    """Why it stopped; the old vectors go on serving where the swap was not made, and the next run goes on from here."""


@dataclass(slots=True)
class _Sum:
    """Texts counted one by one, with some of them kept, evenly spread."""

    texts: int = 0
    characters: int = 0
    tokens: int = 0
    sample: list[str] = field(default_factory=list)
    _step: int = 1

    def add(self, text: str) -> None:
        """Count a text."""
        if self.texts % self._step == 0:
            self.sample.append(text)
            if len(self.sample) == 2 * SAMPLE:
                self.sample, self._step = self.sample[::2], 2 * self._step
        self.texts += 1
        self.characters += len(text)
        self.tokens += budget.estimate(text)


def estimate(runtime: Runtime) -> Estimate:
    """Say what a reindex would have to embed, and how long that takes if the embedder runs in this process."""
    model, total = runtime.model, _Sum()
    serving: dict[str, int] = {}
    with runtime.store.view() as view:
        owners = view.owners()
        for owner in owners if model else ():
            if _behind(view, owner, model):
                name = view.counters(owner).model
                serving[name] = serving.get(name, 0) + 1
                for text in _texts(view, owner, model):
                    total.add(text)
        states = [view.stats(owner).states for owner in owners]
    seconds, problem = _timed(runtime, total)
    return Estimate(
        model=model,
        serving=serving,
        owners=sum(serving.values()),
        of_owners=len(owners),
        memories=total.texts,
        of_memories=sum(many for one in states for state, many in one.items() if state != "deleted"),
        characters=total.characters,
        tokens=total.tokens,
        seconds=seconds,
        problem=problem,
    )


def _behind(view: Administration, owner: str, model: str) -> bool:
    """Tell whether an owner lacks vectors of a model, or has some of another."""
    others = {view.counters(owner).model, *view.embedded(owner)} - {"", model}
    return bool(others or view.pending(owner, model, 0, 1))


def _texts(view: Administration, owner: str, model: str) -> Iterator[str]:
    after = 0
    while waiting := view.pending(owner, model, after, PAGE):
        for memory in view.get(owner, [id for _, id in waiting]):
            yield text_of(memory)[:LONGEST_TEXT]
        after = waiting[-1][0]


def _timed(runtime: Runtime, total: _Sum) -> tuple[float | None, str]:
    """Embed a sample of the texts, the first of them twice: loading the model is not what the rest will cost."""
    embedder = runtime.embedder()
    if embedder is None or not embedder.local:
        return None, ""
    if not total.sample:
        return 0.0, ""
    first = embedder.embed(total.sample[:1])
    if first.problem:
        return None, first.problem
    begun = perf_counter()
    embedder.embed(total.sample)
    return (perf_counter() - begun) / len(total.sample) * total.texts, ""


def reindex(runtime: Runtime, progress: Progress) -> Reindexed:
    """Embed what has no vector of the embedder that is set, and let it serve; interrupted, the next run goes on."""
    embedder = runtime.embedder()
    if embedder is None:
        return Reindexed("")
    run = _Run(runtime, embedder, progress)
    with runtime.store.view() as view:
        owners = view.owners()
    for owner in owners:
        run.owner(owner)
        if run.done.problem:
            break
    return run.done


def drop(runtime: Runtime) -> Reindexed:
    """Take all vectors away, so that nothing is found by meaning until there are new ones; give how many there were."""
    with runtime.store.view() as view:
        chosen = [(owner, view.counters(owner).model, view.embedded(owner)) for owner in view.owners()]
    owners = memories = 0
    for owner, serving, have in chosen:
        if serving:
            with suppress(Conflict):  # erased, or served by another meanwhile
                _commit(runtime, owner, serving, Adopt(""))
                owners, memories = owners + 1, memories + sum(have.values())
    return Reindexed("", owners, memories)


def _commit(runtime: Runtime, owner: str, serving: str, *changes: Change) -> None:
    """Write for an owner that is still there and still served by the same; one just erased must not come back."""
    write = Write(owner=owner, at=runtime.now(), node="reindex", changes=changes, expect=(Served(serving),))
    runtime.store.commit(write)


class _Run:
    """One reindex on its way through the owners."""

    def __init__(self, runtime: Runtime, embedder: Embedder, progress: Progress) -> None:
        self.done = Reindexed(embedder.name)
        self._runtime = runtime
        self._embedder = embedder
        self._progress = progress
        self._serving = ""
        self._proven = False

    def owner(self, owner: str) -> None:
        """Bring one owner over, if there is something to do."""
        for _ in range(TRIES):
            with self._runtime.store.view() as view:
                if not _behind(view, owner, self._embedder.name):
                    return
                self._serving = view.counters(owner).model
            try:
                self._bring(owner)
            except Conflict:  # erased meanwhile, or brought over by another run: look again
                continue
            return

    def _bring(self, owner: str) -> None:
        # Once it has answered, what an endpoint refuses is the text's fault, not the endpoint's.
        if not self._proven:
            self.done = replace(self.done, problem=self._probed())
            self._proven = not self.done.problem
        left = 0 if self.done.problem else self._fill(owner)
        if self.done.problem:
            return
        if not self._swap(owner, left):
            self.done = replace(self.done, kept=self.done.kept + 1)
            return
        # What came between the last look and the swap, in another process, has no vector that serves.
        left = self._fill(owner)
        self.done = replace(self.done, owners=self.done.owners + 1, left=self.done.left + left)

    def _fill(self, owner: str) -> int:
        """Embed until a look finds nothing that can be; give how many cannot."""
        left = 0
        for _ in range(ROUNDS):
            before = self.done.memories
            left = self._look(owner)
            if self.done.problem or self.done.memories == before:
                break
        return left

    def _look(self, owner: str) -> int:
        left = 0
        for batch in batches(self._runtime, owner, self._embedder):
            vectors, problem = batch.vectors, ""
            if batch.missing:
                more, problem = self._again(batch)
                vectors += more
            if vectors:
                changes = keeping(self._runtime, self._embedder.name, vectors)
                _commit(self._runtime, owner, self._serving, *changes)
                self._serving = self._serving or self._embedder.name  # the first vectors there are serve at once
            left += len(batch.memories) - len(vectors)
            self.done = replace(self.done, memories=self.done.memories + len(vectors), problem=problem)
            self._progress(self.done.memories)
            if problem:
                break
        return left

    def _again(self, batch: Batch) -> tuple[Made, str]:
        """Ask once more for what got no vector; a text that any model takes tells a bad text from a failing model."""
        more = made(self._embedder, batch.missing, batch.before)
        problem = self._probed() if more.missing else ""
        return more.vectors, problem and (more.problem or batch.problem or problem)

    def _probed(self) -> str:
        """Say why the model gives no vector even for a text that any model takes; nothing when it does."""
        answer = self._embedder.embed([PROBE])
        if answer.vectors[0] is not None:
            return ""
        return answer.problem or f"{self._embedder.name} gives no vectors"

    def _swap(self, owner: str, left: int) -> bool:
        """Let the model serve, and the others' vectors go, unless it has none for most of what the old one has."""
        model, serving = self._embedder.name, self._serving
        with self._runtime.store.view() as view:
            have = view.embedded(owner)
        if have.get(model, 0) < min(left, have.get(serving, 0)):
            return False
        if {serving, *have} - {"", model}:
            # Should another process write by the old model in this very moment, the job finds it.
            late = Enqueue("embed", self._runtime.now() + LATER)
            _commit(self._runtime, owner, serving, Adopt(model), *((late,) if serving != model else ()))
            self._serving = model
        return True
