"""Who counts the tokens of a text for which model."""

from __future__ import annotations

from recollect.providers.tokenizers import tokenizer
from recollect.rules.window.budget import estimate
from recollect.rules.window.counting import characters, named
from recollect.rules.window.fill import Count


def counter(model: str) -> Count:
    """Give what counts the tokens of a text for a model; without one, an estimate that errs on the high side."""
    name = named(model)
    if not name:
        return estimate
    return tokenizer(name) or (lambda text: -(-len(text) * 2 // int(characters(name) * 2)))
