"""What people say, kept in their own words: sentences a judge finds worth keeping, and what they ask to be kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from recollect.flows.learn.asked import before, freely, placed, speaker, to_assistant
from recollect.flows.learn.pages import Talk
from recollect.language.commands import Command
from recollect.model.candidate import Candidate
from recollect.model.turn import Turn
from recollect.providers.judges import Judge, Kept, Sentence
from recollect.rules.learn.notes import UNCLEAR, WEIGHTS
from recollect.runtime import Runtime
from recollect.text.normal import words
from recollect.text.roles import is_machine

ASKED_FOR = 8
"""How important at the least is what somebody asks to be kept."""
STANDING = 9
SURE_SLOT = 0.95
"""How sure what somebody says in so many words of a slot is."""
LONGEST_QUESTION = 200
TELLING = 2
"""With fewer telling words a request to keep something is about what was said just before it."""
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
    classes = judge.keep([Sentence(speaker(turn), one.content) for one in told])
    least = runtime.settings.notes.sure_class
    sorts = {
        id(one): kept.label
        for one, kept in zip(told, classes, strict=True)
        if kept.label in WEIGHTS and kept.sure >= least
    }
    return [_classed(one, sorts.get(id(one), one.note)) for one in found]


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
    """Give the notes of one message; what it asks of the memory is no statement, but for what it asks to be kept."""
    last, shown = before(talk, turn), placed(runtime, talk, turn)
    asked = {one.quote: one.name for one in freely(runtime, talk, turn)}
    wished = _wished(runtime, [one.text for one in shown], asked)
    for at, (sentence, kept) in enumerate(zip(shown, judge.keep(shown), strict=True)):
        one = sentence.text
        label = _class(runtime, judge, one, kept, language) or ("wish" if one in wished else "")
        if not label or len(one) > runtime.settings.notes.longest or _no_statement(runtime, turn, one, asked):
            continue
        weight = WEIGHTS[label]
        yield Candidate(
            content=one, category=weight.category, topic=label,
            importance=max(weight.importance, ASKED_FOR if one in wished else 0),
            confidence=1.0 if one in wished else round(kept.durable, 3), quote=one, turn=turn.id, note=label,
            asked=_question(runtime, last) if at == 0 and len(words(one)) <= SHORT else "",
        )  # fmt: skip


def _wished(runtime: Runtime, said: Sequence[str], asked: Mapping[str, str]) -> set[str]:
    """Give the sentences that are to be kept: those that ask so themselves, or the one before `keep that in mind`."""
    found = set()
    for at, one in enumerate(said):
        if asked.get(one) == "remember":
            empty = len(runtime.reader.told(one).stems) < TELLING
            found.add(said[at - 1] if empty and at else one)
    return found


def _no_statement(runtime: Runtime, turn: Turn, said: str, asked: Mapping[str, str]) -> bool:
    """Tell whether a sentence stands around a quotation, or asks for something, in whatever words."""
    ordered = any(one.name not in ("wrong", "correct") for one in runtime.reader.commands(said))
    return said not in turn.content or ordered or asked.get(said) in ("forget", "back", "private")


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


def _question(runtime: Runtime, turn: Turn | None) -> str:
    """Give the question a message ends with; empty where it ends with none."""
    last = runtime.reader.sentences(turn.content)[-1:] if turn is not None else []
    return last[0] if last and last[0].endswith(("?", "？")) and len(last[0]) <= LONGEST_QUESTION else ""
