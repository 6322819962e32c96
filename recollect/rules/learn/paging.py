"""How much of a conversation is read at once, and how much of a long message."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.rules.window.budget import estimate
from recollect.text.roles import is_machine

KEPT = 8000
"""How many characters of a message are held against what is claimed of it; what is longer was pasted."""
_GAP = " … "
_TAIL = 5
"""Which part of a shortened text is its end, one in so many: the point of a paste is at its beginning, rarely last."""


@dataclass(frozen=True, slots=True)
class ConsolidationPolicy:
    """How conversations are worked through, and how much may come of them."""

    page_turns: int = 60
    """How many messages are read at once."""
    page_tokens: int = 8000
    """How many tokens of messages are read at once, about."""
    message_chars: int = 2500
    """How many characters of a message a model is shown; of an assistant's, a quarter."""
    least_messages: int = 4
    """How many messages a conversation must have to be summarised, or to be worth asking a model."""
    pages_per_run: int = 20
    """How many pages one run of the job works through; the rest is due at once."""
    facts_per_turn: int = 5
    """How many memories may come of one message."""
    facts_per_session: int = 120
    """How many memories may come of one session, notes and claims, what the user asked for not counted."""
    facts_per_day: int = 400
    """How many memories may come of a user's conversations in one day, what he asked for not counted."""


def shortened(text: str, most: int) -> str:
    """Give a text in at most so many characters: its beginning, and a little of its end."""
    if len(text) <= most:
        return text
    tail = most // _TAIL
    return f"{text[: max(0, most - tail - len(_GAP))]}{_GAP}{text[-tail:] if tail else ''}"


def shown(turn: Turn, policy: ConsolidationPolicy) -> str:
    """Give what a model is shown of a message."""
    return shortened(turn.content, policy.message_chars // (4 if is_machine(turn.role) else 1))


def fitting(turns: Sequence[Turn], policy: ConsolidationPolicy) -> int:
    """Say how many turns, from the first, fit one page; the first always does."""
    left = policy.page_tokens
    for at, turn in enumerate(turns[: policy.page_turns]):
        left -= estimate(shown(turn, policy)) + _FRAME
        if left < 0 and at:
            return at
    return min(len(turns), policy.page_turns)


_FRAME = 12
"""About how many tokens the number, speaker and day of a turn take."""
