"""How files stood when they were last in step, and the clashes there were: kept beside what is remembered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any

from recollect.flows.window.workspace.absorbing import Page
from recollect.flows.window.workspace.folder import Read, Stamp
from recollect.model.change import Change, DropCheckpoints, SaveCheckpoint
from recollect.model.owner import Scope
from recollect.model.values import dataclass
from recollect.model.window import Checkpoint, Clash
from recollect.rules.window.markdown import Form, text_hash
from recollect.rules.window.threeway import Entry
from recollect.store.base import Reading

FILES = "recollect.workspace"
"""The session under which it is kept how folders stood when they were last in step: a namespace a folder."""
CLASHES = "recollect.conflicts"
"""The session under which clashes are kept, a namespace a project."""
KEPT_CLASHES = 200
SELF, INDEX = ".", ".stamps"
"""The row of the folder itself, and the row that holds the stamps of all its files."""
ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class Known:
    """How a file stood when it was last in step."""

    path: str
    stamp: Stamp
    rows: Sequence[Sequence[str]]
    """Its entries as they are kept: of most files nobody asks for more than the stamp."""
    form: Form = Form()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Its passages, in order."""
        return tuple(Entry(one[0], one[1], one[-1]) for one in self.rows)

    @classmethod
    def of(cls, path: str, stamp: Stamp, entries: Sequence[Entry], form: Form) -> Known:
        """Tell how a file stands now."""
        rows = [[one.id, one.file] if one.file == one.store else [one.id, one.file, one.store] for one in entries]
        return cls(path, stamp, rows, form)

    def packed(self) -> dict[str, Any]:
        """Give it as plain data."""
        stamp = [self.stamp.size, self.stamp.changed, self.stamp.inode]
        form = [self.form.bom, self.form.crlf]
        return {"path": self.path, "stamp": stamp, "form": form, "entries": [list(one) for one in self.rows]}

    @classmethod
    def read(cls, data: Any) -> Known:
        """Read what `packed` gave."""
        return cls(data["path"], Stamp(*data["stamp"]), data["entries"], Form(*data["form"]))


@dataclass(frozen=True, slots=True)
class Opened:
    """A file as it was found, ready to be held against the store."""

    page: Page
    read: Read | None = None
    form: Form = Form()
    text: str = ""
    long: bool = False
    """Whether only a part of it was read, so that it must not be written."""


@dataclass(slots=True)
class Tally:
    """What a sync has done so far."""

    read: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    clashes: list[Clash] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    revs: set[int] = field(default_factory=set)


class Ledger:
    """How the files of one folder stood when they were last in step.

    Each file has a row, written in the commit that took it in. The stamps of all of them are kept in one row more, so
    that a sync after one change need not read ten thousand; that row lags behind after a crash, so that some files are
    looked at once more, and whoever needs all of them asks for `everything`.
    """

    def __init__(self, scope: Scope, ns: str) -> None:
        self._owner, self._ns = scope.owner, ns
        self.about: dict[str, Any] | None = None
        """What is known of the folder as a whole; None before the first sync is through."""
        self.stamps: dict[str, Stamp] = {}
        self._kept: dict[str, Stamp] | None = None

    def load(self, view: Reading) -> None:
        """Read how the folder stood."""
        about, index = self._read(view, SELF), self._read(view, INDEX)
        self.about = about
        if about is not None and index is not None:
            self.stamps = {path: Stamp(*stamp) for path, stamp in index.items()}
            self._kept = dict(self.stamps)
        else:
            self.stamps = {one.path: one.stamp for one in self.rows(view)}

    def _read(self, view: Reading, id: str) -> dict[str, Any] | None:
        found = view.checkpoints(self._owner, FILES, self._ns, 1, id=id)
        return dict(found[0].data) if found else None

    def rows(self, view: Reading) -> Iterator[Known]:
        """Give how every file stood, with its passages."""
        for one in view.checkpoints(self._owner, FILES, self._ns, ALL):
            if one.id not in (SELF, INDEX):
                yield Known.read(one.data)

    def everything(self, view: Reading) -> list[str]:
        """Give the paths of all files that were ever in step, also those a sync that died had taken in."""
        return sorted({one.path for one in self.rows(view)} | self.stamps.keys())

    def known(self, view: Reading, path: str) -> Known | None:
        """Give how one file stood; None where it was never in step."""
        data = self._read(view, text_hash(path))
        return Known.read(data) if data is not None else None

    def saving(self, known: Known, at: datetime) -> SaveCheckpoint:
        """Give what keeps how a file stands; `noted` is to hear of it once that is written."""
        return SaveCheckpoint(Checkpoint(FILES, self._ns, text_hash(known.path), "", known.packed(), at))

    def dropping(self, path: str) -> DropCheckpoints:
        """Give what forgets a file."""
        return DropCheckpoints(FILES, self._ns, text_hash(path))

    def noted(self, path: str, stamp: Stamp | None) -> None:
        """Hear how a file stands now that it is written down; None for one that is gone."""
        if stamp is None:
            self.stamps.pop(path, None)
        else:
            self.stamps[path] = stamp

    def closing(self, about: Mapping[str, Any], at: datetime) -> tuple[Change, ...]:
        """Give what keeps how the folder stands as a whole; nothing where that is known already."""
        found: list[Change] = []
        if self._kept != self.stamps:
            packed = {path: [one.size, one.changed, one.inode] for path, one in self.stamps.items()}
            found.append(SaveCheckpoint(Checkpoint(FILES, self._ns, INDEX, "", packed, at)))
        if self.about != about:
            found.append(SaveCheckpoint(Checkpoint(FILES, self._ns, SELF, "", about, at)))
        return tuple(found)


def listed_clashes(view: Reading, scope: Scope, limit: int = KEPT_CLASHES) -> list[Clash]:
    """Give the clashes of a project, the newest first, with both texts."""
    rows = view.checkpoints(scope.owner, CLASHES, scope.project, limit)
    ids = {id for row in rows for id in (row.data["kept"], row.data["other"]) if id}
    texts = {one.id: one.content for one in view.get(scope.owner, sorted(ids))}
    return [
        Clash(
            row.data["path"], row.data["reason"], row.data["kept"], row.data["other"], row.created_at,
            texts.get(row.data["kept"], ""), texts.get(row.data["other"], ""),
        )
        for row in rows
    ]  # fmt: skip
