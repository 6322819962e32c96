"""The one interface to a human language: what flows and rules ask of it, in a few groups of questions.

A rule takes the group it needs, a flow has all of them as `runtime.reader`. Who cannot read a text says so by the safe
answer: nothing to keep, not the same, no answer, an unknown language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import UTC, datetime, tzinfo
from typing import Protocol

from recollect.language.values import (
    Answer,
    Band,
    BandPolicy,
    Cues,
    Form,
    Glance,
    Moment,
    Overlap,
    Relation,
    Retraction,
    StatementsPolicy,
    Voice,
)
from recollect.model.candidate import Candidate
from recollect.model.entity import Mention
from recollect.model.memory import Memory
from recollect.model.turn import Turn


class Echo(Protocol):
    """Texts that came out of memory, prompts, files or tools, so that nobody learns them from their repetition."""

    def has(self, kind: str, key: str, text: str) -> bool:
        """Tell whether a text is a memory of this kind to the letter."""

    def repeats(self, text: str) -> bool:
        """Tell whether a text says nothing but what is known."""


class Messages(Protocol):
    """What is said in a conversation: wishes, statements, words taken back, orders to a model."""

    def glance(self, text: str) -> Glance:
        """Say what a message may be; every message is looked at so on its way in."""

    def marks(self, text: str, role: str) -> int:
        """Give what can be told of a text at a glance and helps to rank it, as the bits of `text.marks`."""

    def requests(self, turn: Turn, policy: StatementsPolicy) -> list[Candidate]:
        """Give what the speaker asks to be kept, in so many words."""

    def statements(self, turns: Sequence[Turn], policy: StatementsPolicy) -> list[Candidate]:
        """Give what people say of themselves and what they ask to be kept, each statement once."""

    def retraction(self, before: Turn, turn: Turn, policy: StatementsPolicy) -> Retraction:
        """Read a message as what takes back or puts right the one its speaker said before."""

    def taken_back(self, turns: Sequence[Turn], policy: StatementsPolicy) -> set[tuple[str, str]]:
        """Give the sentences their speakers take back in the same talk, each with its message."""

    def says(self, content: str, told: str) -> bool:
        """Tell whether a memory of a speaker says what he takes back by name."""

    def instructing(self, text: str) -> bool:
        """Tell whether a text gives orders to a model, which nobody but the user may."""

    def standing(self, quote: str) -> bool:
        """Tell whether a wish is a standing order to the assistant, which may be a prompt said back."""

    def echo(self, texts: Iterable[str], memories: Iterable[Memory] = ()) -> Echo:
        """Take in what came out of memory, prompts, files or tools."""

    def language(self, texts: Iterable[str]) -> str:
        """Give the language texts are in, taken together, as its two letters; empty where that cannot be told."""


class Claims(Protocol):
    """What is claimed, held against what was said."""

    def unfounded(
        self, candidate: Candidate, turns: Sequence[Turn], exempt: Sequence[str] = (), known: Sequence[str] = ()
    ) -> str:
        """Say why a claim is not borne out by its quote; `exempt` are the speaker's own names, `known` others'."""

    def borne_out(self, summary: str, said: Sequence[str], turns: int) -> str:
        """Give the sentences of a summary that name nobody and nothing but what was said."""

    def names_in(self, text: str) -> list[str]:
        """Give the names in a claim, folded."""

    def of_another(self, content: str, quote: str, name: str) -> str:
        """Put what somebody other than the user says of himself under his name."""


class Pairs(Protocol):
    """How two statements stand to each other."""

    def compare(self, old: str, new: str) -> Relation:
        """Say whether a new statement says the same as an old one, changes it, or stands beside it."""

    def clash(self, old: str, new: str) -> Relation | None:
        """Compare in short; None where the two are plainly about different subjects."""

    def readable(self, text: str) -> bool:
        """Tell whether a text can be read as one statement, so that it can change another."""

    def reworded(self, one: str, other: str) -> bool:
        """Tell whether two texts of nearly the same meaning say nothing different."""

    def band(self, similarity: float, old: str, new: str, policy: BandPolicy) -> Band:
        """Say what becomes of two memories so alike."""

    def gist(self, text: str) -> set[str]:
        """Give what a text tells: one that says more has all of it and more."""

    def overlap(self, old: str, new: str) -> Overlap:
        """Say whether two texts that are to be made one differ in what tells, or which says more."""

    def other_wordings(self, text: str) -> str:
        """Give words by which older facts about the same thing are found."""


class Answers(Protocol):
    """The user's word on what waits for it."""

    def answer(self, text: str, pending: str) -> Answer | None:
        """Read a message as yes or no to a pending value; None when it may mean something else."""

    def meant(self, text: str, key: str, pending: str) -> bool:
        """Tell whether a text names a pending value, and is about what it fills."""

    def asks_for(self, said: str, key: str, pending: str, answer: str = "") -> bool:
        """Tell whether the last question of a text asks for a pending value, and for no errand."""


class Questions(Protocol):
    """What is asked, and when it was."""

    def form(self, query: str) -> Form:
        """Say what a question asks for."""

    def moments(self, query: str, now: datetime, zone: tzinfo = UTC) -> list[Moment]:
        """Find every time a text names, in order; days begin at midnight in the zone."""

    def moment(self, expression: str, now: datetime, zone: tzinfo = UTC) -> datetime:
        """Read a time as one moment; raises `InvalidInput` for what names none."""


class Names(Protocol):
    """Who is called what."""

    naming: str
    """Words by which facts that tell a name are found."""

    def cues(self, language: str) -> Cues:
        """Give the words by which names are found in texts, for a language of the stemmer."""

    def cued(self, text: str) -> Iterator[Mention]:
        """Give the names whose neighbour tells what they are: my sister Joanna, Project Apollo."""

    def also_called(self, text: str) -> list[tuple[str, str]]:
        """Give the pairs of names a text says outright belong to one, the fuller first."""

    def introduced(self, texts: Sequence[str]) -> set[str]:
        """Give the names by which a speaker has introduced himself."""

    def called(self, fact: str) -> str:
        """Give the name a fact about a name ends with; empty where it is no such fact."""

    def named(self, fact: str) -> str:
        """Give the name by which a fact says that the user goes; empty where it says none."""

    def names_told(self, texts: Iterable[str], known: Set[str]) -> set[str]:
        """Give the names by which facts say that the user goes, starting from those that are known."""

    def head(self, text: str) -> str:
        """Give whom a fact is about: its first word, or `the user`."""

    def on_one_subject(self, old: str, new: str, names: Iterable[str]) -> tuple[str, str]:
        """Give two facts so that they can be compared, where they name the user differently."""


class Writing(Protocol):
    """How a memory is worded."""

    def ends(self, text: str) -> list[int]:
        """Give the places where sentences end, behind the space after their mark."""

    def voice(self, text: str) -> Voice:
        """Say how a text fails to stand on its own."""

    def present(self, text: str) -> bool:
        """Tell whether a text tells how things are, and not what happened."""

    def bare(self, text: str) -> str:
        """Take off marks and phrases that only frame a statement: `Note that …`."""

    def lasting(self, text: str) -> str:
        """Leave out words that are only true for a day: today, recently."""

    def remarks(self, text: str) -> list[int]:
        """Give the places where a remark begins that can be left out."""


class Reader(Messages, Claims, Pairs, Answers, Questions, Names, Writing, Protocol):
    """Somebody who reads a human language: all that is asked of it."""

    reads: str
    """The language it reads, as its two letters; empty when it reads no language."""
