"""When two texts say the same: normal form, word overlap, and composing one out of several."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from recollect.rules.patterns import pattern
from recollect.rules.stopwords import STOP_WORDS
from recollect.rules.terms import split, unspaced
from recollect.rules.wording import GLUE, alike, reordered, spelt, turned

_EDGES = ".,;:!?…\"'`()[]{}<>«»„“”‘’。、，；：！？「」『』·"
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})
_COMMON = frozenset().union(*STOP_WORDS.values())
_DIGITS = pattern(r"\d")
_NEGATIONS = frozenset(
    (
        "no", "not", "never", "none", "nor", "without", "cannot", "nicht", "kein", "keine", "nie", "ohne", "ne", "pas",
        "jamais", "sans", "nunca", "jamás", "sin", "não", "nem", "sem", "non", "mai", "senza", "niet", "geen", "nooit",
        "zonder", "не", "нет", "ни", "никогда", "без",
    )
)  # fmt: skip
_CHANGES = frozenset(
    "used former formerly previously once now again still stopped quit anymore longer until instead almost "
    "hardly rarely seldom früher ehemals antes anciennement autrefois prima".split()
)
"""One such word more, and a statement says something else."""

SHORT = 600
"""Up to how many characters a text's words are kept at hand."""
_PLACES = frozenset("in at from to near".split())


@dataclass(frozen=True, slots=True)
class SimilarityPolicy:
    """When a new text counts as one already known."""

    jaccard: float = 0.75
    """From which share of common words two texts are near duplicates."""
    fewest_words: int = 5
    """Texts of fewer words are duplicates only when equal after normalising."""
    candidates: int = 20
    """How many of the most similar memories are compared."""


def words(text: str) -> tuple[str, ...]:
    """Give the words of a text in normal form: folded, quotes plain, punctuation off the edges only,
    so that `C++` is not `C`. Unspaced scripts give pairs of characters."""
    return _known_words(text) if len(text) <= SHORT else _words(text)


@lru_cache(maxsize=4096)
def _known_words(text: str) -> tuple[str, ...]:
    """Remember the words of short texts: a new fact is held against the same few again and again."""
    return _words(text)


def _words(text: str) -> tuple[str, ...]:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_QUOTES)
    out: list[str] = []
    for piece in folded.split():
        bare = piece.strip(_EDGES)
        if bare and not bare.isascii() and any(unspaced(char) for char in bare):
            out.extend(split(bare))
        elif bare:
            out.append(bare)
    return tuple(out) or (folded.strip(),)


def content_hash(text: str) -> str:
    """Give a digest that is equal for texts equal after normalising."""
    return hashlib.sha256(" ".join(words(text)).encode("utf-8")).hexdigest()[:32]


def jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    """Give the share of words two texts have in common."""
    a, b = set(one), set(other)
    return len(a & b) / len(a | b) if a or b else 1.0


def same(one: str, other: str, policy: SimilarityPolicy) -> bool:
    """Tell whether two texts say the same: equal after normalising at any length, else nearly the same words.

    Texts that differ in a number, a negation or a name, or in the order of these, are never the same, however
    alike: such a difference is what a correction looks like. So is one word in the place of another (green for
    blue, after for before), and an order that says something else, while a word more or less, or another form of it,
    is not. In unspaced scripts any difference may be one.
    """
    a, b = words(one), words(other)
    if a == b:
        return True
    first, second = set(a), set(b)
    if min(len(first), len(second)) < policy.fewest_words or jaccard(first, second) < policy.jaccard:
        return False
    return reworded(one, other)


def reworded(one: str, other: str) -> bool:
    """Tell whether two texts of nearly the same meaning say nothing different: no word stands in another's place, not
    even a small one (before for after), and numbers, negations, names and words of change are the same in both, in the
    same order but for places. The words they share stand in an order that tells the same."""
    one, other = spelt(one), spelt(other)
    a, b = alike(words(one)), alike(words(other))
    first, second = set(a), set(b)
    if _unmatched(first - second, second) and _unmatched(second - first, first):
        return False
    named = _names(one) | _names(other)
    if _telling(a, named) != _telling(b, named) or turned(a, b) or turned(b, a):
        return False
    return not reordered(a, [word if word in first else _form_of(word, first) for word in b])


def _unmatched(said: set[str], other: set[str]) -> bool:
    """Tell whether one of these words has no other form of it on the other side."""
    return any(_form_of(word, other) == word for word in said - GLUE)


def _form_of(word: str, known: set[str]) -> str:
    """Give the known word that another is a form of, else the word itself; small words have no forms."""
    if word in _COMMON:
        return word
    return next((one for one in sorted(known) if one not in _COMMON and _forms(word, one)), word)


def _forms(one: str, other: str) -> bool:
    """Tell whether two words look like forms of one: an ending more, or another ending; C++ is no form of C."""
    short, long = sorted((one, other), key=len)
    shared = max(5, len(long) - 3)
    ending = long[len(short) :].replace("'", "")
    more = long.startswith(short) and len(short) > 1 and len(long) - len(short) <= 3 and ending.isalpha()
    return more or one[:shared] == other[:shared]


def _telling(said: Sequence[str], named: set[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Give the words no text may differ in, in their order: who gave whom is told by the order alone.

    A name behind a word of place or direction says by that word what it is, so it may stand anywhere.
    """
    ordered: list[str] = []
    placed: list[tuple[str, str]] = []
    for before, word in zip(("", *said), said, strict=False):
        if word in named and before in _PLACES:
            placed.append((before, word))
        elif word in named or word in _NEGATIONS or word in _CHANGES or word.endswith("n't") or _exact(word):
            ordered.append(word)
    return ordered, sorted(placed)


def _exact(word: str) -> bool:
    return bool(_DIGITS.search(word)) or unspaced(word)


def _names(text: str) -> set[str]:
    """Give the words written as names; the first word is one unless it is common."""
    pieces = [piece.strip(_EDGES) for piece in text.split()]
    named = [piece for at, piece in enumerate(pieces) if piece[:1].isupper() and (at or piece.lower() not in _COMMON)]
    return {word for piece in named for word in words(piece)}


def compose(texts: list[str]) -> str:
    """Make one text of several without a model: the one that holds the others, else all in a row."""
    distinct = [text.strip() for text in dict.fromkeys(texts)]
    longest = max(distinct, key=len)
    if all(set(words(text)) <= set(words(longest)) for text in distinct):
        return longest
    return " ".join(distinct)
