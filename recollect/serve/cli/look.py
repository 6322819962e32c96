"""Looking: what is remembered, found by a query, listed, or laid out for a prompt."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

import typer
from rich.text import Text

from recollect import __version__
from recollect.errors import NotFound
from recollect.front.space import Space
from recollect.model.hit import Entry, Hit
from recollect.model.memory import Memory, Session
from recollect.model.options import Conditions
from recollect.model.values import plain
from recollect.rules.window.profiles import PROFILES
from recollect.serve.cli.exits import OK
from recollect.serve.cli.frame import LOOKING, command
from recollect.serve.cli.options import (
    Filters,
    MemoryId,
    Place,
    Speaker,
    Wanted,
    opened,
    space,
    space_of,
    tell_waiting,
    text,
)
from recollect.serve.cli.render import (
    clean,
    emit,
    note,
    one_line,
    say,
    show_hits,
    show_memory,
    show_signals,
    show_table,
    shown,
    warn,
    when,
)
from recollect.store.base import ORDERS

Limit = Annotated[int, typer.Option("--limit", "-n", help="At most so many.")]


@command(LOOKING, 'recollect recall "where does Ana live?" --why')
def recall(
    place: Place,
    filters: Filters,
    wanted: Wanted,
    query: Annotated[str, typer.Argument(help="A question, words or names; nothing lists the newest.")] = "",
    limit: Limit = 10,
    why: Annotated[bool, typer.Option("--why", help="Show what each hit was found by, as bars.")] = False,
) -> None:
    """Find memories by words, meaning, names and times.

    Where none is about it, what was said is shown, word for word.
    """
    conditions = filters.conditions()
    with space(place, existing=True) as mine:
        hits = _asked(mine, query, limit, wanted, conditions)
        fits = not query.strip() or bool(mine.fitting(query, hits))
        if not fits and not conditions.get("kinds"):
            said = _asked(mine, query, limit, wanted, {**conditions, "kinds": ["episode"]})
            if about := mine.fitting(query, said):
                note("no memory is about this yet, but it was said:")
                hits, fits = about, True
        tell_waiting(mine)
    if place.as_json:
        emit(hits)
    elif hits:
        if not fits:
            note("nothing seems to be about this; the nearest there is:")
        show_hits(hits, why=why)
    else:
        note("nothing found")


def _asked(mine: Space, query: str, limit: int, wanted: Wanted, conditions: Conditions) -> list[Hit]:
    return mine.recall(
        query,
        limit,
        by=wanted.by,
        budget_tokens=wanted.budget_tokens,
        min_similarity=wanted.min_similarity,
        **conditions,
    )


@command(LOOKING, 'recollect why "where does Ana live?" fact_01…')
def why(
    place: Place,
    filters: Filters,
    query: Annotated[str, typer.Argument(help="What was searched for.")],
    memory_id: MemoryId,
    limit: Limit = 10,
) -> None:
    """Say why a memory was found by a query, or why it was not."""
    conditions = filters.conditions()
    with space(place, existing=True) as mine:
        told = mine.explain(query, memory_id, limit, **conditions)
    if place.as_json:
        emit(told)
        return
    say(told.text)
    show_signals(told.why)


@command(LOOKING, 'recollect context "Where did we leave off?" --budget 800 --session tuesday --profile letta')
def context(
    place: Place,
    speaker: Speaker,
    prompt: Annotated[str, typer.Argument(help="What the prompt is about; - reads standard input.")] = "",
    budget_tokens: Annotated[int, typer.Option("--budget", help="At most so many tokens.")] = 1200,
    profile: Annotated[str, typer.Option("--profile", help=f"Form: {', '.join(PROFILES)}.")] = "",
    mode: Annotated[str, typer.Option("--mode", help="text, or index: one line a memory with its id.")] = "text",
    model: Annotated[str, typer.Option("--model", help="Whose tokens are counted, as openai/gpt-4o.")] = "",
) -> None:
    """Lay out memory for a prompt, inside a budget of tokens."""
    prompt = text(prompt)
    with space(place, speaker, existing=True) as mine:
        made = mine.context(prompt, budget_tokens, profile=profile, mode=mode, model=model)
        tell_waiting(mine)
    for problem in made.problems:
        warn(f"left out: {problem}")
    if place.as_json:
        emit({"text": str(made), **plain(made)})
        return
    typer.echo(clean(str(made)))
    note(f"({len(made.ids)} memories, about {made.tokens} of {budget_tokens} tokens)")


@command(LOOKING, "recollect list --topic code --order importance", name="list")
def list_(
    place: Place,
    filters: Filters,
    order: Annotated[str, typer.Option("--order", help=f"One of {', '.join(ORDERS)}.")] = "recent",
    limit: Limit = 20,
    offset: Annotated[int, typer.Option("--offset", help="Leave out so many first.")] = 0,
) -> None:
    """List memories of any kind but raw messages, which --kind episode shows."""
    conditions = filters.conditions()
    with space(place, existing=True) as mine:
        found = mine.list(order, limit, offset, **conditions)
        newer = mine.outdated([one.id for one in found])
    if place.as_json:
        emit([{**plain(one), "outdated_by": newer.get(one.id, "")} for one in found])
        return
    for memory in found:
        show_memory(memory, newer=newer.get(memory.id, ""))
    if not found:
        note("nothing found")


@command(LOOKING, "recollect entity Lisbon")
def entity(
    place: Place,
    name: Annotated[str, typer.Argument(help="A person, project, place or thing.", show_default=False)],
    of_type: Annotated[str, typer.Option("--type", help="Of this type only.")] = "",
    limit: Limit = 10,
) -> int:
    """Show what is known of a person, project, place or thing."""
    with space(place, existing=True) as mine:
        profile = mine.entity(name, of_type, limit)
    if profile is None:
        raise NotFound(f"nothing is known of {name!r}")
    if place.as_json:
        emit(profile)
        return OK
    known = profile.entity
    others = ", ".join(alias for alias in known.aliases if alias.casefold() != known.name.casefold())
    say(Text.assemble((one_line(known.name), "bold"), f" · {one_line(known.type)} · {known.mentions} mentions"))
    if others:
        say(f"also {one_line(others)}", "dim")
    if known.summary:
        say(clean(known.summary))
    for other in profile.alike:
        say(f"maybe the same: {one_line(other.name)} · {other.mentions} mentions (if so: recollect unite)", "dim")
    for memory in profile.memories:
        show_memory(memory)
    return OK


@command(LOOKING, 'recollect entities --about "somebody who repairs boats"')
def entities(
    place: Place,
    part: Annotated[str, typer.Argument(help="Some of a name.", show_default=False)] = "",
    about: Annotated[str, typer.Option("--about", help="Find those who matter by what is known of them.")] = "",
    of_type: Annotated[str, typer.Option("--type", help="Of this type only.")] = "",
    limit: Limit = 20,
) -> None:
    """List people, projects, places and things, the most mentioned first, or find them by meaning."""
    with space(place, existing=True) as mine:
        found = mine.entities(part, of_type, limit, about=about)
    if place.as_json:
        emit(found)
        return
    rows = [(one_line(one.name), one_line(one.type), str(one.mentions), one_line(one.summary)) for one in found]
    if rows:
        show_table(("name", "type", "mentions", "what is known"), rows)
    else:
        note("nothing found")


@command(LOOKING, "recollect history ID")
def history(place: Place, memory_id: MemoryId) -> None:
    """Show everything that happened to a memory and to those it replaced or became."""
    with space(place, existing=True) as mine:
        entries = mine.history(memory_id)
        texts = _texts(mine, entries)
    if place.as_json:
        emit({"entries": entries, "memories": texts})
        return
    rows = [_happened(entry, texts) for entry in entries]
    show_table(("rev", "when (UTC)", "what", "memory", "by", ""), rows)


def _texts(mine: Space, entries: list[Entry]) -> dict[str, Memory]:
    found: dict[str, Memory] = {}
    for memory_id in dict.fromkeys(entry.memory_id for entry in entries):
        with suppress(NotFound):  # purged: its story outlives it
            found[memory_id] = mine.get(memory_id)
    return found


def _happened(entry: Entry, texts: dict[str, Memory]) -> tuple[str, ...]:
    meta = entry.meta or {}
    detail = f"by {meta['by']}" if "by" in meta else f"into {meta['into']}" if "into" in meta else meta.get("why", "")
    if entry.op == "created" and entry.memory_id in texts:
        detail = shown(texts[entry.memory_id].content)
    return str(entry.rev), when(entry.at), entry.op, entry.memory_id, entry.actor or entry.node, detail


@command(LOOKING, "recollect sessions --user ana")
def sessions(place: Place) -> None:
    """List the conversations of a user, the one seen last first, and how far each was worked through."""
    with space(place, existing=True) as mine:
        found = mine.sessions()
    if place.as_json:
        emit(found)
    elif found:
        heads = ("session", "agent", "first seen (UTC)", "last seen (UTC)", "messages", "consolidated")
        show_table(heads, [_session(one) for one in found])
    else:
        note("no sessions yet")


def _session(one: Session) -> tuple[str, ...]:
    share = "–" if not one.messages else f"{one.consolidated / one.messages:.0%}"
    return one.id, one.agent, when(one.first_seen), when(one.last_seen), f"{one.messages:,}", share


@command(LOOKING, "recollect status --user ana")
def status(place: Place) -> None:
    """Show where the data lives, how much there is, and whose."""
    with opened(place, existing=True) as memory:
        mine = space_of(memory, place)
        stats, database, owners = mine.stats(), memory.describe(), len(memory.owners())
        meaning = mine.coverage()
        user = memory.settings.user if place.user is None else place.user
        tenant = memory.settings.tenant if place.tenant is None else place.tenant
    if place.as_json:
        whose = {"user": user, "tenant": tenant, "total": stats.total, **plain(stats)}
        emit({"version": __version__, "database": database, "owners": owners, "memory": whose, "meaning": meaning})
        return
    rows: list[tuple[str, Any]] = [
        ("recollect", __version__),
        ("data lives in", database.get("url", "")),
        ("engine", f"{database['engine']} {database['version']}, schema {database['schema']}"),
        ("size", f"{database['bytes']:,} bytes"),
        ("owners", str(owners)),
        ("user", user if not tenant else f"{user} of {tenant}"),
        ("memories", f"{stats.total:,} active, revision {stats.rev}"),
        *((name, _counts(group)) for name, group in (("kinds", stats.kinds), ("tiers", stats.tiers))),
        ("states", _counts(stats.states)),
        ("sessions", str(stats.sessions)),
        ("entities", str(stats.entities)),
        ("latest", when(stats.latest)),
        ("meaning", meaning.text),
    ]
    show_table(("", ""), rows)
    if meaning.problem:
        warn(meaning.problem)


def _counts(group: Any) -> str:
    return ", ".join(f"{many:,} {name}" for name, many in group.items()) or "–"
