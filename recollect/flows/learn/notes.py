"""What people say, kept in their own words: sentences a judge finds worth keeping, and what they ask to be kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.flows.learn.pages import Talk
from recollect.language.commands import Command
from recollect.model.candidate import Candidate
from recollect.model.turn import Turn
from recollect.providers.judges import Judge, Kept, Sentence
from recollect.rules.learn.notes import UNCLEAR, WEIGHTS
from recollect.runtime import Runtime
from recollect.text.normal import words
from recollect.text.roles import PEOPLE, is_machine

ASKED_FOR = 8
"""How important at the least is what somebody asks to be kept."""
STANDING = 9
SURE_SLOT = 0.95
"""How sure what somebody says in so many words of a slot is."""
LONGEST_QUESTION = 200
SHORT = 8
"""Up to how many words an answer is hard to understand without its question."""
NOT_KEPT = "no embedder is set, so only what is asked for is kept"


def wishes(runtime: Runtime, talk: Talk, turn: Turn) -> list[Candidate]:
    """Give what a message asks to be kept, in so many words: only the owner asks, and only of the assistant."""
    asked = runtime.reader.commands(turn.content) if talk.user.says(turn.role, turn.actor) else []
    found = [one for command in asked if to_assistant(talk, turn, command) and (one := _wish(command, turn))]
    judge = runtime.judge
    if judge is None:
        return found
    told = [one for one in found if one.note]
    classes = judge.keep([Sentence(_named(turn), one.content) for one in told])
    least = runtime.settings.notes.sure_class
    sorts = {
        id(one): kept.label
        for one, kept in zip(told, classes, strict=True)
        if kept.label in WEIGHTS and kept.sure >= least
    }
    return [_classed(one, sorts.get(id(one), one.note)) for one in found]


def to_assistant(talk: Talk, turn: Turn, command: Command) -> bool:
    """Tell whether the owner asks an assistant: it takes part, or nobody else does.

    `Remember to have fun` is said to anybody; who is no more than a user has an assistant to call him something.
    """
    machine = any(is_machine(one.role) for one in talk.turns)
    alone = machine or all(talk.user.says(one.role, one.actor) for one in talk.turns)
    return alone or (command.name != "standing" and turn.role.strip().casefold() in PEOPLE)


def _wish(command: Command, turn: Turn) -> Candidate | None:
    """Give what a command asks to be kept; None for one that asks for something else."""
    if command.name == "steps":
        return Candidate(
            content=command.what, kind="procedure", category="procedural", topic="procedure", importance=ASKED_FOR,
            confidence=1.0, quote=command.quote, turn=turn.id, explicit=True,
        )  # fmt: skip
    if command.name == "call" and command.what:
        return Candidate(
            content=command.what, key="preferred_name", category="profile", importance=STANDING, confidence=1.0,
            quote=command.quote, turn=turn.id, explicit=True,
        )  # fmt: skip
    if command.name in ("tone", "goals"):
        return Candidate(
            content=command.what, key=command.name, category=command.name, confidence=SURE_SLOT,
            quote=command.quote, turn=turn.id,
        )  # fmt: skip
    if command.name in ("remember", "standing"):
        return Candidate(
            content=_whole(command.what),
            category=WEIGHTS["wish"].category,
            topic="wish",
            importance=STANDING if command.name == "standing" else ASKED_FOR,
            confidence=1.0,
            quote=command.quote,
            turn=turn.id,
            explicit=True,
            note="wish",
        )
    return None


def _whole(text: str) -> str:
    ended = text if text[-1:] in ".!?…" else f"{text}."
    return ended[:1].upper() + ended[1:]


def _classed(one: Candidate, label: str) -> Candidate:
    if not one.note:
        return one
    weight = WEIGHTS[label]
    most = max(one.importance or ASKED_FOR, weight.importance)
    return Candidate(
        content=one.content, category=weight.category, topic=label, importance=most, confidence=one.confidence,
        quote=one.quote, turn=one.turn, explicit=one.explicit, note=label,
    )  # fmt: skip


def notes(runtime: Runtime, talk: Talk, turns: Sequence[Turn]) -> list[Candidate]:
    """Give the sentences of turns that are worth keeping: people's, never a machine's; none where nobody can judge."""
    judge, policy = runtime.judge, runtime.settings.notes
    if judge is None:
        return []
    found: list[Candidate] = []
    language = runtime.reader.told(" ".join(one.content for one in turns if not is_machine(one.role))).language
    for turn in turns:
        if not is_machine(turn.role) and len(turn.content) <= policy.longest_turn:
            found += list(_worth(runtime, judge, talk, turn, language))[: policy.per_turn]
    return found[: policy.per_page]


def _worth(runtime: Runtime, judge: Judge, talk: Talk, turn: Turn, language: str) -> Iterator[Candidate]:
    """Give the notes of one message; what it asks of the memory is no statement."""
    reader, before = runtime.reader, _before(talk, turn)
    said = reader.sentences(turn.content)
    shown = [
        Sentence(
            _named(turn), one, _spoken(before), " ".join(said[max(0, at - 2) : at]), " ".join(said[at + 1 : at + 2])
        )
        for at, one in enumerate(said)
    ]
    for at, (one, kept) in enumerate(zip(said, judge.keep(shown), strict=True)):
        label = _class(runtime, judge, one, kept, language)
        if not label or len(one) > runtime.settings.notes.longest:
            continue
        if one not in turn.content or any(asked.name not in ("wrong", "correct") for asked in reader.commands(one)):
            continue  # a sentence around a quotation, or a wish
        weight = WEIGHTS[label]
        yield Candidate(
            content=one, category=weight.category, topic=label, importance=weight.importance,
            confidence=round(kept.durable, 3), quote=one, turn=turn.id, note=label,
            asked=_question(runtime, before) if at == 0 and len(words(one)) <= SHORT else "",
        )  # fmt: skip


def _class(runtime: Runtime, judge: Judge, said: str, kept: Kept, language: str) -> str:
    """Give the class of a sentence that is worth keeping, as far as it is sure; empty for any other.

    In a language the judge knows less well a plain statement needs less: neither asked nor supposed, nor an order.
    """
    policy, worth, sort = runtime.settings.notes, kept.worth, kept.sort or kept.label
    if judge.languages and kept.durable >= policy.abroad:
        told = runtime.reader.told(said, language)
        if told.language and told.language not in judge.languages:
            worth = not (told.hedged or told.orders or said.endswith(("?", "!", "？", "！", "…")))
    if not worth or sort not in WEIGHTS:
        return ""
    return sort if kept.sure >= policy.sure_class else UNCLEAR


def _before(talk: Talk, turn: Turn) -> Turn | None:
    at = next((at for at, one in enumerate(talk.turns) if one.id == turn.id), 0)
    return talk.turns[at - 1] if at else None


def _named(turn: Turn) -> str:
    return turn.actor or turn.role.capitalize()


def _spoken(turn: Turn | None) -> str:
    return f"{_named(turn)}: {turn.content}" if turn is not None else ""


def _question(runtime: Runtime, before: Turn | None) -> str:
    """Give the question a message ends with; empty where it ends with none."""
    last = runtime.reader.sentences(before.content)[-1:] if before is not None else []
    return last[0] if last and last[0].endswith(("?", "？")) and len(last[0]) <= LONGEST_QUESTION else ""
