"""What Zep or Graphiti knew: facts with the time in which they were true, and the episodes they come from, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import Found, Note, Talk, Utterance, each, expected, loaded, moment
from recollect.errors import InvalidInput
from recollect.text.roles import PEOPLE, SPEAKING

NAME = "zep"
TEXT = "JSON with the edges, and if wanted the nodes and episodes, of a graph of Zep or Graphiti"
BEGUN = ("valid_at", "reference_time", "created_at")
"""When a fact began to be true: as it was said, else when it was said, else when the graph heard of it."""
NEVER = datetime.min.replace(tzinfo=UTC)


def read(path: Path) -> Iterator[Found]:
    """Give facts, summaries of nodes and episodes."""
    for name, data in loaded(path):
        if not isinstance(data, dict) or not {"edges", "episodes", "nodes"} & data.keys():
            raise InvalidInput(f"{name} is no graph: it has neither edges nor nodes nor episodes")
        nodes, edges = expected(data.get("nodes") or [], list, "nodes"), data.get("edges") or []
        names = {str(one.get("uuid")): str(one.get("name", "")) for one in nodes if isinstance(one, dict)}
        yield from each(edges, "graph", "edge", partial(_fact, names=names))
        yield from each(nodes, "graph", "node", _summary)
        whole: list[dict[str, Any]] = []
        yield from each(data.get("episodes") or [], "graph", "episode", partial(_episode, whole=whole))
        yield from _talks(whole)


def _summary(node: Mapping[str, Any]) -> Iterator[Note]:
    if node.get("summary"):
        about = {"kind": "passage", "topic": str(node.get("name", ""))[:255]}
        yield Note(str(node.get("uuid", "")), str(node["summary"]), about, whose=str(node.get("group_id") or ""))


def _episode(one: dict[str, Any], whole: list[dict[str, Any]]) -> Iterator[Found]:
    """Put an episode to those that make talks."""
    expected(one.get("content") or "", str, "its content")
    whole.append(one)
    yield from ()


def _fact(edge: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Note]:
    if not edge.get("fact"):
        return
    ends = [names.get(str(edge.get(end)), "") for end in ("source_node_uuid", "target_node_uuid")]
    about = {"relation": str(edge.get("name", "")), "between": [one for one in ends if one]}
    begun = next(filter(None, (moment(edge.get(name)) for name in BEGUN)), None)
    ended = moment(edge.get("invalid_at")) or moment(edge.get("expired_at"))
    times = {"event_time": begun, "valid_until": ended if ended and begun and ended > begun else None}
    details = {"attributes": about, **{name: value for name, value in times.items() if value}}
    yield Note(str(edge.get("uuid", "")), str(edge["fact"]), details, whose=str(edge.get("group_id") or ""))


def _talks(episodes: list[dict[str, Any]]) -> Iterator[Talk]:
    """Give episodes as talks, a group a talk, in the order in which they were said."""
    speakers = (
        PEOPLE | SPEAKING | {_actor(str(one.get("content") or "").strip()) for one in episodes if _is_spoken(one)}
    )
    groups: dict[tuple[str, str], list[Utterance]] = {}
    for one in episodes:
        whose = str(one.get("group_id") or "")
        session = str(one.get("session_id") or one.get("thread_id") or whose)
        groups.setdefault((session, whose), []).extend(_lines(one, speakers))
    for (session, whose), lines in groups.items():
        if lines:
            lines.sort(key=lambda line: line.at or NEVER)
            yield Talk(session or "episodes", session, tuple(lines), lines[-1].at, whose=whose)


def _lines(one: Mapping[str, Any], speakers: Set[str]) -> Iterator[Utterance]:
    """Give what an episode says: a message may have several speakers, each with `name: ` before what he says."""
    whole = str(one.get("content") or "").strip()
    id, at = str(one.get("uuid", "")), moment(one.get("valid_at")) or moment(one.get("created_at"))
    role = str(one.get("role_type") or one.get("role") or "")
    if not whole:
        return
    if role or not _is_spoken(one):
        yield Utterance(id, role or "document", whole, at)
        return
    turns: list[list[str]] = []
    for line in whole.split("\n"):
        actor = _actor(line)
        if actor in speakers and actor:
            turns.append([actor, line[len(actor) + 2 :]])
        else:
            turns[-1].append(line)
    for number, (actor, *said) in enumerate(turns):
        yield Utterance(f"{id}/{number}" if number else id, actor, "\n".join(said).strip(), at)


def _is_spoken(one: Mapping[str, Any]) -> bool:
    return one.get("source") == "message" and bool(_actor(str(one.get("content") or "").strip()))


def _actor(line: str) -> str:
    """Give the name before what is said, or nothing."""
    name, sign, _ = line.split("\n", 1)[0].partition(": ")
    return name if sign and len(name) < 60 else ""
