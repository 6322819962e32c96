"""The tools for models, on the command line: listed, shown in the form an API takes, and called."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from recollect import errors
from recollect.errors import InvalidInput
from recollect.serve.cli.exits import OK, REFUSED, code_of
from recollect.serve.cli.frame import STARTING, command, group
from recollect.serve.cli.options import Base, Place, Speaker, parsed, space
from recollect.serve.cli.render import clean, emit, show_table
from recollect.tools import schema
from recollect.tools.declare import Tool
from recollect.tools.toolbox import PROFILES, Tools, find_profile

tools = group("tools", STARTING, "List the tools for models, show their schemas, or call one.")
FORMS = ("openai", "openai-loose", "anthropic", "json")
ProfileName = Annotated[str, typer.Option("--profile", help=f"Which set of tools: {', '.join(PROFILES)}.")]


@command(STARTING, "recollect tools list --profile letta", name="list", within=tools)
def list_(place: Base, profile: ProfileName = "default") -> None:
    """List the tools of a profile."""
    listed = find_profile(profile).tools.values()
    if place.as_json:
        emit([{"name": one.name, "title": one.title, "description": one.description} for one in listed])
        return
    show_table(("tool", "arguments", ""), [(one.name, _arguments(one), one.title) for one in listed])


def _arguments(one: Tool) -> str:
    made = schema.parameters(one)
    return ", ".join(name if name in made.get("required", ()) else f"[{name}]" for name in made["properties"])


@command(STARTING, "recollect tools schema --profile default --form anthropic", name="schema", within=tools)
def schema_(
    place: Base,
    profile: ProfileName = "default",
    form: Annotated[str, typer.Option("--form", help=f"For whom: {', '.join(FORMS)}.")] = "openai",
) -> None:
    """Print the tools of a profile as JSON, in the form an API takes them."""
    if form not in FORMS:
        raise InvalidInput(f"there is no form {form!r}: use one of {', '.join(FORMS)}")
    emit([_formed(one, form) for one in find_profile(profile).tools.values()])


def _formed(one: Tool, form: str) -> dict[str, Any]:
    if form == "anthropic":
        return schema.anthropic(one)
    if form == "json":
        return {"name": one.name, "input": schema.parameters(one), "output": one.output}
    return schema.openai(one, strict=form == "openai")


@command(STARTING, 'recollect tools call memory_search query="where does Ana live?" limit=3', name="call", within=tools)
def call(
    place: Place,
    speaker: Speaker,
    name: Annotated[str, typer.Argument(metavar="TOOL", help="The tool.", show_default=False)],
    given: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=VALUE", help="Its arguments; lists and objects as JSON.")
    ] = None,
    arguments: Annotated[str, typer.Option("--input", metavar="JSON", help="All arguments as one JSON object.")] = "{}",
    profile: ProfileName = "default",
) -> int:
    """Call a tool as a model would, and print its answer; with --json, its data."""
    told = {**_object(arguments), **dict(_pair(profile, name, one) for one in given or ())}
    with space(place, speaker) as mine:
        answer = Tools(mine, profile).dispatch(name, told)
    if place.as_json:
        emit({"text": answer.text, "data": answer.data, "refused": answer.refused})
    else:
        typer.echo(clean(answer.text), err=answer.refused)
    kind = getattr(errors, str(answer.data["error"]["type"]), None) if answer.refused else None
    return OK if not answer.refused else code_of(kind("")) if isinstance(kind, type) else REFUSED


def _object(text: str) -> dict[str, Any]:
    made = parsed("--input", text)
    if not isinstance(made, dict):
        raise InvalidInput('--input must be a JSON object, such as {"query": "Ana"}')
    return made


def _pair(profile: str, tool: str, given: str) -> tuple[str, Any]:
    """Read NAME=VALUE by the tool's own schema: texts stay as they are, everything else is JSON."""
    name, found, value = given.partition("=")
    if not found:
        raise InvalidInput(f"{given!r} is no NAME=VALUE, such as query=Ana")
    known = find_profile(profile).tools
    properties = schema.parameters(known[tool])["properties"] if tool in known else {}
    if properties.get(name, {}).get("type", "string") == "string":
        return name, value
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
