"""The tools an agent has: toolsets by name, each made of tools that are declared once for every door."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.agent.drive import TOOLS as DRIVE
from recollect.agent.querying import TOOLS as QUERIES
from recollect.errors import ConfigError, RecollectError
from recollect.front.space import Space
from recollect.model.clock import iso
from recollect.text.later import later
from recollect.tools import schema
from recollect.tools.declare import Tool, tool
from recollect.tools.toolbox import PROFILES, find_profile, refusal

if TYPE_CHECKING:  # only what asks a model needs its libraries
    from pydantic_ai import exceptions, toolsets
    from pydantic_ai import tools as theirs
else:
    exceptions, toolsets, theirs = later("pydantic_ai", "exceptions", "toolsets", "tools")


@tool("Say where you are", reads=True)
def get_system_info(space: Space) -> str:
    """Give the date and time, and how much is remembered of this user."""
    stats = space.stats()
    kinds = ", ".join(f"{many} {kind}" for kind, many in stats.kinds.items()) or "nothing yet"
    return f"It is {iso(space.now)}. Remembered: {kinds}, in {stats.sessions} sessions."


def _named(profile: str, *names: str) -> tuple[Tool, ...]:
    known = find_profile(profile).tools
    return tuple(known[name] for name in names)


TOOLSETS: dict[str, Callable[[], tuple[Tool, ...]]] = {
    "core": lambda: (get_system_info,),
    "memory": lambda: _named("samaritan", "memory_save", "memory_recall", "memory_age"),
    "search": lambda: (*_named("default", "memory_search"), *_named("letta", "conversation_search")),
    "db": lambda: QUERIES,
    "drive": lambda: DRIVE,
}
"""Toolsets by name; a profile is one too. `core` has the tools to hand tasks on as well, where there are roles."""
HANDING_ON = ("llm_call", "llm_list")
USUAL = {
    "reasoning": ("core", "memory", "search"),
    "execution": ("core", "db", "drive", "search", "memory"),
}
"""What an agent of a role has where nothing is set."""
SAVING = ("memory_save", "remember_fact", "archival_insert", "memory_append", "save_facts_batch")
"""The tools by which something is saved."""


def tools_of(names: Sequence[str]) -> dict[str, Tool]:
    """Give the tools that names stand for: toolsets, profiles, or single tools; the first of one name counts."""
    found: dict[str, Tool] = {}
    for name in names:
        for one in _tools(name):
            found.setdefault(one.name, one)
    return found


def _tools(name: str) -> Sequence[Tool]:
    if name in TOOLSETS:
        return TOOLSETS[name]()
    if name in PROFILES:
        return tuple(find_profile(name).tools.values())
    if name in HANDING_ON:
        return ()
    single = next((one for one in _all() if one.name == name), None)
    if single is None:
        known = ", ".join((*TOOLSETS, *PROFILES, *HANDING_ON))
        raise ConfigError(f"there is no toolset or tool {name!r}: use the name of a tool, or one of {known}")
    return (single,)


def _all() -> list[Tool]:
    listed = [one for make in TOOLSETS.values() for one in make()]
    return [*listed, *(one for name in PROFILES for one in find_profile(name).tools.values())]


def toolset(space: Space, tools: Mapping[str, Tool]) -> toolsets.FunctionToolset[Any]:
    """Give declared tools of a space as pydantic-ai takes them; whose memory it is never comes from the model."""
    return toolsets.FunctionToolset([_bound(space, one) for one in tools.values()])


def _bound(space: Space, one: Tool) -> theirs.Tool[Any]:
    async def run(**given: Any) -> str:
        return await asyncio.to_thread(called, space, one, given)

    return theirs.Tool.from_schema(run, one.name, one.description, schema.parameters(one))


def called(space: Space, one: Tool, given: Mapping[str, Any]) -> str:
    """Carry a tool out for a model; what it refuses is a failure that says what to do."""
    try:
        return one.call(space, given).text
    except RecollectError as error:
        raise exceptions.ToolFailed(refusal(error).text) from error
