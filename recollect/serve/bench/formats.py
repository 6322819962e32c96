"""The formats conversations with questions come in, each read into one shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from recollect.errors import InvalidInput
from recollect.model.clock import parse_iso
from recollect.serve.bench.beam import beam
from recollect.serve.bench.conversations import (
    BEGINNING,
    BETWEEN_MESSAGES,
    BETWEEN_SESSIONS,
    BETWEEN_TURNS,
    Conversation,
    Message,
    Question,
)
from recollect.serve.bench.records import Record, listed, parsed_file, record

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D:?(\d+):(\d+)")
_DAY_NAME = re.compile(r"\s*\([^)]*\)")


def read(path: Path, form: str) -> list[Conversation]:
    """Read a file of one of the formats; what is wrong with it is told by record and field."""
    conversations = list(FORMATS[form](parsed_file(path)))
    if not any(conversation.questions for conversation in conversations):
        raise InvalidInput(f"{path} holds no questions")
    return conversations


def general(data: object) -> Iterator[Conversation]:
    """Read the general format: messages with ids, and questions that name them as evidence."""
    for one in listed(data, "conversation"):
        messages = _general_messages(one)
        home = {message.id: message.session for message in messages}
        yield Conversation(
            name=one.name("name"),
            messages=messages,
            questions=tuple(_general_question(each, home) for each in one.records("questions", "question")),
        )


def _general_messages(one: Record) -> tuple[Message, ...]:
    made: dict[str, Message] = {}
    clock, records = BEGINNING, one.records("messages", "message")
    timed = any("at" in each.fields for each in records)
    before = ""
    for each in records:
        id, session = each.name("id"), each.name("session")
        if id in made:
            raise each.wrong("id", f"{id!r} belongs to an earlier message")
        if timed:
            clock = _iso(each, "at")
        elif made:
            clock += BETWEEN_MESSAGES if session == before else BETWEEN_SESSIONS
        before = session
        made[id] = Message(id, session, each.name("role"), each.text("actor", ""), each.text("content"), clock)
    return _in_order(made.values())


def _general_question(each: Record, home: Mapping[str, str]) -> Question:
    for field in ("evidence", "stale"):
        for id in each.names(field):
            if id not in home:
                raise each.wrong(field, f"names {id!r}, but the conversation has no such message")
    evidence = each.names("evidence")
    return Question(
        text=each.text("question"),
        kind=each.name("kind"),
        evidence=evidence,
        sessions=_distinct(home[id] for id in evidence),
        stale=each.names("stale"),
        at=_iso(each, "at") if "at" in each.fields else None,
        answer=_reference(each),
    )


def locomo(data: object) -> Iterator[Conversation]:
    """Read LoCoMo: two people chatting over many sessions."""
    for one in listed(data, "sample"):
        talk = record(one.fields.get("conversation"), f"{one.where}, conversation")
        messages = tuple(_locomo_messages(talk))
        home = {message.id: message.session for message in messages}
        yield Conversation(
            name=one.name("sample_id"),
            messages=_in_order(messages),
            questions=tuple(_locomo_question(each, home) for each in one.records("qa", "qa")),
        )


def _locomo_messages(talk: Record) -> Iterator[Message]:
    numbers = sorted(int(found[1]) for field in talk.fields if (found := _SESSION.fullmatch(field)))
    for number in numbers:
        session = f"session_{number}"
        begun = _clock_time(talk, f"{session}_date_time")
        for after, turn in enumerate(talk.records(session, f"{session} turn")):
            said = turn.text("text")
            if "blip_caption" in turn.fields:
                said = f"{said} [photo: {turn.text('blip_caption')}]".strip()
            ids = _turns([turn.text("dia_id")])
            if len(ids) != 1:
                raise turn.wrong("dia_id", f"must look like D1:2, not {turn.text('dia_id')!r}")
            yield Message(ids[0], session, "user", turn.text("speaker"), said, begun + after * BETWEEN_TURNS)


def _locomo_question(each: Record, home: Mapping[str, str]) -> Question:
    category = each.fields.get("category")
    if not isinstance(category, int) or category not in CATEGORIES:
        raise each.wrong("category", f"must be a number from 1 to 5, not {category!r}")
    # Some of the public labels are malformed, and some name turns that are not there: what can be read is taken.
    evidence = tuple(id for id in _turns(each.names("evidence")) if id in home)
    return Question(
        text=each.text("question"),
        kind=CATEGORIES[category],
        evidence=evidence,
        sessions=_distinct(home[id] for id in evidence),
        answer=_reference(each),
    )


def _reference(each: Record) -> str:
    """Give the answer a question is to have; numbers occur."""
    answer = each.fields.get("answer")
    return str(answer).strip() if isinstance(answer, str | int | float) else ""


def _turns(labels: Iterable[str]) -> tuple[str, ...]:
    """Give the turns that labels name, each spelled in one way: `D8:6; D9:17`, `D:11:26` and `D30:05` occur."""
    return _distinct(f"D{int(a)}:{int(b)}" for label in labels for a, b in _TURN.findall(label))


def longmemeval(data: object) -> Iterator[Conversation]:
    """Read LongMemEval: every question has a history of its own; those that cannot be answered are not scored."""
    for one in listed(data, "question"):
        messages, answers = _haystack(one)
        id = one.name("question_id")
        when = _day_time(one, "question_date")
        question = Question(one.text("question"), one.text("question_type"), at=when, answer=_reference(one))
        if not id.endswith("_abs"):
            there = {message.session for message in messages}
            sessions = _distinct(name for name in one.names("answer_session_ids") if name in there)
            question = replace(question, evidence=tuple(answers), sessions=sessions)
        yield Conversation(id, _in_order(messages), (question,))


def _haystack(one: Record) -> tuple[list[Message], list[str]]:
    """Give the messages of a question's history, and the ids of those that hold the answer."""
    ids, dates, sessions = (
        one.names("haystack_session_ids"),
        one.items("haystack_dates"),
        one.items("haystack_sessions"),
    )
    if not len(ids) == len(dates) == len(sessions):
        raise one.wrong("haystack_sessions", f"has {len(sessions)} entries for {len(ids)} ids and {len(dates)} dates")
    messages, answers = [], []
    for number, (session, date, turns) in enumerate(zip(ids, dates, sessions, strict=True), 1):
        begun = _day_time(Record(f"{one.where}, session {number}", {"date": date}), "date")
        for after, turn in enumerate(listed(turns, f"{one.where}, session {number}, turn")):
            message = Message(
                id=f"{number}:{after + 1}",
                session=session,
                role=turn.name("role"),
                actor="",
                content=turn.text("content"),
                at=begun + after * BETWEEN_TURNS,
            )
            messages.append(message)
            if turn.fields.get("has_answer") is True:
                answers.append(message.id)
    return messages, answers


def _in_order(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Put messages as they came in life: a history may list its sessions in any order."""
    return tuple(sorted(messages, key=lambda message: message.at))


def _iso(one: Record, field: str) -> datetime:
    try:
        return parse_iso(one.text(field))
    except InvalidInput as error:
        raise one.wrong(field, f"cannot be read: {error}") from error


def _clock_time(one: Record, field: str) -> datetime:
    return _time(one, field, one.text(field), "%I:%M %p on %d %B, %Y", "1:56 pm on 8 May, 2023")


def _day_time(one: Record, field: str) -> datetime:
    return _time(one, field, _DAY_NAME.sub("", one.text(field)), "%Y/%m/%d %H:%M", "2023/05/20 (Sat) 02:21")


def _time(one: Record, field: str, text: str, form: str, example: str) -> datetime:
    try:
        return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
    except ValueError as error:
        raise one.wrong(field, f"must be a time like {example!r}, not {text[:60]!r}") from error


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


FORMATS: dict[str, Callable[[object], Iterator[Conversation]]] = {
    "retrieval": general,
    "locomo": locomo,
    "longmemeval": longmemeval,
    "beam": beam,
}
