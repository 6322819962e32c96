"""Learn the weights of the fusion, and see what each signal brings, on conversations that are left out of learning.

python -m bench.learn --locomo locomo.json --retrieval general.json [--json]

The features are those the library itself works out for each question; a conversation is ranked with weights that were
learnt on all the others, both kinds of data counting alike. Only the weights are learnt here:
`recollect.rules.find.fusion` holds them, rounded, and nothing of the data.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from recollect import Recollect
from recollect.flows.find.recall import Query, Wish, likeness, ranked, understood
from recollect.model.filter import Filter
from recollect.rules.find.fusion import FEATURES, SIGNALS, standardised
from recollect.rules.find.ranking import contested, overtaking
from recollect.rules.find.signals import Evidence
from recollect.rules.find.snapshot import Snapshot
from recollect.runtime import Runtime
from recollect.serve.bench.evaluate import Kept, Run
from recollect.serve.bench.formats import read
from recollect.serve.bench.metrics import Score, score, summary

L2 = 0.03
STEPS = 30
DEPTH = 50
NAMES = tuple(FEATURES)


@dataclass(slots=True)
class Case:
    """One question: its candidates' features, which of them answer it, and where it comes from."""

    data: str
    conversation: str
    kind: str
    features: Any
    evidence: Evidence
    lift: Any
    relevant: list[int]
    stale: list[int]
    answers: Any = field(init=False)

    def __post_init__(self) -> None:
        self.answers = np.isin(self.evidence.docs, self.relevant)

    def scored(self, weights: Any) -> Score:
        """Score the ranking these weights give; the lift of what is newer comes on top."""
        total = self.lift(self.features @ weights)
        order = np.lexsort((-self.evidence.docs, -total))[:DEPTH]
        ranked = [str(doc) for doc in self.evidence.docs[order]]
        return score(ranked, [str(doc) for doc in self.relevant], [str(doc) for doc in self.stale])


def case(runtime: Runtime, kept: Kept, question: Any, owner: str, data: str) -> Case:
    """Let the library look at a question, and keep what it saw."""
    where = Filter(owner=owner, now=kept.now(question), kinds=("episode",))
    with runtime.store.view() as view:
        query = understood(runtime, view, question.text, where, Wish(limit=DEPTH))
        snapshot = view.snapshot(query.sought)
        ranking = ranked(runtime, view, snapshot, query.asks, Wish(limit=DEPTH))
        own = {message: id for id, message in kept.ids.items()}
        wanted = [own[id] for id in (*question.evidence, *question.stale) if id in own]
        doc = view.numbers(owner, wanted)
        lift = _lifting(runtime, query, snapshot)
    gates = ranking.evidence.gates
    rows = [gates.get(name, 1.0) * standardised(ranking.evidence.of(name)) for name in NAMES]
    return Case(
        data, kept.conversation.name, question.kind, np.stack(rows, axis=1), ranking.evidence, lift,
        [doc[own[id]] for id in question.evidence if own.get(id) in doc],
        [doc[own[id]] for id in question.stale if own.get(id) in doc],
    )  # fmt: skip


def _lifting(runtime: Runtime, query: Query, snapshot: Snapshot) -> Callable[[Any], Any]:
    def lift(total: Any) -> Any:
        top = contested(snapshot, total) if query.asks.form.now and len(total) > 1 else None
        if top is None:
            return total
        with runtime.store.view() as view:
            return total + overtaking(snapshot, total, top, likeness(view, snapshot, top))

    return lift


def learn(cases: Sequence[Case], columns: Sequence[int]) -> Any:
    """Find the weights under which the answers of all questions are most likely, by Newton's method."""
    cases = [one for one in cases if one.answers.any()]
    share = {data: 1 / sum(one.data == data for one in cases) for data in {one.data for one in cases}}
    weights = np.zeros(len(columns))
    loss, slope, curve = _loss(cases, share, columns, weights)
    for _ in range(STEPS):
        step = np.linalg.solve(curve, slope)
        while np.abs(step).max() > 1e-5:  # a step that makes it worse was too long
            tried = _loss(cases, share, columns, weights - step)
            if tried[0] < loss:
                break
            step = step / 2
        else:
            break
        weights = weights - step
        loss, slope, curve = tried
    whole = np.zeros(len(NAMES))
    whole[list(columns)] = weights
    return whole


def _loss(
    cases: Sequence[Case], share: dict[str, float], columns: Sequence[int], weights: Any
) -> tuple[float, Any, Any]:
    """Give how unlikely the answers are under some weights, and how that changes with them."""
    loss, slope, curve = L2 * float(weights @ weights) / 2, L2 * weights, L2 * np.eye(len(columns))
    for one in cases:
        x = one.features[:, columns]
        scores = x @ weights
        likely = np.exp(scores - scores.max())
        whole = likely.sum()
        likely /= whole
        mean, part = likely @ x, share[one.data]
        loss -= part * float((scores[one.answers] - scores.max() - np.log(whole)).mean())
        slope = slope - part * (x[one.answers].mean(axis=0) - mean)
        curve = curve + part * (x.T @ (likely[:, None] * x) - np.outer(mean, mean))
    return loss, slope, curve


def left_out(cases: Sequence[Case], without: str = "") -> dict[str, Any]:
    """Rank each conversation with weights learnt on the others; give the figures by data set."""
    columns = [at for at, name in enumerate(NAMES) if FEATURES[name][0] != without]
    found: dict[str, list[tuple[str, Score]]] = {}
    for name in dict.fromkeys(one.conversation for one in cases):
        weights = learn([one for one in cases if one.conversation != name], columns)
        for one in cases:
            if one.conversation == name:
                found.setdefault(one.data, []).append((one.kind, one.scored(weights)))
    return {data: summary(scores) for data, scores in found.items()}


def gathered(url: str, sets: dict[str, Path], stack: ExitStack) -> list[Case]:
    """Put the conversations in and look at every question; the memories stay open for as long as the stack."""
    cases: list[Case] = []
    with Progress(transient=True) as bar:
        for data, path in sets.items():
            conversations = read(path, data)
            task = bar.add_task(data, total=sum(len(one.messages) for one in conversations))
            run = Run(
                lambda clock, fusion: Recollect(url, clock=clock),
                f"learn-{data}",
                lambda done, task=task: bar.update(task, completed=done),  # type: ignore[misc]
            )
            memory = stack.enter_context(run.opener(run.watch, {}))
            for number, one in enumerate(conversations, 1):
                kept = run.put_in(memory, f"u{number}", one)
                owner = memory.space(f"u{number}", tenant=run.tenant).owner
                asked = [question for question in one.questions if question.evidence]
                cases += [case(memory._runtime, kept, question, owner, data) for question in asked]
    return cases


def main() -> int:
    """Learn, and print the figures on what was left out, the weights, and what each signal brings."""
    parser = argparse.ArgumentParser(prog="python -m bench.learn", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--retrieval", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    sets = {name: path for name in ("locomo", "retrieval") if (path := getattr(given, name))}
    if not sets:
        parser.error("name a file with --locomo or --retrieval")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        cases = gathered(str(Path(folder) / "learn.db"), sets, stack)
        signals = [signal for signal in SIGNALS if signal != "newer"]
        rows = {name or "none": left_out(cases, name) for name in ("", *signals)}
        weights = learn(cases, range(len(NAMES)))
    if given.json:
        print(json.dumps({"weights": dict(zip(NAMES, weights.round(3), strict=True)), "rows": _plain(rows)}))
        return 0
    table = Table("left out", *(f"{data} NDCG@10 (over kinds), newer" for data in sets))
    for name, found in rows.items():
        table.add_row(name, *(_cell(found[data]) for data in sets))
    Console().print(table, {name: round(float(weight), 2) for name, weight in zip(NAMES, weights, strict=True)})
    return 0


def _cell(figures: Any) -> str:
    newer = "" if figures.newer_first is None else f", {figures.newer_first:.2f}"
    return f"{figures.ndcg:.3f} ({figures.over_kinds:.3f}){newer}"


def _plain(rows: dict[str, Any]) -> dict[str, Any]:
    return {name: {data: _cell(one) for data, one in found.items()} for name, found in rows.items()}


if __name__ == "__main__":
    raise SystemExit(main())
