"""From text to the terms it is found by: the only tokeniser in the house."""

from __future__ import annotations

import re
import sys
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import Stemmer

from recollect.model.values import bounded, dataclass
from recollect.text.patterns import pattern
from recollect.text.stopwords import stop_words

LONGEST_TERM = 64

# Scripts written without spaces: Thai to Khmer, kana, Han, Hangul. They are indexed by pairs of characters.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_EMOJI = "\u231a-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f1e6-\U0001f1ff\U0001f300-\U0001faff"
_TOKEN_ASCII = pattern(r"[a-z0-9]+(?:'(?:s|t|re|ve|ll|d|m)\b)?")
_UNSPACED_RUN = pattern(f"[{_UNSPACED}]+")
_WIDE = pattern(f"[{_UNSPACED}\U00010000-\U0010ffff]")
# Marks that readers treat as optional: Latin accents, Arabic vowels and the Arabic stretching stroke.
_OPTIONAL = pattern("[\u0300-\u036f\u064b-\u065f\u0670\u0640]")


@dataclass(frozen=True, slots=True)
class TermsPolicy:
    """How text becomes terms and terms become scores."""

    language: str = "english"
    """The language of the stemmer and the stop words, chosen before the first message; `none` leaves words alone."""
    k1: float = 1.5
    """How fast repeats of a word stop counting (BM25)."""
    b: float = 0.75
    """How much long memories are held back (BM25), 0 to 1."""
    max_query_terms: int = 32
    """How many words of a query count, the rarest first."""
    expansions: int = bounded(6)
    """How many known words may stand in for an unknown one."""
    expansion_weight: float = 0.6
    """What a word that stands in for another counts, 0 to 1."""
    expandable_terms: int = bounded(4)
    """For how many unknown words of a query others may stand in."""


@cache
def _token() -> re.Pattern[str]:
    # Vowel signs and other marks belong to the word they stand in, but \w leaves them out. Finding them
    # takes a tenth of a second, so it happens with the first text that is not ASCII.
    marks: list[str] = []
    for code in range(0x300, 0x1F000):
        if unicodedata.category(chr(code)) in ("Mn", "Mc"):
            marks.append(chr(code))
    inside = re.escape("".join(marks))
    return re.compile(rf"[{_EMOJI}]|[^\W_](?:[^\W_]|[{inside}])*(?:'(?:s|t|re|ve|ll|d|m)\b)?")


def fold(text: str) -> str:
    """Fold case and compatibility forms and squeeze white space: how names and topics are compared."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def tag_term(tag: str) -> str:
    """Give the term a tag is found by."""
    return "#" + fold(tag)[: LONGEST_TERM * 2]


def split(text: str) -> list[str]:
    """Split text into folded words: runs of letters and digits of any script, emoji one by one,
    unspaced scripts as overlapping pairs."""
    if text.isascii():
        return _TOKEN_ASCII.findall(text.lower())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("’", "'")
    words: list[str] = []
    for token in _token().findall(folded):
        if token.isascii() or not _UNSPACED_RUN.search(token):
            words.append(token)
        else:
            words.extend(_pairs(token))
    return words


def _pairs(token: str) -> Iterator[str]:
    at = 0
    for run in _UNSPACED_RUN.finditer(token):
        if run.start() > at:
            yield token[at : run.start()]
        piece = run.group()
        if len(piece) == 1:
            yield piece
        else:
            yield from (piece[i : i + 2] for i in range(len(piece) - 1))
        at = run.end()
    if at < len(token):
        yield token[at:]


class _Stemmers(threading.local):
    # A Snowball stemmer keeps state between calls, so each thread has its own.
    def __init__(self) -> None:
        self.known: dict[str, Stemmer.Stemmer] = {}
        self.cache: dict[str, dict[str, str]] = {}

    def stems(self, language: str) -> dict[str, str]:
        found = self.cache.get(language)
        return found if found is not None else self.cache.setdefault(language, {})


_stemmers = _Stemmers()
_CACHED_WORDS = 20_000


def languages() -> tuple[str, ...]:
    """Name the languages that can be stemmed; `none` leaves words as they are."""
    return ("none", *sorted(Stemmer.algorithms()))


def stem(word: str, language: str) -> str:
    """Reduce one folded word to its term."""
    stems = _stemmers.stems(language)
    known = stems.get(word)
    if known is not None:
        return known
    term = word
    if language != "none":
        if language not in _stemmers.known:
            _stemmers.known[language] = Stemmer.Stemmer(language, 0)
        term = _stemmers.known[language].stemWord(word)
    if "'" in term:
        term = term.replace("'", "")
    if not term.isascii():
        bare = _OPTIONAL.sub("", unicodedata.normalize("NFD", term))
        term = unicodedata.normalize("NFC", bare) or term
    term = sys.intern(term[:LONGEST_TERM])
    if len(stems) >= _CACHED_WORDS:
        stems.clear()
    stems[word] = term
    return term


def words_of(topic: str, key: str, content: str) -> str:
    """Give the text a memory is found by: topic and key belong to it, the key cut at its joints."""
    named = f"{key} {_JOINTS.sub(' ', key)}" if key else ""
    return "\n".join(part for part in (topic, named, content) if part)


_JOINTS = pattern(r"[\W_]+|(?<=[a-z])(?=[A-Z])")


def terms(text: str, policy: TermsPolicy, tags: Iterable[str] = ()) -> dict[str, int]:
    """Count the terms of a text, stop words left out, tags added as `#tag`."""
    language = policy.language
    stop, stems = stop_words(language), _stemmers.stems(language)
    counts: dict[str, int] = {}
    for word in split(text):
        if word not in stop:
            term = stems.get(word) or stem(word, language)
            counts[term] = counts.get(term, 0) + 1
    for tag in tags:
        counts[tag_term(tag)] = 1
    return counts


class Wanted(dict[str, str]):
    """Terms that are looked for in many texts: what each word of those comes to is worked out once."""

    def __init__(self, terms: Iterable[str], policy: TermsPolicy) -> None:
        self.terms = frozenset(terms)
        self._language = policy.language

    def held(self, text: str) -> int:
        """Count which of the terms a text holds."""
        return len(set(map(self.__getitem__, split(text))) - _NOTHING)

    def __missing__(self, word: str) -> str:
        term = "" if word in stop_words(self._language) else stem(word, self._language)
        self[word] = found = term if term in self.terms else ""
        return found


_NOTHING = {""}


def length(counts: Mapping[str, int]) -> int:
    """Give the length BM25 goes by: words counted with their repeats, tags not."""
    return sum(count for term, count in counts.items() if not term.startswith("#"))


def wide(text: str) -> int:
    """Count the characters of a text that stand for a word of their own: of unspaced scripts, and emoji."""
    return len(_WIDE.findall(text))


def unspaced(term: str) -> bool:
    """Tell whether a term comes from a script written without spaces."""
    return bool(_UNSPACED_RUN.match(term))
