"""How a tool is declared: a function of a space, whose signature is its schema and whose docstring its description."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model
from pydantic.fields import FieldInfo

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.values import dataclass, plain

MOST_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool answers: a short text for a model, the same as data for a program, and whether it was refused."""

    text: str
    data: Mapping[str, Any]
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its function, and what a client may know of it before it calls."""

    name: str
    title: str
    run: Callable[..., Any]
    reads: bool
    """It changes nothing."""
    destroys: bool
    """It may take something away."""
    repeats: bool
    """Calling it again with the same arguments changes nothing more."""

    @property
    def description(self) -> str:
        """What it does, when to use it and when not, for the model."""
        return inspect.cleandoc(self.run.__doc__ or "")

    @property
    def arguments(self) -> type[BaseModel]:
        """The model its arguments are checked by."""
        return _arguments(self.run)

    @property
    def output(self) -> dict[str, Any]:
        """The JSON schema of the data it answers with."""
        return _output(self.run)

    def call(self, space: Space, given: Mapping[str, Any]) -> Answer:
        """Check the arguments and carry the tool out; raises what the verbs raise, with nothing changed."""
        checked = _checked(self, given)
        made = self.run(space, **{name: getattr(checked, name) for name in type(checked).model_fields})
        return answer(made)


def tool(
    title: str, *, reads: bool = False, destroys: bool = False, repeats: bool = False, name: str = ""
) -> Callable[[Callable[..., Any]], Tool]:
    """Declare a function as a tool. Its first parameter is the space; the model never says whose memory it is."""

    def declared(run: Callable[..., Any]) -> Tool:
        return Tool(name or run.__name__, title, run, reads, destroys, repeats or reads)

    return declared


def answer(made: Any) -> Answer:
    """Give what a tool's function returned as an answer: a text stands for itself, a value has its own words."""
    if isinstance(made, str):
        return Answer(made, {"text": made})
    data = plain(made)
    told = getattr(made, "text", None)
    return Answer(told() if callable(told) else json.dumps(data, ensure_ascii=False), data)


def _checked(tool: Tool, given: Mapping[str, Any]) -> BaseModel:
    if not isinstance(given, Mapping):
        raise InvalidInput(f"the arguments of {tool.name} must be an object, not {type(given).__name__}")
    try:
        return tool.arguments.model_validate(dict(given))
    except ValidationError as error:
        raise InvalidInput(_problems(tool, error)) from error
    except RecursionError as error:
        raise InvalidInput(f"{tool.name}: the arguments are nested too deeply") from error


def _problems(tool: Tool, error: ValidationError) -> str:
    """Say in one line what is wrong with the arguments, and which there are."""
    told, known = [], tool.arguments.model_json_schema(by_alias=True)["properties"]
    for problem in error.errors(include_url=False, include_input=False)[:MOST_PROBLEMS]:
        where = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "missing":
            told.append(f"'{where}' argument required")
        elif problem["type"] == "extra_forbidden":
            told.append(f"there is no argument '{where}'")
        elif problem["type"] == "string_type":
            told.append(f"'{where}' must be text, in quotes")
        else:
            told.append(f"'{where}': {problem['msg'].lower()}")
    return f"{tool.name}: {'; '.join(told)}. It takes {', '.join(known) or 'no arguments'}."


@cache
def _arguments(run: Callable[..., Any]) -> type[BaseModel]:
    hints = get_type_hints(run, include_extras=True)
    given = list(inspect.signature(run).parameters.values())[1:]
    made: dict[str, Any] = {}
    for one in given:
        default = ... if one.default is inspect.Parameter.empty else one.default
        made[one.name] = (hints[one.name], _copied(default))
    config = ConfigDict(extra="forbid", populate_by_name=True, coerce_numbers_to_str=True)
    return create_model(run.__name__, __config__=config, **made)


def _copied(default: Any) -> Any:
    return FieldInfo(default_factory=lambda: list(default)) if isinstance(default, list | tuple) else default


@cache
def _output(run: Callable[..., Any]) -> dict[str, Any]:
    made = get_type_hints(run)["return"]
    if made is str:
        return {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        }
    schema = TypeAdapter(made).json_schema(mode="serialization")
    return schema if schema.get("type") == "object" else {"type": "object"}
