"""The encoder that finds and judges: one in memory however many ask, and the weights of its heads."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession

from recollect.providers.bundled.session import open_session, read_weights

NAME = "recollect-1"
SHA256 = {
    "encoder.onnx": "19d7754b0c9dc6a4894eed56d46498472f12a16fcd83ec5ab7e046265f933e84",
    "judge.onnx": "15f89d8a91536390aa65679cc509d5dbd076eaf24b44ca7ef6b0f4c7e7a3c3c3",
}
MEND = "pip install --force-reinstall recollect"
Hidden = NDArray[np.float32]
Ids = NDArray[np.int64]

_LOADED: WeakValueDictionary[int, Encoder] = WeakValueDictionary()
_GUARD = threading.Lock()


class Encoder:
    """Gives one vector a word piece. Many threads may ask it at once.

    Texts run one by one: several at once would cost as much, and how finely numbers are rounded would depend on the
    texts beside them.
    """

    def __init__(self, threads: int, folder: Path | None = None) -> None:
        self._session = opened("encoder.onnx", threads, folder)

    def found(self, ids: Sequence[int], asking: float = 0.0) -> Hidden:
        """Give the vectors of a text's pieces, by piece, as they are compared to find something: of a text that is
        kept, or of one that asks."""
        return self._run(ids, [0] * len(ids), asking=asking)

    def judged(self, ids: Sequence[int], types: Sequence[int]) -> Hidden:
        """Give the vectors of the pieces of two texts, as the heads read them; types are 1 where the second stands."""
        return self._run(ids, types, judging=1.0)

    def _run(self, ids: Sequence[int], types: Sequence[int], judging: float = 0.0, asking: float = 0.0) -> Hidden:
        given: Ids = np.array([ids], np.int64)
        feed = {"ids": given, "mask": np.ones_like(given), "types": np.array([types], np.int64)}
        bent = {"judging": np.array(judging, np.float32), "asking": np.array(asking, np.float32)}
        hidden: Hidden = self._session.run(None, feed | bent)[0]
        return hidden


def shared_encoder(threads: int) -> Encoder:
    """Give the encoder, which is loaded once for everybody in this process who still uses it."""
    with _GUARD:
        found = _LOADED.get(threads)
        if found is None:
            found = _LOADED[threads] = Encoder(threads)
        return found


def opened(name: str, threads: int, folder: Path | None = None) -> InferenceSession:
    """Open one of the model's files."""
    there = folder or Path(str(files("recollect.providers.bundled")))
    return open_session(read_weights(there / name, SHA256[name], MEND), threads)
