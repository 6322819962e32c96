"""What an agent of another framework is given when it searches this memory, and the question it is asked by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.flows.find.weak import KINDS_ASKED
from recollect.front.space import Space
from recollect.model.clock import iso
from recollect.model.hit import Context, Hit
from recollect.model.memory import Memory

KINDS = (*KINDS_ASKED, "episode", "summary")
"""What is looked through: all that is known, and all that was said."""


def found(space: Space, query: str, limit: int) -> list[Hit]:
    """Give the best memories of any session for a query; a blank one finds nothing."""
    return space.recall(query, limit, kinds=KINDS) if query.strip() else []


def details(hit: Hit) -> dict[str, Any]:
    """Give what a program may want to know of a hit beside its text."""
    one = hit.memory
    said = {"session": one.session, "role": one.role, "topic": one.topic, "category": one.category}
    told = {name: value for name, value in said.items() if value}
    return {"id": one.id, "kind": one.kind, "at": when(one), "score": round(hit.score, 4), **told}


def when(memory: Memory) -> str:
    """Give when a thing was said or so."""
    return iso(memory.event_time or memory.created_at)


def laid_out(space: Space, turns: Sequence[tuple[str, str]], budget_tokens: int, profile: str) -> Context | None:
    """Give the context for the last thing the user says, without what is in sight; None where he says nothing."""
    asked = [text for role, text in turns if role == "user" and text.strip()]
    if not asked:
        return None
    seen = [{"role": role, "content": text} for role, text in turns if text.strip()]
    return space.context(asked[-1], budget_tokens, profile=profile, messages=seen)
