"""Claims in other languages than English: held against what was said by names, numbers and negations alone."""

from __future__ import annotations

import re
import unicodedata

from recollect.rules.patterns import pattern
from recollect.rules.stopwords import STOP_WORDS
from recollect.rules.terms import fold, unspaced

NEGATIONS = frozenset(
    """
    no not never none nor without cannot nicht kein keine keinen keinem keiner keines nie niemals ohne ne pas jamais
    sans aucun aucune nunca jamás sin ningún ninguna não nem sem non mai senza nessun nessuna niet geen nooit zonder
    не нет ни никогда без
    """.split()
)
_DENIES = pattern(r"[不没沒無无未]|ない|ません")
_THE_USER = frozenset(
    "user usuario usuaria utilisateur utilisatrice utente benutzer benutzerin nutzer nutzerin gebruiker".split()
)
_CUT = pattern(r"[,;:.!?。、，]\s*|\s(?:und|et|y|e|en|aber|mais|pero|ma|mas|maar|but|and)\s")
_NUMBERS = {
    word: str(at)
    for at, row in enumerate(
        (
            "zwei deux dos due dois duas twee", "drei trois tres tre três drie", "vier quatre cuatro quattro quatro",
            "fünf cinq cinco cinque vijf", "sechs six seis sei zes", "sieben sept siete sette sete zeven",
            "acht huit ocho otto oito", "neun neuf nueve nove negen", "zehn dix diez dieci dez tien",
        ),
        2,
    )
    for word in row.split()
}  # fmt: skip
_DIGITS = {char: str(at) for at, char in enumerate("一二三四五六七八九十", 1)}
LONGEST = 2000
SHARED = 0.5
"""Which share of a claim's words, in its own language, must have been said."""


def language(text: str) -> str:
    """Tell the language of a text by the small words it begins with; English where they do not tell."""
    text = text[:LONGEST]
    letters = [char for char in text if char.isalpha()]
    if 2 * sum(unspaced(char) for char in letters) > len(letters):
        return "unspaced"
    said = re.findall(r"(?<!['’])\b[^\W\d_]+", unicodedata.normalize("NFKC", text))
    small = {word.casefold() for at, word in enumerate(said) if not at or word[:1].islower() or word == "I"}
    english = STOP_WORDS["english"]
    others = {name: stop - english - _ENGLISH_TOO for name, stop in STOP_WORDS.items() if name not in _OWN}
    scores = {name: len(small & stop) for name, stop in others.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > len(small & english) else "english"


_OWN = ("english", "porter")
_ENGLISH_TOO = frozenset(
    "want son die men mine pour door over war hat sin dare am an ten die des den car on fin see mas ma per con me te "
    "te ton lui sur os nun wie dan dies dit bin als also man".split()
)


def foreign_numbers(text: str) -> set[str]:
    """Give the small numbers a text spells out in one of the other languages."""
    found = {_NUMBERS[word] for word in re.findall(r"[^\W\d_]+", text.casefold()) if word in _NUMBERS}
    return found | {_DIGITS[char] for char in text if char in _DIGITS}


def misread_abroad(claim: str, said: str, page: str) -> str:
    """Say what a claim makes of words in another language that they do not say, as far as that can be told."""
    if language(claim) == "unspaced":
        strange = [char for char in claim if unspaced(char) and char.isalpha() and char not in page]
        if any("\u4e00" <= char <= "\u9fff" for char in strange) or 2 * len(strange) > len(claim):
            return "nobody said " + "".join(strange)
    theirs = _clause(claim, said)
    if _negative(claim) != _negative(theirs):
        return "it denies what was said" if _negative(claim) else "it leaves out a negation"
    if language(claim) == language(said) and language(claim) != "unspaced":
        wanted = _telling(claim)
        if sum(_known(word, page) for word in wanted) < SHARED * len(wanted):
            return "its quote does not say so"
    return ""


def _clause(claim: str, said: str) -> str:
    """Give the part of what was said that has most words of a claim; all of it where none has any."""
    parts = [part for part in _CUT.split(said) if part]
    shared = [sum(_known(word, part) for word in _telling(claim)) for part in parts]
    best = max(shared, default=0)
    return parts[shared.index(best)] if best else said


def _negative(text: str) -> bool:
    return bool(NEGATIONS & set(re.findall(r"[^\W\d_]+", text.casefold())) or _DENIES.search(text) or "n't" in text)


def _telling(text: str) -> set[str]:
    stop = frozenset().union(*STOP_WORDS.values()) | _THE_USER
    return {word for word in re.findall(r"[^\W_]+", fold(text)) if word not in stop and len(word) > 1}


def _known(word: str, text: str) -> bool:
    return any(word[:4] == other[:4] or word == other for other in re.findall(r"[^\W_]+", fold(text)))
