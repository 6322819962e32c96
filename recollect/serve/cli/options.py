"""The options commands share, each written once: a group of options is a dataclass."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, TypeVar, cast
from urllib.parse import urlsplit

import typer

from recollect.errors import ConfigError, InvalidInput, Unavailable
from recollect.flows.admin.coverage import waits
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.language import open_reader
from recollect.model.clock import checked_time
from recollect.model.kinds import KINDS, SOURCES, STATES, TIERS
from recollect.model.options import Conditions, Details
from recollect.model.values import dataclass
from recollect.runtime import Clock, system_clock
from recollect.serve.cli.render import note, warn
from recollect.store.engines.sqlite import sqlite_path
from recollect.text.extras import installing

_WHERE, _SPEAKER, _FILTERS, _DETAILS = "Whose memory, and where", "Who is speaking", "Narrow it down", "About it"
_KEPT = [kind for kind in KINDS if kind != "episode"]
_TIMES = ("event_time", "valid_until", "as_of")
_RANGES = ("event_", "created_", "updated_")
T = TypeVar("T")
SPOKEN = "words"
"""The language of the command line itself, in which times can be named."""
EVERY = "all"
"""What stands for every state."""
TIME = "ISO 8601, in UTC unless it has a zone; or words like yesterday, 3 days ago, May 2026"


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """Which database, and in which form the answer comes: what every command can be told."""

    db: Annotated[
        str | None,
        typer.Option(
            "--db",
            metavar="URL",
            help="The database: a file, sqlite:///…, postgresql://… or mariadb://…; else a file in your data folder.",
            rich_help_panel=_WHERE,
        ),
    ] = None
    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="Settings; recollect.toml in this folder by default.",
            rich_help_panel=_WHERE,
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Base):
    """Whose memory it is, beside all that: for every command that is not about the whole database."""

    user: Annotated[
        str | None, typer.Option("--user", "-u", help="Whose memory; me by default.", rich_help_panel=_WHERE)
    ] = None
    tenant: Annotated[
        str | None, typer.Option("--tenant", help="The tenant the user belongs to.", rich_help_panel=_WHERE)
    ] = None

    @property
    def again(self) -> str:
        """The options that lead to the same memory, for a command that is suggested; a password is not told."""
        db = "URL" if self.db and urlsplit(self.db).password else self.db
        given = {"--db": db, "--config": self.config, "--user": self.user, "--tenant": self.tenant}
        return "".join(f" {name} {quote(value)}" for name, value in given.items() if value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """The agent and the conversation a command speaks for."""

    agent: Annotated[str, typer.Option("--agent", help="The agent.", rich_help_panel=_SPEAKER)] = ""
    session: Annotated[str, typer.Option("--session", help="The conversation.", rich_help_panel=_SPEAKER)] = ""
    project: Annotated[str, typer.Option("--project", help="What is being worked on.", rich_help_panel=_SPEAKER)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What every look can be narrowed by: the keywords of `Conditions`."""

    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind", metavar="KIND", help=f"Kind; repeat for several: {', '.join(KINDS)}.", rich_help_panel=_FILTERS
        ),
    ] = None
    tiers: Annotated[
        list[str] | None,
        typer.Option(
            "--tier", metavar="TIER", help=f"Tier; repeat for several: {', '.join(TIERS)}.", rich_help_panel=_FILTERS
        ),
    ] = None
    states: Annotated[
        list[str] | None,
        typer.Option(
            "--state",
            metavar="STATE",
            help=f"State, active by default; repeat, or all: {', '.join(STATES)}.",
            rich_help_panel=_FILTERS,
        ),
    ] = None
    categories: Annotated[
        list[str] | None,
        typer.Option("--category", metavar="NAME", help="Category; repeat for several.", rich_help_panel=_FILTERS),
    ] = None
    topic: Annotated[str | None, typer.Option("--topic", help="Topic.", rich_help_panel=_FILTERS)] = None
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Tag; repeated, all must be there.", rich_help_panel=_FILTERS),
    ] = None
    any_tag: Annotated[bool, typer.Option("--any-tag", help="One of the tags is enough.", rich_help_panel=_FILTERS)] = (
        False
    )
    key: Annotated[str | None, typer.Option("--key", help="Key of a slot.", rich_help_panel=_FILTERS)] = None
    sessions: Annotated[
        list[str] | None,
        typer.Option("--session", metavar="ID", help="Learnt in this conversation; repeat.", rich_help_panel=_FILTERS),
    ] = None
    exclude_session: Annotated[
        str | None,
        typer.Option(
            "--exclude-session",
            help="Not learnt in this conversation; what a user asked to save stays.",
            rich_help_panel=_FILTERS,
        ),
    ] = None
    event_after: Annotated[
        str | None,
        typer.Option(
            "--event-after", metavar="TIME", help=f"Happened then or later. {TIME}.", rich_help_panel=_FILTERS
        ),
    ] = None
    event_before: Annotated[
        str | None,
        typer.Option("--event-before", metavar="TIME", help="Happened then or earlier.", rich_help_panel=_FILTERS),
    ] = None
    created_after: Annotated[
        str | None,
        typer.Option("--created-after", metavar="TIME", help="Saved then or later.", rich_help_panel=_FILTERS),
    ] = None
    created_before: Annotated[
        str | None,
        typer.Option("--created-before", metavar="TIME", help="Saved then or earlier.", rich_help_panel=_FILTERS),
    ] = None
    updated_after: Annotated[
        str | None,
        typer.Option("--updated-after", metavar="TIME", help="Changed then or later.", rich_help_panel=_FILTERS),
    ] = None
    updated_before: Annotated[
        str | None,
        typer.Option("--updated-before", metavar="TIME", help="Changed then or earlier.", rich_help_panel=_FILTERS),
    ] = None
    importance_min: Annotated[
        int | None, typer.Option("--importance-min", help="At least this important, 1 to 10.", rich_help_panel=_FILTERS)
    ] = None
    importance_max: Annotated[
        int | None, typer.Option("--importance-max", help="At most this important, 1 to 10.", rich_help_panel=_FILTERS)
    ] = None
    pinned: Annotated[
        bool | None, typer.Option("--pinned/--not-pinned", help="Pinned or not.", rich_help_panel=_FILTERS)
    ] = None
    role: Annotated[
        str | None, typer.Option("--role", help="Role of a message: user, assistant …", rich_help_panel=_FILTERS)
    ] = None
    actor: Annotated[str | None, typer.Option("--actor", help="Who said or did it.", rich_help_panel=_FILTERS)] = None
    agent: Annotated[str | None, typer.Option("--agent", help="Learnt by this agent.", rich_help_panel=_FILTERS)] = None
    projects: Annotated[
        list[str] | None,
        typer.Option(
            "--project", metavar="NAME", help="Of this project; repeat, or * for all.", rich_help_panel=_FILTERS
        ),
    ] = None
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="TIME", help="As it was true at that moment.", rich_help_panel=_FILTERS),
    ] = None

    def conditions(self) -> Conditions:
        """Give the filters that were given, as keywords of `recall` and `list`."""
        given = _given(self)
        if EVERY in given.get("states", ()):
            given["states"] = list(STATES)
        return cast(Conditions, given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a recall shall give: the keywords of `recall` beside its filters."""

    by: Annotated[str, typer.Option("--by", help="memory, or session: the best message of each session.")] = "memory"
    budget_tokens: Annotated[int | None, typer.Option("--budget", help="At most so many tokens in all.")] = None
    min_similarity: Annotated[
        float | None, typer.Option("--min-similarity", help="Only what is at least so near in meaning, 0 to 1.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What `remember` can be told beside the text: the keywords of `Details`."""

    kind: Annotated[
        str | None,
        typer.Option("--kind", help=f"Kind, fact by default: {', '.join(_KEPT)}.", rich_help_panel=_DETAILS),
    ] = None
    topic: Annotated[str | None, typer.Option("--topic", help="Topic, in your words.", rich_help_panel=_DETAILS)] = None
    category: Annotated[
        str | None, typer.Option("--category", help="One of the categories of the settings.", rich_help_panel=_DETAILS)
    ] = None
    key: Annotated[
        str | None,
        typer.Option("--key", help="Makes it a slot: a new value replaces the old.", rich_help_panel=_DETAILS),
    ] = None
    private: Annotated[
        bool, typer.Option("--private", help="With --key: a slot of this agent alone.", rich_help_panel=_DETAILS)
    ] = False
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Tag; repeat for several.", rich_help_panel=_DETAILS),
    ] = None
    importance: Annotated[
        int | None, typer.Option("--importance", help="From 1 (trifle) to 10 (critical).", rich_help_panel=_DETAILS)
    ] = None
    confidence: Annotated[
        float | None, typer.Option("--confidence", help="How sure it is, 0 to 1.", rich_help_panel=_DETAILS)
    ] = None
    pinned: Annotated[
        bool, typer.Option("--pinned", help="Never ages, decays or expires.", rich_help_panel=_DETAILS)
    ] = False
    source: Annotated[
        str | None,
        typer.Option(
            "--source", help=f"Where it comes from, user by default: {', '.join(SOURCES)}.", rich_help_panel=_DETAILS
        ),
    ] = None
    actor: Annotated[str | None, typer.Option("--actor", help="Who said or did it.", rich_help_panel=_DETAILS)] = None
    event_time: Annotated[
        str | None,
        typer.Option("--event-time", metavar="TIME", help=f"When it happened. {TIME}.", rich_help_panel=_DETAILS),
    ] = None
    valid_until: Annotated[
        str | None,
        typer.Option("--valid-until", metavar="TIME", help="When it stops being true.", rich_help_panel=_DETAILS),
    ] = None
    attributes: Annotated[
        str | None,
        typer.Option("--attributes", metavar="JSON", help="Anything else, a JSON object.", rich_help_panel=_DETAILS),
    ] = None

    def details(self) -> Details:
        """Give what was told, as keywords of `remember`."""
        return cast(Details, _given(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """How a memory is filed: the keywords of `Updates` beside the content."""

    topic: Annotated[str | None, typer.Option("--topic", help="Topic, in your words.", rich_help_panel=_DETAILS)] = None
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Tag; repeat for several. They take the place of all it had."),
    ] = None
    category: Annotated[str | None, typer.Option("--category", help="One of the categories of the settings.")] = None
    tier: Annotated[str | None, typer.Option("--tier", help="short, long or archive.")] = None
    importance: Annotated[int | None, typer.Option("--importance", help="From 1 (trifle) to 10 (critical).")] = None

    def changes(self) -> dict[str, Any]:
        """Give what was told, as keywords of `update`."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"tags": self.tags or None}


RequestId = Annotated[
    str, typer.Option("--request-id", metavar="ID", help="Makes a retry safe: the same id is carried out once.")
]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The id of a memory.", show_default=False)]
Content = Annotated[str, typer.Argument(help="The text; - reads it from standard input.", show_default=False)]


def _given(options: Filters | About) -> dict[str, Any]:
    values = {field.name: getattr(options, field.name) for field in fields(options)}
    return {name: _read(name, value) for name, value in values.items() if value is not None and value != []}


def _read(name: str, value: Any) -> Any:
    if name in _TIMES or name.startswith(_RANGES):
        return time_given(f"--{name.replace('_', '-')}", value)
    return parsed(f"--{name}", value) if name == "attributes" else value


def time_given(name: str, value: str) -> datetime:
    """Read a time of the command line, in ISO 8601 or in words; one without a zone is taken as UTC."""
    try:
        found = open_reader(SPOKEN).moment(value, system_clock())
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from error
    return checked_time(name, found)


def parsed(name: str, value: str) -> Any:
    """Read a JSON value of the command line."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name} is not JSON: {error}") from error


def text(content: str) -> str:
    """Give the content, from standard input when it is a dash; the newline at its end does not belong to it."""
    if content != "-":
        return content
    try:
        given = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"the standard input is not UTF-8: {error}") from error
    return given.removesuffix("\n").removesuffix("\r")


def loaded(part: Callable[[], T], extra: str) -> T:
    """Give a part that needs libraries of its own, or say how to get them."""
    try:
        return part()
    except ImportError as error:
        raise ConfigError(f"this needs more libraries: {installing(extra)}") from error


@contextmanager
def database(place: Base, purpose: str) -> Iterator[tuple[str, bool]]:
    """Give a database to try something on and whether it stays: the one that was named, else a throwaway."""
    if place.db is not None:
        yield place.db, True
        return
    with tempfile.TemporaryDirectory(prefix=f"recollect-{purpose}-") as folder:
        yield f"sqlite:///{Path(folder) / purpose}.db", False


@contextmanager
def opened(
    place: Base, db: str | None = None, clock: Clock | None = None, *, existing: bool = False, **settings: Any
) -> Iterator[Recollect]:
    """Open the database of a command; what the settings complain about is said on stderr."""
    named = place.db if db is None else db
    if existing and named and ("://" not in named or named.startswith("sqlite:")) and not sqlite_path(named).exists():
        raise Unavailable(f"there is no database {named}: check the name; `recollect db init` makes one")
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always", UserWarning)
        memory = Recollect(place.db if db is None else db, config=place.config, clock=clock, **settings)
    with memory:
        for complaint in complaints:
            warn(str(complaint.message))
        yield memory


def space_of(memory: Recollect, place: Place, speaker: Speaker | None = None) -> Space:
    """Give the space of the user a command speaks for; who is not named comes from the settings."""
    who = speaker or Speaker()
    user = memory.settings.user if place.user is None else place.user
    tenant = memory.settings.tenant if place.tenant is None else place.tenant
    return memory.space(user, who.agent, who.session, tenant, who.project)


@contextmanager
def space(place: Place, speaker: Speaker | None = None, *, existing: bool = False) -> Iterator[Space]:
    """Open the database and give the space of the user a command speaks for."""
    with opened(place, existing=existing) as memory:
        yield space_of(memory, place, speaker)


def tell_waiting(mine: Space) -> None:
    """Say on stderr how many memories have no vector yet, and how they get it."""
    with mine._runtime.store.view() as view:
        told = waits(mine._runtime, view, mine.owner)
    if told:
        note(told)
