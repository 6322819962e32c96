"""BEAM as published: long chats of a person and an assistant, each with questions of ten kinds about it."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from recollect.serve.bench.conversations import (
    BEGINNING,
    BETWEEN_SESSIONS,
    BETWEEN_TURNS,
    Conversation,
    Message,
    Question,
)
from recollect.serve.bench.records import Record, listed, record

ANSWERS = ("answer", "ideal_answer", "ideal_response", "ideal_summary", "expected_compliance")
"""What the answer is called, by kind of question."""


def beam(data: object) -> Iterator[Conversation]:
    """Read rows of BEAM: `chat` holds sessions of turns, `probing_questions` the questions by kind, as text or data."""
    for one in listed(data, "conversation"):
        messages, named = _messages(one)
        yield Conversation(one.name("conversation_id"), messages, tuple(_questions(one, messages, named)))


def _messages(one: Record) -> tuple[tuple[Message, ...], dict[str, str]]:
    """Give the messages in order, and which of them each of BEAM's own ids names, where it names one alone."""
    made, names, clock = list[Message](), list[str](), BEGINNING
    for number, turns in enumerate(_sessions(one.items("chat")), 1):
        session = listed(turns, f"{one.where}, session {number}, turn")
        anchors = [turn.text("time_anchor") for turn in session if turn.fields.get("time_anchor")]
        clock = max(clock, _day(anchors[0]) or clock) if anchors else clock
        for place, turn in enumerate(session, 1):
            id = f"s{number}:t{place}"
            made.append(Message(id, f"s{number}", turn.name("role"), "", turn.text("content", ""), clock))
            names.append(str(turn.fields.get("id", "")))
            clock += BETWEEN_TURNS
        clock += BETWEEN_SESSIONS
    many = Counter(names)
    return tuple(made), {name: one.id for name, one in zip(names, made, strict=True) if name and many[name] == 1}


def _sessions(chat: list[Any]) -> Iterator[list[Any]]:
    """Give the turns of each session: a list of lists, or, in the longest chats, batches of groups inside plans."""
    for part in chat:
        if isinstance(part, dict) and "role" not in part:
            for batches in part.values():
                for batch in batches if isinstance(batches, list) else ():
                    yield _flat(batch.get("turns", []) if isinstance(batch, dict) else batch)
        else:
            yield _flat(part)


def _flat(turns: Any) -> list[Any]:
    if not isinstance(turns, list):
        return [turns]
    return [turn for inner in turns for turn in (inner if isinstance(inner, list) else [inner])]


def _questions(one: Record, messages: tuple[Message, ...], named: Mapping[str, str]) -> Iterator[Question]:
    home = {message.id: message.session for message in messages}
    for kind, asked in _probing(one).items():
        for each in listed(asked, f"{one.where}, {kind} question"):
            sources = [str(id) for id in _ids(each.fields.get("source_chat_ids"))]
            known = dict.fromkeys(named[id] for id in sources if id in named)
            evidence = () if kind == "abstention" else tuple(known)
            sessions = tuple(dict.fromkeys(home[id] for id in evidence))
            yield Question(each.text("question"), kind, evidence, sessions, answer=_answer(each))


def _probing(one: Record) -> dict[str, Any]:
    """Give the questions by kind; BEAM writes them as a text of Python or JSON."""
    given = one.fields.get("probing_questions")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            try:
                given = ast.literal_eval(given)
            except (ValueError, SyntaxError, RecursionError) as error:
                raise one.wrong("probing_questions", f"is neither JSON nor a literal of Python: {error}") from error
    return dict(record(given, f"{one.where}, probing_questions").fields)


def _ids(given: Any) -> list[Any]:
    """Give the ids in a field that holds them in lists and objects of any depth."""
    if isinstance(given, dict):
        return [id for value in given.values() for id in _ids(value)]
    if isinstance(given, list):
        return [id for value in given for id in _ids(value)]
    return [] if given is None else [given]


def _answer(each: Record) -> str:
    """Give what is to be answered: the answer, or what it is to hold."""
    for name in ANSWERS:
        if each.fields.get(name):
            return str(each.fields[name]).strip()
    rubric = each.fields.get("rubric")
    return "; ".join(str(one) for one in rubric) if isinstance(rubric, list) else str(rubric or "").strip()


def _day(anchor: str) -> datetime | None:
    """Read a day such as `March-15-2024`; one that is written in another way is passed over."""
    text = " ".join(anchor.replace("-", " ").replace("_", " ").replace(",", " ").split())
    for form in ("%B %d %Y", "%b %d %Y", "%Y %m %d", "%d %B %Y"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
