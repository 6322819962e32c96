"""Sections of documents read closely: which of the best holds the sentence that answers the question."""

from __future__ import annotations

from dataclasses import replace

from recollect.model.hit import Hit
from recollect.model.memory import Memory
from recollect.rules.find.ranking import Reasons
from recollect.rules.find.reading import MOST, lifts, nearness, stretches
from recollect.runtime import Runtime

SIGNAL = "reading"


def read_closely(runtime: Runtime, model: str, query: str, hits: list[Hit]) -> list[Hit]:
    """Order the best hits anew by their best sentence; as they are where the model reads only whole texts."""
    embedder = runtime.embedder(model) if model else None
    few = hits[:MOST]
    asked = embedder.read([query]) if embedder is not None and len(few) > 1 else None
    if embedder is None or not asked or len(asked[0]) < 2:
        return hits
    question = asked[0].astype(float)
    near = []
    for hit in few:
        read = embedder.read([f"{placed(hit.memory)}: {one}" for one in stretches(hit.memory.content)])
        if not read:
            return hits
        near.append(nearness(question, [one.astype(float) for one in read]))
    more = lifts(near)
    # Those that were read stay ahead of those that were not, by their scores too.
    lowest = min(hit.score + add for hit, add in zip(few, more, strict=True))
    ahead = max(0.0, hits[MOST].score - lowest) if len(hits) > MOST else 0.0
    found = [_lifted(hit, add + ahead) for hit, add in zip(few, more, strict=True)]
    return [*sorted(found, key=lambda hit: -hit.score), *hits[MOST:]]


def placed(memory: Memory) -> str:
    """Give where a section stands, in words: its file and the headings above it."""
    return memory.topic or memory.key


def _lifted(hit: Hit, add: float) -> Hit:
    why = hit.why.also(SIGNAL, add) if isinstance(hit.why, Reasons) else hit.why
    return replace(hit, score=hit.score + add, why=why)
