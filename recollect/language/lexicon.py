"""The words of the languages there are: one TOML file each, read when something is first asked of it.

`words` are separated by blanks, those that mean the same by a bar; `phrases` are separated by a bar between blanks;
`asks` and `orders` are patterns. The code that reads them knows no language.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from recollect.text.stopwords import stop_words
from recollect.text.terms import split, stem

LOOKED_AT = 2000
"""How many characters of a text tell which language it is in."""


@dataclass(eq=False)
class Lexicon:
    """What is known of one language."""

    data: dict[str, Any] = field(repr=False)
    _kept: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def code(self) -> str:
        """The two letters of the language."""
        return str(self.data["code"])

    @property
    def stemmer(self) -> str:
        """The stemmer of the language, which also names its list of stop words."""
        return str(self.data["stemmer"])

    @cached_property
    def common(self) -> frozenset[str]:
        """The words too common to find anything by."""
        return stop_words(self.stemmer)

    def words(self, name: str) -> frozenset[str]:
        """Give the words of a group, those that mean the same each by itself."""
        known = self._kept.get(name)
        if known is None:
            given = str(self.data["words"].get(name, ""))
            known = self._kept[name] = frozenset(given.replace("|", " ").split())
        return frozenset(known)

    def ranked(self, name: str) -> dict[str, int]:
        """Give the words of a group in which the place tells: the first is 1; words that mean the same share it."""
        given = str(self.data["words"].get(name, "")).split()
        return {word: at for at, same in enumerate(given, 1) for word in same.split("|")}

    def phrases(self, name: str) -> tuple[str, ...]:
        """Give the phrases of a group, the longest first."""
        given = str(self.data["phrases"].get(name, ""))
        return tuple(sorted((one.strip() for one in given.split(" | ") if one.strip()), key=len, reverse=True))

    @cached_property
    def measures(self) -> dict[str, float]:
        """The words that make another number of the one before them: a dozen is 12, a year 12 months."""
        given = self.data.get("measures", {})
        return {word: float(many) for many, words in given.items() for word in str(words).split()}

    def about(self, key: str) -> frozenset[str]:
        """Give the words by which a text is about a slot."""
        return frozenset(str(self.data["about"].get(key, "")).split())

    def asks(self, name: str) -> re.Pattern[str]:
        """Give the pattern by which a question asks for something."""
        return re.compile(str(self.data["asks"][name]))

    @property
    def orders(self) -> list[str]:
        """The patterns of orders to a model."""
        return [line for line in str(self.data["orders"]["to_models"]).split("\n") if line]

    def stems(self, text: str) -> list[str]:
        """Give the telling words of a text as stems, in order."""
        return [stem(word, self.stemmer) for word in split(text) if word not in self.common]


@cache
def lexicons() -> tuple[Lexicon, ...]:
    """Give what is known of every language that has a file, English first."""
    files = sorted(Path(__file__).parent.glob("*.toml"), key=lambda file: (file.stem != "en", file.stem))
    return tuple(Lexicon(tomllib.loads(file.read_text("utf-8"))) for file in files)


def among(texts: Sequence[str], known: Sequence[Lexicon], likely: str = "") -> Lexicon | None:
    """Give the language whose most common words texts hold most of, taken together; None where none speaks for any.

    Another language than the `likely` one has to hold clearly more.
    """
    words = Counter(word for text in texts for word in split(text[:LOOKED_AT]))
    scores = [sum(many for word, many in words.items() if word in one.common) for one in known]
    expected = next((at for at, one in enumerate(known) if one.code == likely), None)
    best = max(scores, default=0)
    if expected is not None and best <= scores[expected] + 1:
        return known[expected]
    return known[scores.index(best)] if best else None


def one_of(phrases: Sequence[str]) -> str:
    """Give a pattern for one of several phrases: a comma may stand between words, an apostrophe may be left out."""
    return "|".join(re.escape(one).replace(r"\ ", r",?\s+").replace("'", "['’]?") for one in phrases) or r"(?!)"
