"""Why a memory was found by a query, or why it was not."""

from __future__ import annotations

from dataclasses import fields

from recollect.errors import NotFound
from recollect.flows.find.recall import Wish, find, ranked, readable, understood
from recollect.model.filter import Filter
from recollect.model.hit import Explanation, Signal
from recollect.model.memory import Memory
from recollect.rules.find.ranking import Ranking, Reasons
from recollect.rules.find.snapshot import Snapshot
from recollect.runtime import Runtime
from recollect.store.base import Searching
from recollect.text.arrays import np

_TOGETHER = ("owner", "now", "any_tag")
"""Fields of a filter that mean nothing by themselves."""


def explain(runtime: Runtime, query: str, memory_id: str, where: Filter, wish: Wish) -> Explanation:
    """Follow one memory through a search: which filter holds it back, where each channel ranks it, what it missed."""
    text = readable(query)
    with runtime.store.view() as view:
        found = view.get(where.owner, [memory_id])
        if not found:
            raise NotFound(f"there is no memory {memory_id} for this owner: list and recall give the ids there are")
        doc = view.numbers(where.owner, [memory_id])[memory_id]
        excluded = _excluded(view, where, doc)
        asked = understood(runtime, view, text, where, wish)
        snapshot = view.snapshot(asked.sought)
        ranking = ranked(runtime, view, snapshot, asked.asks, wish)
        why, place, score = _seen(runtime, view, snapshot, ranking, doc)
    hits = find(runtime, query, where, wish)
    returned = next((at for at, hit in enumerate(hits, 1) if hit.memory.id == memory_id), 0)
    if returned:
        place, score, why = returned, hits[returned - 1].score, dict(hits[returned - 1].why)
    similar = why["meaning"].score if "meaning" in why else None
    folded = next((hit.memory.id for hit in hits if memory_id in hit.folded), "")
    if not text.strip() and not returned and not excluded:
        said = f"Not returned: nothing was asked, so the newest are listed, and {wish.limit} were asked for."
    else:
        said = _words(runtime, found[0], excluded, place, returned, folded, len(ranking.evidence.docs), similar, wish)
    if asked.problem:
        said += f" Meaning was not compared: {asked.problem}."
    return Explanation(found[0], bool(returned), place, score, why, excluded, said)


def _excluded(view: Searching, where: Filter, doc: int) -> tuple[str, ...]:
    """Name the conditions that a memory does not meet, each tried by itself."""
    out: list[str] = []
    plain = Filter(owner=where.owner, now=where.now)
    for one in fields(Filter):
        value = getattr(where, one.name)
        if one.name in _TOGETHER or (one.name != "states" and value == getattr(plain, one.name)):
            continue
        given = {"owner": where.owner, "now": where.now, "states": (), one.name: value}
        if one.name == "tags":
            given["any_tag"] = where.any_tag
        passed = view.allowed(Filter(**given))
        if doc >= len(passed) or not passed[doc]:
            out.append(f"{one.name} = {_spelled(value)}")
    return tuple(out)


def _spelled(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _seen(
    runtime: Runtime, view: Searching, snapshot: Snapshot, ranking: Ranking, doc: int
) -> tuple[dict[str, Signal], int, float]:
    """Give what each signal says of a document, its place and its score; also when it was no candidate."""
    docs = ranking.evidence.docs
    at = int(np.searchsorted(docs, doc)) if len(docs) else 0
    if at < len(docs) and docs[at] == doc:
        place = int(np.flatnonzero(ranking.order == at)[0]) + 1 if at in ranking.order else 0
        return dict(Reasons(ranking, at, runtime.settings.fusion.off, {})), place, float(ranking.total[at])
    words, sought = snapshot.found.matched.total, snapshot.sought
    why: dict[str, Signal] = {}
    if doc < len(words) and words[doc] > 0:
        why["words"] = Signal(int(((words > words[doc]) & snapshot.allowed).sum()) + 1, float(words[doc]))
    if sought.vector is not None:
        similar = view.similar(sought.where.owner, sought.model, sought.vector, np.array([doc]))
        if np.isfinite(similar[0]):
            why["meaning"] = Signal(0, float(similar[0]))
    return why, 0, 0.0


def _words(
    runtime: Runtime,
    memory: Memory,
    excluded: tuple[str, ...],
    place: int,
    returned: int,
    folded: str,
    candidates: int,
    similar: float | None,
    wish: Wish,
) -> str:  # long because it tells every way a memory can miss
    if returned:
        return f"Returned as number {returned}" + (
            f" of {candidates} candidates." if candidates else ": nothing was asked."
        )
    if excluded:
        return f"Not returned: it does not pass the filter ({'; '.join(excluded)})."
    if folded:
        return f"Not returned by itself: {folded} says the same word for word and ranks higher."
    if place > wish.limit:
        return f"Not returned: it ranks {place} of {candidates} candidates, and {wish.limit} were asked for."
    if place:
        return f"Not returned: it ranks {place} of {candidates}, but did not fit the budget or was overtaken by boosts."
    least = wish.min_similarity if wish.min_similarity is not None else runtime.settings.fusion.similarity_min
    nothing = "Not returned: no word or name of the query is in it or beside it"
    if similar is None:
        return f"{nothing}, and no meaning was compared."
    if similar < least:
        return f"{nothing}, and its meaning is {similar:.3f} near, below {least:g}."
    return f"{nothing}, and its meaning is not among the nearest {runtime.settings.fusion.per_channel}."
