"""The bundled embedder: all-MiniLM-L6-v2 in this process, with no key and no network, loaded when first asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from recollect.config import EmbeddingSettings
from recollect.errors import ConfigError
from recollect.providers.embedders.embedder import Embedded, Embedder, Vector, readable

NAME = "minilm-l6-v2"
DIMENSIONS = 384
LINK_MIN = 0.3
SAME_MIN = 0.85

Run = Callable[[Sequence[str]], Embedded]
"""A loaded model."""


class MiniLM(Embedder):
    """A small model for English and, less well, other languages; it reads the first 256 word pieces."""

    name = NAME
    dimensions = DIMENSIONS
    local = True

    def __init__(self, load: Callable[[], Run], settings: EmbeddingSettings) -> None:
        self.link_min = settings.link_min or LINK_MIN
        self.same_min = settings.same_min or SAME_MIN
        self._load = load
        self._model: Run | None = None
        self._guard = threading.Lock()

    def load(self) -> Run:
        """Load the model unless it is, or say what is wrong with it."""
        with self._guard:
            if self._model is None:
                self._model = self._load()
            return self._model

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of these texts; the first call loads the model."""
        vectors: list[Vector | None] = [None] * len(texts)
        told = {at: text for at, text in enumerate(map(readable, texts)) if text}
        if not told:
            return Embedded(vectors)
        try:
            model = self.load()
        except ConfigError as error:
            return Embedded(vectors, str(error))
        made = model(list(told.values()))
        for at, vector in zip(told, made.vectors, strict=True):
            vectors[at] = vector
        return Embedded(vectors, made.problem)

    def close(self) -> None:
        """Let go of the model; it is loaded anew when asked again."""
        with self._guard:
            self._model = None
