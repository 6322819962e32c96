"""An agent that lives on this memory, and memory for any other agent of pydantic-ai: `pip install 'recollect[llm]'`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.agent.capability import memory
    from recollect.agent.companion import RecollectAgent, Turn
    from recollect.agent.conversations import Conversations

__all__ = ["Conversations", "RecollectAgent", "Turn", "memory"]

_HOMES = {"Conversations": "conversations", "RecollectAgent": "companion", "Turn": "companion", "memory": "capability"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: without a model an agent needs no library of models."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
