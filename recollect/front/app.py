"""The front door: Recollect opens a database, Space speaks for one owner; a short method per verb."""

from __future__ import annotations

import builtins
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, Unpack

from recollect import config as configuration
from recollect.errors import InvalidInput
from recollect.flows.admin import activity as _activity
from recollect.flows.admin import copy, doctor, reindex, transfer
from recollect.flows.admin import erase as _erase
from recollect.flows.admin.coverage import Coverage, coverage
from recollect.flows.admin.reindex import Estimate, Reindexed
from recollect.flows.find import browse, explain, recall
from recollect.flows.find.filters import build
from recollect.flows.keep import inbox, observe, remember, revise
from recollect.flows.learn import end
from recollect.flows.people import uniting
from recollect.flows.window import context as _context
from recollect.front.own_agent import Consolidating
from recollect.front.upkeep import Later, Upkeep
from recollect.jobs.worker import Worker, stop_all
from recollect.model.asking import Spending
from recollect.model.entity import Profile
from recollect.model.event import Activity
from recollect.model.hit import Context, Entry, Explanation, Hit, Stats
from recollect.model.job import Finding
from recollect.model.kinds import DEFAULT_KINDS
from recollect.model.memory import Link, Memory, Session
from recollect.model.options import Conditions, Details
from recollect.model.owner import Scope, owner_key, split_owner
from recollect.model.pending import Pending
from recollect.model.receipt import Receipt, Report
from recollect.providers.embedders import Embedder
from recollect.providers.llm import Llm
from recollect.rules.gate import checks
from recollect.runtime import Clock, Runtime, open_store, system_clock

MOST = 1000
KINDS_SAID = ("episode",)


def _wish(query: object, limit: int, by: str, budget_tokens: int | None, min_similarity: float | None) -> recall.Wish:
    """Check what a search was asked for."""
    if not isinstance(query, str):
        raise InvalidInput(f"query must be a string, not {type(query).__name__}")
    if by not in ("memory", "session"):
        raise InvalidInput(f"by is {by!r}: use 'memory' or 'session'")
    return recall.Wish(
        limit=checks.whole("limit", limit, 1, MOST),
        by=by,
        budget_tokens=None if budget_tokens is None else checks.whole("budget_tokens", budget_tokens, 1, 10_000_000),
        min_similarity=None if min_similarity is None else checks.share("min_similarity", min_similarity),
    )


def _no_progress(lines: int) -> None:
    """Take no notice."""


class Recollect(Upkeep):
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
        if url is not None:
            named = str(url) if isinstance(url, Path) else checks.text("url", url, 4096)
            if not named.strip():
                raise InvalidInput("the URL is empty: name a file or a database, or leave it out for the data folder")
            chosen = replace(chosen, url=named)
        store = open_store(chosen.url or configuration.default_url(), chosen)
        self._runtime = Runtime(store, chosen, clock or system_clock, own=own, own_llm=own_llm)
        self._workers: list[Worker] = []
        self._runtime.embedder()  # a missing key or package is told now, not with the first query
        _ = self._runtime.llm
        if "spacy" in chosen.entities.fast:
            _ = self._runtime.finder
        # Spaces hold the runtime too: the database is let go when the last of them is, at the latest at exit.
        weakref.finalize(self._runtime, store.close)

    def space(self, user: str, agent: str = "", session: str = "", tenant: str = "") -> Space:
        """Give the memory of one user; agent and session say who is speaking and in which conversation."""
        scope = Scope(owner_key(user, tenant), checks.name("agent", agent), checks.name("session", session))
        return Space(self._runtime, scope)

    def owners(self) -> list[tuple[str, str]]:
        """Give every (tenant, user) that has memories here, for administration."""
        with self._runtime.store.view() as view:
            return [split_owner(owner) for owner in view.owners()]

    def export(self, out: IO[str], progress: Callable[[int], None] = _no_progress) -> transfer.Transfer:
        """Write everything as lines of JSON, the same bytes for the same memory."""
        return transfer.export(self._runtime, out, None, progress)

    def import_file(self, path: str | Path, progress: Callable[[int], None] = _no_progress) -> transfer.Transfer:
        """Put an export back; owners that already have memories are refused."""
        return transfer.read_in(self._runtime, Path(path), progress)

    def copy_to(self, other: Recollect, progress: Callable[[int], None] = _no_progress) -> copy.Copied:
        """Copy everything into another database of any engine; interrupted, it goes on when called again."""
        return copy.copy(self._runtime, other._runtime, progress)

    def reindex_estimate(self) -> Estimate:
        """Say what `reindex` would have to embed, and about what it costs."""
        return reindex.estimate(self._runtime)

    def reindex(self, progress: Callable[[int], None] = _no_progress, *, drop: bool = False) -> Reindexed:
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

    def activity(
        self,
        since: datetime | None = None,
        by: str | Sequence[str] = _activity.USUAL,
        progress: Callable[[int], None] = _no_progress,
    ) -> list[Activity]:
        """Count what happened to all owners from a day on, the last 30 by default, grouped by what `by` names."""
        return _activity.activity(self._runtime, None, since, by, progress)

    def close(self) -> None:
        """Stop the workers, write what is buffered and let the database go; closing twice is harmless."""
        stop_all(self._workers)
        self._workers.clear()
        self._runtime.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Space(Consolidating, Later):
    """The memory of one owner, seen by one agent in one session. Nothing here reaches another owner."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __repr__(self) -> str:
        return f"<Space owner={self._scope.owner!r} agent={self._scope.agent!r} session={self._scope.session!r}>"

    @property
    def owner(self) -> str:
        """The key of the owner this space is walled in by."""
        return self._scope.owner

    def observe(
        self,
        role: str,
        content: str,
        at: datetime | None = None,
        attributes: Mapping[str, Any] | None = None,
        actor: str = "",
        request_id: str = "",
    ) -> Receipt:
        """Keep one message of the conversation as it was said."""
        return observe.observe(self._runtime, self._scope, role, content, at, attributes, actor, request_id)

    def remember(self, content: str, *, request_id: str = "", **details: Unpack[Details]) -> Receipt:
        """Keep a fact, or another kind of memory, unless it is known already."""
        return remember.remember(self._runtime, self._scope, content, details, request_id)

    def remember_many(self, items: Sequence[Mapping[str, Any]], request_id: str = "") -> builtins.list[Receipt]:
        """Keep several memories in one commit: each item is `content` and the keywords of `remember`."""
        return remember.remember_many(self._runtime, self._scope, items, request_id)

    def correct(self, memory_id: str, content: str, request_id: str = "") -> Receipt:
        """Replace what a memory says; the old text stays on record and is never recalled again."""
        return revise.correct(self._runtime, self._scope, memory_id, content, request_id)

    def confirm(self, memory_id: str, request_id: str = "") -> Receipt:
        """Make a memory certain: full confidence, no decay."""
        return revise.confirm(self._runtime, self._scope, memory_id, request_id)

    def pin(self, memory_id: str, pinned: bool = True, request_id: str = "") -> Receipt:
        """Protect a memory from ageing, decaying and being merged by itself, or take the pin out."""
        return revise.pin(self._runtime, self._scope, memory_id, pinned, request_id)

    def rate(self, memory_id: str, importance: int, request_id: str = "") -> Receipt:
        """Say how much a memory matters, from 1 to 10."""
        return revise.rate(self._runtime, self._scope, memory_id, importance, request_id)

    def forget(self, memory_id: str, request_id: str = "") -> Receipt:
        """Put a memory out of sight; `restore` brings it back."""
        return revise.forget(self._runtime, self._scope, memory_id, request_id)

    def restore(self, memory_id: str, request_id: str = "") -> Receipt:
        """Bring a forgotten memory back whole."""
        return revise.restore(self._runtime, self._scope, memory_id, request_id)

    def merge(self, ids: Sequence[str], content: str | None = None, request_id: str = "") -> Receipt:
        """Make one memory of several; the parts stay on record."""
        return revise.merge(self._runtime, self._scope, ids, content, request_id)

    def inbox(self) -> builtins.list[Pending]:
        """Give what waits for the owner's word or for evidence, the newest first, each with its reason."""
        return inbox.inbox(self._runtime, self._scope)

    def accept(self, memory_id: str, request_id: str = "") -> Receipt:
        """Let something in the inbox become true; what it changes gives way."""
        return inbox.accept(self._runtime, self._scope, memory_id, request_id)

    def reject(self, memory_id: str, request_id: str = "") -> Receipt:
        """Take something out of the inbox; what stands, stands."""
        return inbox.reject(self._runtime, self._scope, memory_id, request_id)

    def amend(self, memory_id: str, content: str, request_id: str = "") -> Receipt:
        """Accept something in the inbox in other words, your own."""
        return inbox.amend(self._runtime, self._scope, memory_id, content, request_id)

    def recall(
        self,
        query: str,
        limit: int = 10,
        *,
        by: str = "memory",
        budget_tokens: int | None = None,
        min_similarity: float | None = None,
        **conditions: Unpack[Conditions],
    ) -> builtins.list[Hit]:
        """Find memories by words, meaning, names and times; an empty query lists, the newest first.

        `by="session"` gives the best message of each session; `budget_tokens` passes over what would cost more.
        """
        wish = _wish(query, limit, by, budget_tokens, min_similarity)
        where = build(self._runtime, self._scope, conditions, KINDS_SAID if by == "session" else DEFAULT_KINDS)
        return recall.recall(self._runtime, query, where, wish, self._scope.session)

    def explain(self, query: str, memory_id: str, limit: int = 10, **conditions: Unpack[Conditions]) -> Explanation:
        """Say why a memory was found by a query, or why it was not."""
        wish = _wish(query, limit, "memory", None, None)
        one = checks.name("memory id", memory_id, empty=False)
        where = build(self._runtime, self._scope, conditions, DEFAULT_KINDS)
        return explain.explain(self._runtime, query, one, where, wish)

    def list(
        self, order: str = "recent", limit: int = 20, offset: int = 0, **conditions: Unpack[Conditions]
    ) -> builtins.list[Memory]:
        """List memories of any kind but raw messages, in one of several orders."""
        where = build(self._runtime, self._scope, conditions, browse.LISTED)
        with self._runtime.store.view() as view:
            return view.page(
                where, order, checks.whole("limit", limit, 1, MOST), checks.whole("offset", offset, 0, 10**9)
            )

    def get(self, memory_id: str) -> Memory:
        """Give one memory by its id, in whatever state it is."""
        return browse.get(self._runtime, self._scope, memory_id)

    def links(self, memory_id: str) -> builtins.list[Link]:
        """Give the links that start or end at a memory."""
        with self._runtime.store.view() as view:
            return view.links(self._scope.owner, [checks.name("memory id", memory_id, empty=False)])

    def history(self, memory_id: str) -> builtins.list[Entry]:
        """Give everything that happened to a memory and to those it replaced or became."""
        return browse.history(self._runtime, self._scope, memory_id)

    def journal(self, since: int = 0, limit: int = 100) -> builtins.list[Entry]:
        """Give what happened to this owner's memory after a revision, oldest first."""
        with self._runtime.store.view() as view:
            return view.journal(
                self._scope.owner,
                (),
                checks.whole("since", since, 0, 2**62),
                checks.whole("limit", limit, 1, 10_000),
            )

    def entity(self, name: str, type: str = "", limit: int = 10) -> Profile | None:
        """Give what is known of a person, project, place or thing, or None."""
        where = build(self._runtime, self._scope, {})
        return browse.entity(
            self._runtime, where, name, checks.name("type", type), checks.whole("limit", limit, 1, MOST)
        )

    def unite(self, name: str, into: str, type: str = "", request_id: str = "") -> Receipt:
        """Say that two names are one person, place or thing: all that mentions the first mentions the second."""
        return uniting.unite(self._runtime, self._scope, name, into, type, request_id)

    def part(self, name: str, request_id: str = "") -> Receipt:
        """Take back that a name was united with another: each has its own memories again."""
        return uniting.part(self._runtime, self._scope, name, request_id)

    def stats(self) -> Stats:
        """Count what this owner has by kind, tier and state."""
        with self._runtime.store.view() as view:
            return view.stats(self._scope.owner)

    def activity(
        self, since: datetime | None = None, by: str | Sequence[str] = _activity.USUAL
    ) -> builtins.list[Activity]:
        """Count what happened to this owner from a day on, the last 30 by default, grouped by what `by` names."""
        return _activity.activity(self._runtime, self._scope.owner, since, by, _no_progress)

    def coverage(self) -> Coverage:
        """Say how far this owner can be found by meaning: whose vectors serve, and how many are to come."""
        with self._runtime.store.view() as view:
            return coverage(self._runtime, view, self._scope.owner)

    def sessions(self) -> builtins.list[Session]:
        """Give the owner's sessions, the one seen last first, with how far each has been worked through."""
        return end.sessions(self._runtime, self._scope)

    def end(self, request_id: str = "") -> Report:
        """Close the session: its new messages become facts and a summary now; a later message opens it again."""
        return end.end(self._runtime, self._scope, request_id)

    def cost(self, since: date | None = None) -> builtins.list[Spending]:
        """Give what asking models has cost this owner from a day on: a line for each day, role, job and session."""
        if since is not None and not isinstance(since, date):
            raise InvalidInput(f"since must be a date, not {type(since).__name__}")
        with self._runtime.store.view() as view:
            return view.spent(self._scope.owner, "" if since is None else since.isoformat()[:10])

    def context(self, prompt: str = "", budget_tokens: int = 1200) -> Context:
        """Lay out memory for a prompt, inside a budget of tokens."""
        if not isinstance(prompt, str):
            raise InvalidInput(f"prompt must be a string, not {type(prompt).__name__}")
        budget = checks.whole("budget_tokens", budget_tokens, 1, 10_000_000)
        return _context.context(self._runtime, self._scope, prompt, budget)

    def erase(self, memory_id: str = "", *, session: str = "", entity: str = "", everything: bool = False) -> Receipt:
        """Erase one memory, a session, all about an entity, or everything: no text is left anywhere."""
        return _erase.erase(
            self._runtime,
            self._scope,
            memory=memory_id,
            session=session,
            entity=entity,
            everything=everything,
        )

    def export(self, out: IO[str], progress: Callable[[int], None] = _no_progress) -> transfer.Transfer:
        """Write this owner's memory as lines of JSON."""
        return transfer.export(self._runtime, out, [self._scope.owner], progress)
