"""Who a message's role stands for: the owner, a machine that talks along, or something outside the conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from recollect.text.patterns import pattern

PEOPLE = frozenset(
    ("user", "human", "person", "customer", "client", "visitor", "caller", "me", "enduser", "end_user", "end-user")
)
"""The roles under which the owner speaks; any other role of a person is his name."""
SPEAKING = frozenset(("assistant", "ai", "model", "bot", "agent", "chatbot", "llm", "gpt", "claude", "copilot"))
"""The machines that take part in a conversation."""
TOOLS = frozenset(("tool", "tools", "function", "functions", "tool_result"))
"""The roles under which results of tools come."""
MACHINES = SPEAKING | frozenset(
    "system tool tools function functions developer observation observations environment ipython python code search "
    "retriever retrieval context document documents memory plugin browser browsing computer terminal shell webhook api "
    "database result results output event events log logs error critic planner executor moderator narrator".split()
)
"""Roles of machines; any other that is not written like a name, as `tool_result`, is one as well."""
OUTSIDE = MACHINES - SPEAKING
"""Who is no part of a conversation: what they say is passed over, and nobody learns it from its repetition."""
_PERSON = pattern(r"(?!.*message$)[^\W\d_][^\d_\n]*", re.IGNORECASE)
_INNER = pattern(r"(?<=[a-z])(?=[A-Z])")


def is_machine(role: str) -> bool:
    """Tell whether a role is that of a machine, however it is written: a person's is `user`, `human`, or a name."""
    low = role if role in PEOPLE else role.strip().casefold()
    if not low or low in PEOPLE:
        return False
    named = _PERSON.fullmatch(role.strip()) is not None and not role.strip()[0].islower()
    return low in MACHINES or not named or not OUTSIDE.isdisjoint(_INNER.sub(" ", role).casefold().split())


def is_outside(role: str) -> bool:
    """Tell whether a role is no part of a conversation: that of a tool, of a system, or of nobody known."""
    return is_machine(role) and role.strip().casefold() not in SPEAKING


def is_unknown(role: str) -> bool:
    """Tell whether a role is taken for a machine's only because nobody knows whose it is."""
    words = _INNER.sub(" ", role).replace("_", " ").replace("-", " ").casefold().split()
    return is_machine(role) and MACHINES.isdisjoint((role.strip().casefold(), *words))


def unknown_roles(roles: Iterable[str]) -> str:
    """Say which roles nobody knows, and what to write instead; empty where all are known."""
    found = sorted({role.strip() for role in roles if is_unknown(role)})
    if not found:
        return ""
    named = ", ".join(f"{role!r}" for role in found[:5])
    return f"nothing is learnt from the role {named}: use user, assistant, or a name written large"
