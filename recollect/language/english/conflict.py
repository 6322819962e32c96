"""Whether a new fact takes the place of an old one: the same subject and attribute, another value.

Two sentences in the third person are read as subject, attribute and value. What cannot be read is left side by side.
"""

from __future__ import annotations

import re

from recollect.language.english.attributes import claim_of
from recollect.language.english.evidence import forms, names_in, numbers_in, stems_of
from recollect.language.english.lexicon import PETS
from recollect.language.english.verbs import Claim
from recollect.language.values import Band, BandPolicy, Overlap, Relation
from recollect.text.normal import words
from recollect.text.patterns import pattern
from recollect.text.stopwords import common
from recollect.text.terms import fold, unspaced

LONGEST = 4000
"""Longer texts are not compared by their words."""


_NEGATIONS = pattern(r"\b(?:not|never|no|cannot|without|none|stopped|quit)\b|n't\b|\bgave up\b")
_AMOUNT = pattern(r"[$€£¥]?\d[\d.,:/]*(?:[%€$£]|am|pm|k|km|kg|h)?")
_MEASURING = frozenset(
    "is are was were be costs cost at to for of about around every by than has have had pays pay takes take weighs "
    "weigh earns earn runs run in with up down exactly only over under nearly almost now from until after before "
    "lasts last needs need owns own reached scored".split()
)
"""Words an amount stands behind; behind another word a number is a name: `room 12`, `rule 3`."""
_COMMON = common()
_STRESSING = frozenset("inde definit certain absolut truli basic simpli obvious genuin quit".split())
"""Stems of words that only stress: indeed, definitely, certainly."""
_TIMES = frozenset("today tomorrow yesterday tonight week weeks month months year years day days ago last next".split())


def compare(old: str, new: str) -> Relation:
    """Say whether `new` says the same as `old`, changes it, or stands beside it."""
    if max(len(old), len(new)) > LONGEST:
        return Relation("same", "the same text") if old == new else Relation("unsure", "too long to be one fact")
    if words(old) == words(new):
        return Relation("same", "the same words")
    before, after = claim_of(old), claim_of(new)
    if before is None or after is None:
        return _unread(old, new)
    if after.attribute == "dies" and _is_called(old, after.subject) and not before.ended:
        return Relation("changed", f"{before.attribute}: no longer alive")
    if not _one_subject(before.subject, after.subject):
        return Relation("distinct", "about different subjects")
    if after.replaced and _replaces(before, after):
        return Relation("changed", f"{before.attribute}: replaced")
    if before.attribute != after.attribute:
        if after.attribute in ("does sell", "gave up") and " and " in old:
            return Relation("distinct", "only a part of it may be gone")
        return _across(before, after)
    if before.scope != after.scope and before.scope and after.scope:
        return Relation("distinct", "of different scope")
    if after.ended and not after.negative and not before.ended and before.value != after.value:
        return Relation("distinct", "the new one is of the past")
    if before.ended and not after.ended and not after.negative and before.value != after.value:
        return Relation("distinct", "the old one is of the past already")
    return _valued(before, after, old, new)


def clash(old: str, new: str) -> Relation | None:
    """Compare in short, passing over most of the work; None where the two are plainly about different subjects."""
    claim = claim_of(new)
    if claim is None:  # only another number in the same words can be told, so there must be one
        return compare(old, new) if any(char.isdigit() for char in new) else Relation("unsure", "cannot be read")
    first = claim.subject.split(" ", 1)[0].removesuffix("'s")
    return compare(old, new) if first in fold(old) else None


def readable(text: str) -> bool:
    """Tell whether a text can be read as one statement."""
    return claim_of(text) is not None


_ONE_OF_A_KIND = pattern(r"'s (?:wife|husband|mother|mum|mom|father|dad|girlfriend|boyfriend|partner|boss|landlord)$")


def _one_subject(one: str, other: str) -> bool:
    """Tell whether two subjects are one: `Ana's wife` is `Ana's wife Sarah`, since there is but one."""
    short, long = sorted((one, other), key=len)
    return one == other or (long.startswith(short + " ") and _ONE_OF_A_KIND.search(short) is not None)


def _is_called(old: str, name: str) -> bool:
    """Tell whether a fact is that somebody has one of that name: `a dog called Rex`, `Ana's dog is called Rex`."""
    called = re.escape(name.rpartition("'s ")[2].split()[-1])
    has = rf"\b(?:has|had) .*\b(?:called|named) {called}[.!]?$"
    pet = rf"'s (?:{'|'.join(sorted(PETS))}) is (?:called |named )?{called}[.!]?$"
    return re.search(f"{has}|{pet}", old, re.IGNORECASE) is not None


def _replaces(before: Claim, after: Claim) -> bool:
    """Tell whether the value a claim takes the place of is what another says, and not a small part of it."""
    if before.event or before.negative or not _overlap(after.replaced, before.value):
        return False
    near = before.attribute == after.attribute or before.attribute in after.ends
    return near or len(before.value) <= len(after.replaced) + 2


def _valued(before: Claim, after: Claim, old: str, new: str) -> Relation:
    """Compare two values of one attribute of one subject."""
    attribute = after.attribute
    if before.negative != after.negative:
        if after.ended and not before.value:
            return Relation("changed", f"{attribute}: no longer")
        if _overlap(before.value, after.value) or not after.value:
            return Relation("changed", f"{attribute}: negated")
        return Relation("distinct", "one denied, the other not, of different things")
    if before.value == after.value:
        return Relation("same", f"{attribute}: the same value")
    if before.event or after.event:
        return Relation("distinct", "events of their own")
    if before.negative:
        return Relation("distinct", "two things denied")
    fewer, more = sorted((before.value, after.value), key=len)
    if fewer and fewer < more and numbers_in(old) <= numbers_in(new):
        return Relation("unsure", f"{attribute}: one says more than the other")
    if (after.single and before.single) or attribute in after.ends:
        return Relation("changed", f"{attribute}: another value")
    return Relation("distinct", f"{attribute} may have several values")


def _across(before: Claim, after: Claim) -> Relation:
    """Compare different attributes: some exclude each other, like being single and being married."""
    if before.attribute in after.ends and (not after.value or _overlap(before.value, after.value) or after.wholly):
        return Relation("changed", f"{after.attribute} ends {before.attribute}")
    shared = before.value & after.value
    if shared and not before.negative and (after.negative or after.ended) and before.verb == after.verb:
        return Relation("changed", "negated")
    return Relation("distinct", "about different attributes")


def _unread(old: str, new: str) -> Relation:
    """Judge sentences whose attribute is not known: only one number for another in the same words is a change."""
    one, two = words(old), words(new)
    if len(one) == len(two):
        differ = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
        if len(differ) == 1 and _counts(one, two, differ[0]) and not _dated(old, new):
            return Relation("changed", "another number in the same words")
    return Relation("unsure", "cannot be read")


def _counts(one: tuple[str, ...], two: tuple[str, ...], differ: tuple[str, str]) -> bool:
    """Tell whether the words that differ are amounts, not the numbers things are told apart by: `note 3`, `item4`."""
    at = next(at for at, pair in enumerate(zip(one, two, strict=True)) if pair == differ)
    return bool(at) and one[at - 1] in _MEASURING and all(_AMOUNT.fullmatch(word) for word in differ)


def _dated(old: str, new: str) -> bool:
    """Tell whether a year stands in one of them: then both may be true, each in its time."""
    return bool(re.search(r"\b(?:19|20)\d{2}\b", old + " " + new))


def _overlap(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether two values are of one thing: all words of the shorter are in the longer."""
    fewer, more = sorted((one, other), key=len)
    return bool(fewer) and all(word in more or forms(word, more) for word in fewer)


def band(similarity: float, old: str, new: str, policy: BandPolicy | None = None) -> Band:
    """Say what becomes of two memories so alike: merged, asked about, or left apart.

    A number or a negation that differs is what a correction looks like, and is never merged away.
    """
    policy = policy or BandPolicy()
    if not similarity >= policy.doubt:  # also what is not a number
        return "apart"
    if max(len(old), len(new)) > LONGEST:
        return "ask" if similarity >= policy.ask else "apart"
    if similarity >= policy.merge:
        return "ask" if telling(old) != telling(new) else "merge"
    if similarity >= policy.ask:
        return "ask"
    return "ask" if _rare(old, policy) & _rare(new, policy) or _close(old, new) else "apart"


def gist(text: str) -> set[str]:
    """Give what a text tells, so that another can be seen to say more: its stems without words that only stress, and
    its words of time."""
    return stems_of(text) - _STRESSING | _TIMES.intersection(words(text[:LONGEST]))


def overlap(old: str, new: str) -> Overlap:
    """Say whether two texts that are to be made one differ in a number, a negation or a name, or which says more."""
    if telling(old) != telling(new) or set(names_in(old)) != set(names_in(new)):
        return "differ"
    return "more" if stems_of(old) < stems_of(new) else "same"


def telling(text: str) -> tuple[list[str], bool]:
    """Give what no two texts may differ in when they are made one: the numbers, and whether it is denied."""
    return sorted(numbers_in(text)), len(_NEGATIONS.findall(text.lower().replace("’", "'"))) % 2 == 1


def _rare(text: str, policy: BandPolicy) -> set[str]:
    """Give the words of a text that few others hold: long ones, names, pairs of unspaced scripts."""
    said = {word for word in words(text) if word not in _COMMON}
    return {word for word in said if len(word) >= policy.rare_chars or unspaced(word) or re.search(r"\d", word)}


def _close(old: str, new: str) -> bool:
    """Tell whether the texts hold whole numbers that are equal or next to each other."""
    one, two = ([int(n) for n in numbers_in(text) if n.isdecimal() and len(n) < 10] for text in (old, new))
    return any(abs(a - b) <= 1 for a in one[:20] for b in two[:20])
