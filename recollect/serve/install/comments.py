"""Settings with comments: they can be read, but not written again with the comments where they were."""

from __future__ import annotations

import json
import re
from typing import Any

from recollect.text.patterns import pattern

_COMMENT = pattern(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = pattern(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
_ABSENT = object()


def without(text: str) -> str:
    """Give JSON without comments and commas before an end; what stands in quotes stays."""
    for noise in (_COMMENT, _LAST_COMMA):
        text = noise.sub(lambda found: found[1] or "", text)
    return text if text.strip() else "{}"


def to_do(path: str, before: str, after: str) -> str:
    """Say what a hand is to do so that settings become others: what to add to them, and what to take out."""
    old, new = json.loads(before or "{}"), json.loads(after or "{}")
    lines = [f"{path} has comments or commas that JSON has not, and would lose them: it is left as it is."]
    for words, whole, part in (("Take this out of it:", old, new), ("Add this to it:", new, old)):
        if whole != part and (more := _beyond(whole, part)):
            lines += [words, json.dumps(more, indent=2, ensure_ascii=False)]
    return "\n".join(lines)


def _beyond(whole: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """Give what settings have that others have not, with the sections it stands in."""
    found: dict[str, Any] = {}
    for name, value in whole.items():
        other = part.get(name, _ABSENT)
        if isinstance(value, dict) and isinstance(other, dict):
            inner = _beyond(value, other)
            found |= {name: inner} if inner else {}
        elif isinstance(value, list) and isinstance(other, list) and all(isinstance(one, dict) for one in value):
            more = [one for one in value if one not in other]
            found |= {name: more} if more else {}
        elif value != other:
            found[name] = value
    return found
