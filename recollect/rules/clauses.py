"""From a message to what was said in it: code, logs and quotations left out, sentences, and the clauses of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.rules.lexicon import PAST, PAST_WEAK, PRESENT

_FENCE = re.compile(r"```|~~~")
_CODE_LINE = re.compile(
    r"^(?: {4}|\t)|^\s*(?:>|\$ |#include|import |from \w+ import|def |class |function |\{|\}|<\w|@\w+\()"
)
_LOG_LINE = re.compile(
    r"^\s*\[?(?:\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b"
    r"|Traceback|File \""
    r"|at [\w.$]+\(|\w+(?:Error|Exception):)"
)
_LIST_LINE = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_SYMBOLS = re.compile(r"[{}<>=;|\\$]")
_END = re.compile(r"[.!?…。！？]+[\"'”’)]*(?:\s+|$)|[。！？]")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|St|Prof|Jr|Sr|vs|etc|approx|e\.g|i\.e|No|[A-Z])\.$")
LONGEST_LINE = 2000
MOST_LIST_LINES = 4
_VERBS = "|".join(sorted(PRESENT | PAST | PAST_WEAK | {"have", "go", "am", "was"}))
_STARTS = r"(?:i\b|i['’](?:m|ve|ll|d)\b|my\s)"
_CUT = re.compile(
    rf"\s*(?:;|\s[-–—]{{1,2}}\s)\s*|,?\s+(?:and|but|so|yet|although|though|while)\s+(?=(?:also\s+)?{_STARTS})"
    rf"|,\s+(?=(?:also\s+)?{_STARTS})|\s*,?\s+(?:and|but)\s+(?=(?:also\s+|then\s+|now\s+)?(?:{_VERBS})\b)"
    r"|,?\s+but\s+(?=(?:he|she|they|it|we|you)\b)",
    re.IGNORECASE,
)
_VERB = re.compile(rf"(?:also\s+|then\s+|now\s+)?({_VERBS})\b", re.IGNORECASE)
_SPEAKS = re.compile(
    rf"i\s+(?:\w+ly\s+|also\s+|just\s+|often\s+|always\s+|never\s+|still\s+)?({_VERBS})\b", re.IGNORECASE
)
_OTHER_VERB = re.compile(
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
_COUPLE = re.compile(r"[Mm]y\s+[\w-]+(?:\s+[A-ZÀ-Þ]\w+)?$")
_ASIDE = re.compile(
    r",?\s+(?:because|since (?=i\b|it\b|they\b|he\b|she\b|we\b|my\b)|which|although|though|so (?=i\b|it\b|that\b"
    r"|please\b|no\b|they\b|we\b|you\b))"
    r".*|,\s+(?:it|he|she|they|we|you|this|that|so|but|and (?=it\b|they\b|he\b|she\b|we\b|you\b"
    r"|that\b))(?:['’]\w+)?\b.*"
    r"|\s+and\s+(?:it|they|he|she|we|you)(?:['’]\w+)?\s.*|\s+and\s+\w+ed\s+(?:it|them|him|her)\b.*"
    r"|,\s+(?:don't|do not|please|thanks|right|you know|haha|lol|if)\b.*",
    re.IGNORECASE | re.DOTALL,
)


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
    pieces = [piece for piece in (piece.strip(" ,") for piece in _CUT.split(bare)) if piece]
    out: list[str] = []
    for piece in pieces:
        starts = re.match(_STARTS, piece, re.IGNORECASE)
        if out and starts and starts[0].lower() == "i" and _COUPLE.match(_led(out[-1])):
            out[-1] = f"{out[-1]} and {piece}"
        elif out and not starts and (verb := _VERB.match(piece)):
            if _continues(_led(out[-1]), verb[1].lower(), piece[verb.end() :].split()):
                out.append("I " + piece)
            else:
                out[-1] = f"{out[-1]} and {piece}"
        else:
            out.append(piece)
    return out


def _continues(before: str, verb: str, after: list[str]) -> bool:
    """Tell whether a verb after `and` is the speaker's: of the tense of the verb before it, and no noun or "
    "infinitive."""
    first = _SPEAKS.match(before)
    if first is None or _OTHER_VERB.search(before):
        return False
    past = PAST | PAST_WEAK
    if (first[1].lower() in past) != (verb in past):
        return False
    noun = verb in _NOUNS and not (after and (after[0].lower() in _BEFORE_NOUN or after[0].lower().endswith("ing")))
    return bool(after) and not noun


def main_part(clause: str) -> str:
    """Cut off what only explains a statement: a reason, a remark about it."""
    return _ASIDE.sub("", clause).strip(" ,")


_LEADS = re.compile(
    r"^(?:(?:hi|hello|hey|oh|ah|well|so|and|but|also|yes|yeah|no|nope|okay|ok|actually|honestly|anyway|btw|fyi"
    r"|by the way"
    r"|just so you know|for the record|to be honest|in fact|as i said|good news|big news|guess what|update|fun fact"
    r"|personally|sorry|right|great|thanks|thank you|good morning|good evening|these days|nowadays|at the moment"
    r"|lately|currently|recently|finally|sadly|luckily|unfortunately|correction|hello there|hi there)"
    r"(?:\s*[,!.:–—-]+\s*|\s+(?=(?:i|i['’]\w+|my)\s)))+",
    re.IGNORECASE,
)


def _led(clause: str) -> str:
    return _LEADS.sub("", clause)


def without_lead(clause: str) -> str:
    """Take greetings and words like `by the way` off the front of a clause."""
    return _led(clause).strip()
