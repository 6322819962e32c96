"""Whether what was said bears out one statement: its subject, its sense, its numbers, and every word of it."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from recollect.language.english.amounts import other_amount
from recollect.language.english.assertion import (
    Assertion,
    Subject,
    assertion,
    contrasted,
    doers,
    has_self,
    hearsay,
    spoken_subject,
    taste,
    words_of,
)
from recollect.language.english.clauses import clauses_of, main_part, sentences_of
from recollect.language.english.evidence import forms, kin, meant, names_in, numbers_in, stems_of
from recollect.language.english.lexicon import PAST, PETS, PRESENT, RELATIONS, THIRD
from recollect.language.english.person import plain
from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.text.patterns import pattern
from recollect.text.roles import MACHINES
from recollect.text.terms import fold, stem

_TASTE = pattern(
    r"\b(?:likes|loves|enjoys|adores|prefers|hates|dislikes|detests|loathes|liked|loved|hated|enjoyed|favou?rites?"
    r"|fan of|fond of|(?:not|n't) (?:like|love|enjoy|stand))\b"
)
_GOOD = pattern(r"\b(?:great|amazing|awesome|best|fun|delicious|wonderful|always|please|rather|want|into|over)\b")
_REFERS = pattern(r"\b(?:it|it's|its|that|that's|this|there|them|those|one|one's|so)\b", re.IGNORECASE)
_ANSWERS = pattern(r"^\W*(?:yes|yeah|yep|no|nope|sure|exactly|right|actually|sorry)\b", re.IGNORECASE)
_STANDS = pattern(r"\b(?:i|we|he|she|they|my|our|is|are|was|were|am|'m|'s)\b|['’](?:m|s|re)\b", re.IGNORECASE)
_BARE = pattern(
    r"^(.+?)\s+(?:is|are|was|does|do|did|has|have|can|will)(n't| not)?(?:,? (?:too|though))?$", re.IGNORECASE
)
_OVER_WORDS = r"\b(?:over|rather than|than|instead of)\b"
_OVER = pattern(_OVER_WORDS, re.IGNORECASE)
_PREFERRED_TO = pattern(rf"\bto\b|{_OVER_WORDS}", re.IGNORECASE)
_LACKS = pattern(r"\b(?:without|no)\s+(?:any\s+|an?\s+)?(\w+)", re.IGNORECASE)
_VERBS = frozenset(
    "is are was were has have had does did do will would can could cannot may might should must wants needs".split()
)
_REMARK = pattern(r"(?:,\s+(?:never|no|just|tho|though)|,?\s+but)\b.*", re.IGNORECASE | re.DOTALL)
_REASON = pattern(r"(?:,\s+|\s+)(?:as|since|because)\s+(?=(?:you|i|we|he|she|they|it|my)\b)", re.IGNORECASE)
_DEPENDS = pattern(r"\b(?:would|could)\b(?!\s+(?:like|love|prefer|rather)\b)")
"""What is told with these words holds under a condition; without it nothing is told."""
_OPPOSITES = (
    ({"more"}, {"less", "fewer"}), ({"older"}, {"younger"}), ({"before"}, {"after"}), ({"bigger"}, {"smaller"}),
    ({"always", "often", "usually"}, {"never", "rarely", "seldom"}), ({"up"}, {"down"}),
)  # fmt: skip
_TELLS = frozenset("says said tells told thinks wants".split())
_FAMILY = frozenset("family household children kids parents team company".split())
_SHE = frozenset("mother sister wife daughter aunt niece girlfriend grandmother landlady fiancée".split())
_HE = frozenset("father brother husband son uncle nephew boyfriend grandfather landlord".split())


@dataclass(frozen=True, slots=True)
class Basis:
    """What a claim is held against."""

    turn: Turn
    text: str
    """The sentences that hold the quote, whole."""
    near: tuple[str, ...]
    """The sentences of the turns beside it, its own among them, the nearest first."""
    page: tuple[str, ...]
    """Every sentence people said in the conversation, and the last the other side said before the quote."""
    own: frozenset[str]
    """The words of the speaker's own names."""
    times: frozenset[str]
    """The words and numbers of the dates that were meant."""
    known: frozenset[str] = frozenset()
    """Names known from before."""

    @property
    def passed(self) -> set[str]:
        """The stems nobody need have said."""
        return {stem for word in (*self.own, *self.times) for stem in stems_of(word)} | self.times


def misread(statement: str, subject: Subject, more: Set[str], said: Basis) -> str:
    """Say what one statement of a claim makes of what was said; empty when it says no more.

    `more` are other words for the subject: `brother` where it is Gareth.
    """
    claim = plain(statement)
    about = {subject.word, *more} - {""}
    wanted = stems_of(claim) - said.passed
    clause, rest, ahead = _nearest(wanted, subject, plain(said.text))
    for cut in (main_part, _unremarked, _reasoned):
        shorter = cut(clause)
        if stems_of(shorter) and not (stems_of(clause) - stems_of(shorter)) & wanted:
            clause = shorter  # a remark behind it, like "so no sugar please", has a sense of its own
    if _apposed(claim, said.text):
        return ""
    reason = _other_subject(subject, about, clause, claim, said) or _other_sense(claim, clause, rest, ahead)
    if reason:
        return reason
    if _swapped(claim, clause) or _opposite(claim, clause):
        return "it turns round what was said"
    denied = stems_of(contrasted(clause)) & wanted - stems_of(contrasted(claim))
    if denied - stems_of(clause.lower().replace(contrasted(clause), " ")):
        return "it says what was denied"
    if subject.sort == "self" and wanted and _of_another(wanted, clause):
        return "it is said of somebody else"
    if amount := other_amount(claim, clause if numbers_in(claim) <= numbers_in(clause) else said.text, said.times):
        return amount
    return _uncovered(claim, wanted, clause, said)


def _nearest(wanted: set[str], subject: Subject, text: str) -> tuple[str, str, str]:
    """Find the clause a claim rests on, the other clauses, and the condition before it in its sentence, if any."""
    every = [(clause, said) for said in sentences_of(text) for clause in clauses_of(said)][:40] or [(text, text)]
    stems = [stems_of(clause) for clause, _ in every]
    shared = [len({stem for stem in wanted if stem in known or forms(stem, known)}) for known in stems]
    at = max(range(len(every)), key=lambda one: (shared[one], -one))
    for one, (clause, _) in enumerate(every):  # "I am no vegan. My brother is." speaks of the brother
        bare = _BARE.match(clause.strip(" .!"))
        if bare and subject.sort != "self" and subject.word and kin(subject.word) in _folded(bare[1]):
            at = one
    rest = ". ".join(clause for one, (clause, _) in enumerate(every) if one != at)
    clause, sentence = every[at]
    before = sentence[: max(0, sentence.find(clause[:20]))]
    return clause, rest, before if re.match(r"\W*(?:\w+\s+)?(?:if|unless)\b", before, re.IGNORECASE) else ""


def _unremarked(clause: str) -> str:
    return _REMARK.sub("", clause)


def _reasoned(clause: str) -> str:
    return _REASON.split(clause)[-1]


def _folded(text: str) -> set[str]:
    return {kin(word) for word in re.findall(r"[\w-]+", fold(text).replace("'s", "").replace(" in law", "-in-law"))}


def _apposed(claim: str, text: str) -> bool:
    """Tell whether a claim only says who somebody is, and he was named so in passing: `I'll ask my manager Ruth`."""
    told = re.fullmatch(r".*?'s ([\w-]+) is (?:called |named )?([^\W\d_]+)\.?", claim.strip())
    back = told or re.fullmatch(r"([^\W\d_]+) is .*?'s ([\w-]+)\.?", claim.strip())
    if not back:
        return False
    noun, name = (back[1], back[2]) if told else (back[2], back[1])
    both = rf"\b(?:my|our)\s+(?:\w+\s+)?{re.escape(noun)},?\s+{re.escape(name)}\b"
    return name[:1].isupper() and bool(re.search(both, text, re.IGNORECASE))


# Who


def _other_subject(subject: Subject, about: Set[str], clause: str, claim: str, said: Basis) -> str:
    """Tell a claim about another person than the one spoken of."""
    if subject.sort not in ("self", "relation", "name"):
        return ""
    machine = said.turn.role.casefold() in MACHINES
    spoken = _spoken(subject, about, clause, claim, said)
    if subject.sort == "self":
        return _not_of_speaker(spoken, claim, machine) or ("somebody else says it" if hearsay(clause) else "")
    return _not_of_other(subject, about, spoken, clause, said)


def _spoken(subject: Subject, about: Set[str], clause: str, claim: str, said: Basis) -> list[Subject]:
    """Give whom the words of a claim are said of in a clause."""
    skipped = {one for word in (*about, *said.own) for one in stems_of(word)}
    _, predicate = _halves(claim)
    order = [one for word in words_of(claim) for one in stems_of(word) if one not in skipped]
    words = words_of(clause)
    verb = next((word for word in words_of(predicate)[:1] if word in THIRD or word in _TELLS or word[-2:] == "ed"), "")
    for at, word in enumerate(words):
        if verb and stem(verb.lower(), "english") == stem(word.lower(), "english"):
            return doers(clause, at) or [spoken_subject(clause)]
    for wanted in order[:2]:
        for at, word in enumerate(words):
            here = stems_of(word)
            if wanted in here or forms(wanted, here):
                return doers(clause, at) or [spoken_subject(clause)]
    return [spoken_subject(clause)]


def _not_of_speaker(spoken: Sequence[Subject], claim: str, machine: bool) -> str:
    if any(one.sort in ("self", "mine") for one in spoken):
        return "the assistant says it of itself" if machine else ""
    claimed = _folded(claim)
    for one in spoken:
        if one.sort in ("relation", "name") and kin(one.word) not in claimed:
            return f"it is said of {one.word}, not of the speaker"
        if one.sort == "third" or (one.sort == "other" and not machine):
            return "it is said of somebody else"
    return ""


def _not_of_other(subject: Subject, about: Set[str], spoken: Sequence[Subject], clause: str, said: Basis) -> str:
    ours = {kin(word) for word in about}
    named = bool(ours & _folded(clause))
    if any(kin(one.word) in ours for one in spoken):
        return ""
    for one in spoken:
        if one.sort == "self":
            together = one.word == "we" and subject.word in _FAMILY
            mine = re.search(r"\b(?:have|has|got|own|know)\b", clause, re.IGNORECASE) and named
            return "" if together or mine else f"it is said of the speaker, not of {subject.word}"
        if one.sort == "name" and not (subject.sort == "relation" and _one_person(one.word, ours, said)):
            return f"it is said of {one.word}, not of {subject.word}"
        if one.sort == "relation" and not _one_person(subject.word, {kin(one.word)}, said):
            return f"it is said of {one.word}, not of {subject.word}"
        if one.sort == "other":
            return f"it is said to somebody, not of {subject.word}"
        if one.sort == "third":
            wrong = ours & (_HE if one.word == "she" else _SHE if one.word == "he" else frozenset())
            spoken_of = any(ours & _folded(line) for line in (*said.page, said.text)) or bool(ours & said.known)
            return f"it is said of somebody else than {subject.word}" if wrong else (
                "" if spoken_of else f"nobody spoke of {subject.word}")  # fmt: skip
    if spoken and all(one.sort == "none" for one in spoken) and not named and not has_self(clause):
        return "" if not _STANDS.search(clause) else f"it is not said of {subject.word}"
    return ""


def _one_person(name: str, others: Set[str], said: Basis) -> bool:
    """Tell whether a name and a relation were said of one person, side by side: `my brother Tom`."""
    for line in (said.text, *said.page):
        words = [kin(word) for word in re.findall(r"[\w-]+", fold(line).replace("'s", ""))]
        for at, word in enumerate(words):
            if word == kin(name) and others & set(words[max(0, at - 3) : at + 5]):
                return True
    return False


# How


def _other_sense(claim_text: str, said_text: str, rest: str, condition: str) -> str:
    """Compare for and against, sure and unsure, planned and done, liking and disliking."""
    claim_text, said_text = _lacking(claim_text, said_text, rest)
    low = claim_text.lower()
    claim, said = assertion(low), assertion(said_text.lower())
    if claim.negative != said.negative and not (said.ended and claim.negative):
        return "it denies what was said" if claim.negative else "it leaves out a negation"
    if (said.conditional or condition) and not (claim.conditional or assertion(_DEPENDS.sub(" ", low)).unsure):
        return "it makes a fact of a condition" if not claim.unsure else "it leaves out the condition"
    if reason := _surer(claim, said, low):
        return reason
    if _TASTE.search(low) and "would like" not in low and not said.planned:
        whole = f"{said_text} {rest}".lower()
        if not taste(whole) and not _GOOD.search(whole):
            return "nobody said how it is liked"
    return ""


def _surer(claim: Assertion, said: Assertion, low: str) -> str:
    if said.unsure and not claim.unsure and not claim.planned:
        return "it makes a certainty of a guess"
    going = re.search(r"\bis \w+ing\b", low)
    if said.planned and not (claim.planned or claim.unsure or going):
        return "it makes a fact of a plan"
    if said.ended and not (claim.ended or claim.past or claim.negative):
        return "it makes the present of the past"
    return ""


def _lacking(claim: str, clause: str, rest: str) -> tuple[str, str]:
    """Leave out what both are without: `green tea without sugar` of `green tea. No sugar, ever.`"""
    for found in list(_LACKS.finditer(claim)):
        same = re.compile(rf"\b(?:without|no|not|never|n't)\b[^.;]*\b{re.escape(found[1])}\b", re.IGNORECASE)
        if same.search(rest) and not same.search(clause):
            claim = claim.replace(found[0], found[1])
    return claim, clause


def _swapped(claim: str, clause: str) -> bool:
    """Tell whether `tea over coffee` became `coffee over tea`, or `from Rome to Bonn` the way back."""
    ours, theirs = _sides(claim), _sides(clause)
    if any(better & worse_then and worse & better_then for better, worse in ours for better_then, worse_then in theirs):
        return True
    here, there = _placed(claim), _placed(clause)
    both = set(here.values()) & set(there.values())
    return any(name in both and there.get(before, name) in both - {name} for before, name in here.items())


def _sides(text: str) -> list[tuple[set[str], set[str]]]:
    """Give what stands only before and only after each word that compares."""
    compares = _PREFERRED_TO if "prefer" in text.lower() else _OVER
    pairs = [(stems_of(text[: at.start()]), stems_of(text[at.end() :])) for at in compares.finditer(text)]
    return [(before - after, after - before) for before, after in pairs]


def _opposite(claim: str, clause: str) -> bool:
    """Tell whether `less` became `more`."""
    ours, theirs = set(claim.lower().split()), set(re.findall(r"\w+", clause.lower()))
    both = [*_OPPOSITES, *((two, one) for one, two in _OPPOSITES)]
    return any(ours & one and theirs & two and not theirs & one for one, two in both)


def _placed(text: str) -> dict[str, str]:
    """Give the names of a text by the word before each."""
    return {before.lower(): name for before, name in re.findall(r"\b(\w+) (?=([A-ZÀ-Þ]\w+))", text)}


def _of_another(wanted: set[str], clause: str) -> bool:
    """Tell whether all that is claimed stands in a clause about somebody else: `Carla, who is a lawyer`."""
    before, who, _ = re.sub(r"\b(?:who|whose)\b", "\0", clause, count=1).partition("\0")
    known = stems_of(before)
    return bool(who) and not any(stem in known or forms(stem, known) for stem in wanted)


# Every word


def _uncovered(claim: str, wanted: set[str], clause: str, said: Basis) -> str:
    """Give the words of a claim that neither the sentence says nor what it refers to."""
    text = plain(said.text)
    missing = _missing(wanted, text) - meant(wanted, text)
    if not missing:
        return _elsewhere(wanted, clause, said)
    head, _ = _halves(claim)
    topic = missing & (stems_of(head) - numbers_in(head))
    page = " ".join((*said.page, *said.near))
    left = _missing(topic, page) - meant(topic, page) - said.known
    value = missing - topic
    if value and not left:
        left = value if _replaced(value, claim, clause, said) else _unreferred(value, wanted, text, said)
    return "its quote does not say " + ", ".join(sorted(left)[:4]) if left else ""


def _elsewhere(wanted: set[str], clause: str, said: Basis) -> str:
    """Tell a name taken from another sentence of the quote in the place of the one this clause has."""
    named = {stem for name in names_in(clause) for stem in stems_of(name)} - wanted
    foreign = {stem for stem in _missing(wanted, clause) if stem in {fold(n) for n in names_in(said.text)}}
    strange = named - said.passed
    if foreign and strange:
        return f"it puts {sorted(foreign)[0].capitalize()} in the place of {sorted(strange)[0].capitalize()}"
    return ""


def _missing(wanted: Set[str], text: str) -> set[str]:
    known = stems_of(text)
    return {stem for stem in wanted if stem not in known and not forms(stem, known)}


def _replaced(value: set[str], claim: str, clause: str, said: Basis) -> bool:
    """Tell whether a claim has another name or number where the clause has one of its own."""
    names = {stem for name in names_in(claim) for stem in stems_of(name)}
    theirs = {stem for name in names_in(clause) for stem in stems_of(name)}
    free = stems_of(claim) | said.passed
    return bool(value & names and theirs - free) or bool(value & numbers_in(claim) and numbers_in(said.text) - free)


def _unreferred(value: set[str], wanted: set[str], text: str, said: Basis) -> set[str]:
    """Give what is missing and stands in no sentence this one refers to, or that tells of the same."""
    short = _ANSWERS.search(text) or _REFERS.search(text) or not _STANDS.search(text)
    for line in said.near if short else ():
        if not _missing(value, line) - meant(value, line):
            return set()
    others = wanted - value
    for line in said.page:
        shared = others - _missing(others, line)
        if shared and not _missing(value, line) - meant(value, line):
            return set()
    return value


def _halves(claim: str) -> tuple[str, str]:
    """Cut a claim before its verb: what it is about, and what it says of it."""
    words = re.findall(r"\S+", claim)
    for at, word in enumerate(words[1:], 1):
        low = word.strip(".,;:").lower()
        if low in ("user", "the"):
            continue
        plural = low.endswith(("s", "ed")) and not low.endswith(("'s", "ss")) and low.isalpha() and word[:1].islower()
        if low in _VERBS or low in THIRD or low in PRESENT or low in PAST or (plural and low not in RELATIONS | PETS):
            return " ".join(words[:at]), " ".join(words[at:])
    return claim, ""
