"""What an importer reads out of another memory's files, whatever the format: talks, notes and blocks."""

from __future__ import annotations

import json
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from recollect.errors import InvalidInput
from recollect.model.values import dataclass

T = TypeVar("T")
ZIPPED, BOM = b"PK\x03\x04", b"\xef\xbb\xbf"
"""How a zip begins, and how a text may."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of a talk; `id` is its own in the format it comes from. Without text it is counted, not kept."""

    id: str
    role: str
    content: str
    at: datetime | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation, its messages in the order in which they were said."""

    id: str
    title: str
    messages: tuple[Utterance, ...]
    at: datetime | None = None
    left_out: int = 0
    """How many messages it has beside these: hidden ones, results of tools, branches nobody went on with."""
    whose: str = ""
    """The user it belongs to, where the format tells users apart."""
    file: str = ""
    """The file it was read from, as seen from the folder or zip that was named."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was remembered: the keywords of `remember` stand in `details`."""

    id: str
    content: str
    details: Mapping[str, Any] = field(default_factory=dict)
    whose: str = ""
    """The user it belongs to, where the format tells users apart."""


@dataclass(frozen=True, slots=True)
class CoreBlock:
    """A text that always stood in the prompt."""

    id: str
    label: str
    value: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry that is not as its format has it: passed over and told of, and the rest comes in."""

    what: str
    """Which one: its number in the file, and its title if it has one."""
    why: str


Found = Talk | Note | CoreBlock | Skipped


class Format(Protocol):
    """A format: what to name it, what is expected, and how it is read."""

    NAME: str
    TEXT: str
    """What to pass, in a sentence."""

    def read(self, path: Path) -> Iterator[Found]:
        """Give what a file or folder holds; raises `InvalidInput` where it is of another format."""


def moment(value: Any) -> datetime | None:
    """Read a time as programs write it: seconds or milliseconds since 1970, or ISO 8601; None where it is none."""
    if isinstance(value, bool) or value in (None, ""):
        return None
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        read = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def loaded(path: Path, pattern: str = "*.json") -> Iterator[tuple[str, Any]]:
    """Give the JSON files at a path, one alone, those of a folder or those of a zip that fit a pattern.

    Each has its name as seen from that folder or zip, deeper folders included.
    """
    if path.is_dir():
        for one in sorted(path.rglob(pattern)):
            name = one.relative_to(path).as_posix()
            yield name, _parsed(name, one.read_bytes())
    elif zipfile.is_zipfile(path):
        yield from _unpacked(path, pattern)
    else:
        try:
            yield path.name, _parsed(path.name, path.read_bytes())
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error


def _unpacked(path: Path, pattern: str) -> Iterator[tuple[str, Any]]:
    try:
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if Path(name).match(pattern):
                    yield name, _parsed(name, archive.read(name))
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InvalidInput(f"{path.name} is a zip that is cut off or damaged: download it again") from error
    except RuntimeError as error:
        raise InvalidInput(f"{path.name} is a zip that cannot be unpacked here ({error}): unpack it first") from error


def _parsed(name: str, data: bytes) -> Any:
    if not data.strip():
        raise InvalidInput(f"{name} is empty: export or download it again")
    if data.startswith(ZIPPED):
        raise InvalidInput(f"{name} is a zip that is cut off or damaged: download it again")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if data.removeprefix(BOM).lstrip()[:1] in (b"[", b"{"):
            raise InvalidInput(f"{name} is JSON that is cut off or damaged: export or download it again") from error
        raise InvalidInput(f"{name} is not JSON: name the file as the other program wrote it") from error


def rows(path: Path, query: str) -> Iterator[dict[str, Any]]:
    """Give the rows of a query on an SQLite file that somebody else made; it is only read."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            yield from (dict(row) for row in connection.execute(query))
    except sqlite3.Error as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error


def is_sqlite(path: Path) -> bool:
    """Tell whether a file is a database of SQLite."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def databases(path: Path) -> list[Path]:
    """Give the databases of SQLite at a path: the file itself, or those in a folder."""
    return [one for one in (sorted(path.rglob("*")) if path.is_dir() else [path]) if is_sqlite(one)]


def tables(path: Path) -> set[str]:
    """Give the names of a database's tables."""
    return {str(row["name"]) for row in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}


def each(listed: Any, what: str, noun: str, read: Callable[[dict[str, Any]], Iterable[Found]]) -> Iterator[Found]:
    """Give what every entry of a list holds; one that cannot be read is `Skipped`, whole, and costs no other."""
    if not isinstance(listed, list):
        raise InvalidInput(f"this is no {what}: a list of objects is expected")
    for number, one in enumerate(listed, 1):
        try:
            found = list(read(expected(one, dict, "it")))
        except InvalidInput as error:
            yield Skipped(_called(noun, number, one), str(error))
        except (AttributeError, TypeError, ValueError, LookupError, ArithmeticError):
            yield Skipped(_called(noun, number, one), f"a part of it is not as in a {what}")
        else:
            yield from found


def expected(value: Any, type: type[T], called: str) -> T:
    """Check that a value is what the format has in its place."""
    if not isinstance(value, type):
        written = json.dumps(value, ensure_ascii=False, default=str)
        names: dict[Any, str] = {dict: "an object", list: "a list", str: "a text"}
        raise InvalidInput(f"{called} is {written[:30]}, not {names[type]}")
    return value


def _called(noun: str, number: int, one: Any) -> str:
    title = (one.get("title") or one.get("name")) if isinstance(one, dict) else None
    return f'{noun} {number} "{title[:80]}"' if isinstance(title, str) and title.strip() else f"{noun} {number}"
