"""Export and import: one canonical JSON object a line, lossless, streaming.

The format is documented in docs/export-format.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import IO, Any

from recollect.errors import Conflict, InvalidInput
from recollect.model.change import Change, Enqueue, Finish, Lease, Load, Vacant, Wipe, Write
from recollect.model.clock import EARLIEST, LATEST, to_ms
from recollect.model.kinds import KINDS, STATES, TIERS
from recollect.model.owner import owner_key, split_owner
from recollect.rules.similarity import content_hash
from recollect.rules.terms import fold, length, terms
from recollect.runtime import Runtime
from recollect.store.base import TABLES
from recollect.store.load import COLUMNS
from recollect.store.rows import DERIVED, pack_terms, to_json

FORMAT = "recollect-export"
VERSION = 1
BATCH = 500
NAMES = {
    "sessions": "session",
    "memories": "memory",
    "entities": "entity",
    "names": "name",
    "links": "link",
    "journal": "entry",
    "jobs": "job",
}
Progress = Callable[[int], None]
_JSON = ("tags", "attributes", "before", "meta", "payload", "last_report")


@dataclass(frozen=True, slots=True)
class Transfer:
    """What an export or import moved."""

    owners: int
    lines: int
    counts: Mapping[str, int]


def export(runtime: Runtime, out: IO[str], owners: list[str] | None, progress: Progress) -> Transfer:
    """Write owners, all by default, as lines; the same memory always gives the same bytes."""
    runtime.store.flush()
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
                for row in view.dump(owner, table):
                    write({"type": NAMES[table], **_renamed(row)})
                    counts[NAMES[table]] = counts.get(NAMES[table], 0) + 1
        write({"type": "end", "owners": len(chosen), "lines": lines + 1})
    return Transfer(len(chosen), lines, counts)


def _renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    """Move a column called type aside: on a line, type says what the line is."""
    return {("of_type" if name == "type" else name): value for name, value in row.items()}


def read_in(runtime: Runtime, path: Path, progress: Progress) -> Transfer:
    """Put an export back. The whole file is checked first, so a damaged one changes nothing."""
    owners, lines = _survey(path)
    with runtime.store.view() as view:
        for owner in owners:
            started = any(job.name == "import" for job in view.jobs(owner))
            if view.counters(owner).rev and not started:
                tenant, user = split_owner(owner)
                raise Conflict(
                    f"user {user!r}{f' of tenant {tenant!r}' if tenant else ''} already has memories here: "
                    "import into another database, or erase that user first"
                )
    counts: dict[str, int] = {}
    loader = _Loader(runtime, counts)
    for number, line in _lines(path):
        kind = line.pop("type")
        if kind == "owner":
            loader.start(owner_key(line["user"], line["tenant"]))
        elif kind in _TABLE_OF:
            loader.add(_TABLE_OF[kind], _row(runtime, _TABLE_OF[kind], line))
        progress(number)
    loader.finish()
    return Transfer(len(owners), lines, counts)


class _Loader:
    """Rows of one owner at a time, in batches. A half-done import is marked by a job and starts over."""

    def __init__(self, runtime: Runtime, counts: dict[str, int]) -> None:
        self._runtime = runtime
        self._counts = counts
        self._owner = ""
        self._table = ""
        self._rows: list[Mapping[str, Any]] = []

    def start(self, owner: str) -> None:
        self.finish()
        self._owner = owner
        with self._runtime.store.view() as view:
            if any(job.name == "import" for job in view.jobs(owner)):
                self._commit(Wipe())
        self._commit(Enqueue("import", LATEST), expect=(Vacant(),))

    def add(self, table: str, row: Mapping[str, Any]) -> None:
        if table != self._table or len(self._rows) >= BATCH:
            self._flush()
            self._table = table
        self._rows.append(row)
        self._counts[NAMES[table]] = self._counts.get(NAMES[table], 0) + 1

    def finish(self) -> None:
        self._flush()
        if self._owner:
            token = self._runtime.token()
            self._commit(Lease("import", "", token, LATEST, force=True), Finish("import", "", token, {}))
        self._owner = ""

    def _flush(self) -> None:
        if self._rows:
            self._commit(Load(self._table, tuple(self._rows)))
            self._rows = []

    def _commit(self, *changes: Change, expect: tuple[Vacant, ...] = ()) -> None:
        write = Write(owner=self._owner, at=self._runtime.now(), node="import", changes=changes, expect=expect)
        self._runtime.store.commit(write)


_TABLE_OF = {name: table for table, name in NAMES.items()}


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, text in enumerate(file, 1):
                try:
                    line = json.loads(text)
                except ValueError as error:
                    raise InvalidInput(f"line {number} of {path} is not JSON: {error}") from error
                if "\\u" in text and not _whole(line):
                    raise InvalidInput(f"line {number} of {path} holds half of a surrogate pair")
                if not isinstance(line, dict) or not isinstance(line.get("type"), str):
                    raise InvalidInput(f"line {number} of {path} is not an object with a type")
                yield number, line
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text: {error}") from error


def _whole(line: Any) -> bool:
    """Tell whether every text of a line is valid Unicode; JSON can spell what is not."""
    try:
        to_json(line).encode()
    except UnicodeEncodeError:
        return False
    return True


def _survey(path: Path) -> tuple[list[str], int]:
    """Check every line before the first is loaded; give the owners and the number of lines."""
    owners: list[str] = []
    end: dict[str, Any] | None = None
    number = 0
    for number, line in _lines(path):
        try:
            if number == 1 and (line.get("format"), line.get("version")) != (FORMAT, VERSION):
                raise InvalidInput(f"it does not start with the header of a {FORMAT} file of version {VERSION}")
            if end is not None:
                raise InvalidInput("it stands after the end")
            if line["type"] == "owner":
                owners.append(owner_key(line.get("user"), line.get("tenant")))
            elif line["type"] == "end":
                end = line
            elif line["type"] in _TABLE_OF:
                _check(_TABLE_OF[line["type"]], line, owners)
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
        if not _fits(name, value):
            raise InvalidInput(f"the {name} cannot be used")
    if table == "memories":
        for name, known in (("kind", tuple(KINDS)), ("tier", TIERS), ("state", STATES)):
            if line[name] not in known:
                raise InvalidInput(f"the {name} {line[name]!r} is unknown")


_TIMES = ("event_time", "created_at", "updated_at", "valid_from", "first_seen", "last_seen", "due_at", "at")
_OPEN_TIMES = ("last_accessed", "valid_until", "purge_at", "last_run")
_COUNTS = ("rev", "seq", "mentions", "attempts", "version", "access_count", "consolidated_upto", "seen_rev")
_NUMBERS = ("trust", "confidence", "decay_rate", "strength")


def _fits(name: str, value: Any) -> bool:
    """Tell whether a value can stand in its column: what is read in must be readable ever after."""
    if name in _TIMES or name in _OPEN_TIMES:
        return (value is None and name in _OPEN_TIMES) or _within(value, to_ms(EARLIEST), to_ms(LATEST))
    if name in _COUNTS:
        return _within(value, 0, 2**62)
    if name == "importance":
        return value is None or _within(value, 1, 10)
    if name in ("pinned", "protected"):
        return _within(value, 0, 1)
    if name in _NUMBERS:
        return type(value) in (int, float) and isfinite(value)
    if name == "tags":
        return isinstance(value, list) and all(_fits("tag", tag) for tag in value)
    if name in _JSON:
        return isinstance(value, dict) or (value is None and name in ("before", "meta", "last_report"))
    return isinstance(value, str) and "\0" not in value


def _within(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _row(runtime: Runtime, table: str, line: dict[str, Any]) -> dict[str, Any]:
    row = {("type" if name == "of_type" else name): value for name, value in line.items()}
    for name in _JSON:
        if name in row and row[name] is not None:
            row[name] = to_json(row[name])
    if table == "memories":
        text = f"{line['topic']}\n{line['content']}" if line["topic"] and line["kind"] != "episode" else line["content"]
        found = terms(text, runtime.settings.terms, line["tags"])
        row |= {
            "topic_folded": fold(line["topic"]),
            "live_key": line["key"] if line["key"] and line["state"] == "active" else None,
            "content_hash": content_hash(line["content"]),
            "length": length(found),
            "terms": pack_terms(found),
        }
    return row
