"""A backup: everything as it is at one moment, in one file, while others go on writing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from recollect.errors import InvalidInput
from recollect.flows.admin.transfer import export
from recollect.model.values import dataclass
from recollect.runtime import Runtime


@dataclass(frozen=True, slots=True)
class Backup:
    """What was written: where, of which form, and how many bytes."""

    path: str
    form: str
    """`database`, a file that can be opened as it is; or `export`, which `recollect import` reads."""
    size: int


def backup(runtime: Runtime, named: str | Path) -> Backup:
    """Write everything into a new file, which appears under its name only when it is whole and was found sound."""
    target = Path(named).expanduser().absolute()
    if target.exists():
        raise InvalidInput(f"{target} is there already: name a new file")
    if not target.parent.is_dir():
        raise InvalidInput(f"the folder {target.parent} does not exist: create it, or choose another")
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as folder:
        part = Path(folder) / "whole"
        form = "database"
        if not runtime.store.backup(part):
            form = "export"
            export(runtime, part, None, lambda lines: None)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.chmod(0o600)  # all that is remembered: nobody else's
        os.replace(part, target)
    return Backup(str(target), form, target.stat().st_size)
