"""A folder watched: synced when a hand or the store has changed something, until it is told to stop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from recollect.flows.window.workspace.folder import Folder
from recollect.flows.window.workspace.syncing import Sync, Wanted
from recollect.model.owner import Scope
from recollect.model.window import Synced
from recollect.runtime import Runtime


def watch(
    runtime: Runtime, scope: Scope, folder: Folder, wanted: Wanted, told: Callable[[Synced], None], stop: Event
) -> None:
    """Sync a folder whenever its files or the store have changed; `told` hears of every sync that did something."""
    seen: object = None
    while not stop.is_set():
        now = (folder.scan()[0], _revision(runtime, scope))
        if now != seen:
            done = Sync(runtime, scope, folder, wanted).run()
            if done.changed or done.clashes or (done.problems and seen is None):
                told(done)
            # What is still being written is looked at again; else what the sync itself wrote is no news.
            seen = None if done.waiting else (folder.scan()[0], _revision(runtime, scope))
            seen = seen if not done.changed else None
        stop.wait(runtime.settings.workspace.poll_seconds)


def _revision(runtime: Runtime, scope: Scope) -> int:
    with runtime.store.view() as view:
        return view.counters(scope.owner).rev
