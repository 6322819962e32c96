"""Vectors: how they are packed, and how many of them are compared at once."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from recollect.text.arrays import Codes, Ints, Reals, Words, np

BLOCK = 32_768
WIDTH = 32
SAMPLE = 2**17
_kernel: Any = None


def sound(vector: Reals | None) -> Reals | None:
    """Give a vector at length one; None for what is none: not all finite, or all zeros."""
    if vector is None:
        return None
    length = float(np.linalg.norm(vector))
    return vector / length if np.isfinite(length) and length > 1e-12 else None


def kept(vector: Reals) -> Reals:
    """Give a vector as exactly as it is kept: float16, filled up with zeros to whole widths of a processor's registers.

    The zeros change no product, and some builds of pgvector die on vectors that end in the middle of a register.
    """
    out = np.zeros(len(vector) + -len(vector) % WIDTH, dtype=np.float32)
    out[: len(vector)] = np.asarray(vector, dtype="<f2")
    return out


def halves(vector: Reals) -> bytes:
    """Write a vector as float16, as it is."""
    return bytes(np.asarray(vector, dtype="<f2").tobytes())


def packed(vector: Reals | None) -> bytes:
    """Write a vector in the form every engine keeps; nothing for what is none."""
    whole = sound(vector)
    return b"" if whole is None else halves(kept(whole))


def unpacked(blobs: Sequence[bytes]) -> Reals:
    """Read vectors of one size that `packed` wrote, as the rows of a matrix."""
    flat = np.frombuffer(b"".join(blobs), dtype="<f2").astype(np.float32)
    return flat.reshape(len(blobs), -1)


def quantised(vectors: Reals) -> tuple[Codes, Reals]:
    """Give vectors as whole numbers from -127 to 127, and what one step of each is worth."""
    step = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / 127
    return np.rint(vectors / step[:, None]).astype(np.int8), step.astype(np.float32)


def dots(codes: Codes, steps: Reals, query: Reals) -> Reals:
    """Multiply many quantised vectors with one; a SIMD kernel does it where there is one."""
    if not len(codes):
        return np.zeros(0, dtype=np.float32)
    if kernel() is not None:
        asked, step = quantised(query[None, :])
        whole = np.asarray(kernel().cdist(codes, asked, metric="dot"), dtype=np.float32)[:, 0]
        return np.asarray(whole * (steps * step[0]))
    # In blocks that stay in the processor's cache.
    parts = [codes[at : at + BLOCK // 8].astype(np.float32) @ query for at in range(0, len(codes), BLOCK // 8)]
    return np.asarray(np.concatenate(parts) * steps)


def kernel() -> Any:
    """Give the SIMD kernel for whole numbers, None where it is not installed."""
    global _kernel
    if _kernel is None:
        try:
            _kernel = import_module("numkong")
        except ImportError:
            _kernel = False
    return _kernel or None


def signs(codes: Codes) -> Words:
    """Keep only the sign of each number: a row per 64 dimensions, a column per vector."""
    width = -codes.shape[1] % 64
    bits = np.packbits(codes > 0, axis=1)
    if width:
        bits = np.pad(bits, ((0, 0), (0, width // 8)))
    return np.ascontiguousarray(bits.view(np.uint64).T)


def differing(sketch: Words, query: Words) -> Ints:
    """Count in how many signs each vector differs from the query."""
    size = sketch.shape[1]
    out = np.zeros(size, dtype=np.uint16)
    mixed = np.empty(BLOCK, dtype=np.uint64)
    ones, some = np.empty(BLOCK, dtype=np.uint8), np.empty(BLOCK, dtype=np.uint8)
    for at in range(0, size, BLOCK):
        here = out[at : at + BLOCK]
        many = len(here)
        for row in range(len(query)):
            np.bitwise_xor(sketch[row, at : at + BLOCK], query[row, 0], out=mixed[:many])
            # Three words of 64 fit a byte, and bytes are added many at once.
            into = ones if row % 3 else some
            np.bitwise_count(mixed[:many], out=into[:many])
            if row % 3:
                np.add(some[:many], ones[:many], out=some[:many])
            if row % 3 == 2 or row == len(query) - 1:
                np.add(here, some[:many], out=here)
    return out


def nearest_signs(distances: Ints, most: int) -> Ints:
    """Give the rows with the smallest distances, about `most` of them, in no order."""
    if len(distances) <= most:
        return np.arange(len(distances))
    step = max(1, len(distances) // SAMPLE)  # how they are spread can be told from some of them
    while step > 1 and not all(step % period for period in (2, 3, 5, 7)):  # what passes a filter may come in turns
        step += 1
    cut = int(np.searchsorted(np.cumsum(np.bincount(distances[::step])), most / step))
    return np.flatnonzero(distances <= cut)


def best(scores: Reals, docs: Ints, limit: int) -> Ints:
    """Give the places of the greatest scores, best first; of equals the greater document."""
    if limit >= len(scores):
        return np.lexsort((-docs, -scores))
    ordered = scores.copy()
    ordered.partition(len(scores) - limit)
    places = (scores >= ordered[len(scores) - limit]).nonzero()[0]  # all that are as good as the last one in
    return np.asarray(places[np.lexsort((-docs.take(places), -scores.take(places)))[:limit]])
