"""Numbers in bulk: numpy, loaded when the first search needs it and not before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.text.later import Later

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]
    Ints = NDArray[np.integer[Any]]
    Reals = NDArray[np.floating[Any]]
    Codes = NDArray[np.int8]
    Words = NDArray[np.uint64]
else:
    np = Later("numpy", keep=True)
    Flags = Ints = Reals = Codes = Words = Any

__all__ = ["Codes", "Flags", "Ints", "Reals", "Words", "best_first", "np", "room"]


def best_first(scores: Reals) -> Ints:
    """Give the places of the greatest scores first; of equal ones the last, which is the newest."""
    return np.asarray(len(scores) - 1 - (-scores[::-1]).argsort(kind="stable"))


def room(array: Any, size: int, fill: Any = 0) -> Any:
    """Give an array with room for `size` rows: the same one, or a copy with a quarter to spare."""
    if len(array) >= size:
        return array
    shape = (max(64, size + size // 4), *array.shape[1:])
    grown = np.full(shape, fill, dtype=array.dtype) if fill else np.zeros(shape, dtype=array.dtype)  # untouched is free
    grown[: len(array)] = array
    return grown
