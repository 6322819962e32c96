"""The corpus: conversations of our own writing, read from JSON lines and checked.

python -m train.conversations            # checks every file of train/corpus and counts what it holds
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"
PAIRS = Path(__file__).parent / "pairs"
DURABLE = (
    "identity", "family", "health", "home", "work", "preference", "possession", "habit", "plan", "project", "event",
    "wish",
)  # fmt: skip
PASSING = (
    "chat", "question", "task", "code", "quotation", "supposition", "irony", "fiction", "roleplay", "others",
)  # fmt: skip
TRAPS = ("quotation", "supposition", "irony", "fiction", "roleplay", "others")
CLASSES = (*DURABLE, *PASSING)
RELATIONS = ("same", "replaces", "adds", "resembles")
VERDICTS = ("supported", "contradicted", "otherperson", "notsaid")
ASKS = ("nothing", "forget", "back", "private", "correct", "remember")
"""What a sentence may ask of the memory: to forget something told, to take back what was just said, to keep something
off the record, to put something right, to remember something."""
MEANT = ("other", "meant")
"""Whether a memory is what a request is about."""
KINDS = ("single", "several", "when", "count", "change", "opinion", "paraphrase", "trap", "request")


@dataclass(frozen=True, slots=True)
class Message:
    """One message; what a person says is there sentence by sentence, each with its class."""

    number: int
    by: str
    role: str
    session: int
    text: str
    sentences: tuple[tuple[str, str], ...]
    """(text, class); empty for assistants."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question somebody asks later, and the numbers of the messages that answer it."""

    text: str
    kind: str
    answers: tuple[int, ...]
    stale: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation with everything that is known about it."""

    id: str
    language: str
    setting: str
    people: tuple[tuple[str, str], ...]
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]
    pairs: tuple[tuple[str, str, str], ...]
    """(relation, older statement, newer statement)."""
    claims: tuple[tuple[str, int, str, str], ...]
    """(verdict, number of the message, quote, claim)."""

    @property
    def user(self) -> str:
        """Whose memory it is."""
        return next(name for name, role in self.people if role == "user")

    @property
    def writer(self) -> str:
        """Whose hand it is."""
        return self.id.partition("-")[0]


def read(folder: Path = CORPUS) -> list[Conversation]:
    """Read every conversation of a folder, in the order of their files."""
    return [conversation(row) for _, row in rows(folder)]


@dataclass(frozen=True, slots=True)
class Case:
    """A message that asks something of the memory or only looks so, with what is known when it is said."""

    kind: str
    before: str
    """The message before it."""
    message: tuple[tuple[str, bool], ...]
    """Its sentences, and which of them ask."""
    notes: tuple[tuple[str, bool], ...]
    """What is known, and which of it is meant."""


@dataclass(frozen=True, slots=True)
class Loose:
    """Examples for the heads that stand outside conversations."""

    pairs: list[tuple[str, str, str]]
    """(relation, older, newer)."""
    claims: list[tuple[str, str, str]]
    """(verdict, quote, claim)."""
    sentences: list[tuple[str, str, str, str]]
    """(class, speaker, what was said before, sentence)."""
    cases: list[Case]


def loose(folder: Path = PAIRS) -> Loose:
    """Read the examples that stand outside conversations."""
    found = Loose([], [], [], [])
    for _, row in rows(folder):
        if "relation" in row:
            found.pairs.append((row["relation"], row["older"], row["newer"]))
        elif "verdict" in row:
            before = f"{row['before']} / " if row.get("before") else ""
            found.claims.append((row["verdict"], before + row["quote"], row["claim"]))
        elif "asks" in row:
            message, notes = (tuple((text, yes) for text, yes in row[name]) for name in ("message", "notes"))
            found.cases.append(Case(row["asks"], row["before"], message, notes))
        else:
            found.sentences.append((row["class"], row["by"], row["before"], row["sentence"]))
    return found


def rows(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every line of the folder's files, with where it stands."""
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            yield f"{path.name}:{number}", json.loads(line)


def conversation(row: dict[str, Any]) -> Conversation:
    """Read one line."""
    roles = {one["name"]: one["role"] for one in row["people"]}
    messages = [
        Message(
            one["id"],
            one["by"],
            roles[one["by"]],
            session,
            one.get("text") or " ".join(s for s, _ in told),
            tuple(told),
        )
        for session, part in enumerate(row["sessions"])
        for one in part["messages"]
        for told in [[(said["text"], said["class"]) for said in one.get("sentences", ())]]
    ]
    return Conversation(
        row["id"],
        row["language"],
        row["setting"],
        tuple(roles.items()),
        tuple(messages),
        tuple(Question(q["question"], q["kind"], tuple(q["answers"]), tuple(q["stale"])) for q in row["questions"]),
        tuple((p["relation"], p["older"], p["newer"]) for p in row["pairs"]),
        tuple((c["verdict"], c["message"], c["quote"], c["claim"]) for c in row["claims"]),
    )


def problems(one: Conversation) -> list[str]:
    """Say what is wrong with a conversation."""
    numbers = {message.number: message for message in one.messages}
    wrong = []
    if [message.number for message in one.messages] != list(range(1, len(one.messages) + 1)):
        wrong.append("its messages are not numbered 1, 2, 3 …")
    if [role for _, role in one.people].count("user") != 1:
        wrong.append("it has not exactly one user")
    wrong += [f"message {m.number} is empty" for m in one.messages if not m.text.strip()]
    wrong += [f"message {m.number} has the class {c}" for m in one.messages for _, c in m.sentences if c not in CLASSES]
    people = [m for m in one.messages if m.role != "assistant"]
    if any(m.sentences for m in people):  # a talk that is there for its questions alone has no classes at all
        wrong += [f"message {m.number} has no sentences" for m in people if not m.sentences]
    for question in one.questions:
        if (
            question.kind not in KINDS
            or not question.answers
            or not {*question.answers, *question.stale} <= set(numbers)
        ):
            wrong.append(f"the question {question.text!r} has a wrong kind or answer")
    wrong += [f"the relation {r} is none" for r, _, _ in one.pairs if r not in RELATIONS]
    for verdict, number, quote, claim in one.claims:
        if verdict not in VERDICTS or number not in numbers or plain(quote) not in plain(numbers[number].text):
            wrong.append(f"the claim {claim!r} has a wrong verdict or quote")
    return wrong


def plain(text: str) -> str:
    """Give the words of a text alone, for comparing."""
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def main() -> int:
    """Check the corpus and count it; the exit code is 1 when something is wrong."""
    wrong, seen = 0, Counter[str]()
    for where, row in rows(CORPUS):
        one = conversation(row)
        for problem in problems(one):
            wrong += 1
            sys.stdout.write(f"{where} {one.id}: {problem}\n")
        seen.update({"conversations": 1, "messages": len(one.messages), "questions": len(one.questions)})
        seen.update({"pairs": len(one.pairs), "claims": len(one.claims), one.language: 1, one.setting: 1})
        seen["sentences"] += sum(len(message.sentences) for message in one.messages)
    sys.stdout.write("".join(f"{name:14} {count}\n" for name, count in seen.items()))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
