"""The model of our own: a text's vector is the mean over its word pieces, and a little of what stood before it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from recollect.errors import ConfigError
from recollect.providers.bundled.encoder import NAME, shared_encoder
from recollect.providers.bundled.pieces import BEGIN, END, MOST_PIECES, pieces
from recollect.providers.bundled.session import FAILURES
from recollect.providers.embedders.embedder import Embedded, Pieces, Told, Vector

MOST_BEFORE = 64
"""How many word pieces of the message before are read; a text's own come first when room is short."""


class Model:
    """The model in memory."""

    def __init__(self, threads: int = 0) -> None:
        self._encoder = shared_encoder(threads)

    def vectors(self, texts: Sequence[Told]) -> Embedded:
        """Give the vectors of these texts; None for one without a single word piece."""
        found: list[Vector | None] = []
        for told in texts:
            try:
                found.append(self._vector(told))
            except FAILURES as error:
                missing: list[Vector | None] = [None] * (len(texts) - len(found))
                return Embedded(found + missing, f"the bundled model {NAME} failed ({type(error).__name__})")
        return Embedded(found)

    def _vector(self, told: Told) -> Vector | None:
        own = pieces(told.text)[: MOST_PIECES - 2]
        if not own:
            return None
        room = min(MOST_BEFORE, MOST_PIECES - 2 - len(own))
        before = pieces(told.before)[:room] if told.before and room else []
        mean = self._encoder.found([BEGIN, *before, *own, END], told.asked)[0].mean(axis=0)
        vector: Vector = (mean / np.linalg.norm(mean)).astype(np.float32)
        return vector

    def read(self, text: str) -> Pieces:
        """Give a text's vector and those of its pieces, each of length one."""
        own = pieces(text)[: MOST_PIECES - 2]
        try:
            hidden = self._encoder.found([BEGIN, *own, END])[0]
        except FAILURES as error:
            raise ConfigError(f"the bundled model {NAME} failed ({type(error).__name__})") from error
        rows = np.concatenate((hidden.mean(axis=0, keepdims=True), hidden[1:-1]))
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float16)
