"""The port to what answers questions in words: one method, and no exception for anything a provider can do."""

from __future__ import annotations

from abc import ABC, abstractmethod

from recollect.model.asking import Answer, Question


class Llm(ABC):
    """Answers questions. May be asked by many threads at once."""

    roles: frozenset[str]
    """For which roles there is a model; a question in another role fails."""

    @abstractmethod
    def ask(self, question: Question, most_tokens: int = 0) -> Answer:
        """Ask, again where that may help, and then others; stop before `most_tokens` would be exceeded, 0 is no limit.

        Never raises for what a model, an endpoint or the network does: the answer says how it ended.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of connections; closing twice is fine, and a closed one answers that it is."""
