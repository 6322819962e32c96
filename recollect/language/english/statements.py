"""What the user says of himself, taken down without a model: few statements, each in the third person and on its own.

Questions, suppositions, quotations, jokes, code, logs and what points outside its own sentence are passed over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from recollect.language.english.clauses import clauses_of, main_part, prose, sentences_of, without_lead
from recollect.language.english.corrections import Saying, corrected
from recollect.language.english.dating import dated
from recollect.language.english.not_meant import (
    imagined,
    kept_back,
    letter,
    revoked,
    supposed,
    taken_back,
    takes_back,
    task,
)
from recollect.language.english.person import UNNAMED, plain, third_person
from recollect.language.english.requests import Request, requests_of, wishes_of
from recollect.language.english.self_statements import sort_of
from recollect.language.english.self_words import Sort
from recollect.language.english.shared_subject import told_apart
from recollect.language.english.times import moments
from recollect.language.values import Retraction, StatementsPolicy
from recollect.model.candidate import Candidate, CandidateKind
from recollect.model.turn import Turn
from recollect.text.patterns import pattern
from recollect.text.roles import is_machine

_SORTS: dict[str, tuple[str, str, int, CandidateKind]] = {
    "name": ("profile", "name", 8, "fact"),
    "identity": ("profile", "about", 7, "fact"),
    "allergy": ("constraints", "health", 8, "fact"),
    "relationship": ("relationships", "people", 6, "fact"),
    "preference": ("preferences", "taste", 5, "fact"),
    "possession": ("profile", "things", 5, "fact"),
    "habit": ("activity", "habits", 5, "fact"),
    "plan": ("goals", "plans", 5, "fact"),
    "decision": ("goals", "decisions", 6, "fact"),
    "change": ("profile", "changes", 6, "fact"),
    "event": ("event", "events", 4, "event"),
}
"""Category, topic, importance and kind by sort."""
_SURE = frozenset(("name", "identity", "allergy", "relationship", "possession"))
"""What one is sure of: who one is and what one has. With a laugh behind it, it is not meant; a taste may be."""

_LONGEST_QUOTE = 300
_HEAD = 500
_LONGEST_WISH = 400
_ASIDE_HEAD = 200
_UNSURE = pattern(
    r"\b(?:if|unless|whether|would|could|should|wish|might|maybe|perhaps|probably|possibly|almost|nearly|guess"
    r"|wonder|wondering"
    r"|not sure|i think|i believe|i feel|kind of|sort of|supposed|in case|as though|i['’]d|am considering|thinking"
    r"|considering|tempted|dreamt|dreamed|joking|kidding|or something|what if)\b"
)
_MAY = pattern(r"\bmay (?!\d)(?=[a-z])")
_REPORTED = pattern(
    r"\b(?:said|says|tells|told|claims?|claimed|asked|swears|insists|replied|wrote|according to|thinks|reckons)\b",
    re.IGNORECASE,
)
_LAUGHED = pattern(r"\b(?:ha(?:ha)+h?|he(?:he)+)\b", re.IGNORECASE)
_QUOTED = pattern(r"[\"“”«»][^\"“”«»]*\b(?:i|my|me|i['’]m)\b[^\"“”«»]*[\"“”«»]", re.IGNORECASE)
_ASKS = pattern(r"[?？]\s*[\"')”]*$")
_TITLED = pattern(r"[A-ZÀ-Þ][\w'’-]+(?: (?:de|da|do|van|von|of|the)? ?[A-ZÀ-Þ][\w'’-]+)*")
_FRONTED = pattern(
    r"^((?:last|this|next|on|in|yesterday|today|tomorrow|two|three|a few|a couple|about|since"
    r"|back in)\b[^,]{0,40}?),?\s+(?=i\b|my\s|we\s|our\s)",
    re.IGNORECASE,
)
_HANDED_ON = pattern(
    r"^[^\n.!?]{0,60}\b(?:got|received|here(?: is|['’]s)|this is|forward(?:ed|ing)?|past(?:ed|ing))\b[^\n.!?]{0,30}"
    r"\b(?:e-?mail|mail|letter|message|text|note|post|transcript)\b[^\n.!?]{0,60}[.:\n]",
    re.IGNORECASE,
)
"""Somebody else's words come next, whatever they ask for."""


def statements(turns: Sequence[Turn], policy: StatementsPolicy, name: str = "") -> list[Candidate]:
    """Take down what one person of a conversation says of himself; `name` is how he is known."""
    found: dict[str, Candidate] = {}
    many: Counter[str] = Counter()
    for candidate in _in_order(turns, policy, name):
        new = candidate.content.casefold() not in found
        if many[candidate.turn] < policy.per_turn and len(found) < policy.per_session:
            many[candidate.turn] += new
            found.setdefault(candidate.content.casefold(), candidate)
    return list(found.values())


def explicit(turn: Turn, policy: StatementsPolicy, name: str = "") -> list[Candidate]:
    """Take down only what the user asks to be remembered, in so many words."""
    if is_machine(turn.role) or _HANDED_ON.match(turn.content):
        return []
    whole = prose(turn.content[: policy.longest_turn * 2])
    text = whole if len(turn.content) <= policy.longest_turn else whole[:_HEAD]
    if supposed(text[:_ASIDE_HEAD]) or task(text) or letter(text):
        return []
    said = [_head(one) for one in wishes_of(sentences_of(text))]
    silent = kept_back(said)
    asked: list[tuple[str, Request]] = []
    for at, one in enumerate(said):
        wishes = requests_of(without_lead(one), name, after=bool(asked)) if at not in silent else ()
        asked += [(one, wish) for wish in wishes]
    return [_asked(turn, one, request) for one, request in asked][: policy.per_turn]


def _head(said: str) -> str:
    """Give a sentence, of a very long one what a wish at its beginning may need."""
    return said if len(said) <= _LONGEST_WISH else said[:_LONGEST_WISH].rpartition(" ")[0]


def _in_order(turns: Sequence[Turn], policy: StatementsPolicy, name: str) -> list[Candidate]:
    """Give what is asked for and what is told, message by message; a sentence may correct or take back one before."""
    people = [turn for turn in turns if not is_machine(turn.role)]
    asked = [one for turn in people for one in explicit(turn, policy, name)]
    sayings = [Saying(turn, said, said) for turn in people for said in _said(turn, policy)]
    gone = _gone(sayings)
    stands = corrected([one for one in sayings if (one.turn.id, one.quote) not in gone])
    spoken = {(one.turn.id, one.quote) for one in sayings} - {(one.turn.id, one.quote) for one in stands}
    found = [one for one in asked if (one.turn, one.quote) not in spoken | gone]
    wishes = {(one.turn, one.quote) for one in asked}
    for saying in stands:
        if saying.mended in wishes:
            again = requests_of(without_lead(saying.text), name, after=True)
            found += [_asked(saying.turn, saying.quote, wish) for wish in again]
        elif (saying.turn.id, saying.quote) not in wishes and not _foreign(saying.text):
            found += _of_sentence(saying, policy, name)
    order = {turn.id: at for at, turn in enumerate(turns)}
    return sorted(_unrevoked(found, sayings, order), key=lambda one: order[one.turn])


def _gone(sayings: Sequence[Saying]) -> set[tuple[str, str]]:
    """Give the sentences nobody is to learn from, by message."""
    silent = kept_back([one.text for one in sayings])
    return {(one.turn.id, one.quote) for at, one in enumerate(sayings) if at in silent or revoked(one.text)}


def given_up(turns: Sequence[Turn], policy: StatementsPolicy) -> set[tuple[str, str]]:
    """Give the sentences of messages that their speakers take back, each with its message: no model may keep them."""
    out: set[tuple[str, str]] = set()
    people = [turn for turn in turns if not is_machine(turn.role)]
    for name in dict.fromkeys(turn.actor for turn in people):
        said = [(turn.id, one) for turn in people if turn.actor == name for one in _said(turn, policy)]
        out |= {said[at] for at in taken_back([one for _, one in said])}
    return out


def _foreign(said: str) -> bool:
    return bool(_ASKS.search(said) or _QUOTED.search(said))


def _unrevoked(found: Sequence[Candidate], sayings: Sequence[Saying], order: Mapping[str, int]) -> list[Candidate]:
    """Leave out what the speaker has taken back by name since."""
    backs = [(order[one.turn.id], told) for one in sayings if (told := _revocation(one.turn, one.text))]
    return [one for one in found if not any(order[one.turn] <= at and says(one.content, told) for at, told in backs)]


def _revocation(turn: Turn, said: str) -> str:
    """Give what a sentence takes back by name, as it would have been taken down; empty when it takes nothing back."""
    back = revoked(said)
    wishes = requests_of(back, "") if back else ()
    return _asked(turn, said, wishes[0]).content if wishes else ""


def says(content: str, told: str) -> bool:
    """Tell whether a memory of a speaker says what is told of the user, by whatever name he goes."""
    tail = told.removeprefix(UNNAMED.capitalize())
    return content.endswith(tail) and "'s" not in content.removesuffix(tail)


def retraction(before: Turn, turn: Turn, policy: StatementsPolicy, name: str) -> Retraction:
    """Read a message as what takes back or puts right the one the same speaker said before it."""
    said = list(_said(turn, policy))
    sayings = [*(Saying(before, one, one) for one in _said(before, policy)), *(Saying(turn, one, one) for one in said)]
    gone = {one for one in _gone(sayings) if one[0] == before.id} if said and takes_back(said[0]) else set()
    right = {one.quote: one.mended for one in corrected(sayings) if one.mended and one.mended[0] == before.id}
    read = [one for one in _in_order([before, turn], policy, name) if one.turn == turn.id and one.quote in right]
    told = {told for one in said if (told := _revocation(turn, one))}
    return Retraction(frozenset(gone), frozenset(told), tuple((right[one.quote], one) for one in read))


def _said(turn: Turn, policy: StatementsPolicy) -> Iterator[str]:
    """Give the sentences of a message that are its author's own word."""
    text = prose(turn.content) if len(turn.content) <= policy.longest_turn else ""
    if letter(text) or (task(text) and ("\n" in text or ":" in text or '"' in text)):
        return
    for said in wishes_of(sentences_of(text)):
        if imagined(said):
            return  # what follows is said by somebody imagined
        yield said


def _asked(turn: Turn, said: str, request: Request) -> Candidate:
    tense = (
        "ahead"
        if re.search(r"\b(?:appointment|meeting|exam|flight|will|going to|reminded)\b", request.content)
        else "habit"
    )
    now = dated(request.content, _aware(turn.at), tense)
    category = "constraints" if request.standing else "profile" if request.key else ""
    return Candidate(
        content=now.text,
        category=category,
        topic="wishes" if request.standing else "asked to remember",
        importance=request.importance,
        confidence=1.0,
        event_time=now.when,
        entities=_named(now.text),
        quote=said,
        key=request.key,
        turn=turn.id,
        explicit=True,
    )


def _of_sentence(saying: Saying, policy: StatementsPolicy, name: str) -> Iterator[Candidate]:
    turn, said = saying.turn, saying.text
    if _REPORTED.search(said) or len(said) > 4 * policy.longest_clause:
        return
    for raw in _clauses(without_lead(" ".join(said.split())), _aware(turn.at)):
        for clause in told_apart(plain(without_lead(raw))):
            if len(clause) > policy.longest_clause or _UNSURE.search(clause.lower()) or _MAY.search(clause):
                continue
            sort = sort_of(clause, any(found.exact for found in moments(clause, _aware(turn.at))))
            if sort and not (sort.name in _SURE and _LAUGHED.search(said)):
                long = len(said) > _LONGEST_QUOTE and raw in said
                yield _stated(clause, sort, raw if long else saying.quote, turn, name)


def _clauses(said: str, at: datetime) -> list[str]:
    """Give the clauses of a sentence; a time before it (`Last Friday, I …`) goes to the end of the first."""
    fronted = _FRONTED.match(said)
    if fronted and any(found.text.strip() in fronted[1] for found in moments(fronted[1], at)):
        first, *others = clauses_of(said[fronted.end() :]) or [""]
        return [f"{main_part(first)} {fronted[1][:1].lower()}{fronted[1][1:]}", *others]
    return clauses_of(said)


def _stated(clause: str, sort: Sort, said: str, turn: Turn, name: str) -> Candidate:
    category, topic, importance, kind = _SORTS[sort.name]
    if sort.name == "name":
        value = clause.split(" is ", 1)[-1] if clause[:2].lower() == "my" else clause.split(" am ", 1)[-1]
        content, when = f"{UNNAMED.capitalize()}'s name is {value}.", None
    else:
        now = dated(clause, _aware(turn.at), sort.tense)
        content, when = _ended(third_person(now.text, name)), now.when
    return Candidate(
        content=content,
        kind=kind,
        category=category,
        topic=topic,
        importance=importance,
        confidence=0.9 if sort.name in _SURE else 0.8,
        event_time=when,
        entities=tuple(entity for entity in _named(content) if entity != name),
        quote=said,
        key=sort.key,
        turn=turn.id,
        literal=True,
    )


def _ended(text: str) -> str:
    aged = re.sub(r"^(\S+(?: user)? is \d{1,3})$", r"\1 years old", text)
    return aged.rstrip(" ,:;") + "."


def _named(content: str) -> tuple[str, ...]:
    """Give the names in a statement but its first word, which is the speaker's or no name at all."""
    rest = content.partition(" ")[2].removeprefix("user")
    return tuple(dict.fromkeys(found[0].removesuffix("'s") for found in _TITLED.finditer(rest)))


def _aware(at: datetime) -> datetime:
    return at if at.utcoffset() is not None else at.replace(tzinfo=UTC)
