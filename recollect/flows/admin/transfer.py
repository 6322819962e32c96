"""Export and import: one canonical JSON object a line, lossless, streaming.

The format is documented in docs/export-format.md.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import IO, Any

from recollect.errors import Conflict, InvalidInput, RecollectError
from recollect.flows.admin.loading import Loader
from recollect.flows.admin.output import output
from recollect.flows.life.cursors import PLACE
from recollect.flows.life.shelves import Shelves
from recollect.model.asking import ROLES
from recollect.model.change import IMPORT, Enqueue
from recollect.model.clock import EARLIEST, LATEST, to_ms
from recollect.model.kinds import KINDS, STATES, TIERS
from recollect.model.owner import owner_key, split_owner
from recollect.model.values import dataclass
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.store.base import TABLES, Administration
from recollect.store.sql.load import COLUMNS
from recollect.store.sql.rows import DERIVED, JSON_COLUMNS, TIMES, to_json
from recollect.text.patterns import pattern

FORMAT = "recollect-export"
VERSION = 1
LONGEST_LINE = 2**30
NAMES = {
    "sessions": "session",
    "memories": "memory",
    "entities": "entity",
    "names": "name",
    "links": "link",
    "journal": "entry",
    "jobs": "job",
    "spend": "spent",
    "windows": "window",
    "checkpoints": "checkpoint",
}
_ANEW = (PLACE, IMPORT, "embed", "pack")
"""Jobs that are about this database alone: a journal that is read in is looked at anew, vectors and packs are made
anew."""
Progress = Callable[[int], None]
_COUNTS = (
    "access_count",
    "version",
    "mentions",
    "consolidated_upto",
    "seen_rev",
    "rev",
    "seq",
    "attempts",
    "calls",
    "tokens_in",
    "tokens_out",
    "money",
    "unpriced",
)
_MOMENTS = (*TIMES, "first_seen", "last_seen", "at", "due_at", "last_run")
_RANGES = {
    **dict.fromkeys(_COUNTS, (0, 2**62)),
    **dict.fromkeys(_MOMENTS, (to_ms(EARLIEST), to_ms(LATEST))),
    **dict.fromkeys(("pinned", "protected"), (0, 1)),
    "importance": (1, 10),
}
_NUMBERS = ("trust", "confidence", "decay_rate", "strength")
_LONGEST = {
    **dict.fromkeys(("id", "memory_id", "from_id", "to_id", "entity_id"), checks.LONGEST_NAME),
    **dict.fromkeys(
        ("agent", "session", "actor", "role", "category", "key", "job", "ns", "parent"), checks.LONGEST_NAME
    ),
    "day": 10,
    "project": checks.LONGEST_PROJECT,
    "topic": checks.LONGEST_TOPIC * 4,
}
_OPTIONAL = (
    "importance",
    "last_accessed",
    "valid_until",
    "purge_at",
    "before",
    "meta",
    "last_run",
    "last_report",
    "messages",
)
_LISTS = ("tags", "messages")


@dataclass(frozen=True, slots=True)
class Transfer:
    """What an export or import moved."""

    owners: int
    lines: int
    counts: Mapping[str, int]


def export(runtime: Runtime, out: IO[str] | str | Path, owners: list[str] | None, progress: Progress) -> Transfer:
    """Write owners, all by default, as lines; the same memory always gives the same bytes.

    A file that is named appears under its name only when it is whole.
    """
    runtime.store.flush()
    if isinstance(out, str | Path):
        with output(out) as file:
            return _written(runtime, file, owners, progress)
    if not callable(getattr(out, "write", None)):
        raise InvalidInput("export writes into a file: name its path, or pass one that is open for text")
    return _written(runtime, out, owners, progress)


def _written(runtime: Runtime, out: IO[str], owners: list[str] | None, progress: Progress) -> Transfer:
    counts: dict[str, int] = {}
    lines = 0

    def write(line: Mapping[str, Any]) -> None:
        nonlocal lines
        out.write(to_json(line) + "\n")
        lines += 1
        progress(lines)

    with runtime.store.view() as view:
        chosen = view.owners() if owners is None else owners
        write({"type": "header", "format": FORMAT, "version": VERSION})
        for owner in chosen:
            tenant, user = split_owner(owner)
            write({"type": "owner", "tenant": tenant, "user": user})
            for table in TABLES:
                for row in whole_rows(runtime, view, owner, table):
                    if table == "jobs" and row["name"] in _ANEW:
                        continue
                    write({"type": NAMES[table], **_renamed(row)})
                    counts[NAMES[table]] = counts.get(NAMES[table], 0) + 1
        write({"type": "end", "owners": len(chosen), "lines": lines + 1})
    return Transfer(len(chosen), lines, counts)


def whole_rows(runtime: Runtime, view: Administration, owner: str, table: str) -> Iterator[Mapping[str, Any]]:
    """Give the rows of a table; what is archived comes whole, so that an export needs no archive."""
    rows = view.dump(owner, table)
    return Shelves(runtime).rows(rows) if table == "memories" else rows


def _renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Move a column called type aside: on a line, type says what the line is."""
    return {("of_type" if name == "type" else name): value for name, value in row.items()}


def read_in(runtime: Runtime, path: Path, progress: Progress) -> Transfer:
    """Put an export back, all of it or nothing.

    The whole file is checked first, so a damaged one changes nothing; what fails on the way takes back what it has
    loaded. Of one that was killed the next run does: all it has loaded carries a mark.
    """
    if path.exists() and not path.is_file() and not path.is_dir():  # a pipe can be read only once, and this reads twice
        with tempfile.NamedTemporaryFile("wb", suffix=".jsonl") as kept, path.open("rb") as pipe:
            shutil.copyfileobj(pipe, kept)
            kept.flush()
            return read_in(runtime, Path(kept.name), progress)
    owners, lines = _survey(path)
    with runtime.store.view() as view:
        for owner in owners:
            started = any(job.name == IMPORT for job in view.jobs(owner))
            if view.counters(owner).rev and not started:
                tenant, user = split_owner(owner)
                raise Conflict(
                    f"user {user!r}{f' of tenant {tenant!r}' if tenant else ''} already has memories here: "
                    "import into another database, or erase that user first"
                )
    # Vectors are no part of an export: a job makes them anew.
    loader = Loader(runtime, (Enqueue("embed", runtime.now()),) if runtime.model else (), together=True)
    try:
        counts = _loaded(loader, path, progress)
    except BaseException:
        with suppress(RecollectError):  # where even that fails, the marks stay, and the next import begins anew
            loader.take_back()
        raise
    return Transfer(len(owners), lines, counts)


def _loaded(loader: Loader, path: Path, progress: Progress) -> dict[str, int]:
    """Load every line of a file that was found sound, and count them by their type."""
    counts: dict[str, int] = {}
    for number, line in _lines(path):
        kind = line.pop("type")
        if kind == "owner":
            loader.start(owner_key(line["user"], line["tenant"]))
        elif kind in _TABLE_OF:
            counts[kind] = counts.get(kind, 0) + 1
            loader.add(_TABLE_OF[kind], {("type" if name == "of_type" else name): line[name] for name in line})
        progress(number)
    loader.finish()
    return counts


_TABLE_OF = {name: table for table, name in NAMES.items()}


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, text in enumerate(file, 1):
                try:
                    line = json.loads(text)
                except (ValueError, RecursionError) as error:
                    raise InvalidInput(f"line {number} of {path} is not JSON: {error}") from error
                if isinstance(line, dict) and line.get("type") == "memory":
                    line.setdefault("project", "")  # which memories did not have at first
                    line.setdefault("archive", "")
                if isinstance(line, dict) and line.get("type") == "entity" and line.get("summary") == "":
                    del line["summary"]  # which entities had, and nobody wrote
                if not isinstance(line, dict) or not isinstance(line.get("type"), str):
                    raise InvalidInput(f"line {number} of {path} is not an object with a type")
                yield number, line
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text: {error}") from error


def _survey(path: Path) -> tuple[list[str], int]:
    """Check every line before the first is loaded; give the owners and the number of lines."""
    owners: list[str] = []
    ids: set[str] = set()
    end: dict[str, Any] | None = None
    number = 0
    for number, line in _lines(path):
        try:
            if number == 1 and (line.get("format"), line.get("version")) != (FORMAT, VERSION):
                raise InvalidInput(f"it does not start with the header of a {FORMAT} file of version {VERSION}")
            if end is not None:
                raise InvalidInput("it stands after the end")
            if line["type"] == "owner":
                ids = set()
                owners.append(owner_key(line.get("user"), line.get("tenant")))
            elif line["type"] == "end":
                end = line
            elif line["type"] in _TABLE_OF:
                _check(_TABLE_OF[line["type"]], line, owners)
                _known_once(line, ids)
            elif line["type"] != "header":
                raise InvalidInput(f"the type {line['type']!r} is unknown")
        except InvalidInput as error:
            raise InvalidInput(f"line {number} of {path} cannot be used: {error}") from error
    if end is None or (end.get("lines"), end.get("owners")) != (number, len(owners)):
        raise InvalidInput(f"{path} is cut off: it has {number} lines and no matching end; export again")
    if len(set(owners)) != len(owners):
        raise InvalidInput(f"{path} holds the same owner twice")
    return owners, number


def _check(table: str, line: Mapping[str, Any], owners: list[str]) -> None:
    if not owners:
        raise InvalidInput("it stands before the first owner")
    wanted = {("of_type" if name == "type" else name) for name in COLUMNS[table]} - {"owner", *DERIVED} | {"type"}
    if line.keys() != wanted:
        odd = sorted(line.keys() ^ wanted)
        raise InvalidInput(f"the fields {', '.join(odd)} are missing or too many")
    for name, value in line.items():
        if name != "type":
            _typed(name, value)
    if table == "memories":
        for name, known in (("kind", tuple(KINDS)), ("tier", TIERS), ("state", STATES)):
            if line[name] not in known:
                raise InvalidInput(f"the {name} {line[name]!r} is unknown")
    if table == "spend" and line["role"] not in ROLES:
        raise InvalidInput(f"the role {line['role']!r} is unknown")
    if table == "spend" and not _DAY.fullmatch(line["day"]):
        raise InvalidInput(f"the day {line['day']!r} is none: it must look like 2026-05-01")


_DAY = pattern(r"\d{4}-\d\d-\d\d", re.ASCII)


def _known_once(line: Mapping[str, Any], ids: set[str]) -> None:
    """Refuse an id that comes twice, and a link with an end in the air."""
    if line["type"] in ("memory", "entity"):
        if line["id"] in ids:
            raise InvalidInput(f"the id {line['id']} comes twice")
        ids.add(line["id"])
    elif line["type"] == "link" and not {line["from_id"], line["to_id"]} <= ids:
        raise InvalidInput("it links to something that is not in the file")


def _typed(name: str, value: object) -> None:
    """Refuse a value its column cannot hold: once stored, it would fail every later look."""
    if value is None and name in _OPTIONAL:
        return
    if name in JSON_COLUMNS:
        _plain_json(name, value)
    elif name in _RANGES:
        least, most = _RANGES[name]
        if type(value) is not int or not least <= value <= most:
            raise InvalidInput(f"{name} is {value!r}: it must be a whole number from {least} to {most}")
    elif name in _NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise InvalidInput(f"{name} is {value!r}: it must be a number")
    else:
        checks.text(name, value, _LONGEST.get(name, LONGEST_LINE))


def _plain_json(name: str, value: object) -> None:
    if name in _LISTS and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise InvalidInput(f"{name} must be a list of texts")
    if name not in (*_LISTS, "data") and not isinstance(value, dict):
        raise InvalidInput(f"{name} must be an object")
    try:
        to_json(value).encode()
    except ValueError as error:  # not a number, or half of a surrogate pair
        raise InvalidInput(f"{name} must be plain JSON in valid Unicode: {error}") from error
