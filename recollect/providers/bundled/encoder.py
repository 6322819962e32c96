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
    "encoder.onnx": "c16bb5c8238bab91b0be3f15c0493d405f660403b2deaf6eb72b9b2f92c208ea",
    "judge.onnx": "89de67ee9df07bba0b22b994e8d70e512d43fe1e6608a2a877bef3f3ec15c966",
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

    def hidden(self, ids: Sequence[int], types: Sequence[int] = ()) -> Hidden:
        """Give the vectors of a text's pieces, by piece; `types` are 1 where a second text stands."""
        given: Ids = np.array([ids], np.int64)
        kinds: Ids = np.array([types], np.int64) if types else np.zeros_like(given)
        return self._session.run(None, {"ids": given, "mask": np.ones_like(given), "types": kinds})[0]  # type: ignore[no-any-return]


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
