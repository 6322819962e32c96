"""Calls of tools that a model writes down instead of making them: as JSON, or the way a program calls a function."""

from __future__ import annotations

import ast
import json
from collections.abc import Collection
from typing import Any

from recollect.rules.agent.looping import fingerprint
from recollect.text.patterns import pattern

MOST = 5
_LINE = r"(?m)^[ \t`>*-]*(?:<tool_call>)?[ \t]*"
"""What may stand before a call on its line."""
_CALL = pattern(_LINE + r"(?P<name>[A-Za-z_]\w{2,63})(?=\()")
_BEGIN = pattern(_LINE + r"(?=\{\s*\")")
_REST = pattern(r"[ \t`*.;]*(?:</tool_call>)?[ \t]*(?:\n|\Z)")
_DECODER = json.JSONDecoder()
LONGEST = 20_000

Call = tuple[str, dict[str, Any]]


def spoken_calls(text: str, known: Collection[str]) -> list[Call]:
    """Give the calls of known tools that stand in a text on lines of their own, with their arguments, each once.

    What stands inside a sentence, or has names in the place of values, is talk about a tool and no call of it.
    """
    if len(text) > LONGEST or not known:
        return []
    found: dict[str, Call] = {}
    for name, args in (*_as_json(text), *_as_code(text)):
        if name in known and args:
            found.setdefault(fingerprint([(name, args)]), (name, args))
    return list(found.values())[:MOST]


def _as_json(text: str) -> list[Call]:
    """Read objects that name a tool and its arguments, in the words models use for them."""
    found: list[Call] = []
    at = 0
    while start := _BEGIN.search(text, at):
        try:
            made, end = _DECODER.raw_decode(text, start.end())
        except (ValueError, RecursionError):
            at = start.end() + 1
            continue
        at = end
        inner = made.get("function", made) if isinstance(made, dict) else {}
        if not isinstance(inner, dict):
            inner = made
        if not isinstance(inner, dict) or not _REST.match(text, end):
            continue
        name = inner.get("name") or inner.get("tool")
        args = inner.get("arguments") or inner.get("parameters") or inner.get("args")
        if isinstance(name, str) and isinstance(args := _object(args), dict):
            found.append((name, args))
    return found


def _object(args: Any) -> Any:
    try:
        return json.loads(args) if isinstance(args, str) else args
    except ValueError:
        return None


def _as_code(text: str) -> list[Call]:
    """Read calls with plain values by name, such as `memory_save(topic="work", content="…")`."""
    found: list[Call] = []
    for match in _CALL.finditer(text):
        source = _balanced(text, match.start("name"))
        try:
            alone = source and _REST.match(text, match.start("name") + len(source))
            node = ast.parse(source, mode="eval").body if alone else None
            if not isinstance(node, ast.Call) or node.args or not all(one.arg for one in node.keywords):
                continue
            found.append((match["name"], {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return found


def _balanced(text: str, start: int) -> str:
    """Give the text from a place to the bracket that closes the first one; brackets in quotes do not count."""
    depth, quote, at = 0, "", start
    while at < len(text):
        char = text[at]
        if quote:
            at += char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return text[start : at + 1]
        at += 1
    return ""
