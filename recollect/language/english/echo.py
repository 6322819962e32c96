"""The echo guard: what came out of memory, prompts, files or tools is not learnt again when it is said back.

A sentence is an echo when one known sentence holds nearly all its words, in an order that tells the same, and every
number, name and negation of it. A changed number or name makes it news, and so does any word in the place of another,
however small: after for before, 5 am for 5 pm, plan A for plan B.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from recollect.language.english.clauses import sentences_of
from recollect.language.english.wording import ADVERBS, GLUE, HALVES, added, alike, reordered, spelt, turned
from recollect.model.memory import Memory
from recollect.model.values import dataclass
from recollect.text.normal import content_hash
from recollect.text.patterns import pattern
from recollect.text.stopwords import stop_words
from recollect.text.terms import fold, split, stem

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
_STOP = stop_words("english")
_FILLING = frozenset("now still current currently also really actual".split())
_COMMON = _STOP | _FILLING
_SMALL = _STOP | ADVERBS
_PASSED = GLUE - {"and"} | _FILLING | frozenset("he she him his her hers".split())
"""Words that may stand in the place of others in an echo."""
_EDGES = ".,;:!?…\"'()[]{}<>“”«»*•-"
_NEGATIONS = frozenset("not no never none without cannot stopped quit longer anymore more".split())


_PART = pattern(r",?\s(?:and|but|or)\s|[;:,]\s")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence as it is compared."""

    words: tuple[str, ...]
    telling: frozenset[str]
    """What no echo may differ in: numbers, negations, and words written as names."""

    @property
    def exact(self) -> tuple[tuple[str, ...], frozenset[str]]:
        """Give what is equal only for the same words and numbers, whatever is written large."""
        return self.words, frozenset(word for word in self.telling if any(char.isdigit() for char in word))


class Echo:
    """An index of texts that came out of memory, prompts, files or tools."""

    def __init__(self, texts: Iterable[str], memories: Iterable[Memory] = ()) -> None:
        """Take in every sentence of texts and memories, whole and in parts: one half of it may come back alone."""
        kept = tuple(memories)
        self._memories = {(one.kind, bool(one.key), content_hash(one.content)) for one in kept}
        self._exact: set[tuple[tuple[str, ...], frozenset[str]]] = set()
        self._known: list[tuple[_Sentence, Counter[str], set[tuple[str, str]]]] = []
        self._where: dict[str, list[int]] = {}
        for text in (*texts, *(one.content for one in kept)):
            for said in _sentences(text[:LONGEST]):
                self._learn(_read(said))
                for part in _PART.split(said):
                    if len((one := _read(part)).words) > ALONE:
                        self._learn(one)

    def _learn(self, said: _Sentence) -> None:
        if not said.words or said.exact in self._exact:
            return
        self._exact.add(said.exact)
        at = len(self._known)
        self._known.append((said, Counter(said.words), set(itertools.pairwise(said.words))))
        for term in set(said.words):
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
            if (one := _read(said)).words:
                found = True
                if not self._echo(one):
                    return False
        return found

    def fresh(self, text: str) -> str:
        """Give the parts of a text that are no echo; the whole of it, as it is, when none is."""
        kept: list[str] = []
        lost = False
        for line in text[:LONGEST].splitlines():
            said = list(_cut(line))
            left = [one for one in said if not self._echo(_read(one))]
            lost = lost or len(left) < len(said)
            if left or not said:
                kept.append(" ".join(left))
        return ("\n".join(kept) + text[LONGEST:]).strip() if lost else text

    def _echo(self, said: _Sentence) -> bool:
        if said.exact in self._exact:
            return True
        if len(said.words) < ALONE:
            return False
        return any(self._held(said, at) for at in self._near(said.words))

    def _near(self, words: Sequence[str]) -> Iterator[int]:
        """Give the known sentences that share one of the rarest known words, not every one that has an `is`."""
        known = sorted({word for word in words if word in self._where}, key=lambda word: len(self._where[word]))
        seen: set[int] = set()
        for word in known[: max(_RAREST, len(set(words)) - int(SHARED * len(set(words))) + 1)]:
            for at in self._where[word][:_MOST_KNOWN]:
                if at not in seen:
                    seen.add(at)
                    yield at

    def _held(self, said: _Sentence, at: int) -> bool:
        there, known, pairs = self._known[at]
        words, telling, sure = said.words, said.telling, there.telling
        if bool(telling & _NEGATIONS) != bool(sure & _NEGATIONS) or not all(
            word in sure or word in known for word in telling - _NEGATIONS
        ):
            return False
        if sum(word not in known and word not in _COMMON for word in words) * NEWS > len(words):
            return False
        shared = sum((Counter(words) & known).values())
        mine = set(itertools.pairwise(words))
        ordered = len(mine & pairs) / len(mine) if mine else 1.0
        held = shared >= SHARED * len(words) and ordered >= ORDERED
        return held and not _other(words, there.words)


def _other(said: tuple[str, ...], known: tuple[str, ...]) -> bool:
    """Tell whether a sentence in nearly the words of a known one says something else: a word in another's place, a
    small one more that turns it, or an order that does."""
    if turned(said, known) or ("only" in known and "only" not in said):
        return True
    mine, other = ([word for word in one if word not in _NEGATIONS] for one in (said, known))
    if reordered(mine, other) or added([word for word in mine if word not in _PASSED], other):
        return True
    here, there = set(said) - set(known) - _PASSED, set(known) - set(said) - _PASSED
    if not here or not there:
        return False
    steps = SequenceMatcher(None, said, known, autojunk=False).get_opcodes()
    places = [(said[a:b], known[c:d]) for step, a, b, c, d in steps if step == "replace"]
    return any(not here.isdisjoint(new) and not there.isdisjoint(old) for new, old in places)


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


def _read(said: str) -> _Sentence:
    """Read a sentence without marks and leads, its signs written out."""
    text = spelt(_bare(said).replace("’", "'"))
    return _Sentence(_terms(text), frozenset(_telling(text)))


def _terms(text: str) -> tuple[str, ...]:
    """Give the words of a sentence as they are compared: folded, all but the small ones stemmed, without articles."""
    words = alike(word.removesuffix("'s") for word in split(text))
    compared = (word.replace("'", "") if word in _SMALL else stem(word, "english") for word in words)
    return tuple(word for word in compared if word not in ("a", "an", "the"))


def _telling(text: str) -> set[str]:
    """Give what no echo may differ in: numbers, negations, letters, and words written as names."""
    out: set[str] = set()
    text = unicodedata.normalize("NFKC", text)
    shouted = text.upper() == text
    for piece in text.split():
        word = fold(piece.strip(_EDGES))
        if not word:
            continue
        if any(char.isdigit() for char in word):
            out.add(word)
        elif word in _NEGATIONS or word.endswith("n't"):
            out.add("not" if word.endswith("n't") else word)
        elif word in HALVES or (len(word) == 1 and word.isalpha() and word not in _STOP):
            out.update(split(word))
        elif not shouted and piece[:1].isupper() and word.removesuffix("'s") not in _STOP:
            out.update(stem(one, "english") for one in split(word.removesuffix("'s")))
    return out
