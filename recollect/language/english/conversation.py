"""What people say in a conversation: their wishes, their statements, what they take back and put right."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.language.english import statements as said
from recollect.language.english.assertion import has_self
from recollect.language.english.clauses import without_lead
from recollect.language.english.procedures import procedures
from recollect.language.english.requests import request_of
from recollect.language.values import Retraction, StatementsPolicy
from recollect.model.candidate import Candidate
from recollect.model.turn import Turn
from recollect.text.patterns import pattern

_THE_USER = pattern(r"\b[Tt]he user\b")


def requests(turn: Turn, policy: StatementsPolicy) -> list[Candidate]:
    """Give what the speaker asks to be kept: steps, or single statements."""
    return procedures(turn) or said.explicit(turn, policy, turn.actor)


def statements(turns: Sequence[Turn], policy: StatementsPolicy) -> list[Candidate]:
    """Give what people say of themselves, one after the other, and what they ask to be kept; procedures first."""
    found = {one.content.casefold(): one for turn in turns for one in procedures(turn)}
    for name in dict.fromkeys(turn.actor for turn in turns):
        for one in said.statements([turn for turn in turns if turn.actor == name], policy, name):
            found.setdefault(one.content.casefold(), one)
    return list(found.values())


def retraction(before: Turn, turn: Turn, policy: StatementsPolicy) -> Retraction:
    """Read a message as what takes back or puts right the one its speaker said before."""
    return said.retraction(before, turn, policy, before.actor)


def standing(quote: str) -> bool:
    """Tell whether a wish is a standing order to the assistant, which may be a prompt said back."""
    wish = request_of(without_lead(quote), "", after=True)
    return wish is not None and wish.standing


def of_another(content: str, quote: str, name: str) -> str:
    """Put what somebody other than the user says of himself under his name."""
    own = content.startswith("The user") and has_self(quote)
    return _THE_USER.sub(lambda _: name, content) if own else content
