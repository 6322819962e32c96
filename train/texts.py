"""What the encoder is shown: messages with speaker and predecessor, questions, statements; names and numbers varied."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from train.conversations import ASKS, CLASSES, RELATIONS, VERDICTS, Case, Conversation, Message

BEFORE_CHARACTERS = 300
"""How many characters of the message before a judge of a sentence is shown, its last ones."""
BEFORE_QUOTE = 200
"""How many of them a judge of a claim is shown."""
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{2,3}(?![\w.,:/-])")


@cache
def names() -> tuple[str, ...]:
    """Give first names from many places, for putting others in the place of those in a conversation."""
    return tuple((Path(__file__).parent / "names.txt").read_text("utf-8").split())


Change = Callable[[str], str]


def unchanged(text: str) -> str:
    """Leave a text as it is."""
    return text


def cast(chance: random.Random, many: int = 8) -> list[str]:
    """Choose the names under which people stand in one version of the whole corpus.

    All conversations of a version have the same few people: who they are tells nothing, what they say does.
    """
    return chance.sample(names(), many)


def varied(conversation: Conversation, people: Sequence[str], chance: random.Random) -> Change:
    """Give what puts these names, and other numbers, into the texts of a conversation, the same ones everywhere."""
    own = sorted((name for name, role in conversation.people if role != "assistant"), key=conversation.user.__ne__)
    fresh: dict[str, str] = {}
    for name, other in zip(own, [*people, *names()], strict=False):
        fresh |= {part: other for part in name.split() if len(part) > 1 and part[0].isupper()}
    shift = chance.randrange(1, 60) if chance.random() < 0.5 else 0
    named = (
        re.compile(r"\b(" + "|".join(map(re.escape, sorted(fresh, key=len, reverse=True))) + r")\b") if fresh else None
    )

    def change(text: str) -> str:
        if named is not None:
            text = named.sub(lambda found: fresh[found[0]], text)
        return _NUMBER.sub(lambda found: str(int(found[0]) + shift), text) if shift else text

    return change


def speaker(message: Message, *, named: bool = True) -> str:
    """Give how a message's speaker is called before it; a user may have no name."""
    if message.role == "assistant":
        return "Assistant"
    return message.by if named or message.role != "user" else "User"


Shown = tuple[str, str]
"""What stood before, and the text itself: the encoder sees a little of the one and as much as it can of the other."""


def shown(message: Message, before: Message | None, *, named: bool = True) -> Shown:
    """Give a message as it is embedded: its speaker's name before it, and the message before it in the same session."""
    follows = before is not None and before.session == message.session
    last = f"{speaker(before, named=named)}: {before.text}" if before is not None and follows else ""
    return last, f"{speaker(message, named=named)}: {message.text}"


def documents(conversation: Conversation, *, named: bool = True) -> list[Shown]:
    """Give every message as it is embedded, in order."""
    before: list[Message | None] = [None, *conversation.messages[:-1]]
    return [shown(message, last, named=named) for message, last in zip(conversation.messages, before, strict=True)]


@dataclass(frozen=True, slots=True)
class Judged:
    """Two texts and the number of the right answer."""

    first: str
    second: str
    answer: int


def sentences(conversation: Conversation) -> list[Judged]:
    """Give each sentence a person says with what stood before it, and its class."""
    found = []
    for at, message in enumerate(conversation.messages):
        last = (
            conversation.messages[at - 1] if at and conversation.messages[at - 1].session == message.session else None
        )
        before = f"{speaker(last)}: {last.text}"[-BEFORE_CHARACTERS:] if last else ""
        for number, (text, kind) in enumerate(message.sentences):
            context = _surroundings(before, [said for said, _ in message.sentences], number)
            found.append(Judged(context, f"{message.by}: {text}", CLASSES.index(kind)))
    return found


def _surroundings(before: str, said: Sequence[str], number: int) -> str:
    """Give what stands around a sentence: the message before, two sentences of its own before it, one after."""
    after = said[number + 1][:120] if number + 1 < len(said) else ""
    return f"keep: {before[-BEFORE_CHARACTERS:]} / {' '.join(said[max(0, number - 2) : number])} / {after}"


def asking(case: Case, by: str) -> list[Judged]:
    """Give each sentence of a case as `sentences` does, with what it asks of the memory."""
    said = [text for text, _ in case.message]
    return [
        Judged(_surroundings(case.before, said, number), f"{by}: {text}", ASKS.index(case.kind if asks else ASKS[0]))
        for number, (text, asks) in enumerate(case.message)
    ]


def asking_nothing(conversation: Conversation) -> list[Judged]:
    """Give the sentences of a conversation as such that ask nothing of a memory; wishes may."""
    return [Judged(one.first, one.second, 0) for one in sentences(conversation) if one.answer != CLASSES.index("wish")]


def meaning(case: Case) -> list[Judged]:
    """Give what a case asks beside each thing that is known, and whether that is what is meant."""
    asked = " ".join(text for text, asks in case.message if asks)
    if case.kind not in ("forget", "correct"):
        return []
    return [Judged(f"meant: {asked}", note, int(meant)) for note, meant in case.notes]


def relations(conversation: Conversation, chance: random.Random | None = None) -> list[Judged]:
    """Give the pairs of statements; with chance, also pairs that have nothing to do with each other."""
    found = [Judged(f"compare: {older}", newer, RELATIONS.index(name)) for name, older, newer in conversation.pairs]
    if chance is not None:
        same = [(older, newer) for name, older, newer in conversation.pairs if name == "same"]
        found += [Judged(f"compare: {newer}", older, 0) for older, newer in same]
        said = [text for _, older, newer in conversation.pairs for text in (older, newer)]
        for _ in range(len(said) // 4):
            one, other = chance.sample(range(len(said)), 2)
            if one // 2 != other // 2:
                found.append(Judged(f"compare: {said[one]}", said[other], RELATIONS.index("resembles")))
    return found


def claims(conversation: Conversation, chance: random.Random | None = None) -> list[Judged]:
    """Give quotes with claims; with chance, also claims with another number, another person, another quote."""
    by = {message.number: message for message in conversation.messages}
    found = []
    for name, number, quote, claim in conversation.claims:
        found.append(_claim(by[number], quote, claim, name, _before(by, number, chance)))
        if chance is not None and name == "supported":
            found += _spoilt(conversation, by[number], quote, claim, chance)
    return found


def _before(by: Mapping[int, Message], number: int, chance: random.Random | None) -> str:
    """Give the end of the message before, every other time: quotes are judged with and without what was said before."""
    last = by.get(number - 1)
    if last is None or last.session != by[number].session or (chance is not None and chance.random() < 0.5):
        return ""
    return f"{speaker(last)}: {last.text}"[-BEFORE_QUOTE:]


def _claim(message: Message, quote: str, claim: str, verdict: str, before: str = "") -> Judged:
    said = f"{before} / {message.by}: {quote}" if before else f"{message.by}: {quote}"
    return Judged(f"check: {said}", claim, VERDICTS.index(verdict))


def _spoilt(
    conversation: Conversation, message: Message, quote: str, claim: str, chance: random.Random
) -> list[Judged]:
    found = []
    if numbers := list(re.finditer(r"\d+", claim)):
        one = chance.choice(numbers)
        other = str(max(0, int(one[0]) + chance.choice((-3, -2, -1, 1, 2, 3, 10))))
        found.append(_claim(message, quote, claim[: one.start()] + other + claim[one.end() :], "contradicted"))
    others = [name for name, role in conversation.people if name != message.by and role != "assistant"]
    if message.by in claim:
        other = chance.choice(others) if others else chance.choice(names())
        found.append(_claim(message, quote, claim.replace(message.by, other), "otherperson"))
    elsewhere = [(number, text) for _, number, text, _ in conversation.claims if number != message.number]
    if elsewhere:
        number, text = chance.choice(elsewhere)
        said_by = next(one for one in conversation.messages if one.number == number)
        found.append(_claim(said_by, text, claim, "notsaid"))
    return found


def renamed(pair: Judged, chance: random.Random) -> Judged:
    """Give a pair with other names for the people in it, the same ones in both texts."""
    said = re.findall(r"\w+", f"{pair.first} {pair.second}")
    speaker = re.match(r"(?:check|compare): ([A-Z]\w+):", pair.first)
    known = {word for word in said if word in _known()} | ({speaker[1]} if speaker else set())
    if not known:
        return pair
    fresh = dict(zip(sorted(known), chance.sample(names(), len(known)), strict=True))
    parts = re.compile(r"\b(" + "|".join(map(re.escape, known)) + r")\b")
    first, second = (parts.sub(lambda found: fresh[found[0]], text) for text in (pair.first, pair.second))
    return Judged(first, second, pair.answer)


@cache
def _known() -> frozenset[str]:
    return frozenset(names())


def plain_pairs(pairs: Sequence[Judged], task: str, chance: random.Random) -> list[Judged]:
    """Give the easiest cases of a head: a text beside itself, or beside itself with another name or number."""
    found = []
    for pair in pairs:
        if pair.answer != 0:
            continue
        text = pair.second
        if task == "relation":
            found.append(Judged(f"compare: {text}", text, 0))
            continue
        who = chance.choice(names())
        found.append(Judged(f"check: {who}: {text}", text, 0))
        if people := [word for word in re.findall(r"\w+", text) if word in _known()]:
            other = text.replace(people[0], chance.choice(names()))
            found.append(Judged(f"check: {who}: {text}", other, VERDICTS.index("otherperson")))
        if numbers := re.findall(r"\d+", text):
            other = text.replace(numbers[0], str(int(numbers[0]) + chance.randrange(1, 9)))
            found.append(Judged(f"check: {who}: {text}", other, VERDICTS.index("contradicted")))
    return found


def wanted(conversation: Conversation, chance: random.Random) -> list[Judged]:
    """Give questions beside what answers them and beside what does not: what somebody speaks of is found alike."""
    said = {message.number: message.text for message in conversation.messages}
    found = []
    for question in conversation.questions:
        others = [number for number in said if number not in {*question.answers, *question.stale}]
        words = set(question.text.lower().split())
        like = sorted(others, key=lambda at: -len(words & set(said[at].lower().split())))[:6]
        some = [*chance.sample(like, min(2, len(like))), *chance.sample(others, min(1, len(others)))]
        found += [Judged(f"meant: {question.text}", said[at][:400], 1) for at in question.answers[:2]]
        found += [Judged(f"meant: {question.text}", said[at][:400], 0) for at in some]
    return found


def statements(conversations: Sequence[Conversation]) -> list[str]:
    """Give plain texts of every kind, for keeping general meaning where it was."""
    found: list[str] = []
    for one in conversations:
        found += [message.text for message in one.messages]
        found += [text for _, older, newer in one.pairs for text in (older, newer)]
        found += [claim for _, _, _, claim in one.claims] + [question.text for question in one.questions]
    return found
