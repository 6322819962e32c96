"""One tool for everything: a query, narrowed by categories and filters, answered as bullets or in full."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from recollect.front.space import Space
from recollect.model.hit import Hit
from recollect.model.values import dataclass
from recollect.tools.declare import Tool, tool
from recollect.tools.forms import conditions, short

PROCEDURAL = "procedural"


class Filters(BaseModel):
    """What the search is narrowed by; what is left empty is no condition."""

    model_config = ConfigDict(extra="forbid")

    agent_id: Annotated[str, Field(description='Learnt by this agent; "" for any.')] = ""
    run_id: Annotated[str, Field(description='Learnt in this session; "" for any.')] = ""
    actor_id: Annotated[str, Field(description='Said or done by; "" for anybody.')] = ""
    role: Annotated[str, Field(description='Role of a message; "" for any.')] = ""
    pinned: Annotated[Literal["", "yes", "no"], Field(description='Pinned or not; "" for both.')] = ""
    importance_min: Annotated[int, Field(description="At least so important; 0 for any.", ge=0, le=10)] = 0
    importance_max: Annotated[int, Field(description="At most so important; 0 for any.", ge=0, le=10)] = 0
    updated_after: Annotated[str, Field(description='Changed then or later; "" for any time.')] = ""
    updated_before: Annotated[str, Field(description='Changed then or earlier; "" for any time.')] = ""

    def conditions(self, space: Space) -> dict[str, Any]:
        """Give what was set, as keywords of `recall`."""
        made: dict[str, Any] = {
            "agent": self.agent_id,
            "sessions": self.run_id,
            "actor": self.actor_id,
            "role": self.role,
            "importance_min": self.importance_min or None,
            "importance_max": self.importance_max or None,
            "pinned": {"yes": True, "no": False}.get(self.pinned),
        }
        for name in ("updated_after", "updated_before"):
            if words := getattr(self, name).strip():
                made[name] = space.moment(words)
        return made


@dataclass(frozen=True, slots=True)
class Bullet:
    """One memory: its id, its category and a line."""

    id: str
    category: str
    text: str
    importance: int = 0
    topic: str = ""
    updated_at: str = ""
    """Told, with importance and topic, when the answer is asked for in full."""


@dataclass(frozen=True, slots=True)
class Bullets:
    """What a query found, the best first."""

    items: tuple[Bullet, ...]

    def text(self) -> str:
        """Give a bullet for each."""
        return "\n".join(f"- {one.text}" for one in self.items) or "Nothing found."


@tool("Ask memory", reads=True)
def memory_query(
    space: Space,
    query: Annotated[str, Field(description="What is needed, in words.")],
    categories: Annotated[
        list[str], Field(description='Only these categories; "procedural" for how to do things. Empty for all.')
    ] = [],
    filters: Annotated[Filters, Field(description="Further conditions.")] = Filters(),
    top_k: Annotated[int, Field(description="At most so many.", ge=1, le=50)] = 3,
    form: Annotated[
        Literal["bullets", "full"], Field(alias="return", description="A line each, or whole texts with details.")
    ] = "bullets",
    budget_tokens: Annotated[int, Field(description="At most about so many tokens.", ge=1, le=100_000)] = 512,
    threshold: Annotated[
        float, Field(description="Drop what is less near in meaning; 0 drops nothing.", ge=0, le=1)
    ] = 0,
) -> Bullets:  # long because it is the one tool there is
    """Ask memory for what the task needs, as a few bullets.

    Use it only when you are unsure: what is in the prompt already need not be asked for.
    """
    narrowed: dict[str, Any] = {"categories": categories, **filters.conditions(space)}
    if PROCEDURAL in categories:
        narrowed |= {"kinds": ["procedure"], "categories": []} if len(categories) == 1 else {"kinds": None}
    hits = space.recall(
        query,
        top_k,
        budget_tokens=budget_tokens,
        min_similarity=threshold or None,
        **conditions(space, narrowed),
    )
    return Bullets(tuple(_bullet(hit, full=form == "full") for hit in hits))


def _bullet(hit: Hit, *, full: bool) -> Bullet:
    memory = hit.memory
    category = PROCEDURAL if memory.kind == "procedure" else memory.category
    if not full:
        return Bullet(memory.id, category, f"[{category}] {short(memory.content, 280)}")
    at = memory.updated_at.isoformat()
    return Bullet(memory.id, category, f"[{category}] {memory.content}", memory.importance or 0, memory.topic, at)


TOOLS: tuple[Tool, ...] = (memory_query,)
