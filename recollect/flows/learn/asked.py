"""What a message asks of the memory: in so many words, or in free ones by the judge's word."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from recollect.flows.learn.pages import Talk
from recollect.language.commands import LONGEST, Command, CommandName
from recollect.model.turn import Turn
from recollect.providers.judges import Kept, Sentence
from recollect.runtime import Runtime
from recollect.text.patterns import pattern
from recollect.text.roles import PEOPLE, is_machine
from recollect.text.terms import split

if TYPE_CHECKING:
    from collections.abc import Sequence

ASKED = ("forget", "back", "wrong", "correct", "call", "private")
"""The commands that ask for something to be forgotten or put right."""
SURE = {"forget": 0.45, "correct": 0.6, "back": 0.5, "private": 0.5, "remember": 0.5}
"""How sure the judge must be of what a sentence asks: most where nothing that is known has to fit it, too."""
CERTAIN = 0.9
"""How sure it must be to forget something without asking."""
_LEADS = pattern(r":\s")
TELLING = 4
"""From how many telling words on a sentence that takes something back tells what."""


def in_words(runtime: Runtime, talk: Talk, turn: Turn) -> list[Command]:
    """Give what the owner asks an assistant to forget or to put right, in so many words."""
    if not talk.user.says(turn.role, turn.actor):
        return []
    said = (one for one in runtime.reader.commands(turn.content) if one.name in ASKED)
    return [one for one in said if to_assistant(talk, turn, one)]


def freely(runtime: Runtime, talk: Talk, turn: Turn) -> list[Command]:
    """Give what the owner asks an assistant in words of his own; none where nobody can judge."""
    judge = runtime.judge
    if judge is None or len(turn.content) > LONGEST or not talk.user.says(turn.role, turn.actor):
        return []
    if runtime.reader.handed_on(turn.content):
        return []
    shown = placed(runtime, talk, turn)
    named = {one.quote for one in runtime.reader.commands(turn.content)}
    asked = [
        _command(runtime, kept, one.text)
        for one, kept in zip(shown, judge.keep(shown), strict=True)
        if kept.asking >= SURE.get(kept.asks, 2.0) and one.text not in named and not _news(kept)
    ]
    meant = [one for one in asked if _harmless(one) or not (_led_in(turn, one) or _bare(one))]
    return [one for one in meant if to_assistant(talk, turn, one)]


def _news(kept: Kept) -> bool:
    """Tell whether what sounds like a request to forget is rather worth keeping: `my dog died, so I have none now`."""
    return kept.asks == "forget" and kept.worth and kept.label != "wish" and kept.asking < CERTAIN


def _harmless(command: Command) -> bool:
    """Tell whether a request touches nothing but its own message."""
    return command.name == "remember" or (command.name == "private" and bool(command.what))


def _led_in(turn: Turn, command: Command) -> bool:
    """Tell whether something leads in to a request, as to a text that is only shown: `Translate this: …`, `Maya: …`."""
    end = turn.content.find(command.quote) + len(command.quote)
    return bool(_LEADS.search(turn.content[:end]))


def _bare(command: Command) -> bool:
    """Tell whether a sentence is one word, as people type to leave a program: it names nothing that could be meant."""
    return len(split(command.quote)) < 2


def _command(runtime: Runtime, kept: Kept, said: str) -> Command:
    """Give what a sentence asks as a command. What is taken back or not to be kept is told in the same sentence, or,
    where that tells next to nothing, was told before it."""
    name = cast("CommandName", kept.asks)
    if name not in ("back", "private"):
        return Command(name, said, quote=said, free=True, sure=kept.asking)
    tells = len(runtime.reader.told(said).stems) >= TELLING
    return Command("private" if tells else name, said if tells else "", quote=said, free=True, sure=kept.asking)


def to_assistant(talk: Talk, turn: Turn, command: Command) -> bool:
    """Tell whether the owner asks an assistant: it takes part, or nobody else does.

    `Remember to have fun` is said to anybody; who is no more than a user has an assistant to call him something.
    """
    machine = any(is_machine(one.role) for one in talk.turns)
    alone = machine or all(talk.user.says(one.role, one.actor) for one in talk.turns)
    return alone or (command.name != "standing" and not command.free and turn.role.strip().casefold() in PEOPLE)


def placed(runtime: Runtime, talk: Talk, turn: Turn) -> list[Sentence]:
    """Give the sentences of a message with what stands around each."""
    said, last = runtime.reader.sentences(turn.content), before(talk, turn)
    spoken = f"{speaker(last)}: {last.content}" if last is not None else ""
    return [
        Sentence(speaker(turn), one, spoken, _joined(said[max(0, at - 2) : at]), _joined(said[at + 1 : at + 2]))
        for at, one in enumerate(said)
    ]


def before(talk: Talk, turn: Turn) -> Turn | None:
    """Give the message before one."""
    at = next((at for at, one in enumerate(talk.turns) if one.id == turn.id), 0)
    return talk.turns[at - 1] if at else None


def speaker(turn: Turn) -> str:
    """Say who speaks."""
    return turn.actor or turn.role.capitalize()


def _joined(said: Sequence[str]) -> str:
    return " ".join(said)
