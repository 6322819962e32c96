"""What is said and not meant, or not meant to be kept: jokes, pasted letters, suppositions, and words taken back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

_PATTERNS = {
    "supposed": r"\b(?:imagine|suppose|supposing|pretend|let['’]?s say|let us say|assume|role-?play|hypothetically"
    r"|act as|act like|say i (?:am|was|have)|once upon a time|as a user,? i|in (?:my|a|the) (?:dream|game|movie|film"
    r"|book|novel)|my character|on behalf of)\b",
    "foreign": r"^[^\n:]{0,120}\b(?:story|essay|poem|letter|e?mail|article|draft|text|paragraph|translate|translation"
    r"|proofread|rewrite|rephrase|summari[sz]e|character|says|said|wrote|example|quote|lyrics|caption|tweet|post|bio"
    r"|script|dialogue|message|sentence|cover letter|review)\b[^\n:]{0,60}:(?=\s|$)",
    "task": r"^\W*(?:please\s+)?(?:translate|proofread|rewrite|rephrase|summari[sz]e|paraphrase|correct|write|compose"
    r"|draft|generate)\b(?![^.\n]*\b(?:from now on|going forward)\b)",
    "header": r"^\s*(?:subject|from|to|cc|sent|date|re|fwd?|betreff)\s*:\s*\S",
    "greeting": r"^\s*dear\s+[^\s,]+(?:\s+[^\s,]+){0,3}\s*[,:]",
    "signed": r"(?:^|[.!?,]\s+)(?:(?:kind |warm |best |many )?regards|best(?: wishes)?|all the best|sincerely"
    r"|yours(?: \w+)?)\s*,\s*(?-i:[A-ZÀ-Þ])\w+(?: (?-i:[A-ZÀ-Þ])[\w.]*)?\s*$",
    "closing": r"^\s*(?:(?:kind |warm |best |many )?(?:regards|greetings|thanks|wishes)|best|all the best|cheers|love"
    r"|sincerely|yours(?: \w+)?|xoxo)\s*[,!]?\s*$",
    "name": r"^\s*(?-i:[A-ZÀ-Þ])\w+(?: (?-i:[A-ZÀ-Þ])[\w.]*)?\s*$",
    "laughs": r"\b(?:lol|lmao|rofl|jk|lmfao)\b|[😂🤣🙄😏🙃😜😝]|(?:^|\s)/s(?:$|\s)",
    "ironic": r"\b(?:said (?:nobody|no one)|yeah,? right|as if|not!)(?:$|\W)"
    r"|\b(?:just|exactly) what i (?:needed|wanted)\b"
    r"|^\W*(?:oh|ah|well),? (?:great|joy|wonderful|lovely|perfect|fantastic|brilliant|super)\b",
    "shouted": r"\b(?-i:LOVE|LOVES|ADORE|ENJOY)\b",
    "private": r"\boff the record\b|\bbetween (?:you and me|us|the two of us)\b"
    r"|\b(?:don['’]?t|do not) (?:remember|save|store|keep|record|memori[sz]e|note|write down|learn|tell anyone)"
    r"(?: (?:this|that|it|any of|the following|about)\b|\s*[:,.]|$)"
    r"|\bthis (?:stays|is) (?:private|secret|confidential)\b|^\W*(?:please )?forget (?:that )?i\b",
    "takes back": r"\b(?:forget|ignore|scratch|disregard|strike|delete|erase)(?: about)? "
    r"(?:what i(?:['’]ve)? (?:just )?(?:said|told you|wrote)|that(?: last (?:bit|part|one|message))?\W*$"
    r"|my last (?:message|sentence|words)|the last (?:bit|part|message|sentence))"
    r"|\b(?:just|only|i['’]?m|i was|i am) (?:kidding|joking|messing with you)\b|^\W*(?:jk|not|kidding)[.!\s]*$"
    r"|\bi made that up\b|\bi take that back\b",
    "at once": r"^\W*(?:(?:oh|ok(?:ay)?|wait|no|nah|please|actually|sorry|hm+|ha(?:ha)+|lol|well|and|but|just"
    r"|never ?mind|on second thought|(?:can|could|would) you(?: please)?|you can|let['’]?s)\b\W*)*"
    r"(?:(?:forget|ignore|scratch|disregard|strike|delete|erase)(?: about)? (?:what i(?:['’]ve)? (?:just )?(?:said"
    r"|told you|wrote)|that(?: last (?:bit|part|one|message))?|my last (?:message|sentence|words)"
    r"|the last (?:bit|part|message|sentence)|(?:that )?i (?:ever |just )?(?:said|mentioned|wrote) (?:that|this|it"
    r"|anything|so))"
    r"|(?:only |i['’]?m |i was |i am )?(?:just |only )?(?:kidding|joking|messing with you)|jk|not|i made that up"
    r"|i take that back)(?: please| thanks| now| again)?\s*(?:$|[.,;!–—:-].*$)",
    "courtesy": r"^\W*(?:thanks|thank you|thx|cheers|please|ok(?:ay)?|got it|bye)\b[^,;:]{0,20}$",
    "revokes": r"^\W*(?:(?:oh|ok(?:ay)?|wait|no|please|actually|sorry|and|but)\b\W*)*"
    r"(?:forget (?:that )?(?P<told>(?:i|i['’]m|i['’]ve|my|our)\b.+)"
    r"|(?:don['’]?t|do not|stop) call(?:ing)? me (?P<name>\w.*?)(?: any ?more| please| again)?)[.!\s]*$",
    "bare": r"^\W*(?:ok(?:ay)?,? |please,? |but |and |oh,? )*(?:off the record|(?:just )?between (?:you and me|us)"
    r"|(?:don['’]?t|do not) (?:remember|save|store|record|note) (?:this|that|it))\W*$",
    "never mind": r"\b(?:don['’]?t|do not|never|can['’]?t|cannot|won['’]?t) forget\b",
}
_LETTER_LINES = 60
LONGEST_LINE = 400
"""In longer lines nobody looks for the end of a letter."""


@cache
def _pattern(name: str) -> re.Pattern[str]:
    # There are many, and most talk needs them only when a session is read: compiled at the first use.
    return re.compile(_PATTERNS[name], re.IGNORECASE)


def imagined(said: str) -> bool:
    """Tell whether what follows a sentence, and the sentence itself, is said by somebody imagined or quoted."""
    return bool(_pattern("supposed").search(said) or _pattern("foreign").match(said))


def supposed(text: str) -> bool:
    """Tell whether a text begins a game of make-believe."""
    return bool(_pattern("supposed").search(text))


def task(text: str) -> bool:
    """Tell whether a text begins with an order to work on a text."""
    return bool(_pattern("task").match(text))


def letter(text: str) -> bool:
    """Tell whether a message is a pasted letter or e-mail: with a head, or with a salutation or a name under it."""
    lines = [line for line in text.splitlines()[:_LETTER_LINES] if line.strip()]
    marks = ("header", "greeting") if len(lines) > 1 else ("greeting",)
    if any(_pattern(mark).match(line) for mark in marks for line in lines):
        return True
    if any(_pattern("signed").search(line) for line in lines if len(line) < LONGEST_LINE):
        return True
    return any(_pattern("closing").match(line) and _pattern("name").match(after) for line, after in pairwise(lines))


def joking(said: str) -> bool:
    """Tell whether a sentence laughs at itself, or praises in capitals what nobody likes."""
    if _pattern("laughs").search(said) or _pattern("ironic").search(said):
        return True
    return said.upper() != said and _pattern("shouted").search(said) is not None


def takes_back(said: str) -> bool:
    """Tell whether a sentence takes back what was said just before it, and does not only tell of doing so."""
    return _pattern("at once").match(said) is not None and not _pattern("never mind").search(said)


def revoked(said: str) -> str:
    """Give the wish that a sentence takes back by name: `forget that my boss is Tom`, `don't call me Bob`."""
    found = _pattern("revokes").match(said)
    if found is None:
        return ""
    return f"remember that {found['told']}" if found["told"] else f"call me {found['name']}"


def kept_back(sentences: Sequence[str]) -> set[int]:
    """Give the places of sentences nobody is to learn from: said in confidence, in jest, or taken back by the next."""
    out: set[int] = set()
    for at, said in enumerate(sentences):
        if _pattern("never mind").search(said):
            continue
        if _pattern("bare").match(said):
            out |= {at - 1, at, at + 1}  # which of its neighbours it means cannot be told
        elif _pattern("takes back").search(said) or takes_back(said):
            out |= {at, at - 1, _meant(sentences, at)}
        elif _pattern("private").search(said) or joking(said):
            out.add(at)
    return out


def taken_back(sentences: Sequence[str]) -> set[int]:
    """Give the places of sentences that the one behind them takes back."""
    return {_meant(sentences, at) for at, said in enumerate(sentences) if at and takes_back(said)}


def _meant(sentences: Sequence[str], at: int) -> int:
    """Give the place of what a sentence takes back: the one before it that is more than a courtesy."""
    before = at - 1
    while before > 0 and _pattern("courtesy").match(sentences[before]):
        before -= 1
    return before
