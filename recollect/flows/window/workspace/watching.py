"""A folder watched: synced when a hand or the store has changed something, until it is told to stop.

It is looked at now and then: the store has to be asked anyway, and looking through ten thousand files takes a tenth
of a second; and the events of a system say nothing of what changes in a folder on a network.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import monotonic

from recollect.flows.window.workspace.folder import Folder
from recollect.flows.window.workspace.syncing import Sync, Wanted
from recollect.model.owner import Scope
from recollect.model.window import Synced
from recollect.runtime import Runtime

REST = 20
"""How many times as long as a look took nobody looks again: a large folder costs a twentieth of a core at most."""


def watch(
    runtime: Runtime, scope: Scope, folder: Folder, wanted: Wanted, told: Callable[[Synced], None], stop: Event
) -> None:
    """Sync a folder whenever its files or the store have changed; `told` hears of every sync that did something."""
    seen: object = None
    while not stop.is_set():
        begun = monotonic()
        now = (folder.scan()[0], _revision(runtime, scope))
        took = monotonic() - begun
        if now != seen:
            done = Sync(runtime, scope, folder, wanted).run()
            if done.changed or done.clashes or (done.problems and seen is None):
                told(done)
            # What is still being written is looked at again, and so is what the sync itself has written.
            seen = None if done.waiting or done.changed else now
        stop.wait(max(runtime.settings.workspace.poll_seconds, REST * took))


def _revision(runtime: Runtime, scope: Scope) -> int:
    with runtime.store.view() as view:
        return view.counters(scope.owner).rev
