"""Space: the memory of one owner, a short method per verb; families of verbs stand in facets."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Unpack

from recollect.errors import InvalidInput
from recollect.front.archives import Archives
from recollect.front.calls import Calls
from recollect.front.enriching import Enriching
from recollect.front.facets import Inbox, OwnerJobs, moved
from recollect.front.life import Life
from recollect.front.looking import Looking
from recollect.front.own_agent import Consolidating
from recollect.front.people import People
from recollect.front.practising import Practising
from recollect.front.telemetry import DELETE, SEARCH, UPDATE, UPSERT, traced
from recollect.front.window import Asking, Blocks, Checkpoints, Messages
from recollect.front.workspace import Workspace
from recollect.model.asking import Spending
from recollect.model.entity import Profile
from recollect.model.event import USUAL, Activity
from recollect.model.hit import Context, Entry, Explanation, Hit, Page, Stats
from recollect.model.kinds import DEFAULT_KINDS
from recollect.model.memory import Link, Memory, Session
from recollect.model.options import Conditions, Details, Updates
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt, Report
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.admin import activity as _activity
    from recollect.flows.admin import coverage as _coverage
    from recollect.flows.admin import erase as _erase
    from recollect.flows.admin import transfer
    from recollect.flows.find import browse, explain, filters, paging, recall
    from recollect.flows.keep import bulk, observe, remember, revise
    from recollect.flows.learn import end
    from recollect.flows.people import portraits, uniting
    from recollect.flows.window import context as _context
    from recollect.flows.window import scene, tokens
    from recollect.front import subscribing
    from recollect.front.subscribing import Follower, Notice, Subscription
else:
    _activity, _coverage, _erase, transfer = later("recollect.flows.admin", "activity", "coverage", "erase", "transfer")
    browse, explain, filters, paging, recall = later(
        "recollect.flows.find", "browse", "explain", "filters", "paging", "recall"
    )
    bulk, observe, remember, revise = later("recollect.flows.keep", "bulk", "observe", "remember", "revise")
    (end,) = later("recollect.flows.learn", "end")
    portraits, uniting = later("recollect.flows.people", "portraits", "uniting")
    _context, scene, tokens = later("recollect.flows.window", "context", "scene", "tokens")
    (subscribing,) = later("recollect.front", "subscribing")

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


def no_progress(lines: int) -> None:
    """Take no notice."""


class Space(Consolidating, Enriching, Life, Looking, People, Asking, Practising):
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

    def within(self, session: str) -> Space:
        """Give the same memory in another session."""
        return Space(self._runtime, replace(self._scope, session=checks.name("session", session)))

    def subscribe(self, told: Callable[[Notice], None], since: int | None = None) -> Subscription:
        """Tell a function of every change from now on, or after a revision; closing what is given back ends it."""
        if since is not None:
            checks.whole("since", since, 0, 2**62)
        return subscribing.Subscription(self._runtime, told, self._scope, since)

    def follow(self, since: int | None = None) -> Follower:
        """Give what hands out changes from now on, or after a revision, whenever its `news` are asked for."""
        first = since if since is None else checks.whole("since", since, 0, 2**62)
        return subscribing.Follower(self._runtime, self._scope, first)

    def news(self, since: int) -> builtins.list[Entry]:
        """Give whole revisions of the journal after one, oldest first, at most about 500 lines: to follow it."""
        return self.follow(since).news()

    @traced(UPSERT)
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

    @traced(UPSERT)
    def remember(self, content: str, *, request_id: str = "", **details: Unpack[Details]) -> Receipt:
        """Keep a fact, or another kind of memory, unless it is known already."""
        return remember.remember(self._runtime, self._scope, content, details, request_id)

    def remember_many(self, items: Sequence[Mapping[str, Any]], request_id: str = "") -> builtins.list[Receipt]:
        """Keep several memories in one commit: each item is `content` and the keywords of `remember`."""
        return remember.remember_many(self._runtime, self._scope, items, request_id)

    @traced(UPDATE)
    def correct(self, memory_id: str, content: str, request_id: str = "") -> Receipt:
        """Replace what a memory says; the old text stays on record and is never recalled again."""
        return revise.correct(self._runtime, self._scope, memory_id, content, request_id)

    @traced(UPDATE)
    def update(
        self, memory_id: str, *, if_version: int | None = None, request_id: str = "", **changes: Unpack[Updates]
    ) -> Receipt:
        """Change content, topic, tags, category, tier or importance of a memory; what is not given stays.

        New content, topic or tags make a new row in the place of the old: the receipt's `id` is the one that stands.
        `if_version` leaves alone what is not at the version you have seen.
        """
        seen = None if if_version is None else checks.whole("if_version", if_version, 1, 2**31)
        return revise.update(self._runtime, self._scope, memory_id, changes, request_id, seen)

    def bulk(
        self,
        action: str,
        where: Mapping[str, Any],
        changes: Mapping[str, Any] | None = None,
        *,
        dry: bool = False,
    ) -> Report:
        """Forget, pin, unpin or update all memories that pass a filter, in one commit; `jobs.undo` takes it back.

        `where` are the conditions of `list`; `changes`, for update, category, tier or importance. `dry` only tells.
        """
        return bulk.bulk(self._runtime, self._scope, action, where, changes or {}, checks.flag("dry", dry))

    def confirm(self, memory_id: str, request_id: str = "") -> Receipt:
        """Make a memory certain: full confidence, no decay."""
        return revise.confirm(self._runtime, self._scope, memory_id, request_id)

    def pin(self, memory_id: str, pinned: bool = True, request_id: str = "") -> Receipt:
        """Protect a memory from ageing, decaying and being merged by itself, or take the pin out."""
        return revise.pin(self._runtime, self._scope, memory_id, pinned, request_id)

    def rate(self, memory_id: str, importance: int, request_id: str = "") -> Receipt:
        """Say how much a memory matters, from 1 to 10."""
        return revise.rate(self._runtime, self._scope, memory_id, importance, request_id)

    @traced(DELETE)
    def forget(self, memory_id: str, request_id: str = "") -> Receipt:
        """Put a memory out of sight; `restore` brings it back."""
        return revise.forget(self._runtime, self._scope, memory_id, request_id)

    def restore(self, memory_id: str, request_id: str = "") -> Receipt:
        """Bring a forgotten memory back whole."""
        return revise.restore(self._runtime, self._scope, memory_id, request_id)

    def merge(self, ids: Sequence[str], content: str | None = None, request_id: str = "") -> Receipt:
        """Make one memory of several; the parts stay on record."""
        return revise.merge(self._runtime, self._scope, ids, content, request_id)

    @property
    def archive(self) -> Archives:
        """What was moved out of the database; called, it gives the list of files."""
        return Archives(self._runtime, self._scope)

    @property
    def calls(self) -> Calls:
        """The log of what models were asked, where it is kept."""
        return Calls(self._runtime, self._scope)

    @property
    def inbox(self) -> Inbox:
        """What waits for the owner's word or for evidence; called, it gives the list."""
        return Inbox(self._runtime, self._scope)

    @property
    def jobs(self) -> OwnerJobs:
        """The owner's jobs and their runs; called, it gives the list."""
        return OwnerJobs(self._runtime, self._scope)

    @property
    def blocks(self) -> Blocks:
        """Core blocks, which always stand in the prompt; called, it gives those the agent sees."""
        return Blocks(self._runtime, self._scope)

    @property
    def messages(self) -> Messages:
        """The message window of the session; called, it gives what the model has in sight."""
        return Messages(self._runtime, self._scope)

    @property
    def checkpoints(self) -> Checkpoints:
        """The states an agent saved of itself in the session; called, it lists them."""
        return Checkpoints(self._runtime, self._scope)

    @property
    def workspace(self) -> Workspace:
        """Memory as files people read and edit; called, it names them."""
        return Workspace(self._runtime, self._scope)

    @traced(SEARCH)
    def recall(
        self,
        query: str,
        limit: int = 10,
        *,
        by: str = "memory",
        budget_tokens: int | None = None,
        min_similarity: float | None = None,
        preview: bool = False,
        **conditions: Unpack[Conditions],
    ) -> builtins.list[Hit]:
        """Find memories by words, meaning, names and times; an empty query lists, the newest first.

        `by="session"` gives the best message of each session; `budget_tokens` passes over what would cost more.
        `preview` only looks: what is found does not count as used.
        """
        wish = _wish(query, limit, by, budget_tokens, min_similarity)
        wish = replace(wish, preview=checks.flag("preview", preview))
        where = filters.build(self._runtime, self._scope, conditions, KINDS_SAID if by == "session" else DEFAULT_KINDS)
        return recall.recall(self._runtime, query, where, wish, self._scope.session)

    def explain(self, query: str, memory_id: str, limit: int = 10, **conditions: Unpack[Conditions]) -> Explanation:
        """Say why a memory was found by a query, or why it was not."""
        wish = _wish(query, limit, "memory", None, None)
        one = checks.name("memory id", memory_id, empty=False)
        where = filters.build(self._runtime, self._scope, conditions, DEFAULT_KINDS)
        return explain.explain(self._runtime, query, one, where, wish)

    def list(
        self, order: str = "recent", limit: int = 20, offset: int = 0, **conditions: Unpack[Conditions]
    ) -> builtins.list[Memory]:
        """List memories of any kind but raw messages, in one of several orders."""
        where = filters.build(self._runtime, self._scope, conditions, browse.LISTED)
        most, first = checks.whole("limit", limit, 1, MOST), checks.whole("offset", offset, 0, 10**9)
        return paging.listed(self._runtime, where, order, most, first)

    def page(self, order: str = "recent", limit: int = 20, cursor: str = "", **conditions: Unpack[Conditions]) -> Page:
        """List memories page by page: `next` of one is the `cursor` of the next, and nothing shifts in between."""
        where = filters.build(self._runtime, self._scope, conditions, browse.LISTED)
        most = checks.whole("limit", limit, 1, MOST)
        return paging.page(self._runtime, where, order, most, checks.text("cursor", cursor, 200))

    def get(self, memory_id: str) -> Memory:
        """Give one memory by its id, in whatever state it is."""
        return browse.get(self._runtime, self._scope, memory_id)

    def links(self, memory_id: str) -> builtins.list[Link]:
        """Give the links that start or end at a memory."""
        return browse.links(self._runtime, self._scope, memory_id)

    def history(self, memory_id: str) -> builtins.list[Entry]:
        """Give everything that happened to a memory and to those it replaced or became."""
        return browse.history(self._runtime, self._scope, memory_id)

    def journal(self, since: int = 0, limit: int = 100) -> builtins.list[Entry]:
        """Give what happened to this owner's memory after a revision, oldest first."""
        first, most = checks.whole("since", since, 0, 2**62), checks.whole("limit", limit, 1, 10_000)
        return browse.journal(self._runtime, self._scope, first, most)

    def entity(self, name: str, type: str = "", limit: int = 10) -> Profile | None:
        """Give what is known of a person, project, place or thing, or None."""
        where = filters.build(self._runtime, self._scope, {})
        many = checks.whole("limit", limit, 1, MOST)
        return portraits.profile(self._runtime, self._scope, where, name, checks.name("type", type), many)

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

    def activity(self, since: datetime | None = None, by: str | Sequence[str] = USUAL) -> builtins.list[Activity]:
        """Count what happened to this owner from a day on, the last 30 by default, grouped by what `by` names."""
        return _activity.activity(self._runtime, self._scope.owner, since, by, no_progress)

    def coverage(self) -> _coverage.Coverage:
        """Say how far this owner can be found by meaning: whose vectors serve, and how many are to come."""
        with self._runtime.store.view() as view:
            return _coverage.coverage(self._runtime, view, self._scope.owner)

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

    @traced(SEARCH)
    def context(
        self,
        prompt: str = "",
        budget_tokens: int = 1200,
        *,
        profile: str = "",
        messages: Sequence[Mapping[str, Any]] = (),
        mode: str = "text",
        model: str = "",
        preview: bool = False,
    ) -> Context:
        """Lay out memory for a prompt, inside a budget of tokens of the model; `messages` are what it sees already.

        `profile` names a form, `mode="index"` gives one line a memory with its id. A section that fails is left out
        and named in `problems`. `preview` only looks: nothing counts as used or told, and sections tell their tokens.
        """
        if not isinstance(prompt, str):
            raise InvalidInput(f"prompt must be a string, not {type(prompt).__name__}")
        wanted = _context.Wanted(
            prompt,
            checks.whole("budget_tokens", budget_tokens, 1, 10_000_000),
            checks.name("profile", profile) or self._runtime.settings.context.profile,
            scene.turns_of(messages),
            checks.one_of("mode", mode, ("text", "index")) == "index",
            tokens.counter(checks.name("model", model)),
            checks.flag("preview", preview),
        )
        return _context.context(self._runtime, self._scope, wanted)

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

    def export(self, out: IO[str] | str | Path, progress: Callable[[int], None] = no_progress) -> transfer.Transfer:
        """Write this owner's memory as lines of JSON into a file, by its path or open.

        It is all of it: an agent that is held to categories cannot.
        """
        if filters.sight(self._runtime, self._scope).categories:
            raise InvalidInput("an export holds every category, and this agent may see only some: export without it")
        return transfer.export(self._runtime, out, [self._scope.owner], progress)

    accept = moved("accept", Inbox.accept, "space.inbox.accept", lambda space: space.inbox)
    reject = moved("reject", Inbox.reject, "space.inbox.reject", lambda space: space.inbox)
    amend = moved("amend", Inbox.amend, "space.inbox.amend", lambda space: space.inbox)
    runs = moved("runs", OwnerJobs.runs, "space.jobs.runs", lambda space: space.jobs)
    undo = moved("undo", OwnerJobs.undo, "space.jobs.undo", lambda space: space.jobs)
