"""Postings of whole blocks of documents, packed: of a common word thousands are read as one piece of bytes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from recollect.text.arrays import Ints, Reals, np

BITS = 16
"""How many bits the place of a document in its block takes; it is kept in two bytes."""
FEWEST = 8
"""How many documents of a block must hold a word for its postings there to be packed."""
MOST = 2**16 - 1
"""How often a word may occur in a document whose postings are packed."""
_PLACE = "<u2"


def block_of(doc: int) -> int:
    """Give the block a document belongs to."""
    return doc >> BITS


def first_of(block: int) -> int:
    """Give the first document number of a block."""
    return block << BITS


def packed(documents: Iterable[tuple[int, Mapping[str, int]]]) -> list[tuple[str, bytes]]:
    """Pack the terms of one block's documents, ascending: a row for each term that is common enough, in order."""
    places: dict[str, list[int]] = defaultdict(list)
    counts: dict[str, list[int]] = defaultdict(list)
    for doc, terms in documents:
        place = doc & ((1 << BITS) - 1)
        for term, many in terms.items():
            places[term].append(place)
            counts[term].append(many)
    wanted = sorted(term for term, many in counts.items() if len(many) >= FEWEST and max(many) <= MOST)
    return [(term, _written(places[term], counts[term])) for term in wanted]


def _written(places: object, counts: object) -> bytes:
    return bytes(np.array([places, counts], dtype=_PLACE).tobytes())


def unpacked(block: int, data: bytes) -> tuple[Ints, Reals]:
    """Give the documents of a packed row, ascending, and how often each holds the word."""
    places, counts = np.frombuffer(data, dtype=_PLACE).reshape(2, -1)
    return places.astype(np.int64) + first_of(block), counts.astype(np.float32)


def without(data: bytes, docs: Sequence[int]) -> bytes:
    """Take documents of the block out of a packed row."""
    both = np.frombuffer(data, dtype=_PLACE).reshape(2, -1)
    places = np.array(docs) & ((1 << BITS) - 1)
    return bytes(both[:, ~np.isin(both[0], places)].tobytes())
