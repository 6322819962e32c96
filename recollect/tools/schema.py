"""The forms a tool's schema takes: plain JSON Schema, OpenAI's (strict or not) and Anthropic's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from recollect.tools.declare import Tool

_STRICT = frozenset(
    "type description enum const properties required items additionalProperties anyOf minimum maximum pattern "
    "minItems maxItems".split()
)
"""What OpenAI's strict mode understands; anything else would be refused."""


def parameters(tool: Tool) -> dict[str, Any]:
    """Give the JSON Schema of a tool's arguments: no references, no titles, nothing nullable."""
    return _parameters(tool)


@cache
def _parameters(tool: Tool) -> dict[str, Any]:
    schema = tool.arguments.model_json_schema(by_alias=True)
    whole = _resolved(schema, schema.get("$defs", {}))
    return {"type": "object", **{name: value for name, value in whole.items() if name in _KEPT}}


_KEPT = ("properties", "required", "additionalProperties")


def flattened(schema: dict[str, Any]) -> dict[str, Any]:
    """Give a schema without references: what it refers to stands where it is used."""
    made: dict[str, Any] = _resolved(schema, schema.get("$defs", {}))
    return made


def openai(tool: Tool, *, strict: bool = True) -> dict[str, Any]:
    """Give a tool as OpenAI's chat API takes it; strict, every argument is required and tells its default."""
    schema = _strict(parameters(tool)) if strict else parameters(tool)
    function = {"name": tool.name, "description": tool.description, "parameters": schema, "strict": strict}
    return {"type": "function", "function": function}


def anthropic(tool: Tool) -> dict[str, Any]:
    """Give a tool as Anthropic's API takes it."""
    return {"name": tool.name, "description": tool.description, "input_schema": parameters(tool)}


def _resolved(schema: Any, known: Mapping[str, Any], within: tuple[str, ...] = ()) -> Any:
    """Put what is referred to in the place of the reference; what holds itself is an object of any shape there."""
    if isinstance(schema, list):
        return [_resolved(one, known, within) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        if name in within:
            return {"type": "object"}
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _resolved({**known[name], **beside}, known, (*within, name))
    return {
        name: {key: _resolved(one, known, within) for key, one in value.items()}
        if name == "properties"
        else _resolved(value, known, within)
        for name, value in schema.items()
        if name != "$defs" and not (name == "title" and isinstance(value, str))
    }


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    made = {name: value for name, value in schema.items() if name in _STRICT}
    if "default" in schema:
        told = f"{schema.get('description', '')} Default: {schema['default']!r}.".strip()
        made["description"] = told
    if "items" in made:
        made["items"] = _strict(made["items"])
    if made.get("type") == "object":
        inner = made.get("properties", {})
        made["properties"] = {name: _strict(one) for name, one in inner.items()}
        made["required"], made["additionalProperties"] = list(inner), False
    return made
