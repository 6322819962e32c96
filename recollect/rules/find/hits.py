"""From ranked hits to those returned: repeats folded, sessions summed up, the budget kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from recollect.model.hit import Hit
from recollect.model.memory import COVERS, OUTDATED, Link, Memory
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


def brought_up(hits: Sequence[Hit], links: Sequence[Link], newer: Mapping[str, Memory]) -> list[Hit]:
    """Fold notes under the claims made of them, and put what may have taken a memory's place before it.

    `newer` are memories that may have taken the place of hits and were not found themselves.
    """
    there = {hit.memory.id: hit for hit in hits}
    covered = {
        one.to_id: one.from_id for one in links if one.type == COVERS and {one.from_id, one.to_id} <= there.keys()
    }
    for note, claim in covered.items():
        there[claim] = replace(there[claim], folded=(*there[claim].folded, note))
    latest = {
        one.from_id: one.to_id for one in links if one.type == OUTDATED and (one.to_id in there or one.to_id in newer)
    }
    out: list[str] = []
    for id in there:
        chain = [id] if id not in covered else []
        while chain and chain[-1] in latest and latest[chain[-1]] not in chain:
            chain.append(latest[chain[-1]])
        out += [one for one in reversed(chain) if one not in out and one not in covered]
    best = {id: max((there[one].score for one in there if _leads(one, id, latest)), default=0.0) for id in out}
    made = {id: there.get(id) or Hit(newer[id], best[id]) for id in out}
    return [replace(made[id], score=best[id], outdated_by=latest.get(id, "")) for id in out]


def _leads(older: str, id: str, latest: Mapping[str, str]) -> bool:
    """Tell whether a memory is another, or one that it may have taken the place of."""
    seen = {older}
    while older != id and latest.get(older, older) not in seen:
        older = latest[older]
        seen.add(older)
    return older == id


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
