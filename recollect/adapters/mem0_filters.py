"""mem0's filters on metadata: comparisons by name, joined by AND, OR and NOT."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda have, want: have == want,
    "ne": lambda have, want: have != want,
    "gt": lambda have, want: have is not None and have > want,
    "gte": lambda have, want: have is not None and have >= want,
    "lt": lambda have, want: have is not None and have < want,
    "lte": lambda have, want: have is not None and have <= want,
    "in": lambda have, want: have in want,
    "nin": lambda have, want: have not in want,
    "contains": lambda have, want: have is not None and want in have,
    "icontains": lambda have, want: have is not None and str(want).casefold() in str(have).casefold(),
}
JOINED = ("AND", "OR", "NOT")


def passes(item: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Tell whether a memory, as mem0 shows it, passes filters; raises `ValueError` for what no filter can be."""
    return all(_one(item, name, wanted) for name, wanted in filters.items())


def _one(item: Mapping[str, Any], name: str, wanted: Any) -> bool:
    if name in JOINED:
        if not isinstance(wanted, list) or (not wanted and name != "AND"):
            raise ValueError(f"{name} operator requires a {'' if name == 'AND' else 'non-empty '}list of conditions")
        met = [passes(item, one) for one in wanted]
        return not any(met) if name == "NOT" else all(met) if name == "AND" else any(met)
    metadata = item.get("metadata") or {}
    have = item[name] if name in item else metadata.get(name)
    if wanted == "*":
        return have is not None
    if not isinstance(wanted, Mapping):
        return bool(have == wanted)
    return all(_compared(operator, have, value) for operator, value in wanted.items())


def _compared(operator: str, have: Any, want: Any) -> bool:
    if operator not in COMPARED:
        raise ValueError(f"Unsupported metadata filter operator: {operator}")
    try:
        return bool(COMPARED[operator](have, want))
    except TypeError:  # a number and a word have no order
        return False
