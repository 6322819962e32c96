"""The verbs of a space as HTTP: one table, read by the server to make routes and by the client to call them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, create_model

from recollect.front.archives import Archives
from recollect.front.calls import Calls
from recollect.front.facets import Inbox, OwnerJobs
from recollect.front.practising import Lessons
from recollect.front.space import Space
from recollect.front.window import Blocks, Checkpoints, Messages
from recollect.front.workspace import Workspace
from recollect.model.options import Names
from recollect.model.values import dataclass
from recollect.text.patterns import pattern

FACETS: dict[str, type[Any]] = {
    "inbox": Inbox,
    "jobs": OwnerJobs,
    "archive": Archives,
    "calls": Calls,
    "blocks": Blocks,
    "messages": Messages,
    "checkpoints": Checkpoints,
    "lessons": Lessons,
    "workspace": Workspace,
}
LOCAL = ("self", "progress", "out")
"""Parameters that cannot travel."""
IN_HEADERS = ("request_id", "if_version")
"""Parameters that HTTP has headers for: `Idempotency-Key` and `If-Match`."""
_SLOT = pattern(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb and the route that leads to it, below `/v1/spaces/{user}`."""

    method: str
    path: str
    name: str
    group: str
    example: Mapping[str, Any] = field(default_factory=dict)
    reads: bool = False

    @property
    def run(self) -> Callable[..., Any]:
        """The function itself, as its class has it."""
        first, _, rest = self.name.partition(".")
        if first in FACETS:
            made: Callable[..., Any] = getattr(FACETS[first], rest or "__call__")
            return made
        return getattr(Space, first)  # type: ignore[no-any-return]

    def bound(self, space: Any) -> Callable[..., Any]:
        """The verb of one space."""
        made = space
        for part in self.name.split("."):
            made = getattr(made, part)
        return made  # type: ignore[no-any-return]

    @property
    def slots(self) -> tuple[str, ...]:
        """The parameters that stand in the path."""
        return _slots(self.path)

    @property
    def query(self) -> bool:
        """Whether the parameters travel in the query, because there is no body."""
        return self.method in ("GET", "DELETE")

    @property
    def given(self) -> type[BaseModel]:
        """The model of the parameters that are not in the path."""
        return _given(self.name, self.path, self.query)

    @property
    def answer(self) -> TypeAdapter[Any]:
        """What reads and describes the answer."""
        return _answer(self.name)

    @property
    def in_session(self) -> bool:
        """Whether it is about a conversation, which must be named."""
        return self.group in ("window", "checkpoints") and self.name not in _ANYWHERE

    @property
    def repeatable(self) -> bool:
        """Whether it takes the id of a request, so that a retry is carried out once."""
        return _repeatable(self.name)


@cache
def _slots(path: str) -> tuple[str, ...]:
    return tuple(_SLOT.findall(path))


@cache
def _repeatable(name: str) -> bool:
    return "request_id" in inspect.signature(find(name).run).parameters


@cache
def _answer(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(find(name).run)["return"])


@cache
def _given(name: str, path: str, query: bool) -> type[BaseModel]:
    run = find(name).run
    hints = get_type_hints(run, include_extras=True)
    made: dict[str, Any] = {}
    taken = {*_SLOT.findall(path), *LOCAL, *IN_HEADERS}
    for one in inspect.signature(run).parameters.values():
        if one.kind is inspect.Parameter.VAR_KEYWORD:
            inner = get_type_hints(get_args(hints[one.name])[0])
            made |= {key: (_optional(kind, query), None) for key, kind in inner.items() if key not in taken}
        elif one.name not in taken:
            default = ... if one.default is inspect.Parameter.empty else one.default
            made[one.name] = (_shaped(hints[one.name], query), list(default) if isinstance(default, tuple) else default)
    return create_model(
        "".join(part.title() for part in name.replace(".", "_").split("_")),
        __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=True),
        **made,
    )


def _shaped(kind: Any, query: bool) -> Any:
    """Give a type as it travels: in a query several names are repeated, elsewhere a name or a list."""
    if kind == Names:
        return list[str] if query else Names
    if kind == Sequence[Mapping[str, Any]]:
        return list[Any]  # what is wrong with one item is told of that item, and sinks no other
    if get_origin(kind) is Sequence and query:
        return list[str]
    if Names in (kind, *get_args(kind)) or (str in get_args(kind) and Sequence[str] in get_args(kind)):
        return list[str] | None if query else kind
    return kind


def _optional(kind: Any, query: bool) -> Any:
    shaped = _shaped(kind, query)
    return shaped | None


_ANYWHERE = ("messages.search", "messages.overflowed", "messages.rebuilt")
"""Verbs of the window that do without a session."""


def find(name: str) -> Verb:
    """Give a verb by its name."""
    return _BY_NAME[name]


_ID = "fact_01a1e3a6d7d0000090748f6664cd5be8"
VERBS: tuple[Verb, ...] = (
    Verb("POST", "/messages", "observe", "messages", {"role": "user", "content": "I moved to Lisbon in May."}),
    Verb("POST", "/memories", "remember", "memories", {"content": "Ana lives in Lisbon.", "topic": "home"}),
    Verb("POST", "/memories/batch", "remember_many", "memories", {"items": [{"content": "Ana likes fado."}]}),
    Verb("POST", "/memories/merge", "merge", "memories", {"ids": [_ID, f"{_ID[:-1]}9"]}),
    Verb("POST", "/memories/search", "recall", "memories", {"query": "where does Ana live?", "limit": 5}, reads=True),
    Verb("GET", "/memories", "list", "memories", {"topic": "home", "limit": 20}, reads=True),
    Verb("POST", "/memories/outdated", "outdated", "memories", {"ids": [_ID]}, reads=True),
    Verb("GET", "/memories/{memory_id}", "get", "memories", reads=True),
    Verb("PATCH", "/memories/{memory_id}", "update", "memories", {"importance": 8}),
    Verb("DELETE", "/memories/{memory_id}", "forget", "memories"),
    Verb("POST", "/memories/{memory_id}/correct", "correct", "memories", {"content": "Ana lives in Porto."}),
    Verb("POST", "/memories/{memory_id}/confirm", "confirm", "memories"),
    Verb("POST", "/memories/{memory_id}/pin", "pin", "memories", {"pinned": True}),
    Verb("POST", "/memories/{memory_id}/rate", "rate", "memories", {"importance": 8}),
    Verb("POST", "/memories/{memory_id}/restore", "restore", "memories"),
    Verb("POST", "/memories/{memory_id}/why", "explain", "memories", {"query": "where does Ana live?"}, reads=True),
    Verb("GET", "/memories/{memory_id}/links", "links", "memories", reads=True),
    Verb("GET", "/memories/{memory_id}/history", "history", "memories", reads=True),
    Verb("POST", "/memories/{memory_id}/entities", "enrich_memory_entities", "entities"),
    Verb(
        "POST",
        "/memories/bulk",
        "bulk",
        "memories",
        {"action": "forget", "where": {"topic": "old-project"}, "dry": True},
    ),
    Verb("GET", "/weak-facts", "weak_facts", "memories", {"below": 0.3}, reads=True),
    Verb("GET", "/forgetting", "forgetting", "memories", {"weeks": 12}, reads=True),
    Verb("POST", "/age", "age", "memories", {"after_hours": 48}),
    Verb("POST", "/erase", "erase", "memories", {"memory_id": _ID}),
    Verb("POST", "/erase/preview", "erasing", "memories", {"entity": "Ana"}, reads=True),
    Verb("POST", "/think", "think", "context", {"question": "Where does Ana live?"}),
    Verb("POST", "/context", "context", "context", {"prompt": "Where did we leave off?"}, reads=True),
    Verb("GET", "/blocks", "blocks", "blocks", reads=True),
    Verb("POST", "/blocks", "blocks.create", "blocks", {"label": "project", "value": "The harbour."}),
    Verb("GET", "/blocks/compiled", "blocks.compile", "blocks", reads=True),
    Verb("POST", "/blocks/patch", "blocks.patch", "blocks", {"label": "project", "diff": "@@ -1 +1 @@\n-a\n+b\n"}),
    Verb("GET", "/blocks/{label}", "blocks.get", "blocks", reads=True),
    Verb("PUT", "/blocks/{label}", "blocks.rethink", "blocks", {"value": "The harbour and its boats."}),
    Verb("PATCH", "/blocks/{label}", "blocks.configure", "blocks", {"limit": 5000}),
    Verb("DELETE", "/blocks/{label}", "blocks.delete", "blocks"),
    Verb("POST", "/blocks/{label}/replace", "blocks.replace", "blocks", {"old": "boats", "new": "ships"}),
    Verb("POST", "/blocks/{label}/append", "blocks.append", "blocks", {"text": "It opens in May."}),
    Verb("POST", "/blocks/{label}/insert", "blocks.insert", "blocks", {"text": "First of all:", "line": 0}),
    Verb("POST", "/blocks/{label}/rename", "blocks.rename", "blocks", {"to": "harbour"}),
    Verb("GET", "/blocks/{label}/history", "blocks.history", "blocks", reads=True),
    Verb("POST", "/blocks/{label}/restore", "blocks.restore", "blocks", {"version": 1}),
    Verb("GET", "/window", "messages", "window", reads=True),
    Verb("POST", "/window", "messages.append", "window", {"role": "user", "content": "Hello."}),
    Verb("GET", "/window/ids", "messages.ids", "window", reads=True),
    Verb("PUT", "/window/ids", "messages.set_ids", "window", {"ids": []}),
    Verb("POST", "/window/tokens", "messages.tokens", "window", reads=True),
    Verb("POST", "/window/needs-compaction", "messages.needs_compaction", "window", reads=True),
    Verb("POST", "/window/compact", "messages.compact", "window"),
    Verb("POST", "/window/overflowed", "messages.overflowed", "window", {"model": "m", "real": 9, "estimated": 8}),
    Verb("POST", "/window/search", "messages.search", "window", {"query": "harbour"}, reads=True),
    Verb("PUT", "/window/enabled", "messages.enable", "window", {"flag": True}),
    Verb("GET", "/window/shown", "messages.shown", "window", {"limit": 20}, reads=True),
    Verb("POST", "/window/rebuilt", "messages.rebuilt", "window", {"system": "You are Sage."}),
    Verb("GET", "/checkpoints", "checkpoints", "checkpoints", {"limit": 20}, reads=True),
    Verb("POST", "/checkpoints", "checkpoints.save", "checkpoints", {"data": {"step": 1}}),
    Verb("GET", "/checkpoints/latest", "checkpoints.load", "checkpoints", reads=True),
    Verb("DELETE", "/checkpoints", "checkpoints.delete", "checkpoints"),
    Verb("GET", "/lessons", "lessons", "lessons", {"sort": "error", "limit": 20}, reads=True),
    Verb("POST", "/lessons/{memory_id}/retire", "lessons.retire", "lessons", {"reason": "The tool was mended."}),
    Verb("POST", "/tools/failed", "tool_failed", "lessons", {"tool": "exec", "error": "Permission denied: /etc/x"}),
    Verb("POST", "/tools/succeeded", "tool_succeeded", "lessons", {"tool": "exec"}),
    Verb("POST", "/tools/outcomes", "outcomes", "lessons", {"tool": "exec"}, reads=True),
    Verb("GET", "/workspace", "workspace", "workspace", reads=True),
    Verb("POST", "/workspace/read", "workspace.read", "workspace", {"path": "MEMORY.md"}, reads=True),
    Verb("POST", "/workspace/search", "workspace.search", "workspace", {"query": "how we release"}, reads=True),
    Verb("POST", "/workspace/log", "workspace.log", "workspace", {"entry": "Decided to move the launch to May."}),
    Verb("GET", "/workspace/days", "workspace.days", "workspace", {"many": 2}, reads=True),
    Verb("GET", "/workspace/heartbeat", "workspace.heartbeat", "workspace", reads=True),
    Verb("GET", "/workspace/conflicts", "workspace.conflicts", "workspace", {"limit": 20}, reads=True),
    Verb("POST", "/query", "query", "context", {"query": "deployment plan", "top_k": 3}, reads=True),
    Verb("POST", "/on-demand", "on_demand", "context", {"query": "deployment plan", "confidence": 0.2}, reads=True),
    Verb("GET", "/on-demand/rate", "on_demand_rate", "stats", reads=True),
    Verb("POST", "/passages", "archival_insert", "memories", {"content": "The harbour plan of 1998."}),
    Verb("POST", "/passages/search", "archival_search", "memories", {"query": "harbour"}, reads=True),
    Verb("POST", "/memories/{memory_id}/move", "move", "memories", {"project": "harbour"}),
    Verb("GET", "/sessions", "sessions", "sessions", reads=True),
    Verb("GET", "/conversation", "conversation", "sessions", {"session": "monday"}, reads=True),
    Verb("POST", "/session/end", "end", "sessions"),
    Verb("GET", "/session/episodes", "get_episodes_for_consolidation", "sessions", {"limit": 30}, reads=True),
    Verb("POST", "/session/facts", "save_facts_batch", "sessions", {"facts": [{"content": "Ana lives in Lisbon."}]}),
    Verb("POST", "/session/consolidated", "mark_session_consolidated", "sessions"),
    Verb("GET", "/session/consolidated", "is_session_consolidated", "sessions", reads=True),
    Verb("POST", "/memories/{new_fact_id}/conflicts", "detect_conflicts", "memories", reads=True),
    Verb("POST", "/memories/{new_fact_id}/replaces", "resolve_conflict", "memories", {"old_fact_id": _ID}),
    Verb("GET", "/entities", "entities", "entities", {"part": "ana", "limit": 20}, reads=True),
    Verb("GET", "/graph", "graph", "entities", {"limit": 40}, reads=True),
    Verb("GET", "/entities/{name}", "entity", "entities", reads=True),
    Verb("POST", "/entities/{name}/unite", "unite", "entities", {"into": "Ana Silva"}),
    Verb("POST", "/entities/{name}/part", "part", "entities"),
    Verb("POST", "/entities/{name}/rename", "rename", "entities", {"to": "Ana Silva"}),
    Verb("POST", "/entities/{name}/protect", "protect", "entities"),
    Verb("GET", "/enrichment", "get_memories_for_enrichment", "entities", reads=True),
    Verb("GET", "/enrichment/available", "accurate_ner_available", "entities", reads=True),
    Verb("GET", "/proposals", "inbox", "proposals", reads=True),
    Verb("POST", "/proposals/{memory_id}/accept", "inbox.accept", "proposals"),
    Verb("POST", "/proposals/{memory_id}/reject", "inbox.reject", "proposals"),
    Verb("POST", "/proposals/{memory_id}/amend", "inbox.amend", "proposals", {"content": "Ana prefers Anna."}),
    Verb("GET", "/archive", "archive", "archive", reads=True),
    Verb("POST", "/archive/run", "archive.run", "archive", {"dry": True}),
    Verb("POST", "/archive/restore", "archive.restore", "archive", {"ids": [_ID]}),
    Verb("GET", "/archive/verified", "archive.verify", "archive", reads=True),
    Verb("GET", "/jobs", "jobs", "jobs", reads=True),
    Verb("POST", "/jobs/run", "jobs.run", "jobs", {"names": ["consolidate"], "dry": True}),
    Verb("GET", "/jobs/runs", "jobs.runs", "jobs", {"limit": 20}, reads=True),
    Verb("POST", "/jobs/runs/{run}/undo", "jobs.undo", "jobs"),
    Verb("GET", "/changes", "journal", "changes", {"since": 0, "limit": 100}, reads=True),
    Verb(
        "GET",
        "/changes/between",
        "changes",
        "changes",
        {"after": "2026-05-01T00:00:00Z", "before": "2026-05-02T00:00:00Z"},
        reads=True,
    ),
    Verb("POST", "/changes/take-back", "take_back", "changes", {"revision": 1}),
    Verb("GET", "/changes/news", "news", "changes", {"since": 0}, reads=True),
    Verb("GET", "/stats", "stats", "stats", reads=True),
    Verb("GET", "/growth", "growth", "stats", {"days": 90}, reads=True),
    Verb("GET", "/activity", "activity", "stats", reads=True),
    Verb("GET", "/coverage", "coverage", "stats", reads=True),
    Verb("GET", "/costs", "cost", "stats", reads=True),
    Verb("GET", "/calls", "calls", "calls", {"limit": 20}, reads=True),
    Verb("GET", "/calls/{call_id}", "calls.get", "calls", reads=True),
    Verb("DELETE", "/calls", "calls.erase", "calls"),
    Verb("GET", "/moment", "moment", "stats", {"words": "3 days ago"}, reads=True),
)
"""Every verb that can travel. A test holds it against `Space` and its facets."""
_BY_NAME = {one.name: one for one in VERBS}
