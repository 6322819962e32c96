"""The normal form of a text: its words without case, quotes and edges, their digest, and how many two texts share."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from recollect.text.terms import split, unspaced

EDGES = ".,;:!?…\"'`()[]{}<>«»„“”‘’。、，；：！？「」『』·"
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})
SHORT = 600
"""Up to how many characters a text's words are kept at hand."""


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
        bare = piece.strip(EDGES)
        if bare and not bare.isascii() and any(unspaced(char) for char in bare):
            out.extend(split(bare))
        elif bare:
            out.append(bare)
    return tuple(out) or (folded.strip(),)


def blank(text: str) -> bool:
    """Tell whether a text shows nothing: spaces, control and format characters, marks that stand on no letter."""
    return not any(char.isalnum() or unicodedata.category(char) not in _UNSEEN for char in text)


_UNSEEN = frozenset(("Zs", "Zl", "Zp", "Cc", "Cf", "Mn"))
"""The classes of characters that leave nothing on a page by themselves."""


def content_hash(text: str) -> str:
    """Give a digest that is equal for texts equal after normalising."""
    return hashlib.sha256(" ".join(words(text)).encode("utf-8")).hexdigest()[:32]


def digest(text: str, project: str = "") -> str:
    """Give the digest a memory is known by: the same text in another project is another memory."""
    return content_hash(f"{project}\n{text}" if project else text)


def jaccard(one: Iterable[str], other: Iterable[str]) -> float:
    """Give the share of words two texts have in common."""
    a, b = set(one), set(other)
    return len(a & b) / len(a | b) if a or b else 1.0


def compose(texts: list[str]) -> str:
    """Make one text of several without a model: the one that holds the others, else all in a row."""
    distinct = [text.strip() for text in dict.fromkeys(texts)]
    longest = max(distinct, key=len)
    if all(set(words(text)) <= set(words(longest)) for text in distinct):
        return longest
    return " ".join(distinct)
