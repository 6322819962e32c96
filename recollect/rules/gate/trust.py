"""How far a text is believed, by who wrote it."""

from __future__ import annotations

from recollect.text.roles import PEOPLE, SPEAKING

_BY_ROLE = dict.fromkeys(PEOPLE, 1.0) | dict.fromkeys(SPEAKING, 0.6)
_BY_ROLE |= {"system": 0.9, "developer": 0.9, "tool": 0.3, "function": 0.3}
_BY_SOURCE = {
    "user": 1.0, "directive": 1.0, "session": 1.0, "job": 0.8, "workspace": 0.8, "import": 0.7, "agent": 0.6,
    "file": 0.6, "tool": 0.3, "mail": 0.3, "web": 0.2,
}  # fmt: skip


def trust_of(role: str, source: str) -> float:
    """Give how far a text is believed, 0 to 1: the least of what its role and its source are worth."""
    by_role = _BY_ROLE.get(role.strip().casefold(), 0.8)
    by_source = _BY_SOURCE.get(source.strip().casefold(), 0.5)
    return min(by_role, by_source) if source.strip() else by_role
