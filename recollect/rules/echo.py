"""The echo guard: what came out of memory, prompts, files or tools is not learnt again when it is said back.

A sentence is an echo when one known sentence holds nearly all its words, mostly in the same order, and every number,
name and negation of it. A changed number or name makes it news.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from recollect.model.memory import Memory
from recollect.rules.clauses import sentences_of
from recollect.rules.patterns import pattern
from recollect.rules.similarity import content_hash
from recollect.rules.stopwords import STOP_WORDS
from recollect.rules.terms import fold, split, stem

SHARED, ORDERED = 0.75, 0.5
"""Which share of a sentence's words, and of its neighbouring pairs, a known one must hold."""
NEWS = 8
"""In a sentence of fewer words than so many, one that is not known is news: another colour, another trade."""
ALONE = 3
"""A sentence of fewer words is an echo only when it is known as it stands."""
LONGEST_LINE = 4000
LONGEST = 100_000
"""How many characters of a text are looked through; what is longer was pasted, and is judged by other rules."""
_RAREST = 3
_MOST_KNOWN = 64
_LEAD = pattern(
    r"^(?:[\s>*•#\-–—\"'“”‘’`(\[]|\d{1,3}[.)]\s)+|^(?:as (?:you|i) (?:know|said|recall|mentioned)|as i recall"
    r"|remember|memory"
    r"|note|you said|i know|i remember that|fact|reminder|recalled|from memory)\s*[:,]\s*",
    re.IGNORECASE,
)
_STOP = STOP_WORDS["english"]
_COMMON = frozenset(stem(word, "english") for word in _STOP) | {"now", "still", "current", "also", "really", "actual"}
_EDGES = ".,;:!?…\"'()[]{}<>“”«»*•-"
_NEGATIONS = frozenset("not no never none without cannot stopped quit longer anymore more".split())


_PART = pattern(r",?\s(?:and|but|or)\s|[;:,]\s")


class Echo:
    """An index of texts that came out of memory, prompts, files or tools."""

    def __init__(self, texts: Iterable[str], memories: Iterable[Memory] = ()) -> None:
        """Take in every sentence of texts and memories, whole and in parts: one half of it may come back alone."""
        kept = tuple(memories)
        self._memories = {(one.kind, bool(one.key), content_hash(one.content)) for one in kept}
        self._exact: set[tuple[str, ...]] = set()
        self._known: list[tuple[Counter[str], set[tuple[str, str]], set[str]]] = []
        self._where: dict[str, list[int]] = {}
        for text in (*texts, *(one.content for one in kept)):
            for said in _sentences(text[:LONGEST]):
                self._learn(_terms(said), _telling(said))
                for part in _PART.split(said):
                    if len(words := _terms(part)) > ALONE:
                        self._learn(words, _telling(part))

    def _learn(self, said: tuple[str, ...], telling: set[str]) -> None:
        if not said or said in self._exact:
            return
        self._exact.add(said)
        at = len(self._known)
        self._known.append((Counter(said), set(itertools.pairwise(said)), telling))
        for term in set(said):
            self._where.setdefault(term, []).append(at)

    def has(self, kind: str, key: str, text: str) -> bool:
        """Tell whether a text is a memory of this kind to the letter: the gate knows it, and calls it a duplicate."""
        digest = content_hash(text)
        return (kind, False, digest) in self._memories or (bool(key) and (kind, True, digest) in self._memories)

    def repeats(self, text: str) -> bool:
        """Tell whether a text says nothing but what is known: there is a sentence in it, and each is an echo."""
        if len(text) > LONGEST:
            return False
        found = False
        for said in _sentences(text):
            if _terms(said):
                found = True
                if not self._echo(said):
                    return False
        return found

    def fresh(self, text: str) -> str:
        """Give the parts of a text that are no echo; the whole of it, as it is, when none is."""
        kept: list[str] = []
        lost = False
        for line in text[:LONGEST].splitlines():
            said = list(_cut(line))
            left = [one for one in said if not (_terms(one) and self._echo(one))]
            lost = lost or len(left) < len(said)
            if left or not said:
                kept.append(" ".join(left))
        return ("\n".join(kept) + text[LONGEST:]).strip() if lost else text

    def _echo(self, said: str) -> bool:
        words = _terms(said)
        if words in self._exact:
            return True
        if len(words) < ALONE:
            return False
        return any(self._held(words, _telling(said), at) for at in self._near(words))

    def _near(self, words: Sequence[str]) -> Iterator[int]:
        """Give the known sentences that share one of the rarest known words, not every one that has an `is`."""
        known = sorted({word for word in words if word in self._where}, key=lambda word: len(self._where[word]))
        seen: set[int] = set()
        for word in known[: max(_RAREST, len(set(words)) - int(SHARED * len(set(words))) + 1)]:
            for at in self._where[word][:_MOST_KNOWN]:
                if at not in seen:
                    seen.add(at)
                    yield at

    def _held(self, words: tuple[str, ...], telling: set[str], at: int) -> bool:
        known, pairs, sure = self._known[at]
        if bool(telling & _NEGATIONS) != bool(sure & _NEGATIONS) or not all(
            word in sure or word in known for word in telling - _NEGATIONS
        ):
            return False
        if sum(word not in known and word not in _COMMON for word in words) * NEWS > len(words):
            return False
        shared = sum((Counter(words) & known).values())
        mine = set(itertools.pairwise(words))
        ordered = len(mine & pairs) / len(mine) if mine else 1.0
        return shared >= SHARED * len(words) and ordered >= ORDERED


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield from _cut(line)


def _cut(line: str) -> Iterator[str]:
    """Cut a line into sentences; a line without an end is cut by length, so that none takes long."""
    for begin in range(0, len(line), LONGEST_LINE):
        yield from sentences_of(line[begin : begin + LONGEST_LINE])


def _bare(said: str) -> str:
    """Take off what quotes or introduces a sentence, a list mark, then `as you know`."""
    for _ in range(3):
        said = _LEAD.sub("", said, count=1)
    return said


def _terms(said: str) -> tuple[str, ...]:
    """Give the words of a sentence as they are compared: without marks and leads, folded and stemmed."""
    words = split(_bare(said).replace("’", "'"))
    return tuple(stem(word.removesuffix("'s"), "english") for word in words if word not in ("a", "an", "the"))


def _telling(said: str) -> set[str]:
    """Give what no echo may differ in: numbers, negations, and words written as names."""
    out: set[str] = set()
    text = unicodedata.normalize("NFKC", _bare(said)).replace("’", "'")
    shouted = text.upper() == text
    for piece in text.split():
        word = fold(piece.strip(_EDGES))
        if not word:
            continue
        if any(char.isdigit() for char in word):
            out.add(word)
        elif word in _NEGATIONS or word.endswith("n't"):
            out.add("not" if word.endswith("n't") else word)
        elif not shouted and piece[:1].isupper() and word.removesuffix("'s") not in _STOP:
            out.update(stem(one, "english") for one in split(word.removesuffix("'s")))
    return out
