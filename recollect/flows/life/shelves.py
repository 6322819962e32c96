"""Which archive files are whose, what they hold of memories that are read, and keeping erased text out of them."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from recollect.errors import ConfigError, Conflict, StoreError
from recollect.flows.life import batches
from recollect.model.change import Dequeue, Enqueue, Write
from recollect.model.clock import LATEST, to_ms
from recollect.model.memory import Memory
from recollect.model.owner import SYSTEM
from recollect.model.values import dataclass
from recollect.providers.archives import Archive
from recollect.runtime import Runtime
from recollect.store.base import View

IDENTITY = "identity"
"""The row of the database that tells it from every other one that keeps its files in the same archive."""
KEPT = 256
"""How many files are kept unpacked while many memories are read."""
CHUNK = 2000
UNSET = "no archive is set: name a folder or a URL in archive.url"


def archive_of(runtime: Runtime) -> Archive:
    """Give the archive; raises `ConfigError` where none is set."""
    if runtime.archive is None:
        raise ConfigError(UNSET)
    return runtime.archive


def folder_of(runtime: Runtime, owner: str) -> str:
    """Give the folder of an owner's files; empty while this database has none."""
    with runtime.store.view() as view:
        row = view.job(SYSTEM, IDENTITY)
    return f"{row.payload['id']}/{hashlib.sha256(owner.encode()).hexdigest()[:24]}" if row else ""


def made_folder(runtime: Runtime, owner: str) -> str:
    """Give the folder of an owner's files; a database that never had any gets its identity now."""
    if not (folder := folder_of(runtime, owner)):
        told = Enqueue(IDENTITY, LATEST, payload={"id": runtime.token()[:16]})
        _system(runtime, told)
        folder = folder_of(runtime, owner)
    return folder


def new_name(runtime: Runtime, folder: str) -> str:
    """Give a name for a new file: they sort by the moment they were made."""
    return f"{folder}/arc_{to_ms(runtime.now()):012x}{runtime.random(32):08x}"


def files(archive: Archive, folder: str) -> list[str]:
    """Give the names of an owner's files, without their ending."""
    found = archive.names(folder) if folder else []
    return [f"{folder}/{one.removesuffix(batches.END)}" for one in found if one.endswith(batches.END)]


class Shelves:
    """Reads texts out of the archive, each file once as long as it is in use."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._texts: OrderedDict[str, Mapping[str, str]] = OrderedDict()

    def text(self, memory_id: str, name: str) -> str:
        """Give the whole text of a memory; raises `StoreError` that names the file it should be in."""
        if name not in self._texts:
            rows = batches.read(archive_of(self._runtime), name).rows
            self._texts[name] = {id: str(row["content"]) for id, row in rows.items()}
            while len(self._texts) > KEPT:
                self._texts.popitem(last=False)
        self._texts.move_to_end(name)
        try:
            return self._texts[name][memory_id]
        except KeyError:
            raise StoreError(f"the archive file {name}{batches.END} does not hold {memory_id}") from None

    def whole(self, memories: Iterable[Memory]) -> list[Memory]:
        """Give memories with their whole texts; those that stand in the database are as they are."""
        return [replace(one, content=self.text(one.id, one.archive)) if one.archive else one for one in memories]

    def rows(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """Give rows of an export as if nothing had ever been archived."""
        for row in rows:
            if row["archive"]:
                yield {**row, "content": self.text(row["id"], row["archive"]), "archive": "", "tier": "long"}
            else:
                yield row


@dataclass(frozen=True, slots=True)
class Shredded:
    """What was taken out of an archive: texts, and the files that could not be rewritten, each with its reason."""

    texts: int = 0
    problems: tuple[str, ...] = ()


def shred(runtime: Runtime, owner: str) -> Shredded:
    """Take the texts of memories that are gone out of an owner's archive: files are rewritten and read back."""
    folder = folder_of(runtime, owner)
    if not folder or (archive := runtime.archive) is None:
        return Shredded(problems=(UNSET,) if folder and _had_files(runtime, owner) else ())
    texts, problems = 0, []
    for name in files(archive, folder):
        try:
            texts += _rewritten(runtime, archive, owner, name)
        except StoreError as error:
            problems.append(str(error))
    return Shredded(texts, tuple(problems))


def _had_files(runtime: Runtime, owner: str) -> bool:
    with runtime.store.view() as view:
        return bool(view.stats(owner).tiers.get("archive"))


def _rewritten(runtime: Runtime, archive: Archive, owner: str, name: str) -> int:
    """Rewrite one file without what is gone; give how many texts that were."""
    batch = batches.read(archive, name)
    with runtime.store.view() as view:
        known = _known(view, owner, list(batch.rows))
    if len(known) == len(batch.rows):
        return 0
    if known:
        batches.write(archive, name, [row for id, row in batch.rows.items() if id in known], batch.made_at)
    else:
        batches.remove(archive, name)
    return len(batch.rows) - len(known)


def _known(view: View, owner: str, ids: Sequence[str]) -> set[str]:
    return {id for at in range(0, len(ids), CHUNK) for id in view.numbers(owner, ids[at : at + CHUNK])}


def shred_later(runtime: Runtime, owner: str, after: timedelta = timedelta()) -> bool:
    """Promise to take an owner's gone texts out of the archive, and tell whether there are files at all.

    Said before the rows go, it is kept even should the process die right after.
    """
    folder = folder_of(runtime, owner)
    if not folder or (runtime.archive is None and not _had_files(runtime, owner)):
        return False
    _system(runtime, Enqueue("shred", runtime.now() + after, owner, {"owner": owner}))
    return True


def kept_promise(runtime: Runtime, owner: str) -> bool:
    """Take an owner's gone texts out of the archive now; when that worked, its job is done."""
    try:
        done = not shred(runtime, owner).problems
    except StoreError:  # the archive cannot be reached: the job tries again
        done = False
    if done:
        withdrawn(runtime, owner)
    return done


def withdrawn(runtime: Runtime, owner: str) -> None:
    """Take the promise back: there is nothing to shred."""
    with suppress(Conflict):  # a worker has it already
        _system(runtime, Dequeue("shred", owner))


def _system(runtime: Runtime, change: Enqueue | Dequeue) -> None:
    runtime.store.commit(Write(owner=SYSTEM, at=runtime.now(), node="archive", changes=(change,)))
