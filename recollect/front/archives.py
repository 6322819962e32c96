"""The facet of the archive: what of an owner was moved out of the database, and bringing it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.model.forecast import ArchiveFile
from recollect.model.owner import Scope
from recollect.model.receipt import Report
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.life import archive
    from recollect.jobs import once
else:
    (archive,) = later("recollect.flows.life", "archive")
    (once,) = later("recollect.jobs", "once")


class Archives:
    """The files of one owner's archive."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __call__(self) -> list[ArchiveFile]:
        """Give the files, the oldest first, with how many memories have their text in each."""
        return archive.listed(self._runtime, self._scope)

    def run(self, *, dry: bool = False) -> list[Report]:
        """Move out what is beyond the number an owner may have, a file a run, until no more is; `dry` only tells."""
        reports: list[Report] = []
        for _ in range(1 if checks.flag("dry", dry) else MOST_RUNS):
            reports += once.run_jobs(self._runtime, ["archive"], None, dry=dry, owner=self._scope.owner)
            if reports[-1].status != "ok" or not reports[-1].numbers.get("waiting"):
                break
        return reports

    def restore(self, ids: Sequence[str] = (), *, file: str = "", everything: bool = False) -> Report:
        """Bring memories back whole, into the short tier: by id, those of one file, or everything."""
        return archive.restore(self._runtime, self._scope, ids, checks.name("file", file), everything=everything)

    def verify(self) -> list[ArchiveFile]:
        """Read every file and hold it against the memories; each says what is wrong with it, if anything is."""
        return archive.listed(self._runtime, self._scope, verify=True)


MOST_RUNS = 100_000
