"""The async face, derived from the front door: each verb runs in a thread of its own."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Coroutine
from datetime import datetime
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from recollect.front.archives import Archives
from recollect.front.calls import Calls
from recollect.front.facets import Inbox, Jobs, OwnerJobs
from recollect.front.keys import Keys
from recollect.front.practising import Lessons
from recollect.front.prompting import Prompts
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.front.window import Blocks, Checkpoints, Messages
from recollect.front.workspace import Workspace

P = ParamSpec("P")
T = TypeVar("T")
Async = Coroutine[Any, Any, T]


F = TypeVar("F")


class Face(Generic[F]):
    """What stands before something synchronous: its verbs, awaited."""

    def __init__(self, sync: F) -> None:
        self.plain = self.sync = sync


def awaited(verb: Callable[Concatenate[F, P], T]) -> Callable[Concatenate[Face[F], P], Async[T]]:
    """Give a verb that runs in a thread of its own."""

    told, real = getattr(verb, "moved", ""), getattr(verb, "quietly", verb)

    @wraps(verb)
    async def call(self: Face[F], /, *args: P.args, **kwargs: P.kwargs) -> T:
        if told:  # here, where the caller is seen, and not in the thread
            warnings.warn(told, DeprecationWarning, stacklevel=2)
        return await asyncio.to_thread(real, self.plain, *args, **kwargs)

    return call


class AsyncInbox(Face[Inbox]):
    """What waits for the owner's word or for evidence."""

    __call__ = awaited(Inbox.__call__)
    accept = awaited(Inbox.accept)
    reject = awaited(Inbox.reject)
    amend = awaited(Inbox.amend)


class AsyncArchives(Face[Archives]):
    """The files of one owner's archive."""

    __call__ = awaited(Archives.__call__)
    run = awaited(Archives.run)
    restore = awaited(Archives.restore)
    verify = awaited(Archives.verify)


class AsyncCalls(Face[Calls]):
    """What models were asked about one owner's memory, kept only where `record.calls` is set."""

    __call__ = awaited(Calls.__call__)
    get = awaited(Calls.get)
    erase = awaited(Calls.erase)


class AsyncOwnerJobs(Face[OwnerJobs]):
    """One owner's jobs, and what their runs changed."""

    __call__ = awaited(OwnerJobs.__call__)
    runs = awaited(OwnerJobs.runs)
    run = awaited(OwnerJobs.run)
    undo = awaited(OwnerJobs.undo)


class AsyncJobs(Face[Jobs]):
    """The jobs of all owners: running them once, or as long as the program lives, and looking at those that wait."""

    __call__ = awaited(Jobs.__call__)
    run = awaited(Jobs.run)
    worker = awaited(Jobs.worker)
    pause = awaited(Jobs.pause)
    resume = awaited(Jobs.resume)
    retry = awaited(Jobs.retry)


class AsyncBlocks(Face[Blocks]):
    """Core blocks: texts with a label that always stand in the prompt."""

    __call__ = awaited(Blocks.__call__)
    get = awaited(Blocks.get)
    create = awaited(Blocks.create)
    replace = awaited(Blocks.replace)
    append = awaited(Blocks.append)
    insert = awaited(Blocks.insert)
    rethink = awaited(Blocks.rethink)
    patch = awaited(Blocks.patch)
    configure = awaited(Blocks.configure)
    rename = awaited(Blocks.rename)
    delete = awaited(Blocks.delete)
    history = awaited(Blocks.history)
    restore = awaited(Blocks.restore)
    compile = awaited(Blocks.compile)


class AsyncKeys(Face[Keys]):
    """API keys of this database; only hashes of them are kept."""

    __call__ = awaited(Keys.__call__)
    create = awaited(Keys.create)
    revoke = awaited(Keys.revoke)
    check = awaited(Keys.check)


class AsyncPrompts(Face[Prompts]):
    """The prompts in force: ours, and those of the user's own that take their place."""

    __call__ = awaited(Prompts.__call__)
    sample = awaited(Prompts.sample)
    tune = awaited(Prompts.tune)
    export = awaited(Prompts.export)


class AsyncMessages(Face[Messages]):
    """The message window of a session: what of the conversation a model has in sight."""

    __call__ = awaited(Messages.__call__)
    append = awaited(Messages.append)
    ids = awaited(Messages.ids)
    set_ids = awaited(Messages.set_ids)
    tokens = awaited(Messages.tokens)
    needs_compaction = awaited(Messages.needs_compaction)
    compact = awaited(Messages.compact)
    overflowed = awaited(Messages.overflowed)
    search = awaited(Messages.search)
    enable = awaited(Messages.enable)
    shown = awaited(Messages.shown)
    rebuilt = awaited(Messages.rebuilt)


class AsyncCheckpoints(Face[Checkpoints]):
    """States an agent saves of itself, by session, with their history."""

    __call__ = awaited(Checkpoints.__call__)
    save = awaited(Checkpoints.save)
    load = awaited(Checkpoints.load)
    delete = awaited(Checkpoints.delete)


class AsyncLessons(Face[Lessons]):
    """What was learnt from failed tools, corrections and praise."""

    __call__ = awaited(Lessons.__call__)
    retire = awaited(Lessons.retire)


class AsyncWorkspace(Face[Workspace]):
    """Memory as files people read and edit."""

    def __init__(self, sync: Workspace) -> None:
        self.plain = sync  # its own `sync` is a verb

    __call__ = awaited(Workspace.__call__)
    read = awaited(Workspace.read)
    search = awaited(Workspace.search)
    log = awaited(Workspace.log)
    days = awaited(Workspace.days)
    heartbeat = awaited(Workspace.heartbeat)
    conflicts = awaited(Workspace.conflicts)
    init = awaited(Workspace.init)
    sync = awaited(Workspace.sync)  # type: ignore[assignment,arg-type]
    adopt = awaited(Workspace.adopt)
    status = awaited(Workspace.status)
    watch = awaited(Workspace.watch)


class AsyncSpace(Face[Space]):
    """The memory of one owner for async code; the verbs are those of `Space`."""

    @property
    def owner(self) -> str:
        """The key of the owner this space is walled in by."""
        return self.plain.owner

    def within(self, session: str) -> AsyncSpace:
        """Give the same memory in another session."""
        return AsyncSpace(self.plain.within(session))

    @property
    def now(self) -> datetime:
        """The time by the clock of this memory."""
        return self.plain.now

    @property
    def inbox(self) -> AsyncInbox:
        """What waits for the owner's word or for evidence; called, it gives the list."""
        return AsyncInbox(self.plain.inbox)

    @property
    def archive(self) -> AsyncArchives:
        """What was moved out of the database; called, it gives the list of files."""
        return AsyncArchives(self.sync.archive)

    @property
    def calls(self) -> AsyncCalls:
        """The log of what models were asked, where it is kept."""
        return AsyncCalls(self.sync.calls)

    @property
    def jobs(self) -> AsyncOwnerJobs:
        """The owner's jobs and their runs; called, it gives the list."""
        return AsyncOwnerJobs(self.plain.jobs)

    @property
    def blocks(self) -> AsyncBlocks:
        """Core blocks, which always stand in the prompt; called, it gives those the agent sees."""
        return AsyncBlocks(self.plain.blocks)

    @property
    def messages(self) -> AsyncMessages:
        """The message window of the session; called, it gives what the model has in sight."""
        return AsyncMessages(self.plain.messages)

    @property
    def checkpoints(self) -> AsyncCheckpoints:
        """The states an agent saved of itself in the session; called, it lists them."""
        return AsyncCheckpoints(self.plain.checkpoints)

    @property
    def workspace(self) -> AsyncWorkspace:
        """Memory as files people read and edit; called, it names them."""
        return AsyncWorkspace(self.plain.workspace)

    @property
    def lessons(self) -> AsyncLessons:
        """What was learnt from work; called, it gives the list."""
        return AsyncLessons(self.plain.lessons)

    observe = awaited(Space.observe)
    tool_failed = awaited(Space.tool_failed)
    tool_succeeded = awaited(Space.tool_succeeded)
    outcomes = awaited(Space.outcomes)
    remember = awaited(Space.remember)
    remember_many = awaited(Space.remember_many)
    correct = awaited(Space.correct)
    update = awaited(Space.update)
    news = awaited(Space.news)
    fitting = awaited(Space.fitting)
    outdated = awaited(Space.outdated)
    bulk = awaited(Space.bulk)
    subscribe = awaited(Space.subscribe)
    follow = awaited(Space.follow)
    accurate_ner_available = awaited(Space.accurate_ner_available)
    get_memories_for_enrichment = awaited(Space.get_memories_for_enrichment)
    enrich_memory_entities = awaited(Space.enrich_memory_entities)
    think = awaited(Space.think)
    weak_facts = awaited(Space.weak_facts)
    moment = awaited(Space.moment)
    confirm = awaited(Space.confirm)
    pin = awaited(Space.pin)
    rate = awaited(Space.rate)
    forget = awaited(Space.forget)
    restore = awaited(Space.restore)
    merge = awaited(Space.merge)
    accept = awaited(Space.accept)
    reject = awaited(Space.reject)
    amend = awaited(Space.amend)
    recall = awaited(Space.recall)
    explain = awaited(Space.explain)
    list = awaited(Space.list)
    page = awaited(Space.page)
    get = awaited(Space.get)
    links = awaited(Space.links)
    history = awaited(Space.history)
    journal = awaited(Space.journal)
    entity = awaited(Space.entity)
    unite = awaited(Space.unite)
    part = awaited(Space.part)
    stats = awaited(Space.stats)
    activity = awaited(Space.activity)
    coverage = awaited(Space.coverage)
    growth = awaited(Space.growth)
    take_back = awaited(Space.take_back)
    sessions = awaited(Space.sessions)
    conversation = awaited(Space.conversation)
    changes = awaited(Space.changes)
    entities = awaited(Space.entities)
    graph = awaited(Space.graph)
    rename = awaited(Space.rename)
    protect = awaited(Space.protect)
    erasing = awaited(Space.erasing)
    end = awaited(Space.end)
    age = awaited(Space.age)
    forgetting = awaited(Space.forgetting)
    runs = awaited(Space.runs)
    undo = awaited(Space.undo)
    cost = awaited(Space.cost)
    get_episodes_for_consolidation = awaited(Space.get_episodes_for_consolidation)
    save_facts_batch = awaited(Space.save_facts_batch)
    detect_conflicts = awaited(Space.detect_conflicts)
    resolve_conflict = awaited(Space.resolve_conflict)
    mark_session_consolidated = awaited(Space.mark_session_consolidated)
    is_session_consolidated = awaited(Space.is_session_consolidated)
    query = awaited(Space.query)
    on_demand = awaited(Space.on_demand)
    on_demand_rate = awaited(Space.on_demand_rate)
    archival_insert = awaited(Space.archival_insert)
    archival_search = awaited(Space.archival_search)
    move = awaited(Space.move)
    context = awaited(Space.context)
    erase = awaited(Space.erase)
    export = awaited(Space.export)


class AsyncRecollect(Face[Recollect]):
    """One open memory for async code; opening takes a moment and runs no event loop."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(Recollect(*args, **kwargs))

    def space(self, user: str, agent: str = "", session: str = "", tenant: str = "", project: str = "") -> AsyncSpace:
        """Give the memory of one user; agent and session say who is speaking and in which conversation.

        What is learnt in a project is found there, before the user's other memory; other projects' stays out.
        """
        return AsyncSpace(self.plain.space(user, agent, session, tenant, project))

    @property
    def keys(self) -> AsyncKeys:
        """The API keys of this database; called, it gives the list."""
        return AsyncKeys(self.plain.keys)

    @property
    def prompts(self) -> AsyncPrompts:
        """What models are asked with; called, it gives the list."""
        return AsyncPrompts(self.plain.prompts)

    @property
    def settings(self) -> Any:
        """The settings in force."""
        return self.plain.settings

    @property
    def jobs(self) -> AsyncJobs:
        """The jobs of all owners; called, it gives the list."""
        return AsyncJobs(self.plain.jobs)

    subscribe = awaited(Recollect.subscribe)
    warm = awaited(Recollect.warm)
    owners = awaited(Recollect.owners)
    run_jobs = awaited(Recollect.run_jobs)
    worker = awaited(Recollect.worker)
    pause_jobs = awaited(Recollect.pause_jobs)
    resume_jobs = awaited(Recollect.resume_jobs)
    retry_jobs = awaited(Recollect.retry_jobs)
    backup = awaited(Recollect.backup)
    export = awaited(Recollect.export)
    import_file = awaited(Recollect.import_file)
    copy_to = awaited(Recollect.copy_to)
    reindex_estimate = awaited(Recollect.reindex_estimate)
    reindex = awaited(Recollect.reindex)
    doctor = awaited(Recollect.doctor)
    origins = awaited(Recollect.origins)
    activity = awaited(Recollect.activity)
    describe = awaited(Recollect.describe)
    close = awaited(Recollect.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
