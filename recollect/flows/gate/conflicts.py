"""Change: what a new fact takes the place of, on whose word, and which pairs somebody should look at.

By itself nothing takes another's place: a model's word, a correction or a new value of a slot does. All else stands
side by side, and the pairs that are alike are brought before the judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.errors import InvalidInput
from recollect.flows.find.neighbours import Near
from recollect.flows.gate.pending import pending, propose
from recollect.flows.gate.verdict import Batch, Verdict, held, own_word, since, supersede
from recollect.model.change import Change, Connect, Enqueue, Patch, Put
from recollect.model.clock import parse_iso
from recollect.model.memory import COVERS, Memory
from recollect.model.receipt import Receipt
from recollect.rules.gate.similarity import worth_asking
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.marks import CHANGED
from recollect.text.normal import jaccard, words

MOST_DOUBTS = 4
"""How many pairs a new memory may bring before the judges."""
MANY_WORDS = 5
"""From how many telling words on that a newer memory does not hold, an older one says more than the newer replaces."""


def doubts(
    runtime: Runtime, memory: Memory, among: Sequence[Memory], near: Sequence[Near], beside: Sequence[Near] = ()
) -> list[Memory]:
    """Give the peers somebody should compare with a new fact, the likest first: `beside` are those of its batch."""
    if memory.kind != "fact" or not anybody_judges(runtime):
        return []
    close, mates = ({other.id: similarity for other, similarity in some} for some in (near, beside))
    bands = runtime.settings.bands
    if (close or mates) and runtime.judge is not None:  # it is asked in no time, and knows more than a band does
        bands = replace(bands, ask=bands.doubt)
    alike = [(mates[peer.id] if peer.id in mates else _alike(memory, peer, close), peer) for peer in among]
    wanted = [one for one in alike if worth_asking(one[0], one[1].content, memory.content, bands)]
    wanted.sort(key=lambda one: -one[0])
    return [peer for _, peer in wanted[:MOST_DOUBTS]]


def _alike(memory: Memory, peer: Memory, close: Mapping[str, float]) -> float:
    return close.get(peer.id, 0.0) if close else jaccard(words(peer.content), words(memory.content))


def admitted(
    runtime: Runtime,
    view: Reading,
    put: Put,
    changed: Sequence[Memory],
    batch: Batch,
    more: tuple[Change, ...],
    notes: tuple[str, ...],
) -> Verdict:
    """Let a new fact in, in the place of those it changes, if any; `more` is what comes along whichever way that is.

    What was confirmed, or is protected and not the speaker's own to change, is asked about.
    """
    memory = put.memory
    if not changed:
        receipt = Receipt(outcome="stored", op="created", id=memory.id, warnings=notes)
        return Verdict(receipt, (put, *more), (), put)
    newer = [old for old in changed if told(runtime, memory) < told(runtime, old)]
    if newer:
        return late(put, min(newer, key=lambda old: told(runtime, old)), batch, more, notes)
    firm = [old for old in changed if held(old, own_word(memory), runtime.settings.salience)]
    if firm:
        return _asked(runtime, view, put, firm[0], batch)
    olds = [batch.see(old) for old in changed]
    put = replace(put, memory=since(memory, olds))
    receipt = Receipt(outcome="superseded", op="superseded", id=memory.id, other=olds[0].id, warnings=notes)
    return Verdict(receipt, (*supersede(olds, put), *more), batch.unchanged(olds), put)


def with_notes(view: Reading, memory: Memory) -> list[Memory]:
    """Give a memory and the notes it covers: what happens to a claim happens to the words it was made of."""
    links = view.links(memory.owner, [memory.id])
    ids = [one.to_id for one in links if one.type == COVERS and one.from_id == memory.id]
    return [memory, *(one for one in view.get(memory.owner, ids) if one.state == "active")]


def says_more(runtime: Runtime, old: str, new: str) -> bool:
    """Tell whether an older statement says more than a newer one can replace: several sentences, somebody the newer
    does not speak of, or many words it does not hold."""
    reader = runtime.reader
    there, here = reader.told(old), reader.told(new)
    left = there.stems - here.stems
    return len(reader.sentences(old)) > 1 or bool(there.kin - here.kin) or len(left) >= MANY_WORDS


def told(runtime: Runtime, memory: Memory) -> datetime:
    """Give the moment a memory speaks of: when its turn was said, else when it happened.

    A text that tells of a change speaks of now, however long ago the change was.
    """
    with suppress(InvalidInput, TypeError):  # an attribute of that name may be anybody's
        if {"said", "turn"} <= memory.attributes.keys():
            return parse_iso(memory.attributes["said"])
    return _spoken(runtime, memory)


def _spoken(runtime: Runtime, memory: Memory) -> datetime:
    return memory.created_at if runtime.reader.marks(memory.content, "") & CHANGED else memory.event_time


def merge_into(part: Memory, whole: Memory) -> tuple[Change, ...]:
    """Let one memory be a part of another from now on."""
    until = max(part.valid_from, whole.created_at)
    gone = Patch(part.id, {"state": "merged", "valid_until": until}, "merged", {"into": whole.id})
    return gone, Connect(part.id, whole.id, "merged_into")


def late(put: Put, newer: Memory, batch: Batch, more: tuple[Change, ...], notes: tuple[str, ...]) -> Verdict:
    """Keep what was told late as what was so before: the newer value stands."""
    memory = put.memory
    past = replace(memory, state="superseded", valid_until=max(memory.valid_from, newer.valid_from))
    put = replace(put, memory=past)
    reason = "told late: it is kept as what was so before, and the newer value stands"
    receipt = Receipt(outcome="stored", op="created", id=memory.id, other=newer.id, reason=reason, warnings=notes)
    changes = (put, *more, Connect(newer.id, memory.id, "supersedes"))
    return Verdict(receipt, changes, batch.unchanged([newer]), put)


def _asked(runtime: Runtime, view: Reading, put: Put, changed: Memory, batch: Batch) -> Verdict:
    """Propose what would demote a memory that was confirmed or is protected."""
    reason = f"it changes {changed.id}, which was confirmed or is protected: accept or reject it"
    until = put.memory.created_at + timedelta(days=runtime.settings.consent.days)
    waits = pending(put, "proposed", reason, until, replaces=[changed.id])
    return propose(runtime, view, batch, waits, changed)


def compared(memory: Memory, others: Sequence[Memory]) -> tuple[Change, ...]:
    """Bring pairs before the judges: a link of no strength is a pair not judged yet."""
    pairs = (Connect(memory.id, peer.id, "compared", 0.0) for peer in others)
    return (*pairs, Enqueue("judge", memory.created_at)) if others else ()


def model_judges(runtime: Runtime) -> bool:
    """Tell whether there is a model that can be asked how two memories stand to each other."""
    return runtime.llm is not None and "judge" in runtime.llm.roles


def anybody_judges(runtime: Runtime) -> bool:
    """Tell whether a model or the learnt judge can say how two memories stand to each other."""
    return runtime.judge is not None or model_judges(runtime)
