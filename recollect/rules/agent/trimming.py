"""A request that has grown too long within one turn: its middle is cut to what its tools were called."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.rules.window.grouping import USER, Group, Message, groups

FEWEST_GROUPS = 3
LAST_GROUPS = 2
RESULT = 100
HEAD = "## Earlier in this turn (cut)"


def trimmed(messages: Sequence[Message], most: int, count: Callable[[Sequence[Message]], int]) -> list[Message]:
    """Give a request that fits better: the first group, a note on the middle, and the last two; else as it is."""
    found = groups(messages)
    if len(found) <= FEWEST_GROUPS or count(messages) <= most:
        return list(messages)
    note = Message("", USER, "\n".join([HEAD, *(_line(one) for one in found[1:-LAST_GROUPS])]))
    return [*found[0], note, *(one for group in found[-LAST_GROUPS:] for one in group)]


def _line(group: Group) -> str:
    """Tell one group in a line: which tools were called and how their results began, or how a message began."""
    head = group[0]
    if not head.calls:
        return f"- {head.role}: {_short(head.content)}"
    names = [str(call.get("function", {}).get("name", "")) for call in head.calls]
    return f"- called {', '.join(names)}: {'; '.join(_short(one.content) for one in group[1:])}"


def _short(content: object) -> str:
    text = " ".join(str(content).split())
    return text if len(text) <= RESULT else f"{text[:RESULT]}…"
