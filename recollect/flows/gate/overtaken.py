"""What was said before somebody put it right: it stands, in its speaker's words, and says what stands in its place."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.flows.find.words import best_matches
from recollect.flows.gate.conflicts import told
from recollect.flows.people.identity import identity_of
from recollect.model.change import Change, Connect, Put
from recollect.model.filter import Filter
from recollect.model.memory import OUTDATED, Memory
from recollect.model.owner import seen_from
from recollect.rules.learn.notes import NOBODY, is_note
from recollect.runtime import Runtime
from recollect.store.base import Reading, Searching
from recollect.text.normal import EDGES
from recollect.text.terms import fold, terms

MOST = 8
"""How many memories are looked at."""
LEAST = 2
"""How many telling words make a statement that can be said again."""


def overtaken(runtime: Runtime, view: Searching, put: Put) -> list[Change]:
    """Say what stands in the place of what a message told: another memory of it was put right after it was said."""
    memory = put.memory
    if "turn" not in memory.attributes:
        return []
    said = told(runtime, memory)
    olds = [
        one
        for one in _alike(runtime, view, memory, memory.content, "superseded")
        if one.valid_until is not None and one.valid_until > said
    ]
    own = _owner(runtime, view, memory.owner) if olds else frozenset()
    again = [one for one in olds if _says(runtime, own, memory, one)]
    heirs = {heir.id for one in again if (heir := last(view, one)).state == "active"}
    return [Connect(memory.id, heir, OUTDATED, 1.0) for heir in sorted(heirs)]


def left_behind(runtime: Runtime, view: Searching, old: Memory, new: str) -> list[Change]:
    """Say of notes that tell what was put right just now what stands in its place."""
    notes = [one for one in _alike(runtime, view, old, old.content, "active") if is_note(one) and one.id != old.id]
    own = _owner(runtime, view, old.owner) if notes else frozenset()
    return [Connect(one.id, new, OUTDATED, 1.0) for one in notes if _says(runtime, own, one, old)]


def _alike(runtime: Runtime, view: Searching, like: Memory, text: str, state: str) -> Sequence[Memory]:
    if like.kind != "fact" or like.key:
        return ()
    where = Filter(
        owner=like.owner, now=runtime.now(), kinds=(like.kind,), states=(state,), projects=seen_from(like.project)
    )
    policy = runtime.settings.terms
    docs = best_matches(view, where, list(terms(text, policy)), policy, MOST).tolist()
    return [one for one in view.documents(like.owner, docs).values() if not one.key]


def _owner(runtime: Runtime, view: Reading, owner: str) -> frozenset[str]:
    """Give the words of the names an owner goes by."""
    return _parts((*identity_of(view, owner, runtime.reader).names, NOBODY))


def _parts(names: Sequence[str]) -> frozenset[str]:
    return frozenset(part for name in names for part in fold(name).replace("-", " ").split())


def _says(runtime: Runtime, owner: frozenset[str], note: Memory, old: Memory) -> bool:
    """Tell whether a text says all that another did, but for the name of who speaks: every telling word, number,
    month and relative, and a negation where there was one."""
    reader = runtime.reader
    own = owner | _parts((note.actor,))
    bare = " ".join(one for one in old.content.split() if _name(one) not in own)
    here = reader.told(note.content)
    there = reader.told(bare, here.language)
    whole = (there.stems <= here.stems, there.numbers <= here.numbers, there.months <= here.months)
    return len(there.stems) >= LEAST and all(whole) and there.kin <= here.kin and there.negated == here.negated


def _name(word: str) -> str:
    bare = fold(word.strip(EDGES))
    return bare.removesuffix("'s").removesuffix("’s")


def last(view: Reading, memory: Memory) -> Memory:
    """Give what stands in a memory's place in the end, however often it was replaced or merged; itself if nothing."""
    seen = {memory.id}
    while True:
        links = view.links(memory.owner, [memory.id])
        heirs = [one.from_id for one in links if one.type == "supersedes" and one.to_id == memory.id]
        heirs += [one.to_id for one in links if one.type == "merged_into" and one.from_id == memory.id]
        found = view.get(memory.owner, [one for one in heirs if one not in seen])
        if memory.state == "active" or not found:
            return memory
        memory = found[0]
        seen.add(memory.id)
