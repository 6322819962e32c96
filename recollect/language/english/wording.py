"""What small words and the order of words tell: before and after, up and down, 5 am and 5 pm, who chased whom.

A word that only holds a sentence together (an article, a pronoun, a form of `be`) is glue and tells nothing.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from recollect.text.patterns import pattern

GLUE = frozenset(
    """
    a an the and that which who whom whose where when what of been being having doing it its this these those there
    here so very i me my myself we us our ours you your yours they them their theirs himself herself itself themselves
    as also
    der das dem des ein eine einem einen einer eines und ich du er sie es wir ihr ist sind
    le la les un une et est sont il elle je tu nous vous du de ce cette que qui ces
    el los las una uno unos y es son yo él ella al del lo su sus
    o os um uma e é são eu ele ela da das dos seu sua
    gli è sono io lui lei di della
    het een en zijn ik hij zij deze dit dat
    и это я он она они мы вы
    """.split()
)
"""Words that are passed over when two texts are compared."""
TURNING = frozenset(
    """
    only unless if or than up down off out over under before after above below may might must can could would
    should will maybe perhaps possibly probably all most few both half less hopes wants plans tries intends
    considers
    """.split()
)
"""One such word more, with nothing new behind it, and a sentence says something else."""
_BEING = frozenset("is was be been being".split())
_ALIKE = {
    "at": "in", "into": "in", "inside": "in", "onto": "on", "upon": "on", "till": "until", "towards": "toward",
    "are": "is", "am": "is", "were": "was", "have": "has", "does": "do",
}  # fmt: skip
_JOINING = frozenset("and or but nor und oder aber et ou y o e ma en maar и или но".split())
ADVERBS = frozenset(
    "always often usually sometimes mostly generally now today tonight tomorrow yesterday currently recently daily "
    "also already still really".split()
)
"""Words that may stand anywhere in a sentence."""
_OPENING = ADVERBS | frozenset(
    "in on with for from to by near during since until after before about under over between through around without "
    "within behind beside above below every each last next if while because "
    "im zum zur mit bei nach vor seit dans avec chez pour con por para desde com em".split()
)
"""Words that begin a part of a sentence which may be moved as a whole."""
HALVES = frozenset(("aclock", "pclock"))
"""How `spelt` writes the halves of a day."""
LONGEST = 60
"""Texts of more words are the same only in the same order."""
_NEAR = 4
_SPELT = pattern(
    r"(?=[ \u00a0apAP+#'’−-])(?:(?<=\d)[ \u00a0]?(?P<half>[ap])\.?m\b\.?|(?P<minus>(?<![\w.,:/)-])[-−](?=\d))"
    r"|(?P<more>(?<=[\w+])\+)|(?P<sharp>(?<=\b[A-Za-z])#)|(?P<letter>(?<=\w )(?-i:A(?=[\s.,;:!?)]|$)|a(?=[.!?]*$)))"
    r"|(?P<short>(?<=\w)['’](?:re|m|ve|ll)\b))",
    re.IGNORECASE,
)
_SHORT = {"re": " are", "m": " am", "ve": " have", "ll": " will"}


def spelt(text: str) -> str:
    """Write out what signs, single letters and short forms tell and a tokeniser drops: -5, C++, 5 p.m., plan A."""
    return _SPELT.sub(_written, text) if not text.isupper() else text


def _written(found: re.Match[str]) -> str:
    if found["half"]:
        return f" {found['half'].lower()}clock"
    if found["short"]:
        return _SHORT[found["short"][1:].lower()]
    return "LetterA" if found["letter"] else str(found.lastgroup)


def alike(said: Iterable[str]) -> list[str]:
    """Give words with one for those that are used for each other: at school and in school, is and are."""
    return [_ALIKE.get(word, word) for word in said]


def turned(said: Sequence[str], known: Sequence[str]) -> bool:
    """Tell whether a text has a small word more that makes it say something else: only, up, may, `was` in `was paid`.

    Before something new it begins an addition (after meals), and tells nothing about what both say.
    """
    left, there = Counter(said) - Counter(known), {*known, ""}
    passive = sum(word in _BEING for word in said) > sum(word in _BEING for word in known)
    bare = [word for word in said if word not in GLUE or word in _BEING]
    for word, follows in zip(bare, (*bare[1:], ""), strict=True):
        if word in TURNING and left[word] and follows in there:
            return True
        if passive and word in _BEING and follows and follows in there and not follows.endswith("ing"):
            return True
    return False


def added(said: Sequence[str], known: Sequence[str]) -> bool:
    """Tell whether something new is joined to what is known: and aspirin, on weekends; a word alone may be chatter."""
    bare = [word for word in said if word not in GLUE or word in _JOINING]
    begins = _JOINING | _OPENING - ADVERBS
    new = {word for word in bare if word not in known and word not in begins}
    return any(before in begins and word in new for before, word in itertools.pairwise(bare))


def reordered(one: Sequence[str], other: Sequence[str]) -> bool:
    """Tell whether the words two texts share stand in another order that tells something else.

    What is joined may change places, and a part that begins with a small word (in Lisbon, every day) may be moved to
    the front, to the end, or past another such part.
    """
    first, second = Counter(one), Counter(other)
    shared = {word for word in first if first[word] == second[word] and (word not in GLUE or word in _JOINING)}
    a, b = [word for word in one if word in shared], [word for word in other if word in shared]
    if a == b:
        return False
    return len(a) > LONGEST or not any(_moved(a[begin:end], b[begin:end], begin) for begin, end in _spans(a, b))


def _spans(a: list[str], b: list[str]) -> Iterable[tuple[int, int]]:
    """Give the stretches outside which two orders agree, the shortest first: both parts may begin or end alike."""
    size = len(a)
    first = next(at for at in range(size) if a[at] != b[at])
    last = next(at for at in range(size, 0, -1) if a[at - 1] != b[at - 1])
    begins, ends = range(first, max(-1, first - _NEAR), -1), range(last, min(size + 1, last + _NEAR))
    return itertools.product(begins, ends)


def _moved(a: list[str], b: list[str], begin: int) -> bool:
    """Tell whether one stretch is the other with two parts of it exchanged that may be."""
    for at in range(1, len(a)):
        front, back = a[:at], a[at:]
        if a[at] in _JOINING and [*back[1:], a[at], *front] == b:
            return True
        if back[0] == b[0] and back + front == b:
            alone = any(len(part) == 1 and part[0] in ADVERBS for part in (front, back))
            opening = (front[0] in _OPENING) + (back[0] in _OPENING)
            if alone or opening == 2 or (opening and not begin):
                return True
    return False
