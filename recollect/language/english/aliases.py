"""Two names of one: what a text says outright, `Robert, also known as Bob`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.language.english.plain_speech import plain_sentences, told
from recollect.text.patterns import pattern
from recollect.text.terms import fold

_AKA = pattern(r"\ba\.\s?k\.\s?a\.", re.IGNORECASE)
_WORD = r"[^\W\d_][\w'’-]*"
_RUN = rf"{_WORD}(?:\s+{_WORD}){{0,3}}"
_UPTO = rf"{_WORD}(?:\s+{_WORD}){{0,3}}?"
_ALSO = pattern(
    rf"(?P<left>{_UPTO}),?\s+\(?(?:(?:who|which)\s+)?(?:is\s+|was\s+)?(?:(?:also|better)\s+)?"
    rf"(?:known\s+as|nicknamed|goes\s+by|going\s+by|aka)\s+(?:just\s+|the\s+name\s+)?[\"“'‘]?(?P<right>{_RUN})"
)
_SHORT = pattern(rf"(?P<right>{_UPTO})\s+is\s+(?:short|a\s+nickname|my\s+nickname)\s+for\s+(?P<left>{_RUN})")
_FULL = pattern(rf"(?P<right>{_UPTO})['’]s\s+(?:full|real)\s+name\s+is\s+(?P<left>{_RUN})")
_CUE = pattern(r"known\s+as|nickname|go(?:es|ing)\s+by|\baka\b|short\s+for|(?:full|real)\s+name")
_STATES = pattern(r",?\s+(?:is|was|goes)\s|['’]s\s")
_OPENERS = frozenset("And Also But So Yes Well Actually Today Now Nowadays Remember Note Because Since".split())
_NOUN = r"(?:\s+(?!that\b)[^\W\d_][\w-]*)"
_LEAD = pattern(
    r"(?:^|[,;(–—-]|\b(?:and|but|so|because|since|also|yes|well|now|nowadays|today|actually|btw|fyi"
    r"|(?:knows?|learn(?:ed|t)|found\s+out|turn(?:s|ed)\s+out|discovered|reali[sz]ed|remember|note|true|fact)(?:\s+that)?"
    r"|(?:remember|reminder|note|know|info|btw|fyi|ps)(?:\s+this|\s+that)?:|(?:dr|mr|mrs|ms|prof)\.?"
    rf"|(?:my|our|his|her|their|the){_NOUN}{{1,3}}|(?!(?:it|that|he|she|there|here|what|who|let)['’]s)[\w-]+['’]s{_NOUN}{{1,2}})"
    rf"|^\W*(?:in|at|on|to|among|for){_NOUN}{{1,3}})\s*$",
    re.IGNORECASE,
)
"""What may stand before a name that a sentence is about: any other verb there could make it hearsay."""
_BESIDE = pattern(
    r"\b(?:with|by|near|beside|besides|behind|before|after|under|over|like|than|from|for|against|between|around|next\s+to"
    r"|(?:that|who|which)\s+\w+|\w+ing)\s*$",
    re.IGNORECASE,
)
"""What makes a name no more than a part of whom a sentence is about: `the man beside Robert Smith is known as Bob`."""
_OTHERS = pattern(r"\b[A-ZÀ-Þ][\w'’]*,?\s+(?:and|&)\s*$|\bof\s*$")
_AND = pattern(r"(?:\band|&)\s*$")
_TITLE = pattern(r"['’]|\s+(?:the|of|de|da|von|van)\s")
"""What makes the later name the beginning of something else: `known as Bob the Builder`, `known as Bob's friend`."""
_PASSES = pattern(r"(?:goes|going)\s+by\s.*\b(?:on\s+\w+\s+way|every|each|daily|twice|often|home)\b", re.DOTALL)


def also_called(text: str) -> list[tuple[str, str]]:
    """Give the pairs of names a text says outright belong to one: the fuller first, then the other."""
    pairs: list[tuple[str, str]] = []
    text = _AKA.sub("aka", text)
    if not _CUE.search(text):  # as most do not
        return pairs
    for sentence in plain_sentences(text):
        for form in (_ALSO, _SHORT, _FULL):
            for match in form.finditer(sentence):
                sides = sorted(("left", "right"), key=match.start)
                start, one = _ending(match, sides[0])
                end, other = _beginning(match, sides[1])
                if one and other and fold(one) != fold(other) and _outright(sentence, start, match.end(sides[0]), end):
                    first, second = (one, other) if sides[0] == "left" else (other, one)
                    swap = len(second.split()) > len(first.split())
                    pairs.append((second, first) if swap else (first, second))
    return pairs


def _ending(match: re.Match[str], side: str) -> tuple[int, str]:
    """Give the capitalised words at the end of a run, and where they begin."""
    words = list(re.finditer(r"\S+", match[side]))
    first = len(words)
    while first and words[first - 1][0][0].isupper() and not (first < len(words) and _broken(words, first)):
        first -= 1
    taken = words[first:]
    if len(taken) > 1 and taken[0][0] in _OPENERS:
        taken = taken[1:]
    return (match.start(side) + taken[0].start(), " ".join(word[0] for word in taken)) if taken else (0, "")


def _broken(words: Sequence[re.Match[str]], at: int) -> bool:
    """Tell whether a new line begins between two words."""
    return "\n" in words[at].string[words[at - 1].end() : words[at].start()]


def _beginning(match: re.Match[str], side: str) -> tuple[int, str]:
    """Give the capitalised words at the beginning of a run, and where they end."""
    taken = ""
    for word in re.finditer(r"\S+", match[side].split("\n")[0]):
        if not word[0][0].isupper():
            break
        taken = match[side][: word.end()]
    bare = taken.removesuffix("'s").removesuffix("’s").rstrip("'’-")
    return match.start(side) + len(bare), " ".join(bare.split())


def _outright(sentence: str, start: int, between: int, end: int) -> bool:
    """Tell whether a sentence is about the first of two names, and says of it by itself that it has the other."""
    lead, rest = sentence[:start], sentence[end:]
    if told(lead, rest) or _OTHERS.search(lead) or _TITLE.match(rest) or _PASSES.match(sentence[between:].lstrip()):
        return False
    if _STATES.match(sentence[between:]):
        return bool(_LEAD.search(lead)) and not _BESIDE.search(lead)
    return not _AND.search(lead)
