"""A memory changes: corrected, confirmed, pinned, rated, forgotten, restored, merged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from recollect.errors import Conflict, InvalidInput, NotFound, Outdated
from recollect.flows.find.filters import allows, sight
from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.commit import Origin, commit
from recollect.flows.gate.conflicts import compared, doubts
from recollect.flows.gate.duplicates import peers
from recollect.flows.gate.gate import index
from recollect.flows.gate.overtaken import last, left_behind
from recollect.flows.gate.pending import PENDING, noted
from recollect.flows.gate.retelling import hidden
from recollect.flows.gate.slots import EXACT
from recollect.flows.gate.verdict import Batch, Verdict, retire, supersede
from recollect.flows.life.shelves import Shelves
from recollect.model.change import Change, Connect, Enqueue, Patch, Put
from recollect.model.expectation import Absent, Expectation, Version
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.rules.gate.hashes import hash_of
from recollect.rules.gate.writing import violations
from recollect.rules.learn.notes import ASKED, NOTE, is_note
from recollect.rules.privacy.secrets import cleaned, redacted, warned
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching, View
from recollect.text.normal import compose, content_hash


def correct(
    runtime: Runtime,
    scope: Scope,
    memory_id: str,
    content: object,
    request_id: str,
    also: Mapping[str, Any] = MappingProxyType({}),
    version: int | None = None,
) -> Receipt:  # long because a new row brings all that hangs on the old one
    """Replace what a memory says: a new memory takes its place, the old one stays for the record.

    `also` are other values the new one has, such as its tags: what a memory is found by comes with a row of its own.
    `version` is the one the caller has seen.
    """
    text, secrets = redacted(checks.content(content))
    request_id = checks.request(request_id, "correct", str(memory_id))

    def plan(view: Searching) -> Verdict:
        old = Shelves(runtime).whole([standing(runtime, view, scope, memory_id, version)])[0]
        exact = old.kind == EXACT and old.key
        same = text == old.content if exact else content_hash(text) == content_hash(old.content)
        if same and all(getattr(old, name) == value for name, value in also.items()):
            reason = "it already says that, no action is needed"
            told = warned(secrets)
            return Verdict(
                Receipt(outcome="duplicate", op="none", id=old.id, other=old.id, reason=reason, warnings=told)
            )
        notes = violations(text, KINDS[old.kind].policy, runtime.settings.writing, runtime.reader)
        if notes and KINDS[old.kind].policy == "block":
            raise InvalidInput(f"content {notes[0]}")
        now, digest = runtime.now(), hash_of(replace(old, **{**also, "content": text}))
        unchanged: tuple[Expectation, ...] = (Version(old.id, old.version),)
        twin = None if old.key or same else view.active_with_hash(scope.owner, old.kind, digest, now)
        if twin:  # another memory says so already: that one takes the place
            receipt = Receipt(outcome="superseded", op="superseded", id=twin, other=old.id)
            return Verdict(receipt, (retire(old, twin, now), Connect(twin, old.id, "supersedes")), unchanged)
        put = _successor(runtime, scope, replace(old if same else _no_quote(old), **also), text, request_id)
        if same:  # nothing new was said: only how it is filed
            put = replace(put, memory=_as_filed_before(put.memory, old))
        kept = _sources(view, old, put.memory.id)
        receipt = Receipt(
            outcome="superseded",
            op="superseded",
            id=put.memory.id,
            other=old.id,
            warnings=(*warned(secrets), *(f"the content {note}" for note in notes)),
        )
        alone: tuple[Expectation, ...] = () if old.key or same else (Absent(old.kind, digest),)
        asking = () if same else (*_alike(runtime, view, put, old), *left_behind(runtime, view, old, put.memory.id))
        return Verdict(receipt, (*supersede([old], put), *kept, *asking), (*unchanged, *alone), put)

    return _revise(runtime, scope, plan, request_id)


def filed(runtime: Runtime, view: Reading, scope: Scope, old: Memory, topic: str) -> tuple[Change, ...]:
    """Give what files a memory under another topic: what it is found by comes with a row of its own."""
    put = _successor(runtime, scope, replace(old, topic=topic), _text(runtime, old), "")
    put = replace(put, memory=_as_filed_before(put.memory, old))
    return *supersede([old], put), *_sources(view, old, put.memory.id)


def _sources(view: Reading, old: Memory, new: str) -> list[Connect]:
    """Give the links by which a memory that takes another's place rests on what that rested on."""
    return [
        Connect(new, link.to_id, "derived_from", link.strength)
        for link in view.links(old.owner, [old.id])
        if link.type == "derived_from" and link.from_id == old.id
    ]


def _text(runtime: Runtime, memory: Memory) -> str:
    """Give the whole text of a memory, wherever it is."""
    return Shelves(runtime).whole([memory])[0].content


def _as_filed_before(new: Memory, old: Memory) -> Memory:
    """Let a memory that says what the old one said have happened when and where that did, and be used as often."""
    return replace(
        new,
        event_time=old.event_time,
        session=old.session,
        access_count=old.access_count,
        last_accessed=old.last_accessed,
    )


def update(
    runtime: Runtime,
    scope: Scope,
    memory_id: str,
    given: Mapping[str, Any],
    request_id: str,
    version: int | None = None,
) -> Receipt:
    """Change what a memory says or how it is filed, in one commit; what is not given stays.

    Tier, category and importance change in place. Content, topic and tags are what it is found by, so a new memory
    takes its place, as with `correct`. A memory that is not at `version` any more is left alone.
    """
    values, secrets = _wanted(runtime, given)
    if not values:
        raise InvalidInput(f"nothing to change: give at least one of {', '.join(_UPDATES)}")
    with runtime.store.view() as view:
        # What stands in its place is told by the plan: a retry is answered first.
        seen = _known(runtime, view, scope, memory_id)
    if seen.archive and "tier" in values and "content" not in values:
        raise InvalidInput(
            f"the text of {seen.id} is in the archive: `recollect archive restore {seen.id}` brings it back"
        )
    if values.get("tier", seen.tier) != seen.tier and "core" in (values["tier"], seen.tier):
        raise InvalidInput("core holds blocks alone: move it to short, long or archive")
    if values.keys() & {"content", "topic", "tags"}:
        text = values.pop("content", "") or _text(runtime, seen)
        done = correct(runtime, scope, memory_id, text, request_id, values, version)
        return replace(done, warnings=(*warned(secrets), *done.warnings))
    request_id = checks.request(request_id, "updated", str(memory_id))

    def plan(view: Reading) -> Verdict:
        old = standing(runtime, view, scope, memory_id, version)
        if all(getattr(old, name) == value for name, value in values.items()):
            reason = "it is like that already, no action is needed"
            return Verdict(Receipt(outcome="duplicate", op="none", id=old.id, other=old.id, reason=reason))
        patch = Patch(old.id, {**values, "last_accessed": runtime.now()}, "updated")
        return Verdict(Receipt(outcome="stored", op="updated", id=old.id), (patch,), (Version(old.id, old.version),))

    return _revise(runtime, scope, plan, request_id)


def in_place(runtime: Runtime, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check values that change in place, such as those many memories get at once."""
    values, _ = _wanted(runtime, given)
    if not values or values.keys() & {"content", "topic", "tags"} or values.get("tier") == "core":
        raise InvalidInput("many memories at once can get another category, tier or importance: give one of these")
    return values


def _wanted(runtime: Runtime, given: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Check what is to change, and take secrets out of it."""
    if unknown := given.keys() - _UPDATES.keys():
        raise InvalidInput(f"unknown keyword {min(unknown)!r}: update takes {', '.join(_UPDATES)}")
    values = {name: _UPDATES[name](value) for name, value in given.items() if value is not None}
    if "category" in values:
        values["category"] = checks.one_of("category", values["category"], runtime.settings.categories.names)
    found: list[str] = []
    for name in values.keys() & {"topic", "tags"}:
        values[name], secrets = cleaned(values[name])
        found += secrets
    return {**values, "tags": tuple(values["tags"])} if "tags" in values else values, tuple(found)


def _alike(runtime: Runtime, view: Searching, put: Put, old: Memory) -> tuple[Change, ...]:
    """Bring what is like a corrected text before the judges: it may be outdated, too."""
    if old.key:
        return ()
    among = [one for one in peers(runtime, view, put, Batch(), ()) if one.id != old.id]
    return compared(put.memory, doubts(runtime, put.memory, among, ()))


def confirm(runtime: Runtime, scope: Scope, memory_id: str, request_id: str) -> Receipt:
    """Make a memory certain: full confidence, and no decay from now on."""
    return _patch(runtime, scope, memory_id, {"confidence": 1.0, "decay_rate": 0.0}, "confirmed", request_id)


def pin(runtime: Runtime, scope: Scope, memory_id: str, pinned: bool, request_id: str) -> Receipt:
    """Pin a memory so that it never ages, decays or merges by itself, or take the pin out."""
    value = checks.flag("pinned", pinned)
    values = {"pinned": value, "last_accessed": runtime.now()}  # else what loses its pin would fade from long ago
    return _patch(runtime, scope, memory_id, values, "pinned" if value else "unpinned", request_id)


def rate(runtime: Runtime, scope: Scope, memory_id: str, importance: int, request_id: str) -> Receipt:
    """Say how much a memory matters, from 1 to 10."""
    values = {"importance": checks.importance(importance), "last_accessed": runtime.now()}
    return _patch(runtime, scope, memory_id, values, "updated", request_id)


def forget(runtime: Runtime, scope: Scope, memory_id: str, request_id: str) -> Receipt:
    """Put a memory out of sight; it can be restored. Erasing is what leaves nothing behind."""
    request_id = checks.request(request_id, "deleted", str(memory_id))

    def plan(view: Reading) -> Verdict:
        if (gone := _known(runtime, view, scope, memory_id)).state == "deleted":
            return Verdict(_gone_already(gone))
        memory = standing(runtime, view, scope, memory_id)
        also, expect = hidden(view, memory)
        patch = Patch(memory.id, {"state": "deleted"}, "deleted")
        receipt = Receipt(outcome="stored", op="deleted", id=memory.id)
        return Verdict(receipt, (patch, *also), (Version(memory.id, memory.version), *expect))

    return _revise(runtime, scope, plan, request_id)


def _gone_already(memory: Memory) -> Receipt:
    """Say since when a memory is forgotten: nothing has changed it since."""
    since, rejected = f"since {memory.updated_at:%Y-%m-%d %H:%M} UTC", _never_accepted(memory)
    known = f"it was not accepted and is gone {since}" if rejected else f"it is forgotten already, {since}"
    reason = f"{known}; nothing changed{'' if rejected else ', restore brings it back'}"
    return Receipt(outcome="duplicate", op="none", id=memory.id, other=memory.id, reason=reason)


def _never_accepted(memory: Memory) -> bool:
    return bool(noted(memory)) and not noted(memory).get("accepted")


def restore(runtime: Runtime, scope: Scope, memory_id: str, request_id: str) -> Receipt:
    """Bring a forgotten memory back whole."""
    request_id = checks.request(request_id, "restore", str(memory_id))

    def plan(view: Reading) -> Verdict:
        memory = _known(runtime, view, scope, memory_id)
        if memory.state == "active":
            reason = "it is not forgotten, no action is needed"
            return Verdict(Receipt(outcome="duplicate", op="none", id=memory.id, other=memory.id, reason=reason))
        if memory.state != "deleted":
            raise Conflict(f"{memory.id} is {memory.state}, not forgotten: see its history for what took its place")
        if _never_accepted(memory):
            raise Conflict(f"{memory.id} was never accepted, so there is nothing to restore: remember it if it is true")
        if memory.key and (now := view.slot(scope.owner, memory.agent, memory.kind, memory.key)):
            raise Conflict(f"the key {memory.key!r} is taken by {now.id} now: forget that one first, or correct it")
        digest = hash_of(memory)
        twin = None if memory.key else view.active_with_hash(scope.owner, memory.kind, digest, runtime.now())
        if twin:
            reason = "the same text was saved again meanwhile, no action is needed"
            return Verdict(Receipt(outcome="duplicate", op="none", id=twin, other=twin, reason=reason))
        used = {"last_accessed": runtime.now(), "access_count": memory.access_count + 1}
        patch = Patch(memory.id, {"state": "active", "purge_at": None, **used}, "restored")
        receipt = Receipt(outcome="stored", op="restored", id=memory.id)
        alone: tuple[Expectation, ...] = () if memory.key else (Absent(memory.kind, digest),)
        # While it was forgotten nobody embedded it: another model may serve by now.
        later = (Enqueue("embed", runtime.now()),) if runtime.model else ()
        return Verdict(receipt, (patch, *later), (Version(memory.id, memory.version), *alone))

    return _revise(runtime, scope, plan, request_id)


def merge(runtime: Runtime, scope: Scope, ids: Sequence[str], content: object, request_id: str) -> Receipt:
    """Make one memory of several: the greatest importance, all tags, the oldest time; the parts stay linked."""
    wanted = list(dict.fromkeys(checks.several("memory id", ids)))
    if len(wanted) < 2:
        raise InvalidInput("merge needs at least two different memories")
    text, secrets = (None, ()) if content is None else redacted(checks.content(content))
    request_id = checks.request(request_id, "merge", *wanted)

    def plan(view: Reading) -> Verdict:
        parts = Shelves(runtime).whole(standing(runtime, view, scope, one) for one in wanted)
        if len({part.kind for part in parts}) > 1:
            raise InvalidInput("only memories of one kind can be merged")
        if keyed := [part.id for part in parts if part.key]:
            raise InvalidInput(f"{keyed[0]} is a slot: correct it instead of merging it")
        newest = max(parts, key=lambda part: (part.updated_at, part.id))
        whole = replace(
            newest,
            importance=max(part.importance or 1 for part in parts),
            confidence=max(part.confidence for part in parts),
            decay_rate=min(part.decay_rate for part in parts),
            pinned=any(part.pinned for part in parts),
            tags=tuple(dict.fromkeys(tag for part in parts for tag in part.tags)),
            event_time=min(part.event_time for part in parts),
            valid_until=_latest([part.valid_until for part in parts]),
        )
        put = _successor(runtime, scope, whole, text or compose([part.content for part in parts]), request_id)
        # It was known since the oldest of them was; that it is one is so from now on.
        oldest = min(part.created_at for part in parts)
        put = replace(put, memory=replace(put.memory, event_time=whole.event_time, created_at=oldest))
        changes: list[Change] = [
            Patch(
                part.id,
                {"state": "merged", "valid_until": put.memory.valid_from},
                "merged",
                {"into": put.memory.id},
            )
            for part in parts
        ]
        changes.append(put)
        changes.extend(Connect(part.id, put.memory.id, "merged_into") for part in parts)
        notes = violations(put.memory.content, KINDS[newest.kind].policy, runtime.settings.writing, runtime.reader)
        warnings = (*warned(secrets), *(f"the content {note}" for note in notes))
        receipt = Receipt(outcome="merged", op="merged", id=put.memory.id, count=len(parts), warnings=warnings)
        return Verdict(receipt, tuple(changes), tuple(Version(part.id, part.version) for part in parts), put)

    return _revise(runtime, scope, plan, request_id)


def _latest(ends: list[datetime | None]) -> datetime | None:
    """Give the end that is last; without an end is later than any."""
    known = [end for end in ends if end is not None]
    return max(known) if len(known) == len(ends) else None


def _successor(runtime: Runtime, scope: Scope, old: Memory, text: str, request_id: str) -> Put:
    """Make the memory that takes an old one's place: what it is about stays, what was said and when is new.

    A message stays where and when it was said, with other words.
    """
    now, said = runtime.now(), old.kind == "episode"
    return index(
        runtime,
        replace(
            old,
            id=runtime.new_id(old.kind, now, (scope.owner, request_id, 0) if request_id else None),
            content=text,
            state="active",
            session=old.session if said else scope.session or old.session,
            created_at=now,
            updated_at=now,
            event_time=old.event_time if said else now,
            valid_from=now,
            valid_until=old.valid_until if old.valid_until is not None and old.valid_until > now else None,
            purge_at=None,
            access_count=0,
            last_accessed=None,
            version=1,
            archive="",
            tier="short" if old.archive else old.tier,
        ),
    )


def _no_quote(old: Memory) -> Memory:
    """Give what is kept of a note that is put right: the new words are not those its speaker said then."""
    if not is_note(old):
        return old
    kept = {name: value for name, value in old.attributes.items() if name not in (NOTE, ASKED, "turn", "said", "quote")}
    return replace(old, attributes=kept, actor="", source="user")


def _patch(runtime: Runtime, scope: Scope, memory_id: str, values: dict[str, Any], op: str, request_id: str) -> Receipt:
    request_id = checks.request(request_id, op, str(memory_id))

    def plan(view: Reading) -> Verdict:
        memory = standing(runtime, view, scope, memory_id)
        receipt = Receipt(outcome="stored", op=op, id=memory.id)
        return Verdict(receipt, (Patch(memory.id, values, op),), (Version(memory.id, memory.version),))

    return _revise(runtime, scope, plan, request_id)


def _revise(runtime: Runtime, scope: Scope, plan: Callable[[View], Verdict], request: str) -> Receipt:
    return commit(runtime, Origin(scope, "revise", scope.agent, request), plan, Vectors(runtime))


def _known(runtime: Runtime, view: Reading, scope: Scope, memory_id: object) -> Memory:
    found = view.get(scope.owner, [checks.name("memory id", memory_id, empty=False)])
    if not found or not allows(sight(runtime, scope), found[0]):
        raise NotFound(f"there is no memory {memory_id} for this owner: list and recall give the ids there are")
    return found[0]


def standing(runtime: Runtime, view: Reading, scope: Scope, memory_id: object, version: int | None = None) -> Memory:
    """Give an active memory, or say what became of it; one that is not at a version that was named is refused."""
    memory = _known(runtime, view, scope, memory_id)
    if version is not None and memory.version != version:
        raise Outdated(f"{memory.id} is at version {memory.version} now, not {version}: read it again, then change it")
    if memory.state == "active":
        return memory
    found = last(view, memory)
    became = "" if found.state == "active" else f", and is {found.state} itself"
    hint = f": {found.id} stands in its place{became}" if found.id != memory.id else ""
    raise NotFound(f"{memory.id} is {memory.state}{hint}{_HINTS.get(found.state, '')}")


_UPDATES: dict[str, Callable[[object], Any]] = {
    "content": checks.content,
    "topic": checks.topic,
    "tags": checks.tags,
    "category": lambda value: checks.name("category", value, empty=False),
    "tier": checks.tier,
    "importance": checks.importance,
}
"""What `update` can change, and how each value is checked."""

_HINTS = {"deleted": ": restore it first", **dict.fromkeys(PENDING, ": accept, amend or reject it first")}


def annotate(runtime: Runtime, scope: Scope, memory_id: str, attributes: object, request_id: str = "") -> Receipt:
    """Give a memory other attributes; what it says and how it is found stays."""
    kept, _ = cleaned(checks.attributes(attributes))
    return _patch(runtime, scope, memory_id, {"attributes": kept}, "updated", request_id)
