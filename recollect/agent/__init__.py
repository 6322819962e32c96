"""An agent that lives on this memory, and memory for any other agent of pydantic-ai: `pip install 'recollect[llm]'`."""

from __future__ import annotations

from recollect.agent.capability import memory
from recollect.agent.companion import RecollectAgent, Turn
from recollect.agent.conversations import Conversations

__all__ = ["Conversations", "RecollectAgent", "Turn", "memory"]
