"""Made-up vectors that lie in space as a small model's do, so that a search can be measured without the model."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from recollect.providers.embedders import Embedded, Embedder, Vector
from recollect.serve.bench.corpus import FUNCTION_WORDS
from recollect.text.arrays import Reals, Words, np

DIMENSIONS = 384
TOPICS = 3000
FALL = 0.4
"""How fast the spread falls from one direction to the next: it leaves about a hundred that matter."""
OF_TOPIC = 0.6
"""How alike two texts of one topic are."""
IN_COMMON = 0.3
"""How far all texts lie to one side: any two are a little alike."""
WHOLE = 2.0**15
_COMMON_WORDS = frozenset(FUNCTION_WORDS)


class Synthetic(Embedder):
    """Texts with the same telling word are of one topic and lie near each other; the same text, the same vector."""

    name = "synthetic"
    dimensions = DIMENSIONS
    local = True
    link_min = 0.5
    same_min = 0.95

    def __init__(self) -> None:
        chance = np.random.default_rng(11)
        turned, _ = np.linalg.qr(chance.standard_normal((DIMENSIONS, DIMENSIONS)))
        spread = (1 + np.arange(DIMENSIONS)) ** -FALL
        mix = spread[:, None] / np.linalg.norm(spread) * turned
        # Whole numbers add up to the same in any order, so a text's vector does not hang on its company.
        self._mix = np.rint(mix * WHOLE).astype(np.float32)
        middle = IN_COMMON * turned.mean(axis=0) * DIMENSIONS**0.5
        around = chance.standard_normal((TOPICS, DIMENSIONS)) @ mix
        self._topics = (OF_TOPIC**0.5 * around + middle).astype(np.float32)
        self._ready: dict[str, Vector] = {}

    def prepare(self, texts: Sequence[str]) -> None:
        """Make these texts' vectors now: asked for later, they cost nothing."""
        self._ready |= zip(texts, self.matrix(texts), strict=True)

    def matrix(self, texts: Sequence[str]) -> Reals:
        """Give the vectors of many texts as the rows of a matrix."""
        topics = np.array([_topic(text) for text in texts])
        seeds = np.array([crc32(text.encode()) for text in texts], dtype=np.uint64)
        vectors = self._topics[topics] + _noise(seeds) @ self._mix * ((1 - OF_TOPIC) ** 0.5 / WHOLE / 4)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    def embed(self, texts: Sequence[str]) -> Embedded:
        if len(texts) == 1 and texts[0] in self._ready:
            return Embedded([self._ready[texts[0]]])
        return Embedded(list(self.matrix(texts)))

    def close(self) -> None:
        self._ready = {}


def _topic(text: str) -> int:
    """Choose one of a text's words by its digest: texts that share many words mostly choose the same."""
    words = text.lower().translate(_BARE).split()
    return min((crc32(word.encode()) for word in words if word not in _COMMON_WORDS), default=0) % TOPICS


_BARE = str.maketrans("", "", ".?,!")


def _noise(seeds: Words) -> Reals:
    """Give nearly normal whole numbers of spread 4, a row a seed: how many bits are set in a scrambled number."""
    mixed: Words = np.add.outer(seeds * np.uint64(DIMENSIONS), np.arange(DIMENSIONS, dtype=np.uint64))
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(np.bitwise_count(mixed).astype(np.float32) - 32)
