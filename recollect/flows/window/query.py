"""One question for agents: what may be seen, of which categories, in a few bullets; and only when in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.flows.find.filters import build
from recollect.flows.find.recall import Wish, find, recall
from recollect.flows.window.rerank import Scorer, rerank
from recollect.model.clock import checked_time
from recollect.model.event import Event
from recollect.model.filter import Filter
from recollect.model.hit import Hit
from recollect.model.kinds import DEFAULT_KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope, split_owner
from recollect.model.values import dataclass
from recollect.rules.gate import checks
from recollect.rules.gate.categories import PROCEDURAL, permitted
from recollect.rules.window.budget import estimate
from recollect.rules.window.layout import flat
from recollect.runtime import Runtime

NODE = "query"
FILTERS = {"agent_id": "agent", "run_id": "sessions", "actor_id": "actor", "category": "categories"}
"""What filters are called by others, and here."""
PLAIN = ("role", "pinned", "importance_min", "importance_max", "updated_after", "updated_before")
CATEGORIES = 3
"""In how many of the best categories is searched first."""
WIDER = 3


@dataclass(frozen=True, slots=True)
class Bullet:
    """One answer: its category and text in one line, and the whole memory where that was asked for."""

    id: str
    category: str
    text: str
    memory: Memory | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked."""

    query: str
    categories: tuple[str, ...] = ()
    filters: Mapping[str, Any] | None = None
    top_k: int = 3
    full: bool = False
    budget_tokens: int = 512
    threshold: float | None = None
    rerank: str | Scorer = ""


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Whether memory was asked because somebody was unsure, and what it said."""

    asked: bool
    bullets: list[Bullet]


def query(runtime: Runtime, scope: Scope, wanted: Query) -> list[Bullet]:
    """Answer inside the agent's categories and the budget. Without categories the best few are searched first, then
    all of them where those give too little; every filter holds inside the search."""
    policy = runtime.settings.categories
    if policy.allowlists and not scope.agent:
        raise InvalidInput("allowlists are set, so who asks must be named: give the agent")
    own = permitted(scope.agent, wanted.categories, policy)
    hits = _procedures(runtime, scope, wanted) if PROCEDURAL in wanted.categories else []
    others = tuple(one for one in own if one != PROCEDURAL)
    if others or not wanted.categories:
        where = replace(_where(runtime, scope, wanted), categories=others)
        found = _flat(runtime, scope, wanted, where) if wanted.categories else _by_steps(runtime, scope, wanted, where)
        hits = [*hits, *found] if not hits else sorted([*hits, *found], key=lambda hit: -hit.score)
    if wanted.rerank:
        hits = rerank(runtime, scope, wanted.query, hits, wanted.rerank)
    return _affordable(wanted, hits[: wanted.top_k])


def _procedures(runtime: Runtime, scope: Scope, wanted: Query) -> list[Hit]:
    where = replace(_where(runtime, scope, wanted), kinds=("procedure",), categories=())
    return _flat(runtime, scope, wanted, where)


def _where(runtime: Runtime, scope: Scope, wanted: Query) -> Filter:
    """Read the filters as others write them; one that is unknown or means somebody else is refused."""
    conditions: dict[str, Any] = {}
    for name, value in (wanted.filters or {}).items():
        if name == "user_id":
            if value != split_owner(scope.owner)[1]:
                raise InvalidInput("user_id is another user's: ask in that user's space")
        elif name in FILTERS or name in PLAIN:
            if value is not None:
                conditions[FILTERS.get(name, name)] = _moment(name, value) if name.startswith("updated") else value
        else:
            raise InvalidInput(f"there is no filter {name!r}: use user_id, {', '.join((*FILTERS, *PLAIN))}")
    return build(runtime, scope, conditions, DEFAULT_KINDS)


def _moment(name: str, value: object) -> datetime:
    if not isinstance(value, str):
        return checked_time(name, value)
    try:
        return checked_time(name, datetime.fromisoformat(f"{value}T00:00:00+00:00" if len(value) == 10 else value))
    except ValueError as error:
        raise InvalidInput(f"{name} is {value!r}: write a date such as 2026-05-01") from error


def _flat(runtime: Runtime, scope: Scope, wanted: Query, where: Filter) -> list[Hit]:
    least = Wish(wanted.top_k * (WIDER if wanted.rerank else 1), min_similarity=wanted.threshold)
    return recall(runtime, wanted.query, where, least, scope.session)


def _by_steps(runtime: Runtime, scope: Scope, wanted: Query, where: Filter) -> list[Hit]:
    """Find the categories a query is about, search in them, and go on everywhere when that gives too little."""
    wide = find(runtime, wanted.query, where, Wish(wanted.top_k * WIDER, min_similarity=wanted.threshold))
    weights: dict[str, float] = {}
    for place, hit in enumerate(wide):
        weights[hit.memory.category] = weights.get(hit.memory.category, 0.0) + 1 / (1 + place)
    best = tuple(sorted(weights, key=lambda name: (-weights[name], name))[:CATEGORIES])
    scoped = _flat(runtime, scope, wanted, replace(where, categories=best)) if best else []
    known = {hit.memory.id for hit in scoped}
    return [*scoped, *(hit for hit in wide if hit.memory.id not in known)]


def _affordable(wanted: Query, hits: Sequence[Hit]) -> list[Bullet]:
    bullets: list[Bullet] = []
    left = wanted.budget_tokens
    for hit in hits:
        memory = hit.memory
        category = PROCEDURAL if memory.kind == "procedure" else memory.category
        text = f"[{flat(category)}] {flat(memory.content)}"
        left -= estimate(text)
        if left < 0:
            break
        bullets.append(Bullet(memory.id, category, text, memory if wanted.full else None))
    return bullets


def on_demand(runtime: Runtime, scope: Scope, wanted: Query, confidence: float) -> OnDemand:
    """Ask memory only when somebody is less sure than the settings say; every turn and every asking is counted."""
    sure = checks.share("confidence", confidence) >= runtime.settings.context.unsure
    runtime.note(Event(scope.owner, "on_demand", "turn", "skipped" if sure else "ok", scope.session))
    return OnDemand(False, []) if sure else OnDemand(True, query(runtime, scope, wanted))


def on_demand_rate(runtime: Runtime, scope: Scope, since: datetime) -> float:
    """Give in which share of the turns since a moment memory was asked on demand."""
    runtime.store.flush()
    with runtime.store.view() as view:
        lines = [one for one in view.activity(scope.owner, [since]) if one.node == "on_demand"]
    turns = sum(one.count for one in lines)
    return sum(one.count for one in lines if one.status == "ok") / turns if turns else 0.0
