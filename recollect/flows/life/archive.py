"""Moving what matters least out of the database, bringing it back, and holding the files against the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from recollect.errors import Conflict, InvalidInput, NotFound, StoreError
from recollect.flows.life import batches
from recollect.flows.life.follow_ups import tended
from recollect.flows.life.shelves import Shelves, archive_of, files, folder_of, made_folder, new_name
from recollect.model.change import Change, Patch, Shelve, Write
from recollect.model.clock import EPOCH
from recollect.model.expectation import Expectation, Version
from recollect.model.filter import Filter
from recollect.model.forecast import ArchiveFile
from recollect.model.kinds import KINDS, STATES
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Report
from recollect.model.values import dataclass
from recollect.rules.gate import checks
from recollect.rules.life.archiving import index_line, stays, weight
from recollect.runtime import Runtime
from recollect.store.base import Reading, View

MOVED = ("active", "superseded", "merged")
"""The states in which a memory can be moved out: all in which it is on record."""
COUNTED = tuple(kind for kind in KINDS if kind not in ("episode", "block"))
PAGE = 500


@dataclass(frozen=True, slots=True)
class Chosen:
    """What goes into the next file, why, and how many more are to go after it."""

    memories: list[Memory]
    why: dict[str, str]
    more: int
    later: datetime | None = None
    """When the next message is old enough."""


def chosen(runtime: Runtime, view: View, owner: str) -> Chosen:
    """Choose what goes: beyond the number an owner may have, the lightest; else the oldest of the messages."""
    policy = runtime.settings.archive
    long = Filter(owner=owner, now=EPOCH, tiers=("long",), kinds=COUNTED, states=MOVED)
    beyond = view.count(long) - policy.beyond
    if beyond > 0:
        found = list(islice(_free(runtime, view, long), min(policy.batch, beyond)))
        if found:
            why = {one.id: f"importance × (uses + 1) is {weight(one)}" for one in found}
            return Chosen(found, why, beyond - len(found) if len(found) == policy.batch else 0)
    return _messages(runtime, view, owner)


def _free(runtime: Runtime, view: Reading, where: Filter) -> Iterator[Memory]:
    """Give those that may go, the lightest first. The database sorts: an owner may have very many for each file."""
    policy, salience = runtime.settings.archive, runtime.settings.salience
    kinds = tuple(kind for kind in policy.kinds if kind in COUNTED)
    light = replace(where, kinds=kinds, pinned=False)
    offset, page = 0, view.lightest(light, PAGE) if kinds else []
    while page:
        yield from (one for one in page if not one.archive and not stays(one, policy, salience))
        offset += len(page)
        page = view.lightest(light, PAGE, offset)


def _messages(runtime: Runtime, view: View, owner: str) -> Chosen:
    """Choose messages that are old enough and were worked through, the oldest first."""
    policy = runtime.settings.archive
    if not policy.messages_after_days:
        return Chosen([], {}, 0)
    age = timedelta(days=policy.messages_after_days)
    where = Filter(owner=owner, now=EPOCH, tiers=("long",), kinds=("episode",), states=MOVED)
    reached = {session.id: session.consolidated_upto for session in view.sessions(owner)}
    old: list[Memory] = []
    offset, later = 0, None
    while len(old) <= policy.batch and later is None and (page := view.page(where, "oldest", PAGE, offset)):
        offset += len(page)
        numbers = view.numbers(owner, [one.id for one in page])
        for one in page:
            if one.created_at > runtime.now() - age:
                later = one.created_at + age
                break
            if numbers[one.id] <= reached.get(one.session, -1) and not stays(one, policy, runtime.settings.salience):
                old.append(one)
    why = f"older than {policy.messages_after_days:g} days"
    return Chosen(old[: policy.batch], {one.id: why for one in old}, int(len(old) > policy.batch), later)


Expecting = Callable[[], tuple[Expectation, ...]]


def move_out(runtime: Runtime, owner: str, found: Chosen, node: str, run: str, held: Expectation) -> None:
    """Write memories into a file, make sure of it, and only then let their texts go from the database.

    Raises `Conflict` when one of them was changed meanwhile: then the file is taken away again.
    """
    archive = archive_of(runtime)
    name = new_name(runtime, made_folder(runtime, owner))
    batches.write(archive, name, [batches.line_of(one) for one in found.memories], runtime.now())
    most = runtime.settings.archive.line
    lines = tuple(Shelve(one.id, index_line(one.content, most), archive=name) for one in found.memories)
    same = tuple(Version(one.id, one.version) for one in found.memories)
    write = Write(
        owner=owner, at=runtime.now(), node=node, changes=lines, expect=(held, *same), actor=node,
        run=run,
    )  # fmt: skip
    try:
        runtime.store.commit(write)
    except Conflict:
        batches.remove(archive, name)
        raise


def brought_back(runtime: Runtime, memories: Sequence[Memory], tier: str, op: str = "restored") -> list[Shelve]:
    """Give what puts the whole texts of archived memories back; raises `StoreError` that names a file."""
    return [Shelve(one.id, one.content, tier, op=op) for one in Shelves(runtime).whole(memories)]


def restore(runtime: Runtime, scope: Scope, ids: Sequence[str], file: str, *, everything: bool) -> Report:
    """Bring memories back whole, into the short tier: some by id, those of one file, or all of them."""
    if sum(map(bool, (ids, file, checks.flag("everything", everything)))) != 1:
        raise InvalidInput("say what to restore: ids of memories, a file of the archive, or everything")
    with runtime.store.view() as view:
        wanted = _wanted(view, scope, [checks.name("memory id", one) for one in ids], file)
    done = 0
    for at in range(0, len(wanted), PAGE):
        done += _restored(runtime, scope, wanted[at : at + PAGE])
    text = f"Brought {done} memories back from the archive, into the short tier."
    return Report(job="archive", owner=scope.owner, changed=done, text=text)


def _wanted(view: View, scope: Scope, ids: Sequence[str], file: str) -> list[str]:
    if ids:
        found = view.get(scope.owner, ids)
        if missing := [one for one in ids if one not in {memory.id for memory in found}]:
            raise NotFound(f"there is no memory {missing[0]} for this owner")
        return [one.id for one in found if one.archive]
    mine = [one for one in _archived(view, scope.owner) if not file or _file(one) == file.rpartition("/")[2]]
    if file and not mine:
        raise NotFound(f"no memory of this owner is in an archive file {file}: see `recollect archive list`")
    return [one.id for one in mine]


def _file(memory: Memory) -> str:
    return memory.archive.rpartition("/")[2]


def _archived(view: Reading, owner: str) -> list[Memory]:
    """Give what of an owner is in the archive, without texts."""
    where = Filter(owner=owner, now=EPOCH, tiers=("archive",), kinds=tuple(KINDS), states=STATES)
    return sorted((one for one in view.lives(where) if one.archive), key=lambda one: one.id)


def _restored(runtime: Runtime, scope: Scope, ids: Sequence[str]) -> int:
    """Bring some memories back in one commit; when one was changed meanwhile, it looks again."""
    for _ in range(3):
        with runtime.store.view() as view:
            memories = [one for one in view.get(scope.owner, ids) if one.archive]
        now = runtime.now()
        changes: list[Change] = list(brought_back(runtime, memories, "short"))
        # Used now: else what comes back would age again the next moment.
        changes += [Patch(one.id, {"last_accessed": now}, "updated") for one in memories]
        later = tended(runtime, scope.owner, [Patch(one.id, {"tier": "short"}) for one in memories])
        write = Write(
            owner=scope.owner, at=now, node="archive", changes=(*changes, *later), actor=scope.agent,
            expect=tuple(Version(one.id, one.version) for one in memories),
        )  # fmt: skip
        try:
            if memories:
                runtime.store.commit(write)
            return len(memories)
        except Conflict:
            continue
    raise Conflict("others kept changing what was to be restored: try again")


def listed(runtime: Runtime, scope: Scope, *, verify: bool = False) -> list[ArchiveFile]:
    """Give the files of an owner's archive; with `verify` each is read whole and held against the rows."""
    archive, owner = archive_of(runtime), scope.owner
    with runtime.store.view() as view:
        rows = _archived(view, owner)
    refer: dict[str, list[str]] = {}
    for one in rows:
        refer.setdefault(one.archive, []).append(one.id)
    names = sorted({*files(archive, folder_of(runtime, owner)), *refer})
    return [_looked(runtime, name, refer.get(name, []), verify=verify) for name in names]


def _looked(runtime: Runtime, name: str, ids: Sequence[str], *, verify: bool) -> ArchiveFile:
    try:
        batch = batches.read(archive_of(runtime), name)
    except StoreError as error:
        return ArchiveFile(name, None, len(ids), problem=str(error))
    missing = [one for one in ids if one not in batch.rows] if verify else []
    problem = f"the archive file {name}{batches.END} does not hold {', '.join(missing[:5])}" if missing else ""
    return ArchiveFile(name, batch.made_at, len(ids), len(batch.rows) - len(ids) + len(missing), batch.size, problem)
