"""How files stood when they were last in step, and the clashes there were: kept beside what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from recollect.flows.window.workspace.absorbing import Page
from recollect.flows.window.workspace.folder import Read, Stamp
from recollect.model.owner import Scope
from recollect.model.values import dataclass
from recollect.model.window import Clash
from recollect.rules.window.markdown import Form, text_hash
from recollect.rules.window.threeway import Entry
from recollect.store.base import Reading

FILES = "recollect.workspace"
"""The session under which it is kept how folders stood when they were last in step: a namespace a folder."""
CLASHES = "recollect.conflicts"
"""The session under which clashes are kept, a namespace a project."""
KEPT_CLASHES = 200


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


def row_id(path: str) -> str:
    """Give the id of a file's row."""
    return text_hash(path)


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
