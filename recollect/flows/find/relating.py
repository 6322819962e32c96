"""The links between memories renewed: each to its nearest, none to what stands no more, no pair twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime

from recollect.flows.find.neighbours import MOST, RELATED_KINDS, Near
from recollect.model.change import Change, Connect, Cut
from recollect.model.expectation import Version
from recollect.model.filter import Filter
from recollect.model.memory import Link, Memory
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.vectors import unpacked

RUN = 500
"""How many changed memories one run looks at."""
PAGE = 2000
RELATED = "related_to"
_TELLING = frozenset(
    (
        "linked",
        "unlinked",
        "named",
        "unnamed",
        "ran",
        "opened",
        "consolidated",
        "united",
        "parted",
        "renamed",
        "protected",
    )
)
"""What happens to a memory without changing what it is."""
LONGEST_LINE = 50


@dataclass(slots=True)
class Renewed:
    """What the links of some memories come to."""

    known: Mapping[str, Memory]
    changes: list[Change] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    pairs: set[frozenset[str]] = field(default_factory=set)
    """Who is linked by now, in either direction."""
    _expect: dict[str, int] = field(default_factory=dict)

    def tie(self, one: Memory, other: Memory, strength: float, why: str) -> None:
        """Join two memories, unless they are."""
        pair = frozenset((one.id, other.id))
        if pair in self.pairs:
            return
        self.pairs.add(pair)
        self.changes.append(Connect(one.id, other.id, RELATED, strength))
        self.steps.append(f"linked {one.id} to {other.id}: {why}")
        self._expect |= {one.id: one.version, other.id: other.version}

    def cut(self, link: Link, why: str) -> None:
        """Take a link away."""
        self.changes.append(Cut(link.from_id, link.to_id, RELATED))
        self.steps.append(f"cut {link.from_id} from {link.to_id}: {why}")
        ends = (self.known.get(end) for end in (link.from_id, link.to_id))
        self._expect |= {end.id: end.version for end in ends if end is not None}

    @property
    def expect(self) -> tuple[Version, ...]:
        """Who must still be what it was when this is written."""
        return tuple(Version(id, version) for id, version in sorted(self._expect.items()))


def changed(view: Reading, owner: str, since: int) -> tuple[list[str], int, bool]:
    """Give the memories that changed after a revision, up to which revision that goes, and whether there are more."""
    ids: dict[str, None] = {}
    while page := view.journal(owner, (), since, PAGE):
        last = page[-1].rev
        whole = [entry for entry in page if len(page) < PAGE or entry.rev < last or page[0].rev == last]
        for entry in whole:
            if len(ids) >= RUN and entry.rev > since:
                return list(ids), since, True
            undone = entry.node == "undo" and entry.op in ("linked", "unlinked")
            if entry.memory_id and (entry.op not in _TELLING or undone):
                ids[entry.memory_id] = None
            since = entry.rev
    return list(ids), since, False


def renewed(runtime: Runtime, view: Searching, owner: str, ids: Sequence[str]) -> Renewed:
    """Work out the links of these memories anew; what did not change is left as it is."""
    links = [link for link in view.links(owner, ids) if link.type == RELATED]
    ends = {end for link in links for end in (link.from_id, link.to_id)}
    known = {memory.id: memory for memory in view.get(owner, sorted(ends | set(ids)))}
    now = runtime.now()
    standing = {id for id, memory in known.items() if _stands(memory, now)}
    done = Renewed(known)
    near = _nearest(runtime, view, owner, [known[id] for id in ids if id in standing])
    loose = [link for link in links if not {link.from_id, link.to_id} <= standing]
    nearest = {id: {other.id for other, _ in others} for id, others in near.items()}
    for link in _once(set(links) - set(loose), done):
        if link.from_id in nearest and link.to_id not in nearest[link.from_id]:
            done.cut(link, "others are nearer")
        else:
            done.pairs.add(frozenset((link.from_id, link.to_id)))
    for id, others in near.items():
        for other, strength in others:
            done.tie(known[id], other, strength, f"near, {strength:.2f}")
    _repoint(view, owner, loose, near.keys(), done)
    return done


def _stands(memory: Memory, now: datetime) -> bool:
    ended = memory.valid_until is not None and memory.valid_until <= now
    return memory.kind in RELATED_KINDS and memory.state == "active" and not ended


def _once(links: Iterable[Link], done: Renewed) -> list[Link]:
    """Cut the second link of a pair joined in both directions."""
    seen: dict[frozenset[str], Link] = {}
    for link in sorted(links, key=lambda link: (-link.strength, link.created_at, link.from_id)):
        pair = frozenset((link.from_id, link.to_id))
        if pair in seen:
            done.cut(link, "they are linked the other way")
        else:
            seen[pair] = link
    return list(seen.values())


def _nearest(runtime: Runtime, view: Searching, owner: str, memories: Sequence[Memory]) -> dict[str, list[Near]]:
    """Give the nearest of each memory that has a vector and is no slot, with how near they are."""
    model = view.counters(owner).model
    embedder = runtime.embedder(model) if model else None
    free = [memory for memory in memories if not memory.key]
    if embedder is None or not free:
        return {}
    least = min(runtime.settings.embedding.link_min or embedder.link_min, embedder.same_min)
    numbers = view.numbers(owner, [memory.id for memory in free])
    vectors = view.embeddings(owner, model, list(numbers.values()))
    where = Filter(owner=owner, now=runtime.now(), kinds=RELATED_KINDS)
    near: dict[str, list[tuple[int, float]]] = {}
    for memory in free:
        blob = vectors.get(numbers.get(memory.id, -1))
        if blob:
            found = view.nearest(where, model, unpacked([blob])[0], MOST + 1).pairs()
            others = [(doc, like) for doc, like in found if doc != numbers[memory.id] and like >= least]
            near[memory.id] = others[:MOST]
    docs = view.documents(owner, sorted({doc for found in near.values() for doc, _ in found}))
    return {
        id: [(docs[doc], round(min(like, 1.0), 4)) for doc, like in found if doc in docs] for id, found in near.items()
    }


def _repoint(view: Reading, owner: str, loose: Sequence[Link], renewed: Set[str], done: Renewed) -> None:
    """Cut links whose end stands no more; where another stands in its place, they go on to that one.

    Not those of memories whose nearest have just been found: they have what they should have.
    """
    ends = sorted({end for link in loose for end in (link.from_id, link.to_id)})
    heirs = _heirs(view, owner, ends)
    here = {memory.id: memory for memory in view.get(owner, sorted({heirs.get(end, end) for end in ends}))}
    for link in loose:
        done.cut(link, "an end stands no more")
        one, other = (here.get(heirs.get(end, end)) for end in (link.from_id, link.to_id))
        if one is None or other is None or one.id == other.id or one.id in renewed:
            continue
        if one.state == other.state == "active":
            done.tie(one, other, link.strength, "what it was linked to was replaced")


def _heirs(view: Reading, owner: str, ids: Sequence[str]) -> dict[str, str]:
    """Give who stands in the place of each of these, at the end of its line."""
    heir = {id: id for id in ids}
    for _ in range(LONGEST_LINE):
        step: dict[str, str] = {}
        for link in view.links(owner, sorted(set(heir.values()))):
            if link.type == "supersedes":
                step[link.to_id] = link.from_id
            elif link.type == "merged_into":
                step[link.from_id] = link.to_id
        moved = {id: step.get(last, last) for id, last in heir.items()}
        if moved == heir:
            break
        heir = moved
    return {id: last for id, last in heir.items() if last != id}
