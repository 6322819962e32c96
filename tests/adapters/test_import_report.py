"""What an import says of a file: which parts of it were read, what was empty, and what is wrong with a broken one."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import InvalidInput
from recollect.adapters.importers.frame import Source
from recollect.serve.cli import whole
from recollect.testing.exports import chatgpt_export

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
