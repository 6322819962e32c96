"""Tools × profiles × doors: the same call has the same result through Python, MCP, REST and the command line."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from typer.testing import CliRunner

from recollect import Recollect, Tools, connect
from recollect.model.values import plain
from recollect.serve.cli import whole
from recollect.serve.mcp.handlers import build
from recollect.testing import FixedClock
from recollect.tools.toolbox import PROFILES, find_profile
from tests.doors.serving import serving

Door = Callable[[str, str, dict[str, Any]], tuple[str, Any]]
NEEDED: dict[str, dict[str, Any]] = {
    "memory_save": {"content": "Ana rides a blue bike to work.", "topic": "home"},
    "memory_search": {"query": "tea"},
    "memory_recall": {},
    "memory_query": {"query": "tea"},
    "memory_think": {"query": "tea"},
    "memory_get": {"id": "{id}"},
    "memory_history": {"id": "{id}"},
    "memory_update": {"id": "{id}", "importance": 7},
    "memory_forget": {"id": "{id}"},
    "search_memory": {"query": "tea"},
    "remember_fact": {"content": "Ana rides a blue bike to work."},
    "correct_fact": {"memory_id": "{id}", "new_content": "Ana likes coffee in the morning."},
    "confirm_fact": {"memory_id": "{id}"},
    "get_entity_info": {"name": "Ana"},
    "save_facts_batch": {"facts": [{"content": "Ana has a cat called Mia."}]},
    "detect_conflicts": {"new_fact_id": "{id}"},
    "resolve_conflict": {"new_fact_id": "{id}", "old_fact_id": "{other}"},
    "memory_replace": {"block": "persona", "old": "Sage", "new": "Mia"},
    "memory_append": {"block": "persona", "content": "Brief."},
    "memory_insert": {"block": "persona", "content": "First.", "line": 0},
    "memory_rethink": {"block": "persona", "content": "I am Rex."},
    "memory_apply_patch": {"block": "persona", "patch": "@@ -1 +1 @@\n-I am Rex.\n+I am Mia.\n"},
    "conversation_search": {"query": "harbour"},
    "archival_insert": {"content": "The harbour plan of 1998."},
    "archival_search": {"query": "harbour"},
    "set_preference": {"key": "language", "value": "pt"},
    "memory": {"command": "create", "path": "/memories/notes.txt", "file_text": "one\ntwo\n"},
}
"""Arguments that make each tool do something; what is not listed needs none."""
SPECIAL: dict[tuple[str, str], dict[str, Any]] = {
    ("openlegion", "memory_save"): {"content": "user_timezone: PST"},
    ("openlegion", "memory_recall"): {"query": "tea"},
    ("letta", "memory"): {"command": "create", "path": "plans", "file_text": "The harbour opens in May."},
}
_ID = re.compile(r"\b(?:fact|ep|pas|doc|blk|ent|sum)_[0-9a-f]{32}\b")
_TIMES = re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|\+00:00| UTC)")


def prepared(memory: Recollect, user: str) -> dict[str, str]:
    """Give a user something every tool can work with."""
    space = memory.space(user, session="s1")
    first = space.remember("Ana likes tea in the morning.", topic="drinks")
    other = space.remember("The library opens at nine.", topic="town")
    space.blocks.rethink("persona", "I am Sage.")
    space.observe("user", "We talked about the harbour.")
    return {"id": first.id, "other": other.id}


def filled(arguments: dict[str, Any], known: dict[str, str]) -> dict[str, Any]:
    """Put a user's own ids into arguments."""
    return {
        name: value.format(**known) if isinstance(value, str) and value in ("{id}", "{other}") else value
        for name, value in arguments.items()
    }


def alike(made: tuple[str, Any]) -> str:
    """Give an answer without what differs between two users: ids and moments."""
    text = json.dumps(made, ensure_ascii=False, sort_keys=True)
    text = re.sub(r"(score\W{1,3})-?\d+\.\d+", r"\1SCORE", text)  # how recently it was used counts a little
    return re.sub(r"walk-[a-z-]+", "WHO", _TIMES.sub("TIME", _ID.sub("ID", text)))


def in_python(memory: Recollect, user: str) -> Door:
    """Call through the library."""

    def call(profile: str, tool: str, given: dict[str, Any]) -> tuple[str, Any]:
        answer = Tools(memory.space(user, session="s1"), profile).dispatch(tool, given)
        assert not answer.refused, answer.text
        return answer.text, plain(answer.data)

    return call


def over_mcp(memory: Recollect, user: str, mode: str) -> Door:
    """Call through the official client of MCP, in the process."""

    def call(profile: str, tool: str, given: dict[str, Any]) -> tuple[str, Any]:
        async def walk() -> tuple[str, Any]:
            async with Client(build(lambda _: memory.space(user, session="s1"), profile), mode=mode) as client:
                return _told(await client.call_tool(tool, given))

        return asyncio.run(walk())

    return call


def _told(made: Any) -> tuple[str, Any]:
    assert not made.is_error, made.content
    return made.content[0].text, made.structured_content


def over_rest(url: str, user: str) -> Door:
    """Call through REST."""

    def call(profile: str, tool: str, given: dict[str, Any]) -> tuple[str, Any]:
        with connect(url) as remote:
            answer = remote.space(user, session="s1").call_tool(tool, given, profile)
        assert not answer.refused, answer.text
        return answer.text, answer.data

    return call


def on_the_command_line(database: str, user: str) -> Door:
    """Call through the command line."""

    def call(profile: str, tool: str, given: dict[str, Any]) -> tuple[str, Any]:
        place = ["--db", database, "--user", user, "--session", "s1", "--profile", profile, "--json"]
        done = CliRunner().invoke(whole(), ["tools", "call", tool, "--input", json.dumps(given), *place])
        assert done.exit_code == 0, done.output
        told = json.loads(done.stdout)
        return told["text"], told["data"]

    return call


@pytest.fixture
def doors(database: str, clock: FixedClock) -> Iterator[dict[str, tuple[Door, dict[str, str]]]]:
    """Give every door, each to a user of its own with the same memory."""
    with Recollect(database) as memory, serving(memory) as url:
        users = {f"walk-{name}": prepared(memory, f"walk-{name}") for name in ("a", "b", "c", "d", "e")}
        made = {
            "python": in_python(memory, "walk-a"),
            "mcp": over_mcp(memory, "walk-b", "auto"),
            "mcp of before": over_mcp(memory, "walk-c", "legacy"),
            "rest": over_rest(url, "walk-d"),
            "command line": on_the_command_line(database, "walk-e"),
        }
        yield {name: (door, known) for (name, door), known in zip(made.items(), users.values(), strict=True)}


@pytest.mark.parametrize("profile", PROFILES)
def test_every_door_gives_the_same(doors: dict[str, tuple[Door, dict[str, str]]], profile: str) -> None:
    """000.63, 002.36, 004.22: each tool of each profile, through each door, on each engine."""
    for tool in find_profile(profile).tools:
        given = SPECIAL.get((profile, tool), NEEDED.get(tool, {}))
        if profile == "openlegion" and tool == "memory_save":
            given = SPECIAL[profile, tool]
        told = {name: alike(door(profile, tool, filled(given, known))) for name, (door, known) in doors.items()}
        assert len(set(told.values())) == 1, (tool, told)


def test_the_official_client_reads_everything(tmp_path: Path) -> None:
    """Over HTTP, in both eras, every list is described and every resource and prompt can be read."""
    with Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none") as memory, serving(memory) as url:
        prepared(memory, memory.settings.user)

        async def walk(mode: str) -> None:
            async with Client(f"{url}/mcp", mode=mode) as client:
                tools = (await client.list_tools()).tools
                assert [one.name for one in tools] == list(find_profile("default").tools)
                assert all(one.description and one.annotations and one.output_schema for one in tools)
                for resource in (await client.list_resources()).resources:
                    assert resource.description
                    assert (await client.read_resource(resource.uri)).contents[0].uri == resource.uri
                templates = (await client.list_resource_templates()).resource_templates
                assert all(one.description for one in templates)
                for prompt in (await client.list_prompts()).prompts:
                    assert prompt.description
                    given = {one.name: "tea" for one in prompt.arguments or ()}
                    assert (await client.get_prompt(prompt.name, given)).messages
                with pytest.raises(Exception, match="Resource not found"):
                    await client.read_resource("memory://memories/fact_none")

        for mode in ("auto", "legacy"):
            asyncio.run(walk(mode))
