"""Made-up conversation with the statistics of real chat: half function words, a long tail of content words.

The share of a content word falls as 1 / (rank + 20), as in English chat, where even the most frequent
content word stands in about one message in ten.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from random import Random

_WORDS = json.loads((Path(__file__).parent / "words.json").read_text("utf-8"))
FUNCTION_WORDS: list[str] = _WORDS["function"].split()
SYLLABLES: list[str] = _WORDS["syllables"].split()
VOCABULARY = 6000


class Corpus:
    """A source of messages and of questions about them, the same for the same seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = Random(seed)
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            words["".join(self._random.choice(SYLLABLES) for _ in range(self._random.choice((2, 2, 3, 3, 4))))] = None
        self._words = list(words)
        self._weights = list(accumulate(1 / (rank + 20) for rank in range(VOCABULARY)))

    def _content(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._weights, k=count)

    def message(self) -> str:
        """Make one message of 8 to 40 words."""
        size = self._random.randint(8, 40)
        content = self._content(size // 2)
        words = content + self._random.choices(FUNCTION_WORDS, k=size - len(content))
        self._random.shuffle(words)
        return " ".join(words).capitalize() + "."

    def messages(self, count: int) -> Iterator[str]:
        """Make many messages."""
        return (self.message() for _ in range(count))

    def known(self) -> str:
        """Make a message and ask with four of its words, as somebody who remembers it would."""
        words = [word for word in self.message().lower().rstrip(".").split() if word not in FUNCTION_WORDS]
        return f"what did i do about {' '.join(words[:4])}?"

    def question(self) -> str:
        """Make a question of three to six content words."""
        words = [*self._content(self._random.randint(3, 6)), "what", "did", "i", "about"]
        self._random.shuffle(words)
        return " ".join(words) + "?"

    def unknown(self) -> str:
        """Make a question with a misspelt word and a part of a word."""
        one, other = self._content(2)
        return f"what about {one[:2]}x{one[3:]} and {other[:3]}?"
