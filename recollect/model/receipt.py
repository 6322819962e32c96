"""What every write and every job answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Literal

from recollect.model.clock import iso
from recollect.model.values import dataclass

Left = Literal["", "scrubbed", "pending"]
Outcome = Literal["stored", "duplicate", "merged", "superseded", "queued", "quarantined", "rejected", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The answer to one write: what became of it, and under which id.

    | outcome | meaning | `id` | `other` |
    |---|---|---|---|
    | stored | written, or the change was applied | the memory | what is newer, if it was told late |
    | duplicate | already known; nothing written, no action needed | the memory that stands | the same |
    | merged | several became one | the new memory | the old one, if the gate merged it |
    | superseded | a newer value took the place of an older one | the new memory | the old memory |
    | queued | waits for the owner's consent | the proposal | the memory it would replace |
    | quarantined | kept apart, `reason` says why | the memory | |
    | rejected | refused by policy, `reason` says why; nothing written | | |
    | failed | an error, `reason` names it; nothing written | | |

    A receipt never carries the text of a memory, so it can be journaled and logged.
    """

    outcome: Outcome
    op: str = "created"
    id: str = ""
    other: str = ""
    rev: int = 0
    reason: str = ""
    warnings: tuple[str, ...] = ()
    count: int = 1
    scrub: Left = ""
    archive: Left = ""
    """Whether what was erased has left the files of the archive, too; empty where there were none."""
    parts: tuple[Receipt, ...] = ()
    category: str = field(default="", compare=False, repr=False)
    """Where the gate filed it; told once, and not kept with the receipt."""

    @property
    def ok(self) -> bool:
        """Whether the memory is safe: everything but `rejected` and `failed`."""
        return self.outcome not in ("rejected", "failed")

    def at(self, rev: int) -> Receipt:
        """Give the same receipt, and those of its parts, under a revision."""
        parts = tuple([part.at(rev) for part in self.parts])
        return Receipt(
            outcome=self.outcome, op=self.op, id=self.id, other=self.other, rev=rev, reason=self.reason,
            warnings=self.warnings, count=self.count, scrub=self.scrub, archive=self.archive, parts=parts,
            category=self.category,
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Give the receipt as plain data, for journals and for `--json`."""
        return {
            "outcome": self.outcome,
            "op": self.op,
            "id": self.id,
            "other": self.other,
            "rev": self.rev,
            "reason": self.reason,
            "warnings": list(self.warnings),
            "count": self.count,
            "scrub": self.scrub,
            "archive": self.archive,
            "parts": [part.to_json() for part in self.parts],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Receipt:
        """Read back what `to_json` gave."""
        parts = tuple(cls.from_json(part) for part in data.get("parts", ()))
        return cls(**{**data, "warnings": tuple(data.get("warnings", ())), "parts": parts})


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The answer of one run of one job."""

    job: str
    status: Literal["ok", "skipped", "failed"] = "ok"
    owner: str = ""
    changed: int = 0
    skipped: str = ""
    text: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    """What was done to which memory and why, a line each, without their text."""
    run: str = ""
    """Names the run, for `undo`; empty when nothing was changed."""
    again: datetime | None = None
    """When the job wants to run next; None leaves it to whoever has work for it."""

    def to_json(self) -> dict[str, Any]:
        """Give the report as plain data."""
        return {
            "job": self.job,
            "status": self.status,
            "owner": self.owner,
            "changed": self.changed,
            "skipped": self.skipped,
            "text": self.text,
            "numbers": dict(self.numbers),
            "steps": list(self.steps),
            "run": self.run,
            "again": None if self.again is None else iso(self.again),
        }
