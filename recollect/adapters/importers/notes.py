"""A folder of Markdown notes, as Obsidian and basic-memory have it: a section is a document, an observation a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from recollect.adapters.importers.items import Found, Note, moment
from recollect.errors import InvalidInput
from recollect.text.patterns import pattern

NAME = "notes"
TEXT = "a folder of Markdown files: an Obsidian vault, or basic-memory's"
_HEAD = pattern(r"\A---\n(.*?)\n---\n", re.DOTALL)
_SECTION = pattern(r"^#{1,6} +(.+)$", re.MULTILINE)
_OBSERVED = pattern(r"^- \[(?! \]|x\])([^\]\n]{1,60})\] (.+)$")
_TAG = pattern(r"(?<!\S)#([\w/-]+)")


def read(path: Path) -> Iterator[Found]:
    """Give the sections of every file, hidden folders left out."""
    if not path.is_dir():
        raise InvalidInput(f"{path} is no folder: name the folder of the notes")
    for file in sorted(path.rglob("*.md")):
        inside = file.relative_to(path)
        if not any(part.startswith(".") for part in inside.parts):
            yield from _file(file, inside.with_suffix("").as_posix())


def _file(file: Path, name: str) -> Iterator[Note]:
    text = file.read_text("utf-8", errors="replace").replace("\r\n", "\n")
    head = _HEAD.match(text)
    about = _fields(head[1]) if head else {}
    title = about.get("title") or name.rpartition("/")[2]
    at = moment(about.get("created") or about.get("date")) or datetime.fromtimestamp(file.stat().st_mtime, UTC)
    body = text[head.end() :] if head else text
    tags = [tag.strip(" \"'#") for tag in about.get("tags", "").strip("[]").split(",") if tag.strip(" \"'#")]
    for number, (heading, part) in enumerate(_sections(body)):
        tagged = dict.fromkeys([*tags, *_TAG.findall(part)])
        more = {"tags": list(tagged)[:60], "event_time": at, "attributes": {"path": name, "title": title}}
        seen, rest = _observations(part)
        for at_line, (category, line) in enumerate(seen):
            yield Note(f"{name}#{number}.{at_line}", line, {**more, "topic": f"{title}/{category}"[:255]})
        if rest:
            topic = title if not heading or heading == title else f"{title}/{heading}"
            yield Note(f"{name}#{number}", rest, {**more, "kind": "document", "topic": topic[:255]})


def _fields(head: str) -> dict[str, str]:
    """Read the plain fields of a head; a list below a field is joined with commas."""
    found: dict[str, str] = {}
    last = ""
    for line in head.split("\n"):
        if line.lstrip().startswith("- ") and last:
            found[last] = ",".join(one for one in (found[last], line.lstrip()[2:].strip()) if one)
        elif ":" in line and not line.startswith(" "):
            last, _, value = line.partition(":")
            last = last.strip().casefold()
            found[last] = value.strip().strip("\"'")
    return found


def _sections(body: str) -> Iterator[tuple[str, str]]:
    heading, start = "", 0
    for match in _SECTION.finditer(body):
        if body[start : match.start()].strip():
            yield heading, body[start : match.start()].strip()
        heading, start = match[1].strip(), match.end()
    if body[start:].strip():
        yield heading, body[start:].strip()


def _observations(part: str) -> tuple[list[tuple[str, str]], str]:
    """Take basic-memory's observations, `- [category] text`, out of a section."""
    seen: list[tuple[str, str]] = []
    rest: list[str] = []
    for line in part.split("\n"):
        match = _OBSERVED.match(line.strip())
        if match:
            seen.append((match[1], match[2].strip()))
        else:
            rest.append(line)
    return seen, "\n".join(rest).strip()
