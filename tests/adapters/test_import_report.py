"""What an import says of a file: which parts of it were read, what was empty, and what is wrong with a broken one."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import InvalidInput
from recollect.adapters.importers.frame import Source
from recollect.serve.cli import whole
from recollect.testing.exports import BEGUN, chatgpt_export, node

EMPTY: dict[str, Any] = {"title": "", "id": "none", "mapping": {}}


def test_empty_conversations_are_counted(tmp_path: Path) -> None:
    """Conversations without a message stand in the preview and in the report; alone they are nothing to bring in."""
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([*chatgpt_export(4), EMPTY, {**EMPTY, "id": "other"}]))
    base = ["import-from", "chatgpt", str(file), "--db", str(tmp_path / "m.db"), "--yes"]
    done = CliRunner().invoke(whole(), base).stdout
    assert "empty: 2 conversations without a message to bring in" in done
    assert "passed over 2 empty conversations" in done
    assert json.loads(CliRunner().invoke(whole(), [*base, "--json"]).stdout)["empty"] == 2
    file.write_text(json.dumps([EMPTY]))
    with pytest.raises(InvalidInput, match="nothing to bring in but 1 empty conversations"):
        Source("chatgpt", file)


@pytest.mark.parametrize("format", ["chatgpt", "claude"])
def test_the_files_that_were_read_are_named(format: str, tmp_path: Path) -> None:
    """Of a folder and of a zip it says where in it the conversations were found."""
    claude = [{"uuid": "c", "name": "", "chat_messages": [{"uuid": "m", "sender": "human", "text": "I row."}]}]
    data = json.dumps(chatgpt_export(4) if format == "chatgpt" else claude)
    folder = tmp_path / "folder"
    (folder / "old" / "export").mkdir(parents=True)
    (folder / "old" / "export" / "conversations.json").write_text(data)
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("export/conversations.json", data)
    base = ["--db", str(tmp_path / "m.db"), "--dry-run"]
    shown = {name: CliRunner().invoke(whole(), ["import-from", format, str(tmp_path / name), *base]).stdout
             for name in ("folder", "export.zip", "folder/old/export/conversations.json")}  # fmt: skip
    first, zipped, alone = shown.values()
    assert "read from old/export/conversations.json" in first
    assert "read from export/conversations.json" in zipped
    assert "read from" not in alone


def test_a_broken_file_is_called_what_it_is(tmp_path: Path) -> None:
    """A cut zip, an empty file, cut JSON and another file each say what they are and what to do."""
    with zipfile.ZipFile(tmp_path / "whole.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps(chatgpt_export(40)))
    data = (tmp_path / "whole.zip").read_bytes()
    broken = {
        "cut.zip": (data[: len(data) // 2], "cut.zip is a zip that is cut off or damaged: download it again"),
        "bad.zip": (data[:60] + b"\0" * 200 + data[260:], "bad.zip is a zip that is cut off or damaged"),
        "empty.json": (b"\n", "empty.json is empty: export or download it again"),
        "cut.json": (json.dumps(chatgpt_export(4)).encode()[:200], "cut.json is JSON that is cut off or damaged"),
        "chat.html": (b"<html>", "chat.html is not JSON: name the file as the other program wrote it"),
    }
    for name, (content, reason) in broken.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InvalidInput, match=reason):
            Source("chatgpt", tmp_path / name)


HARD = "its mapping is null, not an object"
ODD_NODE = {"root": {"message": None, "parent": None}, "m": {"message": {"content": "bare"}, "parent": "root"}}


def test_an_odd_conversation_costs_no_other(tmp_path: Path) -> None:
    """Conversations that cannot be read are passed over and told by title or number with the reason; the rest is in."""
    odd = [{"title": "Trip", "id": "a", "mapping": None}, None, {"id": "b", "mapping": ODD_NODE, "current_node": "m"}]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([*odd, *chatgpt_export(4)]))
    base = ["import-from", "chatgpt", str(file), "--db", str(tmp_path / "m.db"), "--yes"]
    done = CliRunner().invoke(whole(), base)
    assert done.exit_code == 0
    assert "kept 4 messages" in done.stdout
    for start in ("not readable", "skipped"):
        assert f'{start}: conversation 1 "Trip": {HARD}' in done.stdout
        assert f"{start}: conversation 2: it is null, not an object" in done.stdout
        assert f"{start}: conversation 3: a part of it is not as in a ChatGPT export" in done.stdout
    told = json.loads(CliRunner().invoke(whole(), [*base, "--json"]).stdout)["skipped"]
    assert told[0] == {"what": 'conversation 1 "Trip"', "why": HARD}
    assert len(told) == 3
    file.write_text(json.dumps(odd))
    with pytest.raises(InvalidInput, match=r'nothing to bring in \(conversation 1 "Trip": its .*, and 2 more like it'):
        Source("chatgpt", file)


def test_messages_without_text_are_counted_as_such(tmp_path: Path) -> None:
    """A picture alone and an empty message are no hidden ones; a talk of nothing else is an empty one."""
    talks = chatgpt_export(4, branch=True)
    last = talks[0]["current_node"]
    for number, part in enumerate(({"asset_pointer": "file://x"}, "  ")):
        content = {"content_type": "multimodal_text", "parts": [part]}
        last = node(talks[0]["mapping"], last, f"none{number}", "user", "", BEGUN, content=content)
    talks[0]["current_node"] = last
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps(talks))
    base = ["import-from", "chatgpt", str(file), "--db", str(tmp_path / "m.db")]
    shown = json.loads(CliRunner().invoke(whole(), [*base, "--dry-run", "--json"]).stdout)
    assert (shown["messages"], shown["wordless"], shown["left_out"]) == (4, 2, 1)
    done = CliRunner().invoke(whole(), [*base, "--yes"]).stdout
    assert "without text: 2 messages" in done
    assert "left out 2 messages without text" in done


CLAUDE = {"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "I row."}, {"sender": "human"}]}
AGENT = {"name": "Sage", "messages": [{"role": "user", "content": "I row."}], "passages": [None, {"text": "A boat."}]}
EDGES = [{"uuid": "e", "fact": "Ana rows."}, {"uuid": "f", "fact": "Ana sails."}, 7]
FOREVER = {"id": "1", "memory": "Ana rows.", "expiration_date": "9999-12-31"}
EPISODE = {"uuid": "x", "content": "I row."}
STORES: dict[str, tuple[str, Any, int, list[str]]] = {
    "claude": ("conversations.json", [CLAUDE, {"name": "Sea", "chat_messages": [None]}], 1, ['conversation 2 "Sea"']),
    "letta": ("a.af", {"agents": [AGENT, None], "blocks": [3]}, 2, ["block 1", "passage 1", "agent 2"]),
    "zep": ("g.json", {"edges": EDGES, "episodes": [EPISODE, {"content": 5}]}, 3, ["edge 3", "episode 2"]),
    "mem0": ("m.json", [FOREVER, {"id": "2"}, None], 1, ["memory 2", "memory 3"]),
    "langgraph": ("i.json", [{"key": "k", "value": {"text": "Ana rows."}}, {"key": "l"}], 1, ["item 2"]),
}
"""A file of each format with odd entries in it: how many things come in, and what is told of."""


@pytest.mark.parametrize("format", STORES)
def test_no_format_is_refused_for_one_odd_entry(format: str, tmp_path: Path) -> None:
    """What is as the format has it comes in, whatever else is in the file."""
    name, data, total, skipped = STORES[format]
    (tmp_path / name).write_text(json.dumps(data))
    source = Source(format, tmp_path / name)
    assert source.total == total
    assert [one.what for one in source.skipped] == skipped


def test_an_odd_row_of_a_database_costs_no_other(tmp_path: Path) -> None:
    """A memory of mem0 without a text is told of; the others of its history come in."""
    with closing(sqlite3.connect(tmp_path / "history.db")) as made, made:
        made.execute("CREATE TABLE history (memory_id, new_memory, event, is_deleted)")
        rows = [("1", "Ana rows.", "ADD", 0), ("2", "   ", "ADD", 0), ("3", "Ana sails.", "ADD", 0)]
        made.executemany("INSERT INTO history VALUES (?, ?, ?, ?)", rows)
    source = Source("mem0", tmp_path / "history.db")
    assert (source.total, [one.what for one in source.skipped]) == (2, ["memory 2"])


def test_a_graph_whose_nodes_are_none_is_refused(tmp_path: Path) -> None:
    """What is no list where one must be is said."""
    (tmp_path / "g.json").write_text(json.dumps({"nodes": 5, "edges": EDGES}))
    with pytest.raises(InvalidInput, match="nodes is 5, not a list"):
        Source("zep", tmp_path / "g.json")
