"""GEPA: words evolve by looking at what went wrong, and the best on all the examples it was given is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gepa.api import optimize
from gepa.core.adapter import EvaluationBatch
from gepa.core.result import GEPAResult

Trial = tuple[float, Mapping[str, Any]]
"""What became of one example: its score, and what went in, came out and would have been right."""
Try = Callable[[str, Sequence[Any]], list[Trial]]
Reword = Callable[[str, Sequence[Mapping[str, Any]]], str]

PART = "instructions"
LOOKED_AT = 3
"""How many examples are looked at before each new wording."""


def improved(wording: str, examples: Sequence[Any], trying: Try, reword: Reword, calls: int) -> str:
    """Give the wording that did best on the examples, within so many answers; it may be the one it began with."""
    adapter: Any = _Adapter(trying, reword)  # GEPA says what it needs as a protocol with attributes
    found: GEPAResult[Any, Any] = optimize(
        seed_candidate={PART: wording},
        trainset=list(examples),
        adapter=adapter,
        max_metric_calls=calls,
        reflection_minibatch_size=min(LOOKED_AT, len(examples)),
        logger=_Silence(),
        cache_evaluation=True,
    )
    best = found.best_candidate
    return best if isinstance(best, str) else str(best[PART])


class _Silence:
    def log(self, message: str) -> None:
        """Say nothing: what came of it is told at the end."""


class _Adapter:
    """What GEPA asks for: how a wording does on some examples, what can be learnt of it, and another wording."""

    def __init__(self, trying: Try, reword: Reword) -> None:
        self._try, self._reword = trying, reword

    def evaluate(
        self, batch: list[Any], candidate: dict[str, str], capture_traces: bool = False
    ) -> EvaluationBatch[Any, Any]:
        """Try a wording on some examples."""
        tried = self._try(candidate[PART], batch)
        traces = [trace for _, trace in tried]
        return EvaluationBatch(outputs=traces, scores=[one for one, _ in tried], trajectories=traces)

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: EvaluationBatch[Any, Any], components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Give what went wrong, or all of it when nothing did."""
        pairs = list(zip(eval_batch.scores, eval_batch.outputs, strict=True))
        return {PART: [trace for one, trace in pairs if one < 1] or [trace for _, trace in pairs]}

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Give another wording."""
        return {PART: self._reword(candidate[PART], reflective_dataset[PART])}
