"""Judges: the port, and the one that comes with the library. Its libraries are loaded only when it is used."""

from __future__ import annotations

from importlib.util import find_spec

from recollect.config import EmbeddingSettings, no_telemetry
from recollect.providers.judges.judge import (
    ASKS,
    DURABLE,
    PASSING,
    RELATIONS,
    VERDICTS,
    Judge,
    Kept,
    Sentence,
    Verdict,
)

__all__ = [
    "ASKS", "DURABLE", "PASSING", "RELATIONS", "VERDICTS", "Judge", "Kept", "Sentence", "Verdict", "open_judge",
]  # fmt: skip


def open_judge(settings: EmbeddingSettings) -> Judge | None:
    """Open the bundled judge; None where what it runs on is not installed. No model is loaded yet."""
    if any(find_spec(module) is None for module in ("numpy", "onnxruntime", "tokenizers")):
        return None
    no_telemetry()
    from recollect.providers.judges.heads import Heads

    return Heads(settings.threads)
