"""What an endpoint's answer is worth: every vector is checked before anybody compares it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from recollect.model.values import dataclass
from recollect.providers.embedders.embedder import Vector

MOST_DIMENSIONS = 16_384


@dataclass(frozen=True, slots=True)
class Answer:
    """The vectors of one answer, in the order of the texts, and what was wrong with the others."""

    vectors: list[Vector | None]
    size: int
    problem: str = ""


def read_answer(payload: bytes, count: int, size: int) -> Answer:
    """Read an answer to this many texts; `size` is what vectors must have, 0 when the first one decides."""
    try:
        data = json.loads(payload)["data"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return Answer([None] * count, size, "gave an answer that is no list of embeddings")
    if not isinstance(data, list):
        return Answer([None] * count, size, "gave an answer that is no list of embeddings")
    placed = _placed(data, count)
    vectors: list[Vector | None] = []
    other = 0
    for raw in placed:
        vector = unit(raw)
        if vector is not None and len(vector) != (size or len(vector)):
            other, vector = len(vector), None
        if vector is not None:
            size = len(vector)
        vectors.append(vector)
    return Answer(vectors, size, _problem(len(data), vectors, size, other))


def _placed(data: list[Any], count: int) -> list[Any]:
    """Put the embeddings where their `index` says; without any, where they stand, if none is missing."""
    entries = [one if isinstance(one, dict) else {} for one in data]
    if not any("index" in one for one in entries):
        return [one.get("embedding") for one in entries] if len(entries) == count else [None] * count
    placed: list[Any] = [None] * count
    taken: set[int] = set()
    for one in entries:
        at = one.get("index")
        if type(at) is int and 0 <= at < count:
            placed[at] = None if at in taken else one.get("embedding")  # two for one text: which is it?
            taken.add(at)
    return placed


def unit(raw: object) -> Vector | None:
    """Give a list of numbers as a vector of length one, or None when it cannot be one."""
    if not isinstance(raw, list) or not 0 < len(raw) <= MOST_DIMENSIONS:
        return None
    if any(type(number) not in (int, float) for number in raw):
        return None
    try:
        numbers = np.array(raw, dtype=np.float64)
    except OverflowError:  # a whole number no float can hold
        return None
    largest = np.abs(numbers).max()
    if not np.isfinite(largest) or largest == 0:
        return None
    numbers = numbers / largest  # so that squares neither overflow nor vanish
    vector: Vector = (numbers / np.sqrt(numbers @ numbers)).astype(np.float32)
    return vector


def _problem(given: int, vectors: list[Vector | None], size: int, other: int) -> str:
    missing = sum(vector is None for vector in vectors)
    if not missing and given == len(vectors):
        return ""
    if given != len(vectors):
        return f"gave {given} vectors for {len(vectors)} texts"
    if other:
        return f"gave vectors of {other} numbers where {size} were expected"
    return f"gave {missing} of {len(vectors)} vectors that cannot be used (not numbers, or all zeros)"
