"""The one place where a Filter becomes SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.model.clock import to_ms
from recollect.model.filter import Filter
from recollect.model.kinds import EXPLICIT
from recollect.text.terms import fold, tag_term

RANGES = (
    ("event_time", ">=", "event_after"),
    ("event_time", "<=", "event_before"),
    ("created_at", ">=", "created_after"),
    ("created_at", "<=", "created_before"),
    ("updated_at", ">=", "updated_after"),
    ("updated_at", "<=", "updated_before"),
)


def marks(values: Sequence[Any]) -> str:
    """Give as many placeholders as there are values."""
    return ",".join("?" * len(values))


def padded(values: Sequence[Any], step: int = 8) -> list[Any]:
    """Repeat the last value up to a multiple of `step`, so that few statements serve all lengths."""
    out = list(values)
    out.extend(out[-1:] * (-len(out) % step))
    return out


def escaped(part: str) -> str:
    """Take the meaning out of LIKE's own signs."""
    return part.replace("!", "!!").replace("%", "!%").replace("_", "!_")


def where(given: Filter) -> tuple[str, list[Any]]:
    """Turn a filter into a condition over `memories m` and its parameters."""
    parts, params = ["m.owner = ?"], [given.owner]

    def add(part: str, *values: Any) -> None:
        parts.append(part)
        params.extend(values)

    def among(column: str, values: Sequence[str]) -> None:
        named = f"COALESCE(m.{column}, '')" if given.sessions and column in ("kind", "state") else f"m.{column}"
        if len(values) == 1:
            add(f"{named} = ?", values[0])
        elif values:
            add(f"{named} IN ({marks(values)})", *values)

    _validity(given, add, among)
    among("kind", given.kinds)
    among("tier", given.tiers)
    among("category", given.categories)
    among("session", given.sessions)
    among("project", given.projects)
    if given.sessions:
        # A session is a small part of an owner, which SQLite has no statistics to know: it must not go by kind and
        # state instead, nor through an index of everything that holds all columns but this one.
        add("m.version > 0")
    if given.agent is not None:
        add("m.agent = ?", given.agent)
    for column, value in (
        ("role", given.role),
        ("actor", given.actor),
        ("source", given.source),
        ('"key"', given.key),
    ):
        if value:
            add(f"m.{column} = ?", value)
    if given.topic:
        add("m.topic_folded LIKE ? ESCAPE '!'", f"%{escaped(fold(given.topic))}%")
    if given.exclude_session:
        add(
            f"(m.session <> ? OR (m.kind <> 'episode' AND m.source IN ({marks(EXPLICIT)})))",
            given.exclude_session,
            *EXPLICIT,
        )
    _ranges(given, add)
    _tags(given, add)
    return " AND ".join(parts), params


def _validity(given: Filter, add: Any, among: Any) -> None:
    if given.as_of is not None:
        moment = to_ms(given.as_of)
        among("state", ("active", "superseded", "merged"))
        add("m.valid_from <= ?", moment)
    else:
        moment = to_ms(given.now)
        among("state", given.states)
    if given.as_of is not None or given.states == ("active",):
        add("(m.valid_until IS NULL OR m.valid_until > ?)", moment)


def _ranges(given: Filter, add: Any) -> None:
    for column, sign, name in RANGES:
        moment = getattr(given, name)
        if moment is not None:
            add(f"m.{column} {sign} ?", to_ms(moment))
    if given.importance_min is not None:
        add("m.importance >= ?", given.importance_min)
    if given.importance_max is not None:
        add("m.importance <= ?", given.importance_max)
    if given.pinned is not None:
        add(f"m.pinned = {int(given.pinned)}")  # said outright, an index of the few that are can be used


def _tags(given: Filter, add: Any) -> None:
    # Asked for first and once: what bears a tag is few, and an EXISTS would be asked of every memory in turn.
    bears = "m.doc IN (SELECT t.doc FROM postings t WHERE t.owner = ? AND t.term {})"
    terms = [tag_term(tag) for tag in given.tags]
    if terms and given.any_tag:
        add(bears.format(f"IN ({marks(terms)})"), given.owner, *terms)
    else:
        for term in terms:
            add(bears.format("= ?"), given.owner, term)
