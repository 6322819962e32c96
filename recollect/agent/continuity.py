"""Where things stand when a conversation begins: open tasks, initiatives, assets and decisions, by their topics."""

from __future__ import annotations

from collections.abc import Collection

from recollect.front.space import Space
from recollect.model.memory import Memory
from recollect.rules.agent.looping import AgentPolicy
from recollect.rules.window.layout import dated
from recollect.rules.window.profiles import CAUTION

HEAD = "## Where things stand"


def standing(space: Space, policy: AgentPolicy, known: Collection[str] = ()) -> str:
    """Give the memories of the topics a conversation begins with, the weightiest first; empty where there are none.

    Those in `known` stand in the request already.
    """
    parts = []
    for topic in policy.continuity:
        found = [one for one in _of(space, topic, policy.continuity_rows) if one.id not in known]
        if found:
            lines = [f"- {dated(one, space._runtime.settings.context.line_characters)}" for one in found]
            parts.append("\n".join([f"**{topic}**", *lines]))
    return "\n\n".join([f"{HEAD}\n{CAUTION}", *parts]) if parts else ""


def _of(space: Space, topic: str, most: int) -> list[Memory]:
    """Give the memories of a topic, and those of the category of that name where there is one."""
    found = space.list("importance", most, topic=topic)
    if topic in space._runtime.settings.categories.names:
        found += space.list("importance", most, categories=topic)
    return list({one.id: one for one in found}.values())[:most]
