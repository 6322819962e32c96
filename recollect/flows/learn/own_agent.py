"""Consolidating with an agent of one's own: episodes page by page, facts in, conflicts resolved, done marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from recollect.errors import InvalidInput, NotFound
from recollect.flows.find import recall
from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import draft, index, judged
from recollect.flows.gate.pending import pending, propose
from recollect.flows.gate.verdict import Batch, Verdict, confirmed, held, retire
from recollect.flows.keep.remember import MOST_ITEMS
from recollect.model.change import Connect, Patch, Reach
from recollect.model.expectation import Reached, Version
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.options import Draft
from recollect.model.own_agent import Episode, Episodes, Marked, Rival, Rivals, SavedFact, SavedFacts
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching

NODE = "consolidator"
MOST_EPISODES = 100
MOST_RIVALS = 5
LEAST_SURE = 0.8
"""Facts less sure than this contradict nothing."""
CONFIDENCE = 0.8
PREVIEW = 80
MOST_SOURCES = 100
_KINDS = ("fact", "event", "insight", "procedure")


@dataclass(frozen=True, slots=True)
class _Given:
    """A fact of a batch that can be used: where it stands there, and the messages it is said to rest on."""

    at: int
    draft: Draft
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Unusable:
    """A fact of a batch that cannot be used, and why."""

    at: int
    wrong: str


def episodes(runtime: Runtime, scope: Scope, offset: int, limit: int) -> Episodes:
    """Give a page of the session's messages, in the order they came."""
    first, most = checks.whole("offset", offset, 0, 10**9), checks.whole("limit", limit, 1, MOST_EPISODES)
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=("episode",), sessions=(_named(scope),))
    with runtime.store.view() as view:
        total, found = view.count(where), view.page(where, "oldest", most, first)
    after = first + len(found)
    said = tuple(Episode(one.id, one.role, one.content) for one in found)
    return Episodes(scope.session, said, total, after < total, min(after, total))


def save_facts(runtime: Runtime, scope: Scope, facts: object, request_id: str) -> SavedFacts:
    """Let a batch of facts through the gate, linked to the messages they rest on, in one commit."""
    _named(scope)
    if not isinstance(facts, Sequence) or isinstance(facts, str | bytes):
        raise InvalidInput(f"facts must be a list of mappings, not {type(facts).__name__}")
    if len(facts) > MOST_ITEMS:
        raise InvalidInput(f"there are {len(facts):,} facts, at most {MOST_ITEMS:,} fit one commit: split them")
    given = [_given(runtime, at, one) for at, one in enumerate(facts) if not _blank(one)]
    errors = [f"fact {one.at}: {one.wrong}" for one in given if isinstance(one, _Unusable)]
    usable = [one for one in given if isinstance(one, _Given)]
    request, vectors = checks.request(request_id, "save_facts_batch", scope.session), Vectors(runtime)
    vectors.prepare([one.draft for one in usable])
    unknown: list[str] = []

    def plan(view: Searching) -> Resolution:
        named = [one for given in usable for one in given.sources]
        there = {one.id: one for one in view.get(scope.owner, named) if one.session == scope.session}
        unknown[:] = [one for one in named if one not in there]
        sources = [[one for one in given.sources if one in there] for given in usable]
        drafts = [_heard(given.draft, rests) for given, rests in zip(usable, sources, strict=True)]
        verdicts = judged(runtime, view, scope, drafts, request, vectors)
        receipt = Receipt(outcome="stored", op="batch", count=len(verdicts))
        new = [one for one, verdict in zip(sources, verdicts, strict=True) if verdict.put is not None]
        rested_on = {one: there[one] for some in new for one in some}  # what nothing new rests on may change meanwhile
        return Resolution(receipt, verdicts, sources, read=tuple(rested_on.values()))

    parts = commit(runtime, _origin(scope, request), plan, vectors).parts if usable else ()
    saved = [_saved(one, part) for one, part in zip(usable, parts, strict=False) if part.ok]
    errors += [f"fact {one.at}: {part.reason}" for one, part in zip(usable, parts, strict=False) if not part.ok]
    for one in usable:
        lost = ", ".join(source for source in one.sources if source in unknown)
        if lost:
            errors.append(f"fact {one.at}: no message {lost} in session {scope.session}: it rests on the others")
    known = sum(one.duplicate for one in saved)
    return SavedFacts(tuple(saved), len(saved) - known, known, tuple(errors))


def _heard(draft: Draft, sources: Sequence[str]) -> Draft:
    """Let the message a slot's value rests on count as the turn it was heard in: another turn may bear it out."""
    if not (draft.key and sources) or "turn" in draft.attributes:
        return draft
    return replace(draft, attributes={**draft.attributes, "turn": sources[0]})


def _saved(given: _Given, part: Receipt) -> SavedFact:
    return SavedFact(
        id=part.id,
        preview=_preview(given.draft.content),
        confidence=given.draft.confidence,
        duplicate=part.outcome == "duplicate",
        index=given.at,
        supersedes=part.other if part.outcome in ("superseded", "merged") else "",
    )


def _blank(fact: object) -> bool:
    return isinstance(fact, Mapping) and not str(fact.get("content") or "").strip()


def _given(runtime: Runtime, at: int, fact: object) -> _Given | _Unusable:
    """Read one fact of a batch: what is to be kept and the messages it names, or what is wrong with it."""
    if not isinstance(fact, Mapping) or not all(isinstance(name, str) for name in fact):
        return _Unusable(at, "a fact must be a mapping with its content")
    if fact.get("pinned"):
        return _Unusable(at, "only the user pins: leave out pinned")
    details: dict[str, Any] = {"confidence": CONFIDENCE, **fact, "source": "agent"}
    sources = details.pop("source_ids", ())
    if not isinstance(sources, list | tuple) or not all(isinstance(one, str) for one in sources):
        return _Unusable(at, "source_ids must be a list of ids")
    if len(sources) > MOST_SOURCES:
        return _Unusable(at, f"source_ids names {len(sources)} messages, {MOST_SOURCES} are enough")
    try:
        return _Given(at, draft(details.pop("content"), details, runtime), tuple(dict.fromkeys(sources)))
    except InvalidInput as error:
        return _Unusable(at, str(error))


def _origin(scope: Scope, request: str = "") -> Origin:
    return Origin(scope, NODE, scope.agent, request)


def detect_conflicts(runtime: Runtime, scope: Scope, fact_id: str, content: str) -> Rivals:
    """Give the facts of other sessions that are nearest to one; who asks decides whether they contradict it."""
    with runtime.store.view() as view:
        fact = _fact(view, scope.owner, fact_id)
    if fact.confidence < LEAST_SURE:
        return Rivals(fact.id, (), f"a fact less sure than {LEAST_SURE} contradicts nothing")
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=_KINDS)
    query = checks.text("content", content, 10_000) or fact.content
    hits = recall.recall(runtime, query, where, recall.Wish(limit=MOST_RIVALS * 4))
    home = scope.session or fact.session
    near = [hit.memory for hit in hits if hit.memory.id != fact.id and (not home or hit.memory.session != home)]
    return Rivals(fact.id, tuple(Rival(one.id, one.content, one.confidence) for one in near[:MOST_RIVALS]))


def resolve_conflict(
    runtime: Runtime,
    scope: Scope,
    pair: tuple[str, str],
    reason: str,
    confirmed: bool,
    request_id: str,
) -> Receipt:
    """Let a new fact take the place of an old one; one that is confirmed or pinned gives way only to a clear yes.

    In a guarded slot the new value is only proposed.
    """
    told = checks.text("reason", reason, 2000)
    sure = checks.flag("confirmed", confirmed)
    request = checks.request(request_id, "resolve_conflict", *pair)

    def plan(view: Reading) -> Verdict | Receipt:
        new, old = _fact(view, scope.owner, pair[0]), _fact(view, scope.owner, pair[1])
        refused = _refused(runtime, new, old, sure)
        if refused:
            return Receipt(outcome="rejected", op="none", reason=refused)
        if old.key in runtime.settings.consent.guarded and not sure:
            return _proposed(runtime, view, new, old)
        attributes = {**new.attributes, "supersedes": old.id, "conflict_reason": told}
        changes = (
            retire(old, new.id, runtime.now()),
            Patch(new.id, {"attributes": attributes}, "updated", {"supersedes": old.id}),
            Connect(new.id, old.id, "supersedes"),
        )
        expect = (Version(new.id, new.version), Version(old.id, old.version))
        receipt = Receipt(outcome="superseded", op="superseded", id=new.id, other=old.id)
        return Verdict(receipt, changes, expect)

    return commit(runtime, _origin(scope, request), plan)


def _proposed(runtime: Runtime, view: Reading, new: Memory, old: Memory) -> Verdict:
    """Propose the new value for the guarded slot the old one fills: it gives way to nobody but its owner's word."""
    now = runtime.now()
    waits = replace(
        new,
        id=runtime.new_id(old.kind, now),
        kind=old.kind,
        key=old.key,
        agent=old.agent,
        source="agent",
        pinned=False,
        created_at=now,
        updated_at=now,
        version=1,
    )
    until = now + timedelta(days=runtime.settings.consent.days)
    reason = "it waits for the user's consent: the old one fills a guarded slot"
    put = pending(index(runtime, waits), "proposed", reason, until)
    verdict = propose(runtime, view, Batch(), put, old)
    sources = [one.to_id for one in view.links(new.owner, [new.id]) if one.type == "derived_from"]
    derived = tuple(Connect(waits.id, one, "derived_from") for one in sources if one != new.id)
    return replace(verdict, changes=(*verdict.changes, *(derived if verdict.put else ())))


def _refused(runtime: Runtime, new: Memory, old: Memory, sure: bool) -> str:
    if new.id == old.id:
        return "a fact cannot take its own place"
    if new.state != "active" or old.state != "active":
        return "one of the two does not stand any more"
    if old.key in runtime.settings.consent.guarded:  # there the new value is proposed, which takes nothing away
        firm = confirmed(old) or old.pinned
    else:
        firm = held(old, own=False, policy=runtime.settings.salience)
    if firm and not sure:
        return "the old one is confirmed, pinned or essential: ask the user, then pass confirmed=True"
    return ""


def mark(runtime: Runtime, scope: Scope, upto: str, back: bool) -> Marked:
    """Note that a session was worked through up to a message, or its last; backwards only when asked to."""
    marked: list[Marked] = []
    wanted, backwards = checks.name("upto", upto), checks.flag("back", back)

    def plan(view: Reading) -> Verdict | Receipt:
        row = view.session(scope.owner, _named(scope))
        if row is None:
            raise NotFound(f"there is no session {scope.session!r} for this owner")
        where = Filter(owner=scope.owner, now=runtime.now(), kinds=("episode",), sessions=(row.id,))
        numbers = view.numbers(scope.owner, [_last(view, where, row.id, wanted)])
        reached = max(numbers.values(), default=row.consolidated_upto)
        place = reached if backwards and wanted else max(row.consolidated_upto, reached)
        facts = Filter(owner=scope.owner, now=runtime.now(), kinds=_KINDS, sessions=(row.id,))
        marked[:] = [Marked(row.id, view.count(where), view.count(facts))]
        receipt = Receipt(outcome="stored", op="consolidated", count=marked[0].messages)
        if place == row.consolidated_upto:
            return receipt
        there = (Reached(row.id, row.consolidated_upto),)  # somebody may be working on it at this moment
        return Verdict(receipt, (Reach(row.id, place),), there)

    commit(runtime, _origin(scope), plan)
    return marked[0]


def _last(view: Reading, where: Filter, session: str, wanted: str) -> str:
    """Give the message up to which a session was worked through: the one that is named, or its last."""
    found = view.get(where.owner, [wanted]) if wanted else view.page(where, "recent", 1)
    if wanted and not (found and found[0].kind == "episode" and found[0].session == session):
        raise NotFound(f"there is no message {wanted} in this session: get_episodes_for_consolidation gives them")
    return found[0].id if found else ""


def consolidated(runtime: Runtime, scope: Scope) -> bool:
    """Tell whether a session was worked through up to its last message."""
    with runtime.store.view() as view:
        row = view.session(scope.owner, _named(scope))
        return row is not None and not view.said(scope.owner, row.id, row.consolidated_upto, 1)


def _named(scope: Scope) -> str:
    if not scope.session:
        raise InvalidInput("which session? Name it as the session of the space, or as session_id")
    return scope.session


def _fact(view: Reading, owner: str, memory_id: str) -> Memory:
    found = view.get(owner, [checks.name("memory id", memory_id, empty=False)])
    if not found or found[0].kind == "episode":
        raise NotFound(f"there is no fact {memory_id} for this owner")
    return found[0]


def _preview(content: str) -> str:
    return content if len(content) <= PREVIEW else content[:PREVIEW] + "…"
