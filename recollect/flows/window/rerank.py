"""Ordering what was found once more: by weights, by a model, or by a cross-encoder somebody brings along."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.errors import InvalidInput
from recollect.flows.asking import ask
from recollect.model.asking import Value
from recollect.model.event import Event
from recollect.model.hit import Hit
from recollect.model.owner import Scope
from recollect.rules.find.boosts import DAY
from recollect.rules.find.ranking import Reasons
from recollect.runtime import LOG, Runtime

Scorer = Callable[[str, Sequence[str]], Sequence[float]]
"""A cross-encoder: gives a score for each of several texts held against a query."""
NODE = "rerank"
FIRST = 2
"""How many of the best raw hits stay first, whatever is thought of them."""
LONGEST = 500
MOST = 50
MEANING, WEIGHT, FRESH, PINNED = 0.55, 0.20, 0.15, 0.10
"""What counts how much where weights decide: nearness, importance, age, a pin."""


def rerank(runtime: Runtime, scope: Scope, query: str, hits: list[Hit], how: str | Scorer) -> list[Hit]:
    """Give hits in the order somebody else thinks best; the two best raw ones stay first, and none is lost.

    A model that gives no order leaves the one there was: that is counted in `activity`, and said in the log.
    """
    few, rest = hits[:MOST], hits[MOST:]
    if callable(how):
        order = _scored(query, few, how)
    elif how == "weights":
        order = sorted(range(len(few)), key=lambda at: -_weight(runtime, few[at]))
    elif how == "model":
        order = _by_model(runtime, scope, query, few)
    else:
        raise InvalidInput(f"rerank is {how!r}: use 'weights', 'model', or a function of a query and texts")
    raw = sorted(range(len(few)), key=lambda at: -_near(few[at]))[:FIRST]
    places = dict.fromkeys((*raw, *order, *range(len(few))))
    return [*(few[at] for at in places if 0 <= at < len(few)), *rest]


def _near(hit: Hit) -> float:
    why = hit.why
    return why.similar if isinstance(why, Reasons) and why.similar is not None else hit.score


def _weight(runtime: Runtime, hit: Hit) -> float:
    memory = hit.memory
    days = max(0.0, (runtime.now() - memory.created_at).total_seconds() / DAY)
    worth = MEANING * _near(hit) + WEIGHT * (memory.importance or 1) / 10
    return worth + FRESH / (1 + days) + PINNED * memory.pinned


def _scored(query: str, hits: Sequence[Hit], scorer: Scorer) -> list[int]:
    scores = list(scorer(query, [hit.memory.content for hit in hits]))
    if len(scores) != len(hits):
        raise InvalidInput(f"the reranker gave {len(scores)} scores for {len(hits)} texts: it must give one each")
    return sorted(range(len(hits)), key=lambda at: -scores[at])


def _by_model(runtime: Runtime, scope: Scope, query: str, hits: Sequence[Hit]) -> list[int]:
    texts = [" ".join(hit.memory.content.split())[:LONGEST] for hit in hits]
    passages = "\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))
    question = runtime.prompt("rerank").question(query=query, passages=passages)
    answer = ask(runtime, scope.owner, question, job="rerank", session=scope.session)
    if not isinstance(answer, Value):
        LOG.warning("nothing was ordered anew: %s", getattr(answer, "reason", "the model said nothing"))
        runtime.note(Event(scope.owner, NODE, "rerank", "failed", scope.session))
        return list(range(len(hits)))
    return [number - 1 for number in answer.value.ranked]
