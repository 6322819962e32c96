"""Files as the store has them: which memories a file shows, in which order, and how each is written there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import count, groupby

from recollect.flows.find.founded import founded
from recollect.flows.learn.lessons import living
from recollect.flows.window.blocks import sighted
from recollect.model.filter import Filter
from recollect.model.kinds import EXPLICIT
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.values import dataclass
from recollect.rules.learn.lessons import newest, times
from recollect.rules.window.files import BLOCKS, LEARNINGS, LOG_MARK, SCAFFOLDS, View, day_of, log_path
from recollect.rules.window.markdown import entry, lesson_entry, text_hash, timed_entry
from recollect.runtime import Runtime
from recollect.store.base import Reading

PAGE = 1000
FILE, HEADING, PLACE, ORDER, TAIL = "file", "heading", "place", "order", "tail"
LOGGED, UNLOGGED = "logged", "unlogged"
"""The attributes of a memory that tell where in a workspace it stands."""
LOGGED_SOURCES = (*EXPLICIT, "agent")


@dataclass(frozen=True, slots=True)
class Item:
    """A memory as it stands in a file."""

    memory: Memory
    text: str
    group: str = ""
    """The heading it stands under, where entries are grouped."""

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.memory.id

    @property
    def hash(self) -> str:
        """What its text is known by."""
        return text_hash(self.text)


def file_tag(path: str) -> str:
    """Give the tag by which the sections of a file are found."""
    return f"file:{text_hash(path)}"


def items(runtime: Runtime, view: Reading, scope: Scope, path: str, shows: View) -> list[Item]:
    """Give what a file shows, in order."""
    if shows == "block":
        found = sighted(runtime, view, scope).get(BLOCKS[path])
        return [Item(found, f"{found.content}\n")] if found is not None and found.content.strip() else []
    if shows == "tool":
        slot = view.slot(scope.owner, "", "document", f"/{path}")
        return [Item(slot, slot.content)] if slot is not None and "text" not in slot.attributes else []
    head = documents(runtime, view, scope, path)
    if shows == "memory":
        return [*head, *_facts(runtime, view, scope)]
    if shows == "log":
        return [*head, *_logged(runtime, view, scope, path)]
    if shows == "lessons":
        mine = [one for one in living(runtime, view, scope, LEARNINGS[path]) if one.project == scope.project]
        return [*head, *(item_of(one, shows) for one in reversed(mine))]
    return head


def item_of(memory: Memory, shows: View) -> Item:
    """Give a memory as it stands in a file of this view."""
    if memory.kind == "lesson":
        return Item(memory, lesson_entry(memory.content, memory.event_time, times(memory), newest(memory)))
    if memory.kind == "document":
        return Item(memory, memory.content if memory.key else memory.content + str(memory.attributes.get(TAIL, "\n")))
    if memory.kind == "block":
        return Item(memory, f"{memory.content}\n")
    if shows == "log":
        told = f"{memory.key}: {memory.content}" if memory.key else memory.content
        return Item(memory, timed_entry(told, logged_at(memory)))
    return Item(memory, entry(memory.content, memory.key), memory.event_time.date().isoformat())


def documents(runtime: Runtime, view: Reading, scope: Scope, path: str) -> list[Item]:
    """Give the sections of a file, in their order; those that tell of what is gone are not shown."""
    found = founded(view, scope.owner, sections_of(runtime, view, scope, path), runtime.now())
    return [item_of(one, "sections") for one in found]


def sections_of(runtime: Runtime, view: Reading, scope: Scope, path: str) -> list[Memory]:
    """Give the memories that are the sections of a file, in their order."""
    where = _where(runtime, scope, ("document",), tags=(file_tag(path),))
    found = [one for one in _each(view, where) if one.attributes.get(FILE) == path]
    return sorted(found, key=lambda one: (place_of(one), one.created_at, one.id))


def place_of(memory: Memory) -> float:
    """Give the place of a section in its file."""
    place = memory.attributes.get(PLACE)
    return float(place) if isinstance(place, int | float) else float("inf")


def order_of(memory: Memory) -> str:
    """Give what puts memories of one moment in order: when each was made, whatever its kind; an edit keeps it."""
    return str(memory.attributes.get(ORDER) or memory.id.partition("_")[2])


def _where(runtime: Runtime, scope: Scope, kinds: tuple[str, ...], **more: object) -> Filter:
    return Filter(owner=scope.owner, now=runtime.now(), kinds=kinds, projects=(scope.project,), **more)  # type: ignore[arg-type]


def _each(view: Reading, where: Filter) -> Iterator[Memory]:
    """Give all memories that pass a filter, a page at a time: however many there are, few are held."""
    for offset in count(0, PAGE):
        page = view.page(where, "oldest", PAGE, offset)
        yield from page
        if len(page) < PAGE:
            return


def _facts(runtime: Runtime, view: Reading, scope: Scope) -> list[Item]:
    """Give the newest facts as far as there is room for them, by day."""
    where, most = _where(runtime, scope, ("fact",)), runtime.settings.workspace.log_characters
    found: list[Item] = []
    used = offset = 0
    while used <= most and (page := view.page(where, "recent", PAGE, offset)):
        for one in page:
            made = item_of(one, "memory")
            used += len(made.text)
            if used <= most:
                found.append(made)
        offset += PAGE
    return sorted(found, key=lambda one: (one.group, one.memory.event_time, order_of(one.memory)))


def _logged(runtime: Runtime, view: Reading, scope: Scope, path: str) -> list[Item]:
    """Give the entries of a day: what was saved then on somebody's word, and what happened."""
    day = day_of(path) or date.min
    begin = datetime.combine(day, time(), UTC)
    states = ("active", "superseded")
    span = {"created_after": begin, "created_before": begin + timedelta(days=1) - timedelta(milliseconds=1)}
    then = _each(view, _where(runtime, scope, ("fact", "event"), states=states, **span))
    told = _each(view, _where(runtime, scope, ("fact", "event"), states=states, tags=(log_tag(day),)))
    mine = {one.id: one for one in (*then, *told) if log_day(one) == day and in_log(one)}
    return [item_of(one, "log") for one in sorted(mine.values(), key=lambda one: (logged_at(one), order_of(one)))]


def log_tag(day: date) -> str:
    """Give the tag of what stands in the log of a day other than that it was saved on."""
    return f"log:{day.isoformat()}"


def in_log(memory: Memory) -> bool:
    """Tell whether a memory belongs into the daily log: asked for by somebody, or something that happened."""
    kept = memory.attributes
    if kept.get(UNLOGGED) is True or memory.state not in ("active", "superseded"):
        return False
    if memory.kind == "event":  # of its rows only the last tells what happened
        return memory.state == "active"
    return memory.kind == "fact" and (memory.source in LOGGED_SOURCES or LOGGED in kept)


def logged_at(memory: Memory) -> datetime:
    """Give the moment under which a memory stands in the log."""
    given = memory.attributes.get(LOGGED)
    try:
        return datetime.fromisoformat(given) if isinstance(given, str) else _said_at(memory)
    except ValueError:
        return _said_at(memory)


def _said_at(memory: Memory) -> datetime:
    return memory.event_time if memory.kind == "event" else memory.created_at


def log_day(memory: Memory) -> date:
    """Give the day in whose log a memory stands."""
    return logged_at(memory).astimezone(UTC).date()


def composed(path: str, shows: View, shown: Sequence[Item], raw: Mapping[str, str]) -> str:
    """Give the text of a file: what nobody changed as it stands there, the rest as the store has it."""
    head = [one for one in shown if one.memory.kind in ("document", "block")]
    text = _row(head, raw) or (SCAFFOLDS.get(path, "") if shows in ("sections", "block", "memory") else "")
    rest = [one for one in shown if one not in head]
    if shows == "memory":  # the mark is there before the first fact is, so that it is plain where to write one
        days = [
            f"## {day}\n{_row(list(of_day), raw, blank=False)}" for day, of_day in groupby(rest, lambda one: one.group)
        ]
        return f"{_parted(text)}{LOG_MARK}\n" + "\n".join(days)
    if not rest:
        return text
    return _parted(text) + _row(rest, raw, blank=shows == "lessons")


def _row(shown: Sequence[Item], raw: Mapping[str, str], *, blank: bool = True) -> str:
    out = ""
    for one in shown:
        body = raw.get(one.id, one.text).rstrip("\n")
        text = body + (one.text[len(one.text.rstrip("\n")) :] if blank else "\n")
        out += ("" if not out or out.endswith("\n") else "\n") + text
    return out


def _parted(text: str) -> str:
    return f"{text.rstrip(chr(10))}\n\n" if text.strip() else ""


def paths_of(memory: Memory, project: str) -> set[str]:
    """Give the files of a workspace a memory may stand in, whatever its state."""
    if memory.kind == "document":
        if memory.key.startswith("/memories/"):
            return set() if project else {memory.key[1:]}
        file = memory.attributes.get(FILE)
        return {file} if isinstance(file, str) and memory.project == project else set()
    if memory.kind == "block":
        return {path for path, label in BLOCKS.items() if label == memory.key}
    if memory.project != project:
        return set()
    if memory.kind == "lesson":
        return set(LEARNINGS)
    if memory.kind not in ("fact", "event"):
        return set()
    days = {log_path(log_day(memory)), log_path(memory.created_at.astimezone(UTC).date())}
    return days | ({"MEMORY.md"} if memory.kind == "fact" else set())


def all_paths(runtime: Runtime, view: Reading, scope: Scope) -> set[str]:
    """Give every file the store has something for."""
    found: set[str] = set()
    kinds = ("document", "block", "fact", "event", "lesson")
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=kinds, projects=tuple({scope.project, ""}))
    for one in _each(view, where):
        if one.kind in ("fact", "event") and not in_log(one):
            found |= {"MEMORY.md"} & paths_of(one, scope.project)
        else:
            found |= paths_of(one, scope.project)
    return {path for path in found if path not in LEARNINGS or items(runtime, view, scope, path, "lessons")}
