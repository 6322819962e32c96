"""What every flow is handed: the store, the settings, the clock and the source of ids."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

from recollect.config import Settings
from recollect.errors import ConfigError, InvalidInput
from recollect.language import open_reader
from recollect.model.change import Enqueue
from recollect.model.clock import checked_time, to_ms
from recollect.model.event import Event
from recollect.model.kinds import KINDS
from recollect.providers.archives import Archive, open_archive
from recollect.providers.embedders import Embedder, embedder_name, named_embedder, open_embedder
from recollect.providers.entities import Finder, open_spacy
from recollect.providers.judges import Judge, open_judge
from recollect.providers.llm import Llm, open_llm
from recollect.rules.life.schedule import next_time
from recollect.store.base import Store
from recollect.store.engines.sqlite import SqliteStore
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect import prompts
    from recollect.language.reader import Reader
else:
    (prompts,) = later("recollect", "prompts")

MOST_SESSIONS = 1000
LOG = logging.getLogger("recollect")

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Tell the time of the machine."""
    return datetime.now(UTC)


def system_bits(count: int) -> int:
    """Give so many random bits of the machine."""
    return int.from_bytes(os.urandom((count + 7) // 8)) >> (-count % 8)


def never() -> bool:
    """Go on: whoever is no worker is not asked to stop."""
    return False


@dataclass(slots=True, weakref_slot=True)
class Runtime:
    """The parts of one open Recollect."""

    store: Store
    settings: Settings
    clock: Clock = system_clock
    random: Callable[[int], int] = system_bits
    stopping: Callable[[], bool] = never
    """Whether the worker that runs a job was asked to stop; embedding looks, since it may have hours before it."""
    own: Embedder | None = None
    """An embedder brought along, in place of the one that is set."""
    own_llm: Llm | None = None
    """Models brought along, in place of those that are set."""
    own_judge: Judge | None = None
    """A judge brought along, in place of the bundled one."""
    _embedders: dict[str, Embedder | None] = field(default_factory=dict)
    _llms: list[Llm | None] = field(default_factory=list)
    """The models once opened: a list of one, shared with every copy of this runtime."""
    _archives: list[Archive | None] = field(default_factory=list)
    """The archive once opened, likewise."""
    _judges: list[Judge | None] = field(default_factory=list)
    """The judge once opened, likewise."""
    _numbers: Iterator[int] = field(default_factory=count)
    _mark: str = ""
    """What the ids of this runtime's events begin with."""
    _finders: list[Finder] = field(default_factory=list)
    """The reader of names once opened, likewise."""
    _said: set[str] = field(default_factory=set)
    _shown: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """What was shown in which session, of those last looked at."""
    _last: list[int] = field(default_factory=lambda: [0])
    """The moment of the last id, shared with every copy."""
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._mark = self._mark or f"{self.random(64):016x}"

    def note(self, event: Event, at: datetime | None = None) -> None:
        """Note that something happened, for statistics; it costs a few microseconds, and is never worth failing for."""
        if self.settings.record.events:
            self.store.note(event, at or self.now(), f"{self._mark}{next(self._numbers):012x}")

    def now(self) -> datetime:
        """Tell the time, in whole milliseconds."""
        return checked_time("the clock's time", self.clock())

    def new_id(self, kind: str, at: datetime, request: tuple[str, str, int] | None = None) -> str:
        """Make an id that sorts by time; for a request, one that is the same at every retry."""
        prefix = KINDS[kind].prefix
        if request is not None:
            return f"{prefix}_{hashlib.sha256(repr(request).encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
        return self.ordered_id(prefix, at)

    def ordered_id(self, prefix: str, at: datetime) -> str:
        """Make an id that sorts by time, for whatever it is."""
        moment = to_ms(at) << 16
        with self._guard:  # ids made in the same millisecond still sort in order
            last = self._last[0]
            self._last[0] = moment = max(moment, last + 1) if last >> 16 == moment >> 16 else moment
        return f"{prefix}_{moment:016x}{self.random(64):016x}"

    @property
    def model(self) -> str:
        """The name of the embedder that is set or was brought along; empty for none."""
        return self.own.name if self.own else embedder_name(self.settings.embedder, self.settings.embedding)

    def embedder(self, name: str = "") -> Embedder | None:
        """Give the embedder that is set, or the one whose vectors bear this name; None where it cannot be had."""
        name = name or self.model
        with self._guard:
            if name and name not in self._embedders:
                self._embedders[name] = self._open(name)
            return self._embedders.get(name)

    @property
    def llm(self) -> Llm | None:
        """The models that are set or were brought along; None where there are none, and rules decide."""
        with self._guard:
            if not self._llms:
                self._llms.append(self.own_llm or open_llm(self.settings, self.complain))
            return self._llms[0]

    @property
    def judge(self) -> Judge | None:
        """Who says which sentences are worth keeping; None without an embedder, or where it cannot be run."""
        with self._guard:
            if not self._judges:
                self._judges.append(self.own_judge or (open_judge(self.settings.embedding) if self.model else None))
            return self._judges[0]

    def prompt(self, name: str) -> prompts.Prompt:
        """Give a question for models: as the user's own file has it, where there is one, else ours."""
        return prompts.load(name, self.settings.models.prompts)

    @property
    def archive(self) -> Archive | None:
        """Where the texts of old memories go; None where no archive is set."""
        with self._guard:
            if not self._archives:
                self._archives.append(open_archive(self.settings.archive.url))
            return self._archives[0]

    @property
    def reader(self) -> Reader:
        """Who reads what people say, as it is set; its rules are loaded when they are first asked."""
        return open_reader(self.settings.reader)

    @property
    def finder(self) -> Finder:
        """The reader of names that has a model of its own; raises `ConfigError` where it is not installed."""
        if not self._finders:  # it takes a second to load, and whoever makes an id meanwhile must not wait for it
            opened = open_spacy(self.settings.entities, self.reader.cues(self.settings.terms.language))
            with self._guard:
                self._finders.append(opened)
        return self._finders[0]

    @property
    def same_min(self) -> float:
        """From which similarity on two texts may say the same."""
        embedder = self.embedder()
        return self.settings.embedding.same_min or (embedder.same_min if embedder else 1.0)

    @property
    def link_min(self) -> float:
        """From which similarity on two memories are related."""
        embedder = self.embedder()
        return self.settings.embedding.link_min or (embedder.link_min if embedder else 1.0)

    def _open(self, name: str) -> Embedder | None:
        if name == self.model:
            return self.own or open_embedder(self.settings.embedder, self.settings.embedding)
        try:
            return named_embedder(name, self.settings.embedding)
        except ConfigError:  # another embedder's vectors, and it is not to be had any more: there are still the words
            return None

    def first_use(self, owner: str, session: str, ids: Sequence[str]) -> list[str]:
        """Give those of some memories that this process has not shown in a session before, and keep them in mind."""
        with self._guard:
            while len(self._shown) > MOST_SESSIONS:
                self._shown.pop(next(iter(self._shown)))
            known = self._shown.setdefault((owner, session), set())
            fresh = [id for id in dict.fromkeys(ids) if id not in known]
            if session:  # outside sessions every use counts
                known.update(fresh)
        return fresh

    def complain(self, problem: str) -> None:
        """Put a problem into the log, once."""
        if problem not in self._said:
            self._said.add(problem)
            LOG.warning(problem)

    def close(self) -> None:
        """Let go of the store, the embedders and the models."""
        self.store.close()
        for opened in (*self._embedders.values(), *self._judges, *self._llms):
            if opened is not None:
                opened.close()

    def new_run(self) -> str:
        """Make a name for a run, by which it can be undone."""
        return f"run_{self.token()[:24]}"

    def token(self) -> str:
        """Make a random token for a lease."""
        return f"{self.random(128):032x}"


def open_store(url: str, settings: Settings) -> Store:
    """Open the database a URL names."""
    scheme = url.partition(":")[0] if "://" in url else "sqlite"
    if scheme not in ENGINES:
        raise InvalidInput(f"no engine for {scheme}://…: use one of {', '.join(f'{name}://' for name in ENGINES)}")
    store = ENGINES[scheme](url, settings)
    store.keep(settings.cache_mb * 2**20)
    store.mark(lambda text, role: open_reader(settings.reader).marks(text, role))
    store.follow(lambda owner, at: _trimming(settings, owner, at))
    return store


def _trimming(settings: Settings, owner: str, at: datetime) -> Enqueue | None:
    """Give the job that cuts an owner's events of a moment when their time has come."""
    due = next_time(owner, "trim", at + timedelta(days=settings.record.events_days), settings.jobs)
    return None if due is None else Enqueue("trim", due)


def _sqlite(url: str, settings: Settings) -> Store:
    return SqliteStore(url, settings.sqlite)


def _postgres(url: str, settings: Settings) -> Store:
    try:
        from recollect.store.engines.postgres import PostgresStore
    except ImportError as error:
        raise ConfigError("PostgreSQL needs a driver: pip install 'recollect[postgres]'") from error
    return PostgresStore(url)


def _mariadb(url: str, settings: Settings) -> Store:
    try:
        from recollect.store.engines.mariadb import MariaStore
    except ImportError as error:
        raise ConfigError("MariaDB needs a driver: pip install 'recollect[mariadb]'") from error
    return MariaStore(url)


ENGINES: dict[str, Callable[[str, Settings], Store]] = {
    "sqlite": _sqlite,
    "postgresql": _postgres,
    "postgres": _postgres,
    "mariadb": _mariadb,
}
