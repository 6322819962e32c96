"""Moving house: everything of one database into another, whatever the engines, and proof that it arrived."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import IO, cast

from recollect.errors import Conflict, StoreError
from recollect.flows.admin.loading import Loader
from recollect.flows.admin.transfer import export, whole_rows
from recollect.model.owner import split_owner
from recollect.model.values import dataclass
from recollect.runtime import Runtime
from recollect.store.base import TABLES, Administration

Progress = Callable[[int], None]
VECTORS = 500
"""How many vectors go in one commit."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy moved: rows written now, owners already there, and the checksum both sides agree on."""

    owners: int
    skipped: int
    rows: int
    checksum: str


def copy(source: Runtime, target: Runtime, progress: Progress) -> Copied:
    """Copy every owner. Run again after an interruption, it goes on where it stopped."""
    source.store.flush()
    loader = Loader(target)
    rows = 0
    with source.store.view() as view:
        owners = view.owners()
        # All of them are looked at before the first is written: a refusal changes nothing.
        there = {owner for owner in owners if _there(source, target, owner, loader)}
        for owner in owners:
            if owner not in there:
                rows += _owner((source, view), target, loader, owner, lambda more, before=rows: progress(before + more))  # type: ignore[misc]
        skipped = len(there)
    one, other = checksum(source, owners), checksum(target, owners)
    if one != other:
        raise StoreError("the copy differs from the original: somebody wrote to one of them meanwhile; run it again")
    return Copied(len(owners), skipped, rows, one)


def _there(source: Runtime, target: Runtime, owner: str, loader: Loader) -> bool:
    """Tell whether an owner has been copied already; one who has other memories there is not touched."""
    with target.store.view() as view:
        known = view.counters(owner).rev
    if not known or loader.marked(owner) is not None:
        return False
    if checksum(source, [owner]) != checksum(target, [owner]):
        raise Conflict(f"user {split_owner(owner)[1]!r} has other memories in the target: erase that user there first")
    return True


def _owner(of: tuple[Runtime, Administration], target: Runtime, loader: Loader, owner: str, progress: Progress) -> int:
    """Copy one owner, or what is missing of one that a copy was cut off at."""
    source, view = of
    rev = view.counters(owner).rev
    mark = loader.marked(owner)
    done = dict.fromkeys(TABLES, 0)
    if mark is not None and mark.get("rev") == rev:
        done = _loaded(target, owner)
        loader.resume(owner)
    else:
        loader.start(owner, {"rev": rev})
    moved = 0
    ids: list[str] = []
    for table in TABLES:
        for number, row in enumerate(whole_rows(source, view, owner, table)):
            if number >= done[table]:
                loader.add(table, row)
            if table == "memories":
                ids.append(row["id"])
            moved += 1
            progress(moved)
    _vectors(view, target, loader, owner, ids)
    loader.finish()
    return moved


def _vectors(view: Administration, target: Runtime, loader: Loader, owner: str, ids: list[str]) -> None:
    """Carry the vectors over, so that nobody pays for them twice; document numbers differ, ids do not."""
    serving = view.counters(owner).model
    with target.store.view() as there:
        known = there.counters(owner).model
    if serving != known:  # also when only what serves has no vectors any more
        loader.serve(serving)
    for model in view.embedded(owner):
        for at in range(0, len(ids), VECTORS):
            docs = {doc: id for id, doc in view.numbers(owner, ids[at : at + VECTORS]).items()}
            found = view.embeddings(owner, model, list(docs))
            if found:
                loader.embed(model, tuple((docs[doc], blob) for doc, blob in sorted(found.items())))


def _loaded(target: Runtime, owner: str) -> dict[str, int]:
    """Count what an interrupted copy has loaded: rows go in batches and in one order, so a count says which."""
    with target.store.view() as view:
        counts = {table: sum(1 for _ in view.dump(owner, table)) for table in TABLES}
    counts["jobs"] -= 1  # the mark itself
    return counts


class _Digest:
    """A file that keeps only the checksum of what is written to it."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def write(self, text: str) -> int:
        """Take some text in."""
        self._hash.update(text.encode())
        return len(text)

    def __str__(self) -> str:
        return self._hash.hexdigest()


def checksum(runtime: Runtime, owners: list[str]) -> str:
    """Give the checksum of an export of these owners."""
    digest = _Digest()
    export(runtime, cast(IO[str], digest), owners, lambda lines: None)
    return str(digest)
