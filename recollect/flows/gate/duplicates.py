"""Peers: the memories a new one is held against, and the one among them that already says it."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.flows.find.neighbours import Near
from recollect.flows.find.words import best_matches
from recollect.flows.gate.verdict import Batch
from recollect.model.change import Put
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import seen_from
from recollect.rules.gate.similarity import same
from recollect.rules.learn.notes import is_note
from recollect.rules.life.archiving import is_cut
from recollect.runtime import Runtime
from recollect.store.base import Searching
from recollect.text.normal import content_hash

WORDED = ("semantic", "episodic")
"""The writing policies of kinds that say one thing each, so that two of them can be compared."""


def peers(runtime: Runtime, view: Searching, put: Put, batch: Batch, near: Sequence[Near]) -> list[Memory]:
    """Give the active memories of the same kind, outside slots, that are most like a new one: by words and by meaning,
    those of the batch first. Of kinds that are not compared, such as passages, those of the same text."""
    memory, settings = put.memory, runtime.settings
    worded = KINDS[memory.kind].policy in WORDED
    found = [
        one.memory
        for one in batch.puts
        if (worded or one.content_hash == put.content_hash) and one.memory.kind == memory.kind and not one.memory.key
    ]
    if worded:
        seen = seen_from(memory.project)
        where = Filter(owner=memory.owner, now=memory.created_at, kinds=(memory.kind,), projects=seen)
        ranked = best_matches(view, where, list(put.terms), settings.terms, settings.similarity.candidates).tolist()
        documents = view.documents(memory.owner, ranked)
        found += [documents[doc] for doc in ranked if doc in documents]
        found += [other for other, _ in near if other.kind == memory.kind]
    once = {one.id: batch.now.get(one.id, one) for one in found}
    return [one for one in once.values() if one.state == "active" and not one.key and not is_cut(one)]


def same_voice(one: Memory, other: Memory) -> bool:
    """Tell whether two notes are of one speaker; the owner's are, whatever he was called when he said them."""
    return one.actor == other.actor or (one.trust >= 1.0 and other.trust >= 1.0)


def twin(runtime: Runtime, put: Put, among: Sequence[Memory]) -> str:
    """Find the peer that already says this, and by the same speaker where it is somebody's words."""
    memory = put.memory
    worded = KINDS[memory.kind].policy in WORDED
    for peer in among:
        if is_note(memory) != is_note(peer) or (is_note(memory) and not same_voice(peer, memory)):
            continue
        # Texts equal after normalising are the same at any length, so the digest says nothing more here.
        if worded and same(peer.content, memory.content, runtime.reader):
            return peer.id
        if not worded and content_hash(peer.content) == content_hash(memory.content):
            return peer.id
    return ""
