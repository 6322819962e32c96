"""Evidence: whether a model's claim rests on what a person said, told without knowing the language it is in.

The quote stands in a person's turn; every number, name, time and relative of the claim was said there or is known; it
denies what the quote denies; and the judge, where there is one, does not speak clearly against it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.rules.learn.notes import NOBODY
from recollect.text.normal import EDGES
from recollect.text.patterns import pattern
from recollect.text.roles import is_machine
from recollect.text.terms import fold

if TYPE_CHECKING:
    from recollect.language.reader import Reader
    from recollect.language.telling import Told

_BREAK = pattern(r"[,;:.!?—–()]+(?=\s|$)|\s-\s")
_PLAIN = pattern(r"\d+(?:\.\d+)?")
_DATE = pattern(r"\d{4}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d")
_QUARTERS = pattern(r"(\d{1,2})\.(?:15|30|45)")
NO_QUOTE = "it rests on no words that were said"
ONLY_MACHINE = "only the assistant said so"
ALIKE = 90.0
"""How nearly a quote must stand in a turn, of 100."""
SHORTEST = 4
"""Of how many characters a quote is at least, to be looked for with a mistake in it."""
BEFORE = 4
"""How many messages before the quoted one may have named who or what it speaks of."""
COPIED = 0.7
"""From which share of its telling words on a claim is in the quote's own words, so that a negation must agree."""
AGAINST = {"contradicted": 0.95, "otherperson": 0.85, "notsaid": 0.95}
"""How sure the judge must be to speak against a claim: it is small, and free words puzzle it."""
DOUBTING = 0.6
"""How sure it must be for a claim to be doubted."""
BORNE, BORNE_MIN = "supported", 0.5
"""What it must say, and how surely, for a claim in other words than the quote's to be believed."""
LED_BY = 200
"""How many characters of what leads up to a quote the judge is shown."""
ROUND = 0.1
"""How far a number that is only about right may be from the one that was said."""
FEW = 1
"""Up to how many telling words a part has that only denies what follows: `I never`, `it is not true`."""
FRAGMENT = 3
"""Up to how many words a quote is a fragment, which says nothing of how it was meant."""
COUNTED = 12
"""Up to here a number in a summary may be the model's own counting."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What claims are held against."""

    turns: Sequence[Turn]
    names: frozenset[str]
    """Words of names that need no evidence here: the user's."""
    known: frozenset[str] = frozenset()
    """Names of people the user has spoken of before: they may say who is meant."""
    opinion: Callable[[str, str], tuple[str, float]] | None = None
    """The judge's verdict on (`Speaker: quote`, with what was said before it, and claim), where there is one."""
    languages: tuple[str, ...] = ()
    """In which languages it may speak clearly against a claim."""


def place_of(quote: str, turn: str, turns: Sequence[Turn]) -> Turn | None:
    """Give the turn a quote stands in, to a letter or two: the named one if it does, people's before machines'."""
    wanted = _flat(quote)
    if not wanted:
        return None
    order = sorted(turns, key=lambda one: (one.id != turn, is_machine(one.role)))
    exact = [one for one in order if wanted in _flat(one.content)]
    near = [one for one in order if len(wanted) >= SHORTEST and _near(wanted, _flat(one.content))] if not exact else []
    found = exact or near
    return next((one for one in found if not is_machine(one.role)), found[0] if found else None)


def _flat(text: str) -> str:
    return " ".join(word for piece in fold(text.replace("’", "'")).split() if (word := piece.strip(EDGES)))


def _near(quote: str, text: str) -> bool:
    parts = [_flat(part) for part in re.split(r"…|\.\.\.|\[…\]", quote)]
    return all(fuzz.partial_ratio(part, text) >= ALIKE and len(part) <= len(text) + 2 for part in parts if part)


@dataclass(frozen=True, slots=True)
class Objection:
    """What speaks against a claim."""

    reason: str = ""
    clear: bool = False
    """Whether it is reason enough not to believe the claim; a doubt only makes it less sure."""

    def __bool__(self) -> bool:
        return bool(self.reason)


def unfounded(
    content: str, quote: str, turn: Turn, grounds: Grounds, reader: Reader, *, wish: bool = False
) -> Objection:
    """Say what speaks against a claim whose quote stands in a turn; nothing where it is borne out.

    Names, numbers and times nobody said, another speaker's words and what is turned into its opposite speak clearly
    against it. Else a model's free words are believed; what is claimed as a `wish` may be no surer than its quote.
    """
    if is_machine(turn.role):
        return Objection(ONLY_MACHINE, clear=True)
    said = reader.told(turn.content)
    claim, quoted = reader.told(content, said.language), reader.told(_whole(quote, turn, reader), said.language)
    part = reader.told(quote, said.language)
    around = [reader.told(one.content) for one in _around(turn, grounds.turns)]
    own = grounds.names | _parts(turn.actor)
    talk = (
        said,
        *(reader.told(one.content) for one in grounds.turns if one.id != turn.id and not is_machine(one.role)),
    )
    asked = around[-1:]
    for problem in (
        _numbers(content, claim, quoted, (*talk, *asked), turn, reader),
        _names(claim, quoted, (*talk, *asked), grounds, own),
        _names(claim, part, (*talk, *asked), grounds, own | _leads(quote, turn, reader)),
        _times(claim, quoted, (*talk, *asked), turn, reader),
        _somebody_else(claim, part, turn, grounds.turns),
    ):
        if problem:
            return Objection(problem, clear=True)
    close = _close(quote, claim, reader)
    kin = _kin(claim, quoted, own, (said, *around), talk)
    doubt = _senses(claim, quoted, kin, grounds, own, part, close)
    doubt = Objection() if wish and doubt.reason == SURER else doubt
    if grounds.opinion is None or claim.language != quoted.language:
        return doubt
    said_so = f"{_leading(quote, turn, grounds.turns, reader)}{_speaker(content, turn, own)}: {quote}"
    verdict, sure = grounds.opinion(said_so, content)
    if not quoted.stems and verdict != BORNE:
        return Objection(_AGAINST["notsaid"], clear=True)  # `ok` says nothing of its own
    if verdict == BORNE:  # words may be others for the same
        return Objection() if sure >= BORNE_MIN else doubt
    if doubt.reason in (OPPOSITE, SURER) and verdict != "contradicted" and (quoted.negated or not claim.negated):
        doubt = Objection(doubt.reason)  # what is denied or left open may be something else in the quote
    # A negation that was put in or left out, in words that are not the quote's, and the judge's: each may be mistaken.
    turned = verdict == "contradicted" and (not quoted.negated if claim.negated else close.negated)
    needed = DOUBTING if turned else AGAINST[verdict]
    against = Objection(_AGAINST[verdict], clear=sure >= needed and claim.language in grounds.languages)
    # Of whom `she` is the judge cannot know, nor what a claim in the quote's own words leaves out.
    if (verdict == "otherperson" and _may_be_meant(claim, quoted, own)) or (
        verdict == "notsaid" and _copied(claim, quoted, own)
    ):
        return doubt
    return against if (against.clear and not doubt.clear) or (sure >= DOUBTING and not doubt) else doubt


def _somebody_else(claim: Told, said: Told, turn: Turn, turns: Sequence[Turn]) -> str:
    """Look whether a claim tells of somebody else who takes part, whom the speaker neither named nor spoke to."""
    mine = _parts(turn.actor)
    others = frozenset().union(*(_parts(one.actor) for one in turns if not is_machine(one.role))) - mine
    meant = claim.words & others - said.words
    return "the quote is another's" if mine and meant and claim.words.isdisjoint(mine) and not said.addresses else ""


def _leading(quote: str, turn: Turn, turns: Sequence[Turn], reader: Reader) -> str:
    """Give what leads up to a quote: the end of the message before it, and its speaker's own words before it."""
    at = next((at for at, one in enumerate(turns) if one.id == turn.id), 0)
    last = f"{turns[at - 1].actor or turns[at - 1].role.capitalize()}: {turns[at - 1].content}" if at else ""
    said, wanted = reader.sentences(turn.content), _flat(quote)
    place = next((at for at, one in enumerate(said) if wanted and wanted in _flat(one)), 0)
    own = " ".join(said[max(0, place - 2) : place])
    led = " / ".join(part for part in (last[-LED_BY:], own[-LED_BY:]) if part)
    return f"{led} / " if led else ""


def _speaker(content: str, turn: Turn, own: frozenset[str]) -> str:
    """Name who speaks as the claim does, so that one person is not taken for two."""
    first = content.split(maxsplit=1)[0].removesuffix("'s").removesuffix("’s") if content.split() else ""
    if content.startswith(NOBODY):
        return NOBODY
    return turn.actor or (first if fold(first) in own else turn.role.capitalize())


def _whole(quote: str, turn: Turn, reader: Reader) -> str:
    """Give the sentences a quote stands in: `is pregnant` says nothing of who is."""
    wanted = _flat(quote)
    found = [
        one for one in reader.sentences(turn.content) if (said := _flat(one)) and (wanted in said or said in wanted)
    ]
    return " ".join(found) or quote


def _close(quote: str, claim: Told, reader: Reader) -> Told:
    """Give what tells in the parts of a quote a claim has words of: what is denied in another says nothing of it."""
    parts: list[str] = []
    begun, asked = "", False
    for part, mark in zip_longest(_BREAK.split(quote), _BREAK.findall(quote), fillvalue=""):
        told = reader.told(part, claim.language)
        denies = told.negated and not (told.names or told.amounts)
        if parts and denies and (len(part.split()) <= FRAGMENT or asked):
            # `never`, `not any longer`, an answer: it speaks of what stands before it, `not Lynne` of somebody else
            parts[-1] += f", {part}"
        else:
            parts.append(begun + part)
        asked = "?" in mark
        if claim.stems & told.stems:
            begun = ""
        elif denies and len(part.split()) > 1 and len(told.stems) <= FEW:
            begun = f"{part}, "  # `I never, ever`: it speaks of what follows
    near = [part for part in parts if claim.stems & reader.told(part, claim.language).stems]
    return reader.told(", ".join(near) or quote, claim.language)


OPPOSITE = "it says the opposite of its quote"
SURER = "it is surer than its quote"
_AGAINST = {
    "contradicted": "the quote says otherwise",
    "otherperson": "the quote speaks of somebody else",
    "notsaid": "the quote does not say so",
}


def _around(turn: Turn, turns: Sequence[Turn]) -> list[Turn]:
    """Give what was said just before by people, and by a machine where it asked: the quote may answer it."""
    at = next((at for at, one in enumerate(turns) if one.id == turn.id), 0)
    before = turns[max(0, at - BEFORE) : at]
    last = before[-1:] if before and before[-1].content.rstrip().endswith(("?", "？")) else ()
    return [*(one for one in before if not is_machine(one.role) and one not in last), *last]


def _parts(name: str) -> frozenset[str]:
    return frozenset(fold(name).replace("-", " ").split())


def _numbers(content: str, claim: Told, quoted: Told, talk: Sequence[Told], turn: Turn, reader: Reader) -> str:
    """Look for numbers nobody said, and for one said elsewhere that stands where the quote has another."""
    known = frozenset[str]().union(*(one.amounts for one in talk))
    new = _new_in(claim, known, frozenset().union(*(one.spelt for one in talk)))
    if new:
        days = _days(turn, reader)
        new -= {str(day.year) for day in days}
        if claim.months or _DATE.search(content):
            new -= {str(day.day) for day in days}
        if _DATE.search(content):
            new -= {str(day.month) for day in days}
    if new:
        return f"the number {min(new)} was not said"
    mine = _amounts(quoted)
    moved, dropped = _new_in(claim, mine, quoted.spelt), mine - _amounts(claim)
    return f"the number {min(moved)} stands where {min(dropped)} was said" if moved and dropped else ""


def _new_in(claim: Told, known: frozenset[str], spelt: frozenset[str]) -> set[str]:
    """Give the numbers of a claim that are none of those known, neither about nor as the time of day they tell."""
    new = claim.unknown(known)
    return {one for one in new if not (claim.rough and _about(one, known)) and not _on_the_clock(one, spelt)}


def _on_the_clock(number: str, spelt: frozenset[str]) -> bool:
    """Tell whether a number is a time of day that was told in words: half seven, a quarter to eight."""
    time = _QUARTERS.fullmatch(number)
    hours = {(int(time[1]) + step - 1) % 12 + 1 for step in (0, 1)} if time else set()
    return any(int(one) in hours for one in spelt)


def _amounts(told: Told) -> frozenset[str]:
    return told.numbers | {amount for _, amount in told.also}


def _about(number: str, known: frozenset[str]) -> bool:
    """Tell whether a number is another one, rounded."""
    there = [float(one) for one in known if _PLAIN.fullmatch(one)]
    return bool(_PLAIN.fullmatch(number)) and any(abs(float(number) - one) <= ROUND * one for one in there)


def _days(turn: Turn, reader: Reader) -> list[datetime]:
    """Give the days a turn speaks of, and its own: a claim may tell `last week` as a date."""
    found = [*reader.dates(turn.content, turn.at), *reader.dates(turn.content, turn.at, ahead=True)]
    ends = [day for one in found for day in (one.start, one.end - timedelta(seconds=1))]
    return [turn.at, *ends]


def _names(claim: Told, quoted: Told, talk: Sequence[Told], grounds: Grounds, own: frozenset[str]) -> str:
    """Look for names nobody said. One that was said elsewhere, is known or takes part may say who is meant, but it
    stands for no name of the quote: then one was put in another's place."""
    present = frozenset().union(*(_parts(one.actor) for one in grounds.turns))
    new = sorted({name for name in claim.names if not (_has(name, quoted.words) or _short(name, quoted.names))} - own)
    elsewhere = (grounds.known | present).union(*(one.words for one in talk))
    unsaid = [name for name in new if not _has(name, elsewhere)]
    if unsaid:
        return f"the name {unsaid[0]!r} was not said"
    named = quoted.names - own
    dropped = sorted(name for name in named if _left_out(name, claim)) if set(new) - present else []
    return f"the name {new[0]!r} stands where {dropped[0]!r} was said" if dropped else ""


def _leads(quote: str, turn: Turn, reader: Reader) -> frozenset[str]:
    """Give the names before a quote in its sentence: a pronoun in it may stand for one of them."""
    before, found, _ = _whole(quote, turn, reader).partition(quote)
    return reader.told(before).names if found else reader.told(turn.content).names


def _has(name: str, words: frozenset[str]) -> bool:
    """Tell whether a name stands among words, in whatever form: `Tanyas`, `Petr` for `Petra`."""
    if name in words or f"{name}'s" in words or all(part in words for part in re.split(r"[-'’]", name)):
        return True
    return any(_kindred(name, word) for word in words if abs(len(word) - len(name)) <= 2)


def _left_out(name: str, claim: Told) -> bool:
    return not (_has(name, claim.words) or _short(name, claim.names))


def _short(name: str, names: frozenset[str]) -> bool:
    """Tell whether a name is short for one of some names, or one of them for it: `Brad` for `Bradford`."""
    both = ((name, other) for other in names if min(len(name), len(other)) >= SHORTEST)
    return any(one.startswith(other) or other.startswith(one) for one, other in both)


def _kindred(one: str, other: str) -> bool:
    short = min(len(one), len(other))
    shared = short if short == SHORTEST else max(SHORTEST + 1, short - 1)
    return short >= SHORTEST and one[:shared] == other[:shared]


def _times(claim: Told, quoted: Told, talk: Sequence[Told], turn: Turn, reader: Reader) -> str:
    """Look for a month or weekday nobody said, and for one said elsewhere that stands where the quote has another."""
    days = _days(turn, reader)
    for wanted, mine, said, known in (
        (claim.months, quoted.months, [one.months for one in talk], {day.month for day in days}),
        (claim.weekdays, quoted.weekdays, [one.weekdays for one in talk], {day.isoweekday() for day in days}),
    ):
        if wanted - frozenset().union(*said) - known:
            return "it names a time that was not said"
        if wanted - mine - known and mine - wanted:
            return "it names another time than the quote"
    return ""


def _copied(claim: Told, quoted: Told, own: frozenset[str]) -> bool:
    """Tell whether a claim is in the quote's own words, so that they can be held against each other."""
    telling = claim.stems - own
    shared = sum(one in quoted.stems or any(_kindred(one, other) for other in quoted.stems) for one in telling)
    return claim.language == quoted.language and shared >= COPIED * max(1, len(telling))


def _may_be_meant(claim: Told, quoted: Told, own: frozenset[str]) -> bool:
    """Tell whether whom a claim is about may be whom the quote is about, whatever the judge thinks.

    That is the speaker where he speaks as himself, or the claim leaves out nobody the quote names; and anybody else.
    """
    if not claim.names & own:
        return bool(claim.kin or claim.names)
    left_out = any(_left_out(name, claim) for name in quoted.names - own) or not quoted.kin <= claim.kin
    return not left_out or bool(claim.kin) or (quoted.speaks and quoted.kin <= claim.kin)


def _kin(claim: Told, quoted: Told, own: frozenset[str], near: Sequence[Told], talk: Sequence[Told]) -> frozenset[int]:
    """Give the relatives a claim may be about: those just spoken of; of one the quote names, of the whole talk."""
    named = claim.names & quoted.words - own
    return frozenset().union(*(one.kin for one in (*near, *(talk if named else ()))))


def _senses(
    claim: Told, quoted: Told, kin: frozenset[int], grounds: Grounds, own: frozenset[str], part: Told, close: Told
) -> Objection:
    """Look for a relative nobody spoke of, one passed over, a negation turned, a wish told as a fact.

    In the quote's own words they speak clearly against a claim; free words may say the same in another way. `quoted`
    are the sentences of the quote `part`, `close` what of it the claim has words of: each may deny something else.
    Whether the first word of a sentence is a name is left to the judge where there is one.
    """
    if claim.language != quoted.language:
        return Objection()  # a translation: words cannot be held against each other
    copied = _copied(claim, quoted, own)
    if claim.kin - kin:
        # Of somebody the user has spoken of before it may be known what he is to the user.
        met = bool(grounds.known & claim.names & quoted.words)
        return Objection("it speaks of somebody who was not spoken of", clear=copied and not met)
    others = (quoted.names if grounds.opinion is None else quoted.inner) - own
    unnamed = others and all(_left_out(name, claim) for name in others)
    passed_over = quoted.kin - claim.kin or (unnamed and not quoted.speaks)
    if passed_over and not quoted.speaks and not claim.kin and claim.names & own:
        return Objection("the quote speaks of somebody else", clear=copied)
    if copied and claim.negated != close.negated:
        return Objection(OPPOSITE, clear=True)
    hedged = part.hedged or (quoted.hedged and len(part.words) <= FRAGMENT)
    return Objection(SURER, clear=True) if copied and hedged and not claim.hedged else Objection()


def borne_out(summary: str, said: str, names: frozenset[str], turns: int, reader: Reader) -> str:
    """Give the sentences of a summary whose names and numbers were said or are known, and that command nothing."""
    known = reader.told(said)
    kept = []
    for sentence in reader.sentences(summary):
        told = reader.told(sentence)
        first = frozenset(fold(sentence.split()[0].strip(EDGES)).split())
        new = {name for name in told.names if not _has(name, known.words)} - names - first
        counted = {one for one in told.numbers if one.isdecimal() and int(one) <= COUNTED} | {str(turns)}
        if not new and told.numbers - counted <= known.numbers and not reader.instructing(sentence):
            kept.append(sentence)
    return " ".join(kept)
