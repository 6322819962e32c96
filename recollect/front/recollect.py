"""Recollect: one open memory, its settings, and the spaces of its owners."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from recollect import config as configuration
from recollect.errors import InvalidInput
from recollect.front.facets import Jobs, moved
from recollect.front.keys import Keys
from recollect.front.prompting import Prompts
from recollect.front.space import Space, no_progress
from recollect.model.event import USUAL, Activity
from recollect.model.job import Finding
from recollect.model.owner import Scope, owner_key, split_owner
from recollect.model.receipt import Report
from recollect.providers.embedders import Embedder
from recollect.providers.entities import own_finder
from recollect.providers.llm import Llm
from recollect.rules.gate import checks
from recollect.rules.people.mentions import is_own
from recollect.runtime import Clock, Runtime, open_store, system_clock
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect import prompts as asked
    from recollect.flows.admin import activity as _activity
    from recollect.flows.admin import backup as saving
    from recollect.flows.admin import copy, doctor, reindex, transfer, wording
    from recollect.front import subscribing
    from recollect.front.subscribing import Notice, Subscription
    from recollect.jobs import worker as working
else:
    (asked,) = later("recollect", "prompts")
    _activity, saving, copy, doctor, reindex, transfer, wording = later(
        "recollect.flows.admin", "activity", "backup", "copy", "doctor", "reindex", "transfer", "wording"
    )
    (subscribing,) = later("recollect.front", "subscribing")
    (working,) = later("recollect.jobs", "worker")


class Recollect:
    """One open memory: a database, its settings, and the spaces of its owners.

    Without a URL it is a file in the user's data folder. It is safe to share between threads; other
    processes may open the same database at the same time.
    """

    def __init__(
        self,
        url: str | Path | None = None,
        *,
        config: str | Path | None = None,
        clock: Clock | None = None,
        embedder: str | Embedder | None = None,
        llm: str | Llm | None = None,
        **settings: Any,
    ) -> None:
        own = embedder if isinstance(embedder, Embedder) else None
        if own is not None:
            checks.name("the embedder's name", own.name, empty=False)
        elif embedder is not None:
            settings["embedder"] = embedder
        own_llm = llm if isinstance(llm, Llm) else None
        if llm is not None and own_llm is None:
            settings["llm"] = llm
        chosen = configuration.load(config, settings)
        self._given = config, {**settings, **({} if url is None else {"url": url})}
        if url is not None:
            named = str(url) if isinstance(url, Path) else checks.text("url", url, 4096)
            if not named.strip():
                raise InvalidInput("the URL is empty: name a file or a database, or leave it out for the data folder")
            chosen = replace(chosen, url=named)
        store = open_store(chosen.url or configuration.default_url(), chosen)
        self._runtime = Runtime(store, chosen, clock or system_clock, own=own, own_llm=own_llm)
        self._workers: list[working.Worker] = []
        self._heard: list[Subscription] = []
        try:
            wording.check_language(self._runtime)
            if chosen.models.prompts:
                asked.check(chosen.models.prompts)
        except BaseException:
            store.close()
            raise
        self._runtime.embedder()  # a missing key or package is told now, not with the first query
        _ = self._runtime.llm
        if "spacy" in chosen.entities.fast:
            _ = self._runtime.finder
        for reader in filter(is_own, (*chosen.entities.fast, *chosen.entities.accurate)):
            own_finder(reader)
        # Spaces hold the runtime too: the database is let go when the last of them is, at the latest at exit.
        weakref.finalize(self._runtime, store.close)

    def space(self, user: str, agent: str = "", session: str = "", tenant: str = "", project: str = "") -> Space:
        """Give the memory of one user; agent and session say who is speaking and in which conversation.

        What is learnt in a project is found there, before the user's other memory; other projects' stays out.
        """
        named = (checks.name("agent", agent), checks.name("session", session), checks.project(project))
        scope = Scope(owner_key(user, tenant), *named)
        return Space(self._runtime, scope)

    @property
    def jobs(self) -> Jobs:
        """The jobs of all owners; called, it gives the list."""
        return Jobs(self._runtime, self._workers)

    @property
    def keys(self) -> Keys:
        """The API keys of this database; called, it gives the list."""
        return Keys(self._runtime)

    @property
    def prompts(self) -> Prompts:
        """What models are asked with; called, it gives the list."""
        return Prompts(self._runtime)

    def run_jobs(
        self,
        names: Sequence[str] | None = None,
        now: datetime | None = None,
        *,
        dry: bool = False,
        owner: str = "",
    ) -> list[Report]:
        """Run the jobs that are due; those named run at once, due or not. `dry` only says what they would do.

        `owner`, such as `space.owner`, leaves out everybody else's.
        """
        return self.jobs.run(names, now, dry=dry, owner=owner)

    def worker(self, told: Callable[[Report], None] | None = None) -> working.Worker:
        """Give a worker that runs what is due, in threads of this process: `with rc.worker(): …`.

        `told` hears of every run. Closing stops it.
        """
        return self.jobs.worker(told)

    def subscribe(self, told: Callable[[Notice], None]) -> Subscription:
        """Tell a function of every change of any owner, and of sessions completed; closing what it gives ends it."""
        made = subscribing.Subscription(self._runtime, told)
        self._heard.append(made)
        return made

    def warm(self) -> None:
        """Begin to load the embedder in the background; until it is there, words and names serve alone."""
        embedder = self._runtime.embedder()
        if embedder is not None:
            embedder.warm()

    def owners(self) -> list[tuple[str, str]]:
        """Give every (tenant, user) that has memories here, for administration."""
        with self._runtime.store.view() as view:
            return [split_owner(owner) for owner in view.owners()]

    def export(self, out: IO[str] | str | Path, progress: Callable[[int], None] = no_progress) -> transfer.Transfer:
        """Write everything as lines of JSON into a file, by its path or open: the same bytes for the same memory."""
        return transfer.export(self._runtime, out, None, progress)

    def import_file(self, path: str | Path, progress: Callable[[int], None] = no_progress) -> transfer.Transfer:
        """Put an export back, all of it or nothing; owners that already have memories are refused."""
        return transfer.read_in(self._runtime, Path(path), progress)

    def backup(self, path: str | Path) -> saving.Backup:
        """Write everything, as it is at one moment, into a new file: of SQLite a database, of a server an export."""
        return saving.backup(self._runtime, path)

    def copy_to(self, other: Recollect, progress: Callable[[int], None] = no_progress) -> copy.Copied:
        """Copy everything into another database of any engine; interrupted, it goes on when called again."""
        return copy.copy(self._runtime, other._runtime, progress)

    def reindex_estimate(self) -> reindex.Estimate:
        """Say what `reindex` would have to embed, and about what it costs."""
        return reindex.estimate(self._runtime)

    def reindex(self, progress: Callable[[int], None] = no_progress, *, drop: bool = False) -> reindex.Reindexed:
        """Embed everything with the embedder that is set, while the old vectors serve until the new ones are there.

        Interrupted, it goes on when called again. `drop` embeds nothing and takes all vectors away.
        """
        return reindex.drop(self._runtime) if drop else reindex.reindex(self._runtime, progress)

    def doctor(self, fix: bool = False) -> list[Finding]:
        """Check files, counters and links of the whole database; with `fix`, mend what can be mended first."""
        if fix:
            doctor.mend(self._runtime)
        return doctor.examine(self._runtime)

    def describe(self) -> dict[str, Any]:
        """Say which database this is, where it lives and how large it is, and how many events this process lost."""
        return {**self._runtime.store.describe(), "events_dropped": self._runtime.store.dropped}

    @property
    def settings(self) -> configuration.Settings:
        """The settings in force."""
        return self._runtime.settings

    def origins(self) -> dict[str, str]:
        """Say of every setting that is not at its default where its value is from: a file, a variable or a keyword."""
        return configuration.origins(*self._given)

    def activity(
        self,
        since: datetime | None = None,
        by: str | Sequence[str] = USUAL,
        progress: Callable[[int], None] = no_progress,
    ) -> list[Activity]:
        """Count what happened to all owners from a day on, the last 30 by default, grouped by what `by` names."""
        return _activity.activity(self._runtime, None, since, by, progress)

    def close(self) -> None:
        """Stop the workers, write what is buffered and let the database go; closing twice is harmless."""
        for heard in self._heard:
            heard.close()
        if self._workers:
            working.stop_all(self._workers)
            self._workers.clear()
        self._runtime.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    pause_jobs = moved("pause_jobs", Jobs.pause, "rc.jobs.pause", lambda memory: memory.jobs)
    resume_jobs = moved("resume_jobs", Jobs.resume, "rc.jobs.resume", lambda memory: memory.jobs)
    retry_jobs = moved("retry_jobs", Jobs.retry, "rc.jobs.retry", lambda memory: memory.jobs)
