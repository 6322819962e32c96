"""Tools × profiles × doors: the same call has the same result through Python, MCP, REST and the command line."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from typer.testing import CliRunner

from recollect import Recollect, Tools, connect
from recollect.model.values import plain
from recollect.serve.cli import whole
from recollect.tools.toolbox import PROFILES, find_profile
from tests.doors.serving import serving
from tests.wide import many

PROGRAM = str(Path(sys.executable).with_name("recollect"))
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


@contextmanager
def over_mcp(server: Any, mode: str = "auto") -> Iterator[Door]:
    """Call through the official client of MCP, in one session that stays open."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server, mode=mode)) as client,
    ):
        yield lambda profile, tool, given: _told(portal.call(client.call_tool, tool, given))


@asynccontextmanager
async def by_http(url: str, key: str, profile: str) -> AsyncIterator[Any]:
    """Give MCP's way over HTTP to a profile, with somebody's key."""
    headers = {"Authorization": f"Bearer {key}", "Recollect-Session": "s1"}
    async with (
        create_mcp_http_client(headers=headers) as http,
        streamable_http_client(f"{url}/mcp/{profile}", http_client=http) as streams,
    ):
        yield streams


def by_stdio(database: str, user: str, profile: str) -> StdioServerParameters:
    """Give MCP's way over standard input and output: a process of its own."""
    place = ["--db", database, "--user", user, "--session", "s1", "--profile", profile, "--no-worker"]
    return StdioServerParameters(command=PROGRAM, args=["mcp", *place], env=dict(os.environ))


def _told(made: Any) -> tuple[str, Any]:
    assert not made.is_error, made.content
    return made.content[0].text, made.structured_content


def over_rest(url: str, key: str, user: str) -> Door:
    """Call through REST."""

    def call(profile: str, tool: str, given: dict[str, Any]) -> tuple[str, Any]:
        with connect(url, key=key) as remote:
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


@contextmanager
def doors(database: str, profile: str) -> Iterator[dict[str, tuple[Door, dict[str, str]]]]:
    """Give every door to a profile, each with a user of its own who has the same memory.

    A process takes seconds to start: over standard input and output the first profile is walked on every engine, the
    others with `make wide`.
    """
    with Recollect(database) as memory, ExitStack() as stack:
        users = {name: prepared(memory, name) for name in (f"walk-{letter}" for letter in "abcdef")}
        keys = {name: memory.keys.create(name, user=name)[1] for name in ("walk-b", "walk-c", "walk-d")}
        url = stack.enter_context(serving(memory))
        made = {
            "python": in_python(memory, "walk-a"),
            "mcp": stack.enter_context(over_mcp(by_http(url, keys["walk-b"], profile))),
            "mcp of before": stack.enter_context(over_mcp(by_http(url, keys["walk-c"], profile), "legacy")),
            "rest": over_rest(url, keys["walk-d"], "walk-d"),
            "command line": on_the_command_line(database, "walk-e"),
        }
        if profile in [*PROFILES][: many(1, len(PROFILES))]:
            made["mcp in a process"] = stack.enter_context(over_mcp(by_stdio(database, "walk-f", profile)))
        yield {name: (door, known) for (name, door), known in zip(made.items(), users.values(), strict=False)}


@pytest.mark.parametrize("profile", PROFILES)
def test_every_door_gives_the_same(database: str, profile: str) -> None:
    """000.63, 002.36, 004.22: each tool of each profile, through each door, on each engine."""
    with doors(database, profile) as opened:
        for tool in find_profile(profile).tools:
            given = SPECIAL.get((profile, tool), NEEDED.get(tool, {}))
            told = {name: alike(door(profile, tool, filled(given, known))) for name, (door, known) in opened.items()}
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
