"""Judging: pairs of memories that are alike are put before a model, several in one question, or the learnt judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from recollect.flows.gate.conflicts import merge_into, says_more, told, with_notes
from recollect.flows.gate.gate import index
from recollect.flows.gate.pending import GATE, STOOD
from recollect.flows.gate.verdict import confirmed, held, own_word, retire
from recollect.model.change import Change, Connect, Cut, Enqueue, Patch
from recollect.model.expectation import Expectation, Version
from recollect.model.kinds import EXPLICIT
from recollect.model.memory import OUTDATED, Link, Memory
from recollect.model.proposals import Judged
from recollect.model.proposals import Verdict as Ruling
from recollect.model.values import dataclass
from recollect.prompts.quoting import pairs as laid_out
from recollect.providers.embedders import Told
from recollect.providers.judges import Verdict as Opinion
from recollect.rules.learn.notes import is_note
from recollect.runtime import Runtime
from recollect.store.base import Administration, Reading
from recollect.text.terms import split

MOST_PAIRS = 10
"""How many pairs one question holds."""
POOL = 200
ROUND = 0.25
"""By how much a pair's link grows when a question about it brought no verdict; judged, it has the strength 1."""
ROUNDS = 3
"""How often a pair is asked about without a verdict before it is left as it is."""
SURE = 0.9
"""How sure the learnt judge must be that a memory may be outdated."""
ON_THE_WAY = 0.2
"""How far from merely related to the same the meanings of two memories must be for its word to count: of two that have
little to do with each other it is sure as well."""
AGAIN = timedelta(days=14)
"""After how long a judged pair may be asked about again, where a question has room."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that may be one, or of which one may have replaced the other."""

    link: Link
    older: Memory
    newer: Memory


@dataclass(frozen=True, slots=True)
class Docket:
    """What is before the judge."""

    pairs: tuple[Pair, ...]
    stale: tuple[Link, ...]
    """Pairs of which one is no longer active: there is nothing left to judge."""
    more: bool
    """Whether there are pairs beyond these."""
    fresh: int = 0
    """How many of the pairs were not judged before; the others fill the question."""

    @property
    def text(self) -> str:
        """The pairs as a model reads them."""
        return laid_out([(one.older.content, one.newer.content, confirmed(one.older)) for one in self.pairs])


@dataclass(frozen=True, slots=True)
class Applied:
    """What verdicts come to."""

    changes: tuple[Change, ...] = ()
    expect: tuple[Expectation, ...] = ()
    counts: dict[str, int] | None = None
    steps: tuple[str, ...] = ()
    open: int = 0
    """How many pairs got no verdict and will be asked about again."""


def docket(runtime: Runtime, view: Administration, owner: str) -> Docket:
    """Find the pairs that are to be judged next; free places go to those judged long ago."""
    links = view.unjudged(owner, POOL)
    pairs, stale = _standing(runtime, view, owner, links)
    fresh = pairs[:MOST_PAIRS]
    old: list[Pair] = []
    if fresh and len(fresh) < MOST_PAIRS:
        judged = view.unjudged(owner, POOL, judged_before=runtime.now() - AGAIN)
        old, _ = _standing(runtime, view, owner, judged)
    asked = (*fresh, *old[: MOST_PAIRS - len(fresh)])
    more = len(pairs) > MOST_PAIRS or len(links) == POOL
    return Docket(asked, tuple(stale), more, len(fresh))


def _standing(runtime: Runtime, view: Reading, owner: str, links: Sequence[Link]) -> tuple[list[Pair], list[Link]]:
    """Tell pairs whose memories both stand from those of which one is gone."""
    found = {one.id: one for one in view.get(owner, sorted({end for one in links for end in (one.from_id, one.to_id)}))}
    pairs: list[Pair] = []
    stale: list[Link] = []
    for link in links:
        ends = [found[end] for end in (link.from_id, link.to_id) if end in found and found[end].state == "active"]
        if len(ends) < 2:
            stale.append(link)
        else:
            older, newer = sorted(ends, key=lambda one: (told(runtime, one), one.created_at, one.id))
            pairs.append(Pair(link, older, newer))
    return pairs, stale


def applied(runtime: Runtime, view: Reading, before: Docket, verdicts: Judged | None, version: str) -> Applied:
    """Turn verdicts into changes; a pair one of whose memories another verdict has moved waits for the next time.

    A pair without a model's verdict is left to the learnt judge, which replaces nothing; where there is none either it
    is asked about again, a few times.
    """
    said = {one.pair: one for one in verdicts.verdicts} if verdicts else {}
    opinions = _opinions(runtime, before, said)
    changes: list[Change] = [Cut(link.from_id, link.to_id, "compared") for link in before.stale]
    expect: dict[str, Version] = {}
    counts: dict[str, int] = {}
    steps: list[str] = []
    moved: set[str] = set()
    left = 0
    for number, pair in enumerate(before.pairs, 1):
        link, told = pair.link, said.get(number)
        if {pair.older.id, pair.newer.id} & moved:
            continue
        if told is None and number not in opinions:
            if number <= before.fresh:
                changes.append(Connect(link.from_id, link.to_id, "compared", link.strength + ROUND))
                left += link.strength + ROUND < ROUND * ROUNDS
            continue
        name, made = _ruled(runtime, view, pair, told) if told is not None else _doubted(pair, opinions[number])
        counts[name] = counts.get(name, 0) + 1
        steps.append(f"{name}: {pair.older.id} and {pair.newer.id}")
        changes += [_marked(change, version) for change in made]
        # Made anew, the link tells when the pair was judged.
        changes += [Cut(link.from_id, link.to_id, "compared"), Connect(link.from_id, link.to_id, "compared", 1.0)]
        expect |= {one.id: Version(one.id, one.version) for one in (pair.older, pair.newer)}
        moved |= {change.id for change in made if isinstance(change, Patch)}
    return Applied(tuple(changes), tuple(expect.values()), counts, tuple(steps), left)


def _opinions(runtime: Runtime, before: Docket, said: Mapping[int, object]) -> dict[int, Opinion]:
    """Ask the learnt judge about the fresh pairs no model has judged."""
    judge = runtime.judge
    open_ = [number for number in range(1, before.fresh + 1) if number not in said]
    if judge is None or not open_:
        return {}
    pairs = [(one.older.content, one.newer.content) for one in (before.pairs[number - 1] for number in open_)]
    near = [number for number, close in zip(range(len(pairs)), _close(runtime, pairs), strict=True) if close]
    return dict(zip([open_[at] for at in near], judge.relation([pairs[at] for at in near]), strict=True))


def _close(runtime: Runtime, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Tell of each pair whether both mean nearly the same matter; where nobody can compare, all may."""
    embedder = runtime.embedder()
    if embedder is None:
        return [True] * len(pairs)
    made = embedder.embed_told([Told(text) for pair in pairs for text in pair]).vectors
    least = runtime.link_min + ON_THE_WAY * (runtime.same_min - runtime.link_min)
    couples = zip(made[::2], made[1::2], strict=True)
    return [one is not None and other is not None and float(one @ other) >= least for one, other in couples]


def _doubted(pair: Pair, opinion: Opinion) -> tuple[str, Sequence[Change]]:
    """Note what the learnt judge takes for outdated; both stand. What is said in one breath outdates nothing of it."""
    breath, same = (one.attributes.get("turn", "") for one in (pair.older, pair.newer))
    if opinion.label != "replaces" or opinion.sure < SURE or (breath and breath == same):
        return "both_true", ()
    return "maybe_outdated", (Connect(pair.older.id, pair.newer.id, OUTDATED, round(opinion.sure, 3)),)


def _ruled(runtime: Runtime, view: Reading, pair: Pair, told: Ruling) -> tuple[str, Sequence[Change]]:
    """Carry out one verdict, as far as rules allow it."""
    older, newer, ruling = pair.older, pair.newer, told.verdict
    if ruling == "same":
        return _merged(runtime, view, older, newer)
    if ruling == "both_true":
        return "both_true", ()
    if held(older, own_word(newer), runtime.settings.salience):
        if own_word(newer) and newer.source in EXPLICIT:
            return "left", ()  # both are the owner's own word, and the older was confirmed
        return "proposed", _proposed(runtime, older, newer)
    if older.source in EXPLICIT and not own_word(newer):
        return "left", ()  # what the user saved himself is not taken away on a model's word
    if ruling == "replaces_part" or says_more(runtime, older.content, newer.content):
        return _parted(runtime, pair, told.rest)
    gone = [
        one
        for one in with_notes(view, older)
        if one.id == older.id or not says_more(runtime, one.content, newer.content)
    ]
    return "newer_replaces", (
        *(retire(one, newer.id, max(one.valid_from, newer.valid_from)) for one in gone),
        *(Connect(newer.id, one.id, "supersedes") for one in gone),
    )


def _parted(runtime: Runtime, pair: Pair, rest: str) -> tuple[str, Sequence[Change]]:
    """Let what still holds of an older memory go on by itself, in the older one's words; else both stand."""
    older, newer, now = pair.older, pair.newer, runtime.now()
    words = Counter(split(rest))
    if not rest.strip() or is_note(older) or not words <= Counter(split(older.content)) or older.key:
        return "maybe_outdated", (Connect(older.id, newer.id, OUTDATED, 1.0),)
    left = replace(
        older,
        id=runtime.new_id(older.kind, now, (older.owner, f"part\n{older.id}\n{newer.id}", 0)),
        content=rest.strip(),
        created_at=now,
        updated_at=now,
        version=1,
    )
    return "parted", (
        retire(older, newer.id, max(older.valid_from, newer.valid_from)),
        Connect(newer.id, older.id, "supersedes"),
        index(runtime, left),
        Connect(left.id, older.id, "derived_from"),
        *((Enqueue("embed", now),) if runtime.model else ()),
    )


def _merged(runtime: Runtime, view: Reading, older: Memory, newer: Memory) -> tuple[str, Sequence[Change]]:
    """Make one of two that say the same: the fuller stays, else the older; no tag and no weight is lost."""
    here = runtime.reader.told(newer.content, runtime.reader.told(older.content).language)
    there = runtime.reader.told(older.content, here.language)
    more, less = here.beyond(there), there.beyond(here)
    # A model may overlook a number, a name, a negation, or that the one with a name more is the shorter one.
    new, old = (sum(not word.isdecimal() for word in one.stems) for one in (here, there))
    doubtful = here.negated != there.negated or (more and new < old) or (less and old < new)
    if (more and less) or is_note(older) != is_note(newer) or (doubtful and not _same_too(runtime, older, newer)):
        return "both_true", ()
    fuller = bool(more) or (not less and (there.stems < here.stems or set(older.tags) < set(newer.tags)))
    whole, part = (newer, older) if fuller else (older, newer)
    if confirmed(part) or not set(part.tags) <= set(whole.tags):
        return "same", _recreated(runtime, view, whole, part)
    best = {
        "importance": max(part.importance or 1, whole.importance or 1),
        "created_at": min(part.created_at, whole.created_at),
    }
    better = {name: value for name, value in best.items() if value != getattr(whole, name)}
    grown = [Patch(whole.id, better, "updated", {"with": part.id})] if better else []
    return "same", (*_kept(view, part, whole), *grown, *merge_into(part, whole))


def _same_too(runtime: Runtime, older: Memory, newer: Memory) -> bool:
    """Tell whether the learnt judge takes two for the same, too: that they differ can be in the wording alone."""
    judge = runtime.judge
    return judge is not None and judge.relation([(older.content, newer.content)])[0].label == "same"


def _recreated(runtime: Runtime, view: Reading, whole: Memory, part: Memory) -> tuple[Change, ...]:
    """Let a new memory stand for two that say the same: tags are what a memory is found by, and come with a row."""
    both, now = (whole, part), runtime.now()
    new = replace(
        whole,
        id=runtime.new_id(whole.kind, now, (whole.owner, f"same\n{whole.id}\n{part.id}", 0)),
        importance=max(one.importance or 1 for one in both),
        confidence=max(one.confidence for one in both),
        decay_rate=min(one.decay_rate for one in both),
        pinned=whole.pinned or part.pinned,
        tags=tuple(dict.fromkeys((*whole.tags, *part.tags))),
        created_at=min(one.created_at for one in both),
        updated_at=now,
        valid_from=now,
        event_time=min(one.event_time for one in both),
        access_count=max(one.access_count for one in both),
        version=1,
    )
    sources = {link.to_id for one in both for link in view.links(one.owner, [one.id]) if _rests(link, one)}
    return (
        *(Patch(one.id, {"state": "merged", "valid_until": now}, "merged", {"into": new.id}) for one in both),
        index(runtime, new),
        *(Connect(one.id, new.id, "merged_into") for one in both),
        *(Connect(new.id, one, "derived_from") for one in sorted(sources)),
        *((Enqueue("embed", now),) if runtime.model else ()),
    )


def _rests(link: Link, memory: Memory) -> bool:
    return link.type == "derived_from" and link.from_id == memory.id


def _kept(view: Reading, part: Memory, whole: Memory) -> list[Change]:
    """Let what remains rest on what the other one rested on too."""
    found = [link for link in view.links(part.owner, [part.id]) if link.from_id == part.id]
    return [Connect(whole.id, one.to_id, one.type, one.strength) for one in found if one.type == "derived_from"]


def _proposed(runtime: Runtime, older: Memory, newer: Memory) -> tuple[Change, ...]:
    """Let the newer wait for the owner's word: what it would change was confirmed or is protected."""
    until = runtime.now() + timedelta(days=runtime.settings.consent.days)
    why = f"it changes {older.id}, which was confirmed or is protected"
    noted = {"reason": why, "replaces": [older.id], STOOD: True}
    values = {"state": "proposed", "purge_at": until, "attributes": {**newer.attributes, GATE: noted}}
    return Patch(newer.id, values, "proposed", {"replaces": older.id}), Enqueue("expire", until)


def _marked(change: Change, version: str) -> Change:
    """Note which question a change came of."""
    return replace(change, meta={**change.meta, "prompt": version}) if isinstance(change, Patch) else change
