"""One tool for everything: a query, narrowed by categories and filters, answered as bullets or in full."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from recollect.flows.window import query as query_flow
from recollect.front.space import Space
from recollect.model.values import dataclass
from recollect.tools.declare import Tool, tool
from recollect.tools.forms import short


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

    def given(self, space: Space) -> dict[str, Any]:
        """Give what was set, as the filters of `query`; times may be words."""
        made = {name: value for name, value in self.model_dump(exclude={"pinned"}).items() if value}
        if self.pinned:
            made["pinned"] = self.pinned == "yes"
        return {name: space.moment(value) if name.startswith("updated") else value for name, value in made.items()}


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
    query: Annotated[str, Field(strict=True, description="What is needed, in words.")],
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
    found = space.query(
        query,
        categories,
        filters=filters.given(space),
        top_k=top_k,
        returns="full",
        budget_tokens=budget_tokens,
        threshold=threshold or None,
    )
    return Bullets(tuple(_bullet(one, full=form == "full") for one in found))


def _bullet(one: query_flow.Bullet, *, full: bool) -> Bullet:
    memory = one.memory
    if memory is None or not full:
        return Bullet(one.id, one.category, short(one.text, 300))
    at = memory.updated_at.isoformat()
    text = f"[{one.category}] {memory.content}"
    return Bullet(one.id, one.category, text, memory.importance or 0, memory.topic, at)


TOOLS: tuple[Tool, ...] = (memory_query,)
