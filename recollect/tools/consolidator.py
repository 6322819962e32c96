"""An agent that turns conversations into facts itself: read a session, save what it says, settle what contradicts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from recollect.front.space import Space
from recollect.model.own_agent import Episodes, Marked, Rivals, SavedFacts
from recollect.model.values import dataclass
from recollect.tools.declare import Tool, tool
from recollect.tools.forms import MemoryId, Saved, saved

SessionId = Annotated[str, Field(description='The session; "" for the current one.', max_length=200)]


class Fact(BaseModel):
    """One fact of a batch."""

    model_config = ConfigDict(extra="forbid")

    content: Annotated[str, Field(strict=True, description="The fact, one self-contained sentence.")]
    source_ids: Annotated[list[str], Field(description="The ids of the messages it was read from.")] = []
    confidence: Annotated[float, Field(description="How sure it is.", ge=0, le=1)] = 0.8
    tags: Annotated[list[str], Field(description="Labels, in English.")] = []


@tool("Read a session", reads=True)
def get_episodes_for_consolidation(
    space: Space,
    session_id: SessionId = "",
    offset: Annotated[int, Field(description="Where to go on; 0 at first, then next_offset.", ge=0)] = 0,
    limit: Annotated[int, Field(description="At most so many messages.", ge=1, le=100)] = 30,
) -> Episodes:
    """Give the messages of a session page by page, in the order they came.

    Read every page, until has_more is false, before saving anything.
    """
    return space.get_episodes_for_consolidation(session_id, offset, limit)


@tool("Save facts of a session")
def save_facts_batch(
    space: Space,
    facts: Annotated[list[Fact], Field(description="What was learnt; may be empty.", max_length=1000)],
    session_id: SessionId = "",
) -> SavedFacts:
    """Keep facts that were read out of a session; known ones are recognised, in the batch as well.

    Save 15 to 20 facts a session at most. Leave out general knowledge, requests to the assistant and fleeting actions.
    """
    return space.save_facts_batch([fact.model_dump() for fact in facts], session_id)


@tool("Find contradictions", reads=True)
def detect_conflicts(
    space: Space,
    new_fact_id: MemoryId,
    content: Annotated[str, Field(strict=True, description='What it says; "" looks it up.')] = "",
    session_id: SessionId = "",
) -> Rivals:
    """Give up to five facts of other sessions a new fact may contradict.

    You judge: two facts conflict only when they cannot both be true.
    """
    return space.detect_conflicts(new_fact_id, content, session_id)


@tool("Settle a contradiction")
def resolve_conflict(
    space: Space,
    new_fact_id: MemoryId,
    old_fact_id: MemoryId,
    reason: Annotated[str, Field(description="Why they cannot both be true.")] = "",
    confirmed: Annotated[bool, Field(description="Whether the user agreed to give up a confirmed fact.")] = False,
) -> Saved:
    """Let a new fact take the place of an old one; both stay on record, linked.

    A confirmed fact gives way only when the user has agreed.
    """
    return saved(space.resolve_conflict(new_fact_id, old_fact_id, reason, confirmed=confirmed))


@tool("Mark a session as done", repeats=True)
def mark_session_consolidated(
    space: Space,
    session_id: SessionId = "",
    upto: Annotated[str, Field(description='The id of the last message that was read; "" for the last there is.')] = "",
) -> Marked:
    """Note that a session was worked through; a later message opens it again.

    Do it also when no fact was worth saving.
    """
    return space.mark_session_consolidated(session_id, upto)


@dataclass(frozen=True, slots=True)
class Done:
    """Whether a session was worked through."""

    session_id: str
    consolidated: bool


@tool("Is a session done", reads=True)
def is_session_consolidated(space: Space, session_id: SessionId = "") -> Done:
    """Tell whether a session was worked through up to its last message; if so, leave it alone."""
    return Done(session_id, space.is_session_consolidated(session_id))


TOOLS: tuple[Tool, ...] = (
    get_episodes_for_consolidation,
    save_facts_batch,
    detect_conflicts,
    resolve_conflict,
    mark_session_consolidated,
    is_session_consolidated,
)
