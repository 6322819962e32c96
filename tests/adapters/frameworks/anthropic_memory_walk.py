"""Anthropic's SDK on this memory: its tool runner over a scripted model, beside its own memory of files."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

from recollect import InvalidInput, Recollect
from recollect.adapters.anthropic_memory import RecollectAsyncMemoryTool, RecollectMemoryTool
from recollect.testing.llm import Asked, Said, ScriptedLlm

NOTE = "/memories/ana.md"


def asked(**arguments: Any) -> Said:
    """Give a call of the tool."""
    return Said(tool=json.dumps(arguments), called="memory")


def results(llm: ScriptedLlm) -> list[Any]:
    """Give the results of calls, one of each request: newer runners send no more than what is new."""
    said = [one.body["messages"][-1]["content"] for one in llm.requests]
    return [part for parts in said if isinstance(parts, list) for part in parts if part["type"] == "tool_result"]


def wanted(tool: Any) -> Any:
    """Give what a runner is asked for."""
    said = [{"role": "user", "content": "Remember that I live in Lisbon."}]
    return {"model": "m", "max_tokens": 100, "messages": said, "tools": [tool]}


def test_the_example_of_the_page(rc: Recollect, llm: ScriptedLlm, shown: Callable[[str], str]) -> None:
    """The ten lines of the page read a file that was written before."""
    rc.space("ana").remember("I live in Lisbon.", kind="document", key=NOTE)
    llm.say(asked(command="view", path=NOTE))
    assert shown("Anthropic's memory tool") == "You live in Lisbon.\n"


def test_a_runner_writes_and_reads(rc: Recollect, llm: ScriptedLlm) -> None:
    """A model keeps a file, errs, and is told so; the file is a document of the owner, and of nobody else."""
    llm.say(
        asked(command="create", path=NOTE, file_text="lives in Lisbon\n"),
        asked(command="create", path="/etc/passwd", file_text="x"),
        asked(command="dance"),
        asked(command="view", path=NOTE),
        "Done.",
    )
    runner = Anthropic().beta.messages.tool_runner(**wanted(RecollectMemoryTool(rc.space("ana"))))
    assert runner.until_done().content[0].text == "Done."
    sent = results(llm)
    assert [bool(one.get("is_error")) for one in sent] == [False, True, True, False]
    assert "lives in Lisbon" in str(sent[-1]["content"])
    assert llm.requests[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert rc.space("ana").recall("Lisbon", kinds=["document"])[0].memory.key == NOTE
    with pytest.raises(ToolError, match="does not exist"):
        RecollectMemoryTool(rc.space("bob")).call({"command": "view", "path": NOTE})


def test_awaited(rc: Recollect, llm: ScriptedLlm) -> None:
    """The same with the asynchronous client."""
    llm.say(asked(command="create", path=NOTE, file_text="tea"), asked(command="view", path="/memories"), "Done.")
    tool = RecollectAsyncMemoryTool(rc.space("ana"))

    async def walk() -> None:
        async with AsyncAnthropic() as client:
            await client.beta.messages.tool_runner(**wanted(tool)).until_done()
        assert "ana.md" in str(results(llm)[-1]["content"])
        assert await tool.clear_all_memory() == "All memory cleared"
        with pytest.raises(ToolError):
            await tool.call({"command": "view", "path": NOTE})

    asyncio.run(walk())


def test_beside_their_files(rc: Recollect, tmp_path: Path) -> None:
    """A walk through all commands answers as Anthropic's own implementation does, errors included."""
    theirs: Any = BetaLocalFilesystemMemoryTool(str(tmp_path))
    ours = RecollectMemoryTool(rc.space("ana"))
    walk: list[dict[str, Any]] = [
        {"command": "create", "path": NOTE, "file_text": "one\ntwo\nthree\n"},
        {"command": "create", "path": NOTE, "file_text": "again"},
        {"command": "view", "path": NOTE},
        {"command": "view", "path": NOTE, "view_range": [2, 3]},
        {"command": "str_replace", "path": NOTE, "old_str": "two", "new_str": "2"},
        {"command": "str_replace", "path": NOTE, "old_str": "nine", "new_str": "9"},
        {"command": "insert", "path": NOTE, "insert_line": 0, "insert_text": "zero\n"},
        {"command": "insert", "path": NOTE, "insert_line": 99, "insert_text": "far\n"},
        {"command": "view", "path": NOTE},
        {"command": "rename", "old_path": NOTE, "new_path": "/memories/notes/a.md"},
        {"command": "view", "path": NOTE},
        {"command": "delete", "path": "/memories/notes/a.md"},
        {"command": "delete", "path": "/memories"},
        {"command": "view", "path": "/memories/../etc"},
    ]
    for command in walk:
        assert _said(ours, command) == _said(theirs, command), command
    ours.call({"command": "create", "path": NOTE, "file_text": ""})
    assert ours.clear_all_memory() == theirs.clear_all_memory()
    with pytest.raises(ToolError):
        ours.call({"command": "view", "path": NOTE})


def _said(tool: Any, command: dict[str, Any]) -> str:
    try:
        return str(tool.call(command))
    except ToolError as error:
        return f"error: {error}"


def test_what_is_no_space() -> None:
    """Anything but a space is refused, in words."""
    with pytest.raises(InvalidInput, match="pass a space"):
        RecollectMemoryTool("ana")  # type: ignore[arg-type]


def test_nobody_is_asked_for_more(rc: Recollect) -> None:
    """A model that answers at once ends the run; nothing is kept."""
    with ScriptedLlm(lambda question: _hello(question)) as quiet:
        client = Anthropic(base_url=quiet.host, api_key="k")
        client.beta.messages.tool_runner(**wanted(RecollectMemoryTool(rc.space("ana")))).until_done()
    assert rc.space("ana").stats().kinds == {}


def _hello(question: Asked) -> str:
    return "Hello."
