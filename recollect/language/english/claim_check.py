"""The evidence check: a claim must rest on words that were said, and say no more than they do. No model is asked.

A claim that fails is not false, only unfounded: it is better kept apart with the reason than believed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from recollect.language.english.assertion import Subject, has_self, reported
from recollect.language.english.clauses import sentences_of
from recollect.language.english.corrections import corrects
from recollect.language.english.entailment import Basis, misread
from recollect.language.english.evidence import allowed_times, forms, kin, names_in, numbers_in
from recollect.language.english.lexicon import RELATIONS, THIRD
from recollect.language.english.other_languages import english, foreign_numbers, language, misread_abroad
from recollect.language.english.person import plain
from recollect.model.candidate import Candidate
from recollect.model.turn import Turn
from recollect.text.patterns import pattern
from recollect.text.roles import MACHINES
from recollect.text.terms import fold

LONGEST_CLAIM, LONGEST_QUOTE = 1000, 4000
LONGEST = 20_000
"""How many characters of a turn are looked at beside the quote."""
MOST_SENTENCES = 400
"""How many sentences of a conversation are looked at beside those of the turn itself."""
BESIDE = 3
"""How many turns before a quote count as near; two behind it do."""
ONLY_MACHINE = "only the assistant says so"

_SAME_MARKS = str.maketrans(
    dict.fromkeys("‘’‚", "'")
    | dict.fromkeys("“”„«»", '"')
    | dict.fromkeys("–—‐‑\u2212", "-")
    | {"\u00ad": "", "\u200b": ""}
)
_ELLIPSIS = pattern(r"\s*(?:…|\.{3,}|\[\.\.\.\])\s*")
_PIECES = pattern(
    r",?\s+(?:and|but)\s+(?=(?:does|did|is|was|has|have|had|never|not|no longer|will|can|cannot|used to|"
    + "|".join(sorted(THIRD))
    + r")\b)|;\s*"
)
_ASKS = pattern(r"[?？]\s*[\"')”]*$")
_TAG = pattern(r",\s*(?:can you believe|right|isn't it|you know|huh|eh|ok|okay)\b[^,?]*\?", re.IGNORECASE)
_ASKED = pattern(r"\b(?:ask|wonder|want|curious|interest|question)\w*", re.IGNORECASE)
_AGREES = pattern(
    r"^\W*(?:yes|yeah|yep|yup|exactly|correct|indeed|true|that's (?:right|true|correct|it)|you're right|absolutely)\b"
    r"(?!\s+(?:but|though|if|when)\b)",
    re.IGNORECASE,
)
_NAME = r"([A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]+(?:-[A-ZÀ-Þ][^\W\d_]+)?)"
_CALLED = pattern(
    rf"\b(?:[Mm]y (?:first )?name(?:'s| is)|[Cc]all me|[Ii] am called|[Jj]e m'appelle|[Mm]e llamo|[Mm]i chiamo"
    rf"|[Ii]ch hei(?:ß|ss)e|[Mm]ein Name ist|[Mm]i nombre es|[Ii]k heet|(?:[Tt]his is|[Ii]'m|[Ii] am|[Ii]ch bin|[Ss]oy"
    rf")(?= \S+\s*(?:$|[,.!]|and\b|but\b|from\b|und\b|y\b|here\b)))\s+{_NAME}(?!'s)"
)
_CALLED_HAN = pattern(r"我叫([\u4e00-\u9fff]{2,4})|([\u4e00-\u9fff]{2,4})です")


def unfounded(
    candidate: Candidate, turns: Sequence[Turn], exempt: Sequence[str] = (), known: Sequence[str] = ()
) -> str:
    """Say why a claim is not borne out by its quote; empty when it is.

    Names in `exempt` are the speaker's own and need no evidence; those in `known` are known from before.
    """
    if not candidate.quote.strip():
        return "it has no quote"
    if len(candidate.content) > LONGEST_CLAIM or len(candidate.quote) > LONGEST_QUOTE:
        return "it is too long to be checked: one fact, one quote"
    found = _found(candidate, turns)
    if found is None:
        return "its quote does not occur in the conversation"
    if not candidate.content.strip():
        return "it says nothing"
    if candidate.literal:
        return ""
    at, text = found
    said = _said(turns, at, text, (exempt, known))
    if _machine(turns[at]) and not _agreed(turns, at):
        people = [(other, line) for other, turn in _people(turns) for line in sentences_of(turn.content[:LONGEST])]
        witnesses = (_said(turns, other, line, (exempt, known), alone=True) for other, line in people)
        return "" if any(not _reason(candidate, one, exempt) for one in witnesses) else ONLY_MACHINE
    return _reason(candidate, said, exempt)


def normal(text: str) -> str:
    """Fold a text for finding quotes in it: case, white space, quotation marks and dashes do not count."""
    return fold(unicodedata.normalize("NFKC", text).translate(_SAME_MARKS))


def called_himself(texts: Sequence[str]) -> set[str]:
    """Give the names a speaker has given himself: `Hi, I'm Ana and …`, `my name is …`."""
    found = {said[1] for text in texts for said in _CALLED.finditer(plain_marks(text[:LONGEST]))}
    return found | {said[1] or said[2] for text in texts for said in _CALLED_HAN.finditer(text[:LONGEST])}


def plain_marks(text: str) -> str:
    """Make apostrophes plain."""
    return text.replace("’", "'")


def _machine(turn: Turn) -> bool:
    return turn.role.casefold() in MACHINES


def _people(turns: Sequence[Turn]) -> Iterator[tuple[int, Turn]]:
    return ((at, turn) for at, turn in enumerate(turns) if not _machine(turn))


def _agreed(turns: Sequence[Turn], at: int) -> bool:
    """Tell whether somebody said yes to what the other side had just said."""
    after = turns[at + 1] if at + 1 < len(turns) else None
    return after is not None and not _machine(after) and bool(_AGREES.search(after.content[:200]))


def _found(candidate: Candidate, turns: Sequence[Turn]) -> tuple[int, str] | None:
    """Find the turn a quote stands in, a person's first, and the fewest sentences of it that hold the quote."""
    parts = [part.strip(" \"'.,;:!?") for part in _ELLIPSIS.split(normal(candidate.quote))]
    parts = [part for part in parts if part]
    if not parts:
        return None
    for at in sorted(range(len(turns)), key=lambda one: (_machine(turns[one]), turns[one].id != candidate.turn)):
        if span := _stretch(normal(turns[at].content), parts):
            return at, _whole(turns[at].content[:LONGEST], parts) or span[:LONGEST]
    return _corrected(parts, turns)


def _corrected(parts: Sequence[str], turns: Sequence[Turn]) -> tuple[int, str] | None:
    """Find a sentence and its correction in two messages of one person: both together are what was said."""
    if len(parts) < 2 or not corrects(parts[-1]):
        return None
    for at, turn in _people(turns):
        if late := _stretch(normal(turn.content), parts[-1:]):
            for before in turns[:at]:
                same = (before.role, before.actor) == (turn.role, turn.actor)
                if same and (early := _stretch(normal(before.content), parts[:-1])):
                    return at, f"{early}. {late}"
    return None


def _whole(text: str, parts: Sequence[str]) -> str:
    """Give the fewest sentences that hold a quote: half of one may leave out the negation before it."""
    every = list(sentences_of(text))
    for many in range(1, len(every) + 1):
        runs = (" ".join(every[at : at + many]) for at in range(len(every) - many + 1))
        holding = [run for run in runs if _stretch(normal(run), parts)]
        if holding:
            best = min(holding, key=len)
            return best if len(best) <= LONGEST_QUOTE else ""
        if many > 8:
            break
    return ""


def _stretch(text: str, parts: Sequence[str]) -> str:
    """Give the stretch of a text that holds the parts in their order, each at the edges of words; empty if none."""
    begin, start = 0, -1
    for part in parts:
        at = text.find(part, begin)
        while at >= 0 and _inside_word(text, at, at + len(part)):
            at = text.find(part, at + len(part))
        if at < 0:
            return ""
        start = at if start < 0 else start
        begin = at + len(part)
    return text[start:begin]


def _inside_word(text: str, start: int, end: int) -> bool:
    ascii_edge = text[start : start + 1].isascii() and text[end - 1 : end].isascii()
    before = start > 0 and text[start - 1].isalnum() and text[start].isalnum()
    after = end < len(text) and text[end].isalnum() and text[end - 1].isalnum()
    return ascii_edge and (before or after)


def _said(
    turns: Sequence[Turn], at: int, text: str, names: tuple[Sequence[str], Sequence[str]], alone: bool = False
) -> Basis:
    """Gather what a claim is held against: the sentences of its quote, those near, and all that people said.

    `names` are the speaker's own and those known from before; `alone` leaves out all that machines said.
    """
    exempt, known = names
    turn = turns[at]
    mine = [one.content for one in turns if (one.role, one.actor) == (turn.role, turn.actor) and not _machine(one)]
    own = (*exempt, turn.actor, "user", *called_himself(mine))
    beside = sorted(range(max(0, at - BESIDE), min(len(turns), at + 3)), key=lambda one: (abs(one - at), one > at))
    spoken = [one.content[:LONGEST] for one in turns if not _machine(one)]
    spoken += [one.content[:LONGEST] for one in turns[max(0, at - 1) : at] if _machine(one) and not alone]
    heard = [one for one in beside if (one <= at and not alone) or not _machine(turns[one])]
    near = tuple(line for one in heard for line in sentences_of(turns[one].content[:LONGEST]))
    times = allowed_times(text, turn.at).union(*(allowed_times(turns[one].content, turns[one].at) for one in beside))
    return Basis(
        turn=turn,
        text=text,
        near=near[:MOST_SENTENCES],
        page=tuple(line for one in spoken for line in sentences_of(one))[:MOST_SENTENCES],
        own=frozenset(word for name in own for word in re.findall(r"\w+", fold(name))),
        times=frozenset(times),
        known=frozenset(fold(name) for name in known),
    )


def _reason(candidate: Candidate, said: Basis, exempt: Sequence[str]) -> str:
    if stray := _strays(candidate, said):
        return stray
    if _abroad(candidate.content, said.turn.content[:LONGEST]):
        return misread_abroad(candidate.content, said.text, said.own, said.turn.content[:LONGEST])
    asks = _ASKS.search(said.text.strip()) and not _TAG.search(said.text) and not _machine(said.turn)
    if asks and not _ASKED.search(candidate.content):
        return "its quote is a question"
    quoted = said.text.find(candidate.quote.strip()[:40])
    if has_self(candidate.quote) and quoted > 0 and reported(said.text, quoted):
        return "somebody else is quoted saying it"
    for sentence in sentences_of(candidate.content):
        subject, more = _subject(sentence, said.own)
        if subject.sort == "name" and _thing(subject.word, said):
            subject = Subject("none", subject.word)
        for piece in _PIECES.split(sentence):
            if piece and (reason := misread(piece, subject, more, said)):
                return reason
    return _other_speaker(candidate, said, exempt)


def _abroad(claim: str, said: str) -> bool:
    """Tell whether the rules cannot read a claim or what it rests on: in another language, or in none that shows."""
    known = language(claim) == language(said) == "english"
    return not known or not (english(claim) or english(said))


def _strays(candidate: Candidate, said: Basis) -> str:
    """Find a name or a number that nobody said."""
    content = plain(candidate.content)
    near, page = normal("\n".join((said.text, *said.near))), normal("\n".join((said.text, *said.near, *said.page)))
    words = set(re.findall(r"\w+", page))
    numbers = numbers_in(near) | foreign_numbers(near)
    for name in names_in(content):
        fine = name in said.own or name in words or name in said.times or name in said.known or forms(name, words)
        fine = fine or (name.removesuffix("s") in said.own and not english(content))  # `Jörgs Schwester`
        if not fine:
            return f"nobody said {name.capitalize()}"
    for number in numbers_in(content):
        if number not in numbers and number not in said.times:
            return f"nobody said {number}" if number not in numbers_in(page) else f"{number} is said of something else"
    return ""


def _subject(said: str, own: frozenset[str]) -> tuple[Subject, set[str]]:
    """Find whom a claim in the third person is about, and by what other words it calls him."""
    words = re.findall(r"[^\W_][\w'-]*", plain(said))
    if words[:1] == ["The"] and words[1:2] and words[1].lower().removesuffix("'s") == "user":
        words = words[1:]
    if not words:
        return Subject("none"), set()
    first = words[0].lower()
    if first.removesuffix("'s") in own:
        if not first.endswith("'s"):
            return Subject("self"), set()
        at = next((at for at, word in enumerate(words[1:4], 1) if word.lower() in RELATIONS), 0)
        named = words[at + 1].lower() if at and words[at + 1 : at + 2] and words[at + 1][:1].isupper() else ""
        return (Subject("relation", kin(words[at].lower())), {named} - {""}) if at else (Subject("self"), set())
    if words[0][:1].isupper() and first not in ("the", "a", "an", "some", "every", "all", "there", "it", "its"):
        beside = {
            kin(word.lower()) for word in words[1:5] if word.lower() in RELATIONS and "," in said[: len(said) // 2]
        }
        return Subject("name", first.removesuffix("'s")), beside
    return Subject("none", first), set()


def _thing(name: str, said: Basis) -> bool:
    """Tell whether a name was given to a thing: `a shop called Rosewood`."""
    for line in (said.text, *said.page):
        found = re.search(
            rf"\b(?:an?|the|my|our)\s+(?:\w+\s+)?(\w+),?\s+(?:called|named)\s+{re.escape(name)}\b", line, re.I
        )
        if found and found[1].lower() not in RELATIONS:
            return True
    return False


def _other_speaker(candidate: Candidate, said: Basis, exempt: Sequence[str]) -> str:
    """Tell a claim that gives one known speaker's words to another."""
    actor = fold(said.turn.actor)
    known = {fold(name) for name in exempt}
    first = fold(candidate.content.split(" ", 1)[0]).removesuffix("'s")
    if actor in known and first in known and first != actor and has_self(candidate.quote):
        return f"{said.turn.actor} said it of himself or herself"
    return ""
