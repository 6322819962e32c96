"""From a message to what was said in it: code, logs and quotations left out, sentences, and the clauses of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from recollect.language.english.lexicon import PAST, PAST_WEAK, PETS, PRESENT, RELATIONS, THIRD
from recollect.language.english.person import plain
from recollect.text.patterns import pattern

_FENCE = pattern(r"```|~~~")
_CODE_LINE = pattern(
    r"^(?: {4}|\t)|^\s*(?:>|\$ |#include|import |from \w+ import|def |class |function |\{|\}|<\w|@\w+\()"
)
_LOG_LINE = pattern(
    r"^\s*\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b"
    r"|Traceback|File \""
    r"|at [\w.$]+\(|\w+(?:Error|Exception):)"
)
_LIST_LINE = pattern(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_SYMBOLS = pattern(r"[{}<>=;|\\$]")
_END = pattern(r"[.!?…。！？]+[\"'”’)]*(?:\s+|$)|[。！？]")
_ABBREVIATION = pattern(r"(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|St|Prof|Jr|Sr|vs|etc|approx|e\.g|i\.e|No|[A-Z])\.$")
LONGEST_LINE = 2000
MOST_LIST_LINES = 4
_VERBS = "|".join(sorted(PRESENT | PAST | PAST_WEAK | {"have", "go", "am", "was"}))
_THEIRS = "|".join(sorted({*THIRD, *PAST, "is", "was", "has", "got", "died", "can", "does", "did", "will"}))
_STARTS = r"(?:i\b|i['’](?:m|ve|ll|d)\b|im\s|ive\s|my\s|we\s|we['’](?:re|ve)\b|our\s)"
_PATTERNS = {
    "cut": rf"\s*(?:;|\s[-–—]{{1,2}}\s)\s*|,?\s+(?:and|but|so|yet|although|though|while)\s+(?=(?:also\s+)?{_STARTS})"
    rf"|,\s+(?=(?:also\s+|now\s+)?{_STARTS})|\s*,?\s+(?:and|but)\s+(?=(?:also\s+|then\s+|now\s+)?(?:{_VERBS})\b)"
    rf"|(?:,|,?\s+(?:and|but))\s+(?=(?:he|she)(?:['’]s\s|\s+(?:{_THEIRS})\b))"
    rf"|,\s+(?=(?-i:[A-ZÀ-Þ])\w+\s+(?:and\s+i\b|(?:{_THEIRS})\b))|,?\s+but\s+(?=(?:he|she|they|it|you)\b)",
    "them": r"((?:my|our)\s+([\w-]+)(?:\s+(?-i:[A-ZÀ-Þ])[\w'’-]+)?),?\s+(?:(?:just|now|also|still)\s+)?"
    rf"(?:{_THEIRS})\b",
    "verb": rf"(?:also\s+|then\s+|now\s+)?({_VERBS})\b",
    "speaks": rf"i\s+(?:\w+ly\s+|also\s+|just\s+|often\s+|always\s+|never\s+|still\s+)?({_VERBS})\b",
}


@cache
def _pattern(name: str) -> re.Pattern[str]:
    # They are long lists of verbs, which take some milliseconds to compile: with the first message that is read.
    return re.compile(_PATTERNS[name], re.IGNORECASE)


_ALSO_THEM = pattern(r"(?:he|she)(['’]s\b)?(?=\s)", re.IGNORECASE)
_OTHER_VERB = pattern(
    r"\b(?:to|will|can|could|would|who|that|people|they|he|she|how|what|when|where|because)\b", re.IGNORECASE
)
_NOUNS = PRESENT - {
    "own",
    "speak",
    "prefer",
    "enjoy",
    "adore",
    "detest",
    "eat",
    "avoid",
    "live",
    "teach",
    "attend",
    "belong",
}
"""Verbs that may as well be nouns: `love and support`."""
_BEFORE_NOUN = frozenset("a an the my at in as for on with to two three four five six seven no only some".split())
_COUPLE = pattern(r"[Mm]y\s+[\w-]+(?:\s+[A-ZÀ-Þ]\w+)?$")
_ASIDE = pattern(
    r",?\s+(?:because|since (?=i\b|it\b|they\b|he\b|she\b|we\b|my\b)|which|although|though|so (?=i\b|it\b|that\b"
    r"|please\b|no\b|they\b|we\b|you\b))"
    r".*|,\s+(?:it|he|she|they|we|you|this|that|so|but|and (?=it\b|they\b|he\b|she\b|we\b|you\b"
    r"|that\b))(?:['’]\w+)?\b.*"
    r"|\s+and\s+(?:it|they|he|she|we|you)(?:['’]\w+)?\s.*|\s+and\s+\w+ed\s+(?:it|them|him|her)\b.*"
    r"|,\s+(?:don't|do not|please|thanks|right|you know|haha|lol|if)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_TAIL = pattern(
    r"(?:[\s,]+(?:ha(?:ha)+h?|he(?:he)+|tho|though|tbh|imo|btw|by the way|of course|obviously|thank god|these days"
    r"|nowadays|too|as well|unfortunately|luckily|sadly|(?<=,\s)(?:right|you know|false alarm|(?:way|much|far) \w+)"
    r"|[:;]-?[)(DP]))+[\s!.]*$|\s*[\U0001F300-\U0001FAFF]+\s*$",
    re.IGNORECASE,
)
"""Chat behind a clause, which says nothing."""


def prose(text: str) -> str:
    """Leave out of a message what its author did not say: code, logs, quoted lines, long lists."""
    pieces = _FENCE.split(text)
    kept: list[str] = []
    listed: list[str] = []
    for line in "\n".join(pieces[::2]).splitlines():
        if _LIST_LINE.match(line):
            listed.append(line)
        elif not _CODE_LINE.match(line) and not _LOG_LINE.match(line) and len(line) <= LONGEST_LINE:
            symbols = len(_SYMBOLS.findall(line))
            if symbols * 12 <= len(line):
                kept.append(line)
    if len(listed) <= MOST_LIST_LINES:
        kept += [_LIST_LINE.sub("", line) for line in listed if len(line) <= LONGEST_LINE]
    return "\n".join(kept)


def sentences_of(text: str) -> Iterator[str]:
    """Give the sentences of a text with their closing marks; a new line ends one too."""
    for line in text.splitlines():
        begin = 0
        for end in _END.finditer(line):
            stop = end.start() + 1
            if line[end.start()] == "." and _ABBREVIATION.search(line[max(0, stop - 12) : stop]):
                continue
            said = line[begin : end.end()].strip()
            if said:
                yield said
            begin = end.end()
        if line[begin:].strip():
            yield line[begin:].strip()


def clauses_of(sentence: str) -> list[str]:
    """Give the statements of a sentence, each from its subject on; one that shares the subject is given it again."""
    bare = sentence.rstrip(" .!…。！")
    pieces = [piece for piece in (piece.strip(" ,") for piece in _pattern("cut").split(bare)) if piece]
    out: list[str] = []
    for piece in pieces:
        starts = re.match(_STARTS, piece, re.IGNORECASE)
        if out and starts and starts[0].lower() == "i" and _COUPLE.match(_led(out[-1])):
            out[-1] = f"{out[-1]} and {piece}"
        elif out and (named := _named(out[-1], piece)):
            out.append(named)
        elif out and not starts and (verb := _pattern("verb").match(piece)):
            if _continues(_led(out[-1]), verb[1].lower(), piece[verb.end() :].split()):
                out.append("I " + piece)
            else:
                out[-1] = f"{out[-1]} and {piece}"
        else:
            out.append(piece)
    return out


def _named(before: str, piece: str) -> str:
    """Put in the place of `he` or `she` the one person the clause before was about; empty where there is none."""
    them, also = _pattern("them").match(_led(before)), _ALSO_THEM.match(piece)
    if them is None or also is None or them[2].lower() not in RELATIONS | PETS:
        return ""
    verb = "" if not also[1] else " has" if re.match(r"\s+(?:got|been|\w+ed)\b", piece[also.end() :]) else " is"
    return f"{them[1]}{verb}{piece[also.end() :]}"


def _continues(before: str, verb: str, after: list[str]) -> bool:
    """Tell whether a verb after `and` is the speaker's: of the tense of the verb before it, and no noun or "
    "infinitive."""
    first = _pattern("speaks").match(plain(before))
    if first is None or _OTHER_VERB.search(before):
        return False
    past = PAST | PAST_WEAK
    if (first[1].lower() in past) != (verb in past):
        return False
    noun = verb in _NOUNS and not (after and (after[0].lower() in _BEFORE_NOUN or after[0].lower().endswith("ing")))
    return bool(after) and not noun


def main_part(clause: str) -> str:
    """Cut off what only explains a statement: a reason, a remark about it."""
    return _TAIL.sub("", _ASIDE.sub("", clause)).strip(" ,")


_LEAD = (
    "hi|hello|hey|oh|ah|well|so|and|but|also|yes|yeah|yep|no|nope|nah|okay|ok|actually|honestly|anyway|btw|fyi"
    "|by the way|just so you know|for the record|to be honest|in fact|as i said|good news|big news|guess what|update"
    "|quick update|fun fact|personally|sorry|right|great|thanks|thank you|good morning|good evening|morning|these days"
    "|nowadays|at the moment|lately|currently|recently|finally|sadly|luckily|unfortunately|correction|hello there"
    "|hi there|one more thing|another thing|(?:it )?turns out(?: that)?|(?:sorry,? )?i was wrong|my mistake|my bad|wait"
    "|oh wait|hang on|hold on|it['’]?s my birthday|it is my birthday|seriously(?: though)?|heads up|ps|p[.]s[.]|listen"
    "|look|hm+|you know what|speaking of which|oh and|and also"
)
_PATTERNS["leads"] = (
    rf"^(?:(?:{_LEAD})(?:\s*[,!.:–—-]+\s*|\s+(?=(?:{_LEAD})\b|(?:i|i['’]\w+|im|ive|my|we|we['’]\w+|our)\s)))+"
)


def _led(clause: str) -> str:
    return _pattern("leads").sub("", clause)


def without_lead(clause: str) -> str:
    """Take greetings and words like `by the way` off the front of a clause."""
    return _led(clause).strip()
