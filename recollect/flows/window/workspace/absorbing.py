"""An edit by hand becomes changes of the store: passages added, revised, moved and dropped, and clashes settled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import Any

from recollect.flows.find.founded import compiled
from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.gate import draft, index, judged
from recollect.flows.gate.verdict import supersede
from recollect.flows.learn.lessons import tool_tag
from recollect.flows.window.blocks import Draft
from recollect.flows.window.workspace.renderings import (
    FILE,
    HEADING,
    LOGGED,
    ORDER,
    PLACE,
    TAIL,
    UNLOGGED,
    Item,
    file_tag,
    item_of,
    items,
    log_tag,
    order_of,
    place_of,
)
from recollect.model.block import Block
from recollect.model.change import Change, Connect, Note, Patch, Put
from recollect.model.clock import iso
from recollect.model.expectation import Expectation, Version
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.values import dataclass
from recollect.model.window import Clash
from recollect.rules.learn import lessons as lesson_rules
from recollect.rules.privacy.secrets import redacted, warned
from recollect.rules.window.files import BLOCKS, LEARNINGS, View
from recollect.rules.window.markdown import Passage, text_hash
from recollect.rules.window.threeway import Entry, between, edited
from recollect.runtime import Runtime
from recollect.store.base import View as StoreView

HANDS = 20
"""How many times in a row a memory may have been replaced since the file was last in step."""


@dataclass(frozen=True, slots=True)
class Page:
    """A file to be held against the store."""

    path: str
    shows: View
    passages: tuple[Passage, ...] | None
    """None where there is no file."""
    base: tuple[Entry, ...] | None
    """None where it was never in step."""
    at: datetime
    """When the hand wrote it."""
    touched: bool = True
    """Whether a hand has written it since it was last in step."""
    marked: bool = False
    """Whether it holds the mark behind which the log stands; without it all of it is head."""


@dataclass(slots=True)
class Taken:
    """What becomes of one file."""

    changes: list[Change] = field(default_factory=list)
    expect: list[Expectation] = field(default_factory=list)
    base: list[Entry] = field(default_factory=list)
    """How file and store stand to each other afterwards."""
    raw: dict[str, str] = field(default_factory=dict)
    """The texts in the file of what nobody has to write anew."""
    clashes: list[Clash] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    hand: bool = False
    """Whether the hand had changed anything."""


class Absorber:
    """Takes one file into the store."""

    def __init__(self, runtime: Runtime, view: StoreView, scope: Scope, page: Page) -> None:
        self._runtime, self._view, self._scope, self._page = runtime, view, scope, page
        self._shown = {one.id: one for one in items(runtime, view, scope, page.path, page.shows)}
        self._now = runtime.now()
        self._facts: list[tuple[int, Passage]] = []
        self.out = Taken()

    def taken(self) -> Taken:
        """Give what becomes of the file."""
        page, out = self._page, self.out
        if page.passages is None or (not page.passages and page.shows != "sections"):
            self._vanished()
            return out
        base = page.base if page.base is not None else self._common(page.passages)
        labels = self._labels(base)
        found = edited(base, page.passages, labels)
        kept: list[tuple[Passage, Memory | None]] = []
        for passage, entry in found.passages:
            kept.append((passage, self._passage(passage, entry)))
        for entry in found.gone:
            self._gone(entry)
        if self._facts:
            self._judged()
        self._placed(kept)
        return out

    def _vanished(self) -> None:
        """A file that is gone: what was written there alone is forgotten; what is a view of the store comes back."""
        if self._page.base is None or self._page.shows not in ("sections", "tool"):
            return
        for entry in self._page.base:
            self._gone(entry)

    def _common(self, passages: Sequence[Passage]) -> tuple[Entry, ...]:
        """Begin with what file and store have in common."""
        wanted = {one.hash for one in passages}
        return tuple(Entry(one.id, one.hash, one.hash) for one in self._shown.values() if one.hash in wanted)

    def _labels(self, base: Sequence[Entry]) -> dict[str, str]:
        known = {id: one.memory for id, one in self._shown.items()}
        return {one.id: _label(known[one.id]) for one in base if one.id in known}

    def _current(self, id: str) -> Item | None:
        """Give what stands now where an entry stood: itself, or what took its place."""
        for _ in range(HANDS):
            if id in self._shown:
                return self._shown[id]
            links = self._view.links(self._scope.owner, [id])
            later = [one.from_id for one in links if one.type == "supersedes" and one.to_id == id]
            if not later:
                return None
            id = later[0]
        return None

    def _passage(self, passage: Passage, entry: Entry | None) -> Memory | None:
        """Settle one passage of the file; gives the section it is, where it is one."""
        if entry is None:
            self.out.hand = True
            return self._add(passage)
        current = self._current(entry.id)
        if passage.hash == entry.file:
            return self._untouched(passage, entry, current)
        self.out.hand = True
        if current is None:
            made = self._add(passage)
            if made is not None:
                self._clash("edited by hand, forgotten in the store: the edit stands", made.id, "")
            return made
        if current.hash == passage.hash:
            self._known(passage, current.memory, current.hash)
            return current.memory
        if current.id == entry.id and current.hash == entry.store:
            return self._revised(current.memory, passage)
        return self._both(current, passage)

    def _untouched(self, passage: Passage, entry: Entry, current: Item | None) -> Memory | None:
        if current is None:  # the store has let it go
            self.out.base.append(entry)
            return None
        if current.id == entry.id and current.hash == entry.store:
            self.out.raw[current.id] = passage.text
        self.out.base.append(entry)
        return current.memory if current.id == entry.id else None

    def _both(self, current: Item, passage: Passage) -> Memory | None:
        """Two changes of one passage: the newer stands, the other stays on record, and both are told."""
        # What a job compiled gives way to a hand, whenever that wrote.
        if self._page.at >= current.memory.created_at or self._page.shows == "lessons" or compiled(current.memory):
            made = self._revised(current.memory, passage)
            if made is not None:
                self._clash("both changed it: the edit by hand stands", made.id, current.id)
            return made
        loser = self._successor(current.memory, passage, state="superseded", valid_until=self._now)
        self._put(index(self._runtime, replace(loser, valid_from=min(loser.valid_from, self._now))))
        self.out.changes.append(Connect(current.id, loser.id, "supersedes"))
        self.out.base.append(Entry(loser.id, passage.hash, passage.hash))
        self._clash("both changed it: the store's change is newer", current.id, loser.id)
        return None

    def _clash(self, reason: str, kept: str, other: str) -> None:
        self.out.clashes.append(Clash(self._page.path, reason, kept, other, self._now))
        self.out.changes.append(Note(kept, "conflict", {"path": self._page.path, "other": other, "reason": reason}))

    def _gone(self, entry: Entry) -> None:
        """A passage the hand has deleted: forgotten, unless the store has changed it since."""
        current = self._current(entry.id)
        if current is None or self._unlisted(current.memory):
            return
        self.out.hand = True
        if current.id != entry.id or current.hash != entry.store:
            self._clash("deleted by hand, changed in the store: the change stands", current.id, "")
            return
        memory = current.memory
        self.out.expect.append(Version(memory.id, memory.version))
        if self._page.shows == "log" and memory.kind == "fact":  # the fact stands; only the day does not tell it
            kept = {**memory.attributes, UNLOGGED: True}
            self.out.changes.append(Patch(memory.id, {"attributes": kept}, "unlogged"))
        elif memory.kind == "lesson":
            values = {"state": "superseded", "valid_until": max(memory.valid_from, self._now)}
            self.out.changes.append(Patch(memory.id, values, "retired", {"reason": "deleted by hand"}))
        else:
            self.out.changes.append(Patch(memory.id, {"state": "deleted"}, "deleted"))

    def _unlisted(self, memory: Memory) -> bool:
        """Tell whether the file says nothing of a memory, not even that it is gone: its log is not there at all."""
        return self._page.shows == "memory" and memory.kind == "fact" and not self._page.marked

    def _known(self, passage: Passage, memory: Memory, store: str) -> None:
        self.out.base.append(Entry(memory.id, passage.hash, store))
        self.out.raw[memory.id] = passage.text

    def _put(self, put: Put, olds: Sequence[Memory] = ()) -> None:
        self.out.changes += supersede(olds, put) if olds else (put,)
        self.out.expect += [Version(one.id, one.version) for one in olds]

    def _revised(self, old: Memory, passage: Passage) -> Memory | None:
        """Let what the hand wrote take the place of what stood there."""
        if passage.kind == "block":
            self._block(passage)
            return None
        if passage.kind == "fact" and passage.key != old.key:
            self.out.changes.append(Patch(old.id, {"state": "deleted"}, "deleted"))
            self.out.expect.append(Version(old.id, old.version))
            return self._add(passage)
        if self._page.shows == "log" and old.kind == "fact" and old.state != "active":
            return self._add(passage)
        new = self._successor(old, passage)
        self._put(index(self._runtime, new), [old])
        if self._page.shows == "log" and old.kind == "fact":
            kept = {**old.attributes, UNLOGGED: True}
            self.out.changes.append(Patch(old.id, {"attributes": kept}, "unlogged"))
        self._known(passage, new, item_of(new, self._page.shows).hash)
        return new

    def _successor(self, old: Memory, passage: Passage, **values: Any) -> Memory:
        made = self._made(passage, old.kind)
        kept = {**old.attributes, **made.attributes}
        if old.kind == "lesson":
            kept[lesson_rules.ATTRIBUTE] = {**lesson_rules.about(old), **lesson_rules.about(made)}
        when = {"event_time": old.event_time} if old.kind in ("fact", "event", "lesson") else {}
        if old.kind == "fact":
            kept[ORDER] = order_of(old)
        if self._page.shows == "log":
            kept[LOGGED] = iso(passage.at or self._now)
        content, key = made.content, old.key
        if self._page.shows == "log" and key:
            content = content.removeprefix(f"{key}: ")
        told: dict[str, Any] = {
            "id": made.id, "content": content, "attributes": kept, "topic": made.topic or old.topic, "source": "user",
            "tags": tuple(dict.fromkeys((*old.tags, *made.tags))), "created_at": self._now, "updated_at": self._now,
            "valid_from": max(old.valid_from, self._now), "valid_until": None, "access_count": 0,
            "last_accessed": None, "version": 1,
        }  # fmt: skip
        return replace(old, **{**told, **when, **values})

    def _add(self, passage: Passage) -> Memory | None:
        """Keep a passage that is new."""
        if passage.kind == "block":
            self._block(passage)
            return None
        if passage.kind == "fact":
            self._fact(passage)
            return None
        if passage.kind == "event" and (same := self._said_by_fact(passage)) is not None:
            kept = {name: value for name, value in same.attributes.items() if name != UNLOGGED}
            kept[LOGGED] = iso(passage.at or self._now)
            tags = tuple(dict.fromkeys((*same.tags, *self._log_tags(passage))))
            new = replace(
                same, id=self._runtime.new_id("fact", self._now), attributes=kept, tags=tags, version=1,
                created_at=self._now, updated_at=self._now, valid_from=max(same.valid_from, self._now),
            )  # fmt: skip
            self._put(index(self._runtime, new), [same])
            self._known(passage, new, item_of(new, "log").hash)
            return None
        if passage.kind == "event" and self._earlier(passage):
            return None
        new = self._made(passage, "document" if passage.kind == "tool" else passage.kind)
        old = self._view.slot(self._scope.owner, "", "document", new.key) if passage.kind == "tool" else None
        self._put(index(self._runtime, new), [old] if old is not None else ())
        self._known(passage, new, item_of(new, self._page.shows).hash)
        return new

    def _slot(self, passage: Passage) -> tuple[Memory | None, str]:
        """Give the slot an entry of the log names by its key, and the value it tells."""
        key, _, value = passage.content.partition(": ")
        found = self._view.slot(self._scope.owner, "", "fact", key) if value and len(key) <= 200 else None
        return found, value

    def _earlier(self, passage: Passage) -> bool:
        """Keep an entry of the log that tells an earlier value of a slot as what it is: a value that was."""
        slot, value = self._slot(passage)
        if slot is None or slot.content == value:
            return False
        made = self._made(Passage("", "event", content=value, at=passage.at), "fact")
        old = replace(
            made, key=slot.key, project="", category=slot.category, state="superseded", valid_until=self._now,
        )  # fmt: skip
        self._put(index(self._runtime, old))
        self.out.changes.append(Connect(slot.id, old.id, "supersedes"))
        self._known(passage, old, item_of(old, "log").hash)
        return True

    def _said_by_fact(self, passage: Passage) -> Memory | None:
        """Give the fact an entry of the log tells of, where it stands in no log yet."""
        slot, value = self._slot(passage)
        if slot is not None and slot.content == value and LOGGED not in slot.attributes:
            return slot
        fact = self._made(Passage("", "fact", content=passage.content), "fact")
        id = self._view.active_with_hash(self._scope.owner, "fact", index(self._runtime, fact).content_hash, self._now)
        found = self._view.get(self._scope.owner, [id]) if id else []
        return next((one for one in found if LOGGED not in one.attributes), None)

    def _fact(self, passage: Passage) -> None:
        """Let a new fact pass the gate like any other, with those beside it."""
        self._facts.append((len(self.out.base), passage))
        self.out.base.append(Entry("", passage.hash, passage.hash))

    def _judged(self) -> None:
        """Hear the gate on new facts: one may be known already, or take the place of another value."""
        drafts = []
        for _, passage in self._facts:
            given: dict[str, Any] = {"source": "user", "key": passage.key}
            if passage.at is not None and passage.at.date() != self._now.date():
                # It was saved on another day, so the log of today does not tell of it.
                given |= {"event_time": passage.at, "attributes": {UNLOGGED: True}}
            drafts.append(draft(passage.content, given, self._runtime))
        verdicts = judged(self._runtime, self._view, self._scope, drafts, "", Vectors(self._runtime))
        for (place, passage), verdict in zip(self._facts, verdicts, strict=True):
            self.out.changes += verdict.changes
            self.out.expect += verdict.expect
            self.out.warnings += [f"{self._page.path}: {one}" for one in verdict.receipt.warnings]
            store = item_of(verdict.put.memory, "memory").hash if verdict.put is not None else passage.hash
            self.out.base[place] = Entry(verdict.receipt.id, passage.hash, store)
            if verdict.put is not None:
                self.out.raw[verdict.put.memory.id] = passage.text

    def _block(self, passage: Passage) -> None:
        """Write a core block as the file has it; a limit it has outgrown grows with it."""
        label = BLOCKS[self._page.path]
        value = passage.text.rstrip("\n")
        drafted = Draft(self._runtime, self._view, self._scope, "")
        if label in drafted.memories:
            block = drafted.block(label)
            drafted.write(replace(block, limit=max(block.limit, len(value))), value, anyway=True)
        else:
            drafted.add(Block(label, value, limit=max(self._runtime.settings.blocks.limit, len(value))))
        self.out.changes += drafted.changes
        self.out.expect += drafted.expect
        self._known(passage, drafted.memories[label], text_hash(f"{drafted.memories[label].content}\n"))

    def _placed(self, kept: Sequence[tuple[Passage, Memory | None]]) -> None:
        """Give the sections the order they have in the file, and the blank lines behind them."""
        if not self._page.touched:
            return
        mine = [(one, memory) for one, memory in kept if memory is not None and one.kind == "document"]
        new = {change.memory.id for change in self.out.changes if isinstance(change, Put)}
        olds = [place if (place := place_of(memory)) != float("inf") else None for _, memory in mine]
        for (passage, memory), place in zip(mine, between(olds), strict=True):
            tail = passage.text[len(passage.text.rstrip("\n")) :]
            filed = {**memory.attributes, PLACE: place, TAIL: tail}
            if filed == memory.attributes:
                continue
            if memory.id in new:
                self.out.changes = [_moved(change, memory.id, filed) for change in self.out.changes]
            else:
                self.out.changes.append(Patch(memory.id, {"attributes": filed}, "moved"))

    def _log_tags(self, passage: Passage) -> tuple[str, ...]:
        return (log_tag((passage.at or self._now).astimezone(UTC).date()),)

    def _made(self, passage: Passage, kind: str) -> Memory:
        """Make the memory of a passage."""
        page, born = self._page, KINDS[kind]
        text = passage.text if kind == "document" else passage.content
        content, secrets = redacted(text if passage.kind == "tool" else text.rstrip("\n"))
        self.out.warnings += [f"{page.path}: {one}" for one in warned(secrets)]
        attributes: dict[str, Any] = {}
        tags: tuple[str, ...] = ()
        topic = key = ""
        at = passage.at or self._now
        if passage.kind == "tool":
            key = f"/{page.path}"
        elif kind == "document":
            attributes = {FILE: page.path, HEADING: passage.heading, TAIL: text[len(text.rstrip("\n")) :]}
            tags, topic = (file_tag(page.path),), _topic(page.path, passage.heading)
        elif kind == "lesson":
            attributes, tags = _lesson(page.path, passage)
        elif page.shows == "log":
            attributes, tags = {LOGGED: iso(at)}, self._log_tags(passage)
        return Memory(
            owner=self._scope.owner,
            id=self._runtime.new_id(kind, self._now),
            kind=kind,
            content=content,
            created_at=self._now,
            updated_at=self._now,
            event_time=at,
            valid_from=min(at, self._now),
            tier=born.tier,
            agent="",
            session=self._scope.session,
            source="user",
            project="" if key else self._scope.project,
            key=key,
            topic=topic,
            importance=born.importance,
            decay_rate=born.decay,
            tags=tags,
            attributes=attributes,
        )


def _label(memory: Memory) -> str:
    return memory.key or str(memory.attributes.get(HEADING, ""))


def _topic(path: str, heading: str) -> str:
    """Give what a section is about: where it stands, in words."""
    name = path.removesuffix(".md").replace("/", " ").replace("_", " ").replace("-", " ")
    return f"{name} {heading}".strip()[:255]


def _moved(change: Change, id: str, attributes: Mapping[str, Any]) -> Change:
    if isinstance(change, Put) and change.memory.id == id:
        return replace(change, memory=replace(change.memory, attributes=attributes))
    return change


def _lesson(path: str, passage: Passage) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Give what is known of a lesson that was read from a file."""
    sort, told = LEARNINGS[path], lesson_rules.fields_of(passage.content)
    tool, error = told.get(lesson_rules.TOOL, ""), told.get(lesson_rules.FAILED, "")
    about: dict[str, Any] = {"sort": sort, "count": passage.count}
    tags = [f"lesson:{sort}"]
    if tool:
        kind = lesson_rules.kind_of(tool, error)
        about |= {"tool": tool, "kind": kind, "arguments": []}
        tags += [tool_tag(tool), f"failure:{kind}"]
    return {lesson_rules.ATTRIBUTE: about}, tuple(tags)
