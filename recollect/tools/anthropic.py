"""Anthropic's memory tool: text files under /memories, each kept as a document under its path."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from recollect.errors import Conflict, InvalidInput, NotFound
from recollect.front.space import Space
from recollect.model.memory import Memory
from recollect.model.receipt import Receipt
from recollect.tools.declare import Tool, tool

ROOT = "/memories"
MOST_LINES = 999_999
WIDTH = len(str(MOST_LINES))
PAGE = 1000
EMPTY = "(an empty file)"
"""What stands in the row of a file without text, which no memory can be; its attributes tell."""
FOLDER_SIZE = "4K"
WRITTEN = ("stored", "superseded")
"""What a receipt says when a file holds what was written."""
NATIVE = ({"type": "memory_20250818", "name": "memory"},)
"""What Anthropic's API is told: the model knows this tool by its type."""
PREFIX = ""
"""Errors are told in the words of the SDK's own implementation, and nothing before them."""

Path = Annotated[str, Field(description='A path that begins with /memories; "" where the command takes none.')]


@tool("Memory files", destroys=True)
def memory(
    space: Space,
    command: Annotated[
        Literal["view", "create", "str_replace", "insert", "delete", "rename"], Field(description="What to do.")
    ],
    path: Path = "",
    view_range: Annotated[
        list[int], Field(description="view: first and last line; -1 for the end.", max_length=2)
    ] = [],
    file_text: Annotated[str, Field(description="create: the text of the file.")] = "",
    old_str: Annotated[str, Field(description="str_replace: the text to replace; it must occur once.")] = "",
    new_str: Annotated[str, Field(description="str_replace: what stands there instead.")] = "",
    insert_line: Annotated[int, Field(description="insert: the line to insert after; 0 for the top.")] = 0,
    insert_text: Annotated[str, Field(description="insert: the text.")] = "",
    old_path: Path = "",
    new_path: Path = "",
) -> str:  # long because one tool has six commands
    """Keep notes for later conversations as text files under /memories.

    View /memories before you begin: what you learnt earlier is there. Write down progress as you work. Do not keep what
    only matters now, and nothing secret.
    """
    files = _Files(space)
    if command == "view":
        return files.view(path, view_range)
    if command == "create":
        return files.create(path, file_text)
    if command == "str_replace":
        return files.replace(path, old_str, new_str)
    if command == "insert":
        return files.insert(path, insert_line, insert_text)
    return files.delete(path) if command == "delete" else files.rename(old_path, new_path)


def clear(space: Space) -> str:
    """Take away every file: for a program that begins anew; no model has this command."""
    for one in _Files(space).everything():
        space.forget(one.id)
    return "All memory cleared"


class _Files:
    """The files of one space: documents whose key is a path."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def view(self, path: str, lines: Sequence[int]) -> str:
        place = _checked(path)
        found = self._file(place)
        if found is None:
            return self._listing(path, place)
        text = _text(found).split("\n")
        if len(text) > MOST_LINES:
            raise InvalidInput(f"File {path} exceeds maximum line limit of 999,999 lines.")
        first, last = (max(1, lines[0]) - 1, lines[1]) if len(lines) == 2 else (0, -1)
        shown = text[first : len(text) if last == -1 else last]
        return "\n".join((f"Here's the content of {path} with line numbers:", *_numbered(shown, first + 1)))

    def _listing(self, path: str, place: str) -> str:
        below = self._below(place)
        if not below and place != ROOT:
            raise NotFound(f"The path {path} does not exist. Please provide a valid path.")
        sizes: dict[str, str] = {}
        for one in below:
            parts = one.key[len(place) + 1 :].split("/")
            if any(part.startswith(".") for part in parts[:2]):
                continue
            for depth in range(1, min(len(parts) - 1, 2) + 1):
                sizes["/".join(parts[:depth]) + "/"] = FOLDER_SIZE
            if len(parts) <= 2:
                sizes["/".join(parts)] = _size(len(_text(one).encode()))
        head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        listed = [f"{size}\t{path}/{name}" for name, size in sorted(sizes.items(), key=_by_name)]
        return "\n".join((head, f"{FOLDER_SIZE}\t{path}", *listed))

    def create(self, path: str, text: str) -> str:
        place = _checked(path)
        if self._file(place) is not None or self._below(place) or place == ROOT:
            raise Conflict(f"File {path} already exists")
        self._write(place, text)
        return f"File created successfully at: {path}"

    def replace(self, path: str, old: str, new: str) -> str:
        found = self._existing(path)
        text = _text(found)
        if not old or old not in text:
            raise InvalidInput(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        if text.count(old) > 1:
            lines, start = list[str](), text.find(old)
            while start != -1:
                lines.append(str(text.count("\n", 0, start) + 1))
                start = text.find(old, start + 1)
            raise InvalidInput(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {', '.join(lines)}. "
                "Please ensure it is unique"
            )
        at = text[: text.find(old)].count("\n")
        text = text.replace(old, new)
        self._write(found.key, text, found)
        lines = text.split("\n")
        first, last = max(0, at - 2), min(len(lines), at + 3)
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return "\n".join((head, *_numbered(lines[first:last], first + 1)))

    def insert(self, path: str, line: int, given: str) -> str:
        found = self._existing(path)
        lines = _text(found).split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= line <= len(lines):
            raise InvalidInput(
                f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(line, given.rstrip("\n"))
        text = "\n".join(lines)
        self._write(found.key, text if text.endswith("\n") else f"{text}\n", found)
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        place = _checked(path)
        if place == ROOT:
            raise InvalidInput("Cannot delete the /memories directory itself")
        for one in self._all(place, path):
            self._space.forget(one.id)
        return f"Successfully deleted {path}"

    def rename(self, old: str, new: str) -> str:
        source, target = _checked(old), _checked(new)
        if source == ROOT:
            raise InvalidInput("Cannot rename the /memories directory itself")
        if self._file(target) is not None or self._below(target) or target == ROOT:
            raise Conflict(f"The destination {new} already exists")
        for one in self._all(source, old):  # written before the old one goes: a crash in between loses nothing
            self._write(target + one.key[len(source) :], _text(one))
            self._space.forget(one.id)
        return f"Successfully renamed {old} to {new}"

    def everything(self) -> list[Memory]:
        return self._below(ROOT)

    def _all(self, place: str, path: str) -> list[Memory]:
        one = self._file(place)
        found = [one] if one is not None else self._below(place)
        if not found:
            raise NotFound(f"The path {path} does not exist")
        return found

    def _existing(self, path: str) -> Memory:
        place = _checked(path)
        found = self._file(place)
        if found is not None:
            return found
        if place == ROOT or self._below(place):
            raise InvalidInput(f"The path {path} is not a file.")
        raise NotFound(f"The path {path} does not exist. Please provide a valid path.")

    def _file(self, place: str) -> Memory | None:
        return next(iter(self._space.list(limit=1, kinds="document", key=place)), None)

    def _below(self, place: str) -> list[Memory]:
        found, offset = list[Memory](), 0
        while page := self._space.list("oldest", PAGE, offset, kinds="document"):
            found += [one for one in page if one.key.startswith(f"{place}/")]
            offset += PAGE
            if len(page) < PAGE:
                break
        return found

    def _write(self, place: str, text: str, seen: Memory | None = None) -> None:
        """Write a file; what was seen of it must still stand, for the text was made of that."""
        if seen is not None and _text(seen) == text:
            return
        receipt = self._edited(seen, text) if seen is not None and text.strip() else self._made(place, text)
        if receipt.outcome not in WRITTEN:
            raise Conflict(f"{place} was not written: {receipt.reason or receipt.outcome}")

    def _edited(self, seen: Memory, text: str) -> Receipt:
        try:
            return self._space.correct(seen.id, text)
        except NotFound as error:
            raise Conflict(f"{seen.key} was changed meanwhile: view it and edit again") from error

    def _made(self, place: str, text: str) -> Receipt:
        blank = not text.strip()
        kept: dict[str, Any] = {"attributes": {"text": text}} if blank else {}
        return self._space.remember(EMPTY if blank else text, kind="document", key=place, **kept)


def _checked(path: str) -> str:
    """Give the place a path names, or refuse one that is outside."""
    if not path:
        raise InvalidInput("'path' argument required")
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise InvalidInput(f"Path must start with /memories, got: {path}")
    place = posixpath.normpath(path)
    if place != ROOT and not place.startswith(f"{ROOT}/"):
        raise InvalidInput(f"Path {path} would escape /memories directory")
    return place


def _text(memory: Memory) -> str:
    return str(memory.attributes.get("text", "")) if memory.content == EMPTY else memory.content


def _numbered(lines: Sequence[str], first: int) -> list[str]:
    return [f"{str(number).rjust(WIDTH)}\t{line}" for number, line in enumerate(lines, first)]


def _by_name(item: tuple[str, str]) -> list[str]:
    return item[0].rstrip("/").split("/")


def _size(many: int) -> str:
    """Write a size as the SDK does: 0B, 512B, 1.5K, 2M."""
    units = "BKMG"
    unit = min((many.bit_length() - 1) // 10, len(units) - 1) if many else 0
    size = many / 1024**unit
    return f"{int(size)}{units[unit]}" if size == int(size) else f"{size:.1f}{units[unit]}"


TOOLS: tuple[Tool, ...] = (memory,)
