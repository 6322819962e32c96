"""What Zep or Graphiti knew: facts with the time in which they were true, and the episodes they come from, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.adapters.importers.items import Found, Note, Talk, Utterance, loaded, moment, objects
from recollect.errors import InvalidInput

NAME = "zep"
TEXT = "JSON with the edges, and if wanted the nodes and episodes, of a graph of Zep or Graphiti"


def read(path: Path) -> Iterator[Found]:
    """Give facts, summaries of nodes and episodes."""
    for name, data in loaded(path):
        if not isinstance(data, dict) or not {"edges", "episodes", "nodes"} & data.keys():
            raise InvalidInput(f"{name} is no graph: it has neither edges nor nodes nor episodes")
        names = {str(one.get("uuid")): str(one.get("name", "")) for one in objects(data.get("nodes") or [], "graph")}
        for edge in objects(data.get("edges") or [], "graph"):
            if edge.get("fact"):
                yield _fact(edge, names)
        for node in data.get("nodes") or ():
            if node.get("summary"):
                about = {"kind": "passage", "topic": str(node.get("name", ""))[:255]}
                yield Note(str(node.get("uuid", "")), str(node["summary"]), about)
        yield from _talks(objects(data.get("episodes") or [], "graph"))


def _fact(edge: Mapping[str, Any], names: Mapping[str, str]) -> Note:
    ends = [names.get(str(edge.get(end)), "") for end in ("source_node_uuid", "target_node_uuid")]
    about = {"relation": str(edge.get("name", "")), "between": [one for one in ends if one]}
    begun = moment(edge.get("valid_at")) or moment(edge.get("created_at"))
    ended = moment(edge.get("invalid_at")) or moment(edge.get("expired_at"))
    times = {"event_time": begun, "valid_until": ended if ended and begun and ended > begun else None}
    details = {"attributes": about, **{name: value for name, value in times.items() if value}}
    return Note(str(edge.get("uuid", "")), str(edge["fact"]), details)


def _talks(episodes: list[dict[str, Any]]) -> Iterator[Talk]:
    groups: dict[str, list[Utterance]] = {}
    for one in episodes:
        whole = str(one.get("content") or "").strip()
        role, sign, text = whole.partition(": ")
        spoken = one.get("source") == "message" and sign and len(role) < 60
        line = Utterance(
            str(one.get("uuid", "")),
            str(one.get("role_type") or one.get("role") or (role if spoken else "document")),
            text if spoken and not one.get("role") else whole,
            moment(one.get("valid_at")) or moment(one.get("created_at")),
        )
        if whole:
            groups.setdefault(
                str(one.get("session_id") or one.get("thread_id") or one.get("group_id") or ""), []
            ).append(line)
    for session, lines in groups.items():
        yield Talk(session or "episodes", session, tuple(lines), lines[-1].at)
