"""When an agent goes round in circles: the same calls of tools, turn after turn, or too many turns."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from recollect.model.values import bounded, dataclass


@dataclass(frozen=True, slots=True)
class AgentPolicy:
    """How far an agent may go by itself, and what it begins a conversation with. See [the agent](agent.md)."""

    budget_tokens: int = 1200
    """How many tokens of a request memory may take."""
    profile: str = ""
    """The form memory has in a request; empty means `context.profile`."""
    loop: int = bounded(3, least=2)
    """How often in a row a model may make the same calls before tools are taken from it."""
    max_tool_iterations: int = bounded(100, least=1)
    """How many requests one turn may take before tools are taken from the model."""
    call_seconds: float = 120.0
    """How long one request of a turn may take."""
    delegate_seconds: float = 60.0
    """How long a model that a task was handed on to may take for it."""
    caller_depth: int = bounded(1, least=1, most=10)
    """How deep tasks may be handed on together with the conversation."""
    depth: int = bounded(3, least=1, most=10)
    """How deep tasks may be handed on at all."""
    trim_tokens: int = bounded(100_000, least=1000)
    """From how many tokens on the middle of a request is cut to what its tools were called."""
    rescue: bool = True
    """Whether a save that is only told, and not called for, is carried out or flagged."""
    continuity: tuple[str, ...] = ("tasks", "initiatives", "assets", "decisions")
    """The topics whose memories stand in the first request of a conversation."""
    continuity_rows: int = bounded(5, least=1, most=50)
    """How many memories of each."""


def fingerprint(calls: Iterable[tuple[str, Any]]) -> str:
    """Give what all calls of one turn come to: the same for the same calls, in whatever order they stand."""
    return "\n".join(sorted(f"{name}:{_plain(args)}" for name, args in calls))


def _plain(args: Any) -> str:
    """Write arguments down in one way only; those that came as text are read first."""
    if isinstance(args, str):
        try:
            args = json.loads(args or "{}")
        except (ValueError, RecursionError):
            return str(args)
    return json.dumps(args, sort_keys=True, default=str)


class Rounds:
    """Counts how often in a row the same calls were made; any other turn begins anew."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._last, self._count = "", 0

    def caught(self, calls: Iterable[tuple[str, Any]]) -> bool:
        """Note the calls of one turn; tell whether they have been the same too often."""
        print_ = fingerprint(calls)
        self._count = self._count + 1 if print_ and print_ == self._last else 1
        self._last = print_
        return bool(print_) and self._count >= self._most
