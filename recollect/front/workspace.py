"""The workspace facet: memory as a folder of Markdown, and what of it is read without one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.window import Clash, FoundSection, Standing, Synced
from recollect.rules.gate import checks
from recollect.rules.window.files import HEARTBEAT, log_path
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.keep import remember
    from recollect.flows.window.workspace import bootstrap, folder, ledger, syncing, watching
else:
    (remember,) = later("recollect.flows.keep", "remember")
    bootstrap, folder, ledger, syncing, watching = later(
        "recollect.flows.window.workspace", "bootstrap", "folder", "ledger", "syncing", "watching"
    )


Progress = Callable[[int, int], None]
"""Hears how many files are done, and of how many."""


class Workspace:
    """Memory as files people read and edit. Called, it names the files the store has something for."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __call__(self) -> list[str]:
        """Give the files the store has something for, by name."""
        with self._runtime.store.view() as view:
            return bootstrap.files(self._runtime, view, self._scope)

    def read(self, path: str) -> str:
        """Give a file as the store has it; empty where nobody has written into it."""
        with self._runtime.store.view() as view:
            return bootstrap.text_of(self._runtime, view, self._scope, path)

    def search(self, query: str, limit: int = 5) -> list[FoundSection]:
        """Find sections of files by text and heading: file, heading and the line that says most."""
        text = checks.text("query", query, 100_000)
        return bootstrap.search(self._runtime, self._scope, text, checks.whole("limit", limit, 1, 1000))

    def log(self, entry: str, request_id: str = "") -> Receipt:
        """Write an entry into the log of today."""
        details = {"kind": "event", "source": "directive"}
        return remember.remember(self._runtime, self._scope, entry, details, request_id)

    def days(self, many: int = 2) -> str:
        """Give the log of today and of the days before, the newest first."""
        today = self._runtime.now().date()
        paths = [log_path(today - timedelta(days=back)) for back in range(checks.whole("many", many, 1, 366))]
        texts = [(path, self.read(path)) for path in paths]
        return "\n".join(f"# {path[7:-3]}\n{text}" for path, text in texts if text)

    def heartbeat(self) -> str:
        """Give what an agent looks after when nobody asks: HEARTBEAT.md."""
        return self.read(HEARTBEAT)

    def conflicts(self, limit: int = 20) -> list[Clash]:
        """Give passages that were changed on both sides, the newest first: what stands, and what was kept aside."""
        with self._runtime.store.view() as view:
            return ledger.listed_clashes(view, self._scope, checks.whole("limit", limit, 1, 200))

    def _folder(self, path: str | Path, *, make: bool = False) -> folder.Folder:
        syncing.sees_all(self._runtime, self._scope)
        return folder.Folder(path, make=make)

    def init(self, folder_path: str | Path, author: str = "", *, progress: Progress | None = None) -> Synced:
        """Make a folder a workspace: what the store has is written, and files nobody has yet are begun."""
        wanted = syncing.Wanted(checks.name("author", author), scaffold=True, progress=progress)
        return syncing.Sync(self._runtime, self._scope, self._folder(folder_path, make=True), wanted).run()

    def sync(
        self, folder_path: str | Path, author: str = "", *, full: bool = False, progress: Progress | None = None
    ) -> Synced:
        """Bring a folder and the store into step, both ways; `full` looks at every file."""
        wanted = syncing.Wanted(checks.name("author", author), full=checks.flag("full", full), progress=progress)
        return syncing.Sync(self._runtime, self._scope, self._folder(folder_path), wanted).run()

    def adopt(self, folder_path: str | Path, author: str = "", *, progress: Progress | None = None) -> Synced:
        """Take a folder that is there into memory without changing a byte of it; later edits go both ways."""
        wanted = syncing.Wanted(checks.name("author", author), adopt=True, progress=progress)
        return syncing.Sync(self._runtime, self._scope, self._folder(folder_path), wanted).run()

    def status(self, folder_path: str | Path) -> Standing:
        """Tell how a folder stands to the store, changing neither."""
        wanted = syncing.Wanted()
        return syncing.Sync(self._runtime, self._scope, self._folder(folder_path), wanted).standing()

    def watch(
        self, folder_path: str | Path, told: Callable[[Synced], None], stop: Event | None = None, author: str = ""
    ) -> None:
        """Sync a folder whenever a hand or the store changes something, until `stop` is set; `told` hears of it."""
        wanted = syncing.Wanted(checks.name("author", author))
        watching.watch(
            self._runtime, self._scope, self._folder(folder_path), wanted, told, stop if stop is not None else Event()
        )
