"""How likely something that was found bears on a prompt: a small formula, learnt from prompts people marked."""

from __future__ import annotations

from math import exp, log

from recollect.model.values import dataclass

LINK_MIN = 0.32
"""The `link_min` of the embedder the weights were learnt with; nearness by others is held against theirs."""
SCORE, CHARACTERS, SHORTEST = 5.0, 50.0, 10
"""In which units scores and lengths are weighed, and from how many characters on."""
BASE, NEAR, BEHIND, SCORED, REPLY, LONG, SUMMARY, KNOWN = -4.22, 1.96, 0.65, 2.70, -3.22, 0.93, 0.07, 1.63
"""The weights; `python -m train.bearing` learns them again."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What is known of one find."""

    near: float
    """How near it is to the prompt in meaning."""
    score: float
    """How the search weighed it."""
    characters: int
    """How long it is."""
    reply: bool = False
    """Whether a model said it."""
    summary: bool = False
    known: bool = False
    """Whether it is neither a message nor a note of one."""


def likely(signs: Signs, best: float, link_min: float) -> float:
    """Give how likely a find bears on the prompt; `best` is how near the nearest of its search is."""
    scale = LINK_MIN / link_min if link_min > 0 else 1.0
    weight = (
        BASE
        + NEAR * signs.near * scale
        + BEHIND * (signs.near - best) * scale
        + SCORED * signs.score / SCORE
        + REPLY * signs.reply
        + LONG * log(max(SHORTEST, signs.characters) / CHARACTERS)
        + SUMMARY * signs.summary
        + KNOWN * signs.known
    )
    return 1 / (1 + exp(-weight))
