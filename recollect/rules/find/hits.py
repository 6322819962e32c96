"""From ranked hits to those returned: repeats folded, sessions summed up, the budget kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from recollect.model.hit import Hit
from recollect.rules.window.budget import estimate

SECOND = 0.3
"""What the second-best message adds to a session's score."""


def folded(hits: Sequence[Hit]) -> list[Hit]:
    """Let what is said word for word again stand once, in the best place."""
    kept: dict[tuple[str, str], Hit] = {}
    for hit in hits:
        memory = hit.memory
        key = (memory.actor, _spoken(memory.content))
        if key in kept:
            kept[key] = replace(kept[key], folded=(*kept[key].folded, memory.id))
        else:
            kept[key] = hit
    return list(kept.values())


def _spoken(content: str) -> str:
    text = content.casefold().strip()
    plain = text.isprintable() and "  " not in text  # of all that is space, only one blank at a time can be in it
    return text if plain else " ".join(text.split())


def by_session(hits: Sequence[Hit]) -> list[Hit]:
    """Give the best message of each session, for the session: its own score, and a little of the next best."""
    best: dict[str, list[Hit]] = {}
    for hit in hits:
        if hit.memory.session:
            best.setdefault(hit.memory.session, []).append(hit)
    lowest = min((hit.score for hit in hits), default=0.0)
    scored = [
        replace(first, score=first.score + SECOND * (rest[0].score - lowest) if rest else first.score)
        for first, *rest in best.values()
    ]
    return sorted(scored, key=lambda hit: -hit.score)


def affordable(hits: Iterable[Hit], budget: int | None) -> list[Hit]:
    """Take hits that fit the budget. One that does not is passed over: the next may be shorter."""
    if budget is None:
        return list(hits)
    taken: list[Hit] = []
    for hit in hits:
        cost = estimate(hit.memory.content)
        if cost <= budget:
            budget -= cost
            taken.append(hit)
    return taken
