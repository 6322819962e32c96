"""Learning while the conversation goes on: which messages are worth a look, and how often things are noted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from recollect.model.values import dataclass
from recollect.text.roles import TOOLS, is_machine

if TYPE_CHECKING:
    from recollect.language.reader import Reader


@dataclass(frozen=True, slots=True)
class LearningPolicy:
    """What is learnt from a message before its conversation is over, by a job behind it."""

    mode: Literal["off", "explicit", "all"] = "explicit"
    """`explicit` saves what the user asks to be remembered, `all` also what else a message tells."""
    candidates_per_turn: int = 5
    """With `all`: how many statements of one message are considered."""
    writes_per_turn: int = 3
    """How many memories one message may give at once."""
    per_session: int = 30
    """How many memories may be learnt this way in one session."""
    per_day: int = 100
    """How many memories of one user may be learnt this way in a day."""
    event_turns: int = 3
    """How many messages of the user lie between two notes of what happened, at least."""
    event_minutes: float = 10.0
    """How many minutes lie between two notes of what happened, at least."""
    events_per_day: int = 5
    """How many notes of what happened a day may have."""
    event_same: float = 0.90
    """From which similarity on such a note is one that was made already."""
    event_hours: float = 48.0
    """For how many hours that holds."""


def worth_a_look(role: str, content: str, policy: LearningPolicy, reader: Reader) -> bool:
    """Tell whether something may be learnt from a message: a glance on its way in, the reader looks closely later."""
    if is_machine(role):
        return False
    seen = reader.glance(content)
    if seen == "answer":
        return True  # it may be the user's word on something that waits for it
    if policy.mode == "off":
        return False
    return seen == "command" or policy.mode == "all"


def of_tool(role: str, attributes: Mapping[str, Any]) -> bool:
    """Tell whether a message is the result of a tool: by its role, or because it answers a call."""
    wire = attributes.get("message")
    return role.strip().casefold() in TOOLS or (isinstance(wire, Mapping) and bool(wire.get("tool_call_id")))


def of_work(role: str, content: str, attributes: Mapping[str, Any], reader: Reader) -> bool:
    """Tell at a glance whether a lesson may be in a message: the result of a tool, or what is said of the work."""
    return of_tool(role, attributes) or (not is_machine(role) and bool(reader.feedback(content)))
