"""What somebody saved himself gets its class too: a saved allergy is health, and weighs and lasts as such."""

from __future__ import annotations

from typing import Any

from recollect.model.change import Patch
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.providers.judges import Judge, Kept, Sentence
from recollect.rules.gate.categories import FALLBACK
from recollect.rules.learn.notes import CLASS, GUARDED, UNCLEAR, WEIGHTS, speaker
from recollect.runtime import Runtime
from recollect.store.base import Reading

PAGE = 200
"""How many of the newest facts one run looks at."""


def unclassed(memory: Memory) -> bool:
    """Tell whether a memory is a plain fact nobody has classed."""
    return memory.kind == "fact" and not memory.key and memory.state == "active" and CLASS not in memory.attributes


def classed(runtime: Runtime, view: Reading, owner: str) -> list[Patch]:
    """Give the newest facts without a class theirs; none where nobody can judge."""
    judge = runtime.judge
    found = view.page(Filter(owner=owner, now=runtime.now(), kinds=("fact",)), "recent", PAGE) if judge else []
    waiting = [one for one in found if unclassed(one)]
    least = runtime.settings.notes.sure_class
    given = _kept(judge, waiting) if judge else []
    return [
        _patch(one, kept.label if kept.sure >= least else UNCLEAR) for one, kept in zip(waiting, given, strict=True)
    ]


def _kept(judge: Judge, memories: list[Memory]) -> list[Kept]:
    return judge.keep([Sentence(speaker(one), one.content) for one in memories]) if memories else []


def _patch(memory: Memory, label: str) -> Patch:
    """Note the class, and let one that no time may take away weigh what it should; what somebody set is left."""
    values: dict[str, Any] = {"attributes": {**memory.attributes, CLASS: label}}
    weight = WEIGHTS.get(label)
    if weight is not None:
        if memory.category == FALLBACK:
            values["category"] = weight.category
        if label in GUARDED and memory.importance == KINDS[memory.kind].importance:
            values["importance"] = weight.importance
    return Patch(memory.id, values, "updated", {CLASS: label})
