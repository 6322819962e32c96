"""The echo guard: what came out of memory, prompts, files or tools is not learnt again when it is said back.

A sentence is an echo when one known sentence holds all its words, but for small ones, in an order that tells the same,
and denies what it denies. Any other word makes it news: another number, another name, another colour.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from recollect.language.lexicon import Lexicon, among
from recollect.language.sentences import sentences
from recollect.language.wording import without_lead
from recollect.model.memory import Memory
from recollect.model.values import dataclass
from recollect.text.normal import content_hash
from recollect.text.patterns import pattern
from recollect.text.terms import split, stem

ORDERED = 0.6
"""Which share of a sentence's neighbouring pairs a known one must hold."""
ALONE = 3
"""A sentence of fewer words is an echo only when it is known as it stands."""
LONGEST, LONGEST_LINE = 100_000, 4000
"""How many characters of a text are looked through, and of a line: what is longer was pasted."""
LEAD = 5
"""How many words before a colon may introduce what is said again."""
_RAREST, _MOST_KNOWN = 3, 64
_PART = pattern(r"[;:,]\s")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence as it is compared."""

    words: tuple[str, ...]
    denies: bool


class Echo:
    """An index of texts that came out of memory, prompts, files or tools."""

    def __init__(self, texts: Iterable[str], memories: Iterable[Memory], known: Sequence[Lexicon]) -> None:
        """Take in every sentence of texts and memories, whole and in parts: one half of it may come back alone."""
        kept = tuple(memories)
        self._lexicons = known
        self._memories = {(one.kind, bool(one.key), content_hash(one.content)) for one in kept}
        self._exact: set[tuple[str, ...]] = set()
        self._known: list[tuple[_Sentence, Counter[str], set[tuple[str, str]]]] = []
        self._where: dict[str, list[int]] = {}
        for text in (*texts, *(one.content for one in kept)):
            for said in self._sentences(text[:LONGEST]):
                self._learn(self._read(said))
                for part in _PART.split(said):
                    if len((one := self._read(part)).words) > ALONE:
                        self._learn(one)

    def _learn(self, said: _Sentence) -> None:
        if not said.words or said.words in self._exact:
            return
        self._exact.add(said.words)
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
        spoken = list(self._sentences(text)) if len(text) <= LONGEST else []
        read = [(said, one) for said in spoken if (one := self._read(said)).words]
        return bool(read) and all(self._echo(one) or self._quoted(said) for said, one in read)

    def _quoted(self, said: str) -> bool:
        """Tell whether a few words only introduce what is known: `You wrote: …`."""
        lead, _, rest = said.partition(": ")
        return bool(rest) and len(lead.split()) <= LEAD and self._echo(self._read(rest))

    def _echo(self, said: _Sentence) -> bool:
        if said.words in self._exact:
            return True
        return len(said.words) >= ALONE and any(self._held(said, at) for at in self._near(said.words))

    def _near(self, words: Sequence[str]) -> Iterator[int]:
        """Give the known sentences that share one of the rarest known words, not every one that has an `is`."""
        known = sorted({word for word in words if word in self._where}, key=lambda word: len(self._where[word]))
        yield from dict.fromkeys(at for word in known[:_RAREST] for at in self._where[word][:_MOST_KNOWN])

    def _held(self, said: _Sentence, at: int) -> bool:
        there, known, pairs = self._known[at]
        mine = set(itertools.pairwise(said.words))
        ordered = len(mine & pairs) / len(mine) if mine else 1.0
        return said.denies == there.denies and Counter(said.words) <= known and ordered >= ORDERED

    def _sentences(self, text: str) -> Iterator[str]:
        for line in text.splitlines():
            yield from sentences(line[:LONGEST_LINE], self._lexicons)

    def _read(self, said: str) -> _Sentence:
        """Read a sentence without leads, small words that tell nothing, and endings."""
        bare = without_lead(said, self._lexicons)
        lexicon, words = among([bare], self._lexicons) or next(iter(self._lexicons), None), split(bare)
        if lexicon is None:
            return _Sentence(tuple(words), False)
        passed = lexicon.words("articles") | lexicon.words("small")
        compared = tuple(stem(word.removesuffix("'s"), lexicon.stemmer) for word in words if word not in passed)
        return _Sentence(compared, not lexicon.words("negations").isdisjoint(words))
