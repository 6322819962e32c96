"""The port to what judges sentences: worth keeping or not, how two statements stand, whether a quote bears a claim."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from recollect.model.values import dataclass

DURABLE = (
    "identity", "family", "health", "home", "work", "preference", "possession", "habit", "plan", "project", "event",
    "wish",
)  # fmt: skip
"""Classes of what is worth keeping."""
PASSING = (
    "chat", "question", "task", "code", "quotation", "supposition", "irony", "fiction", "roleplay", "others",
)  # fmt: skip
"""Classes of what is not."""
RELATIONS = ("same", "replaces", "adds", "resembles")
"""How a newer statement may stand to an older one."""
VERDICTS = ("supported", "contradicted", "otherperson", "notsaid")
"""How a claim may stand to the quote it rests on."""
ASKS = ("nothing", "forget", "back", "private", "correct", "remember")
"""What a sentence may ask of the memory: to forget something told, to take back what was just said, to keep something
off the record, to put something right, to remember something."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence somebody says, with what stands around it."""

    speaker: str
    text: str
    before: str = ""
    """The message before, as `Speaker: text`; empty at the beginning of a session."""
    told: str = ""
    """The speaker's own sentences just before, one or two."""
    after: str = ""
    """The sentence that follows in the same message."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a sentence is."""

    label: str
    """The likeliest class: of those worth keeping if it is worth keeping, else of the others."""
    durable: float
    """How likely it is that it is worth keeping."""
    worth: bool
    """Whether that is likely enough, by the judge's own measure."""
    sort: str = ""
    """The likeliest class of those worth keeping, whatever the label is."""
    sure: float = 1.0
    """How sure that class is among these."""
    asks: str = ASKS[0]
    """What it asks of the memory."""
    asking: float = 1.0
    """How sure that is."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How two texts stand to each other, and how sure that is, from 0 to 1."""

    label: str
    sure: float


class Judge(ABC):
    """Judges sentences. May be asked by many threads at once."""

    name: str
    """Kept with what it decided."""
    languages: tuple[str, ...] = ()
    """The languages it knows well, where it has such: in others its word alone decides less."""

    @abstractmethod
    def keep(self, sentences: Sequence[Sentence]) -> list[Kept]:
        """Say what each sentence is, and whether it is worth keeping."""

    @abstractmethod
    def relation(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Say how the newer statement of each pair (older, newer) stands to the older: one of `RELATIONS`."""

    @abstractmethod
    def supports(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Say how the claim of each pair (`Speaker: quote`, claim) stands to the quote: one of `VERDICTS`.

        What was said before the quote may lead it, behind a slash: `Assistant: Any pets? / Ana: Two cats.`
        """

    def meant(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Say how likely it is that a request (the first of each pair) means a memory (the second)."""
        return [0.0 for _ in pairs]

    @abstractmethod
    def close(self) -> None:
        """Let go of the model; closing twice is fine."""
