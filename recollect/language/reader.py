"""The one interface to human languages: what flows and rules ask of them.

A reader knows the languages it was given, or none; who cannot read a text says so by the safe answer: no wish, no
answer, no time, an unknown language. How things are said is data, one file a language; see `lexicon`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from typing import TYPE_CHECKING

from recollect.errors import InvalidInput
from recollect.text.later import later
from recollect.text.marks import marked

if TYPE_CHECKING:
    import recollect.language.answers as answers
    import recollect.language.claims as claims
    import recollect.language.commands as commands
    import recollect.language.dating as dating
    import recollect.language.detection as detection
    import recollect.language.echo as echo
    import recollect.language.feedback as said_of_work
    import recollect.language.name_words as name_words
    import recollect.language.orders as orders
    import recollect.language.questions as questions
    import recollect.language.sentences as sentences
    import recollect.language.telling as telling
    import recollect.language.times as times
    import recollect.language.word_marks as word_marks
    import recollect.language.wording as wording
    from recollect.language.commands import Command
    from recollect.language.echo import Echo
    from recollect.language.lexicon import Lexicon
    from recollect.language.telling import Told
    from recollect.language.values import Answer, Claim, Cues, Feedback, Form, Glance, Moment, Voice
    from recollect.model.entity import Mention
    from recollect.model.memory import Memory
else:
    answers, claims, commands, dating, detection, echo, said_of_work, name_words, orders, questions, sentences = later(
        __package__, "answers", "claims", "commands", "dating", "detection", "echo", "feedback", "name_words", "orders",
        "questions", "sentences",
    )  # fmt: skip
    telling, times, word_marks, wording = later(__package__, "telling", "times", "word_marks", "wording")


class Reader:
    """Reads what people say, as far as words tell."""

    def __init__(self, known: Callable[[], tuple[Lexicon, ...]]) -> None:
        self._open = known

    @cached_property
    def known(self) -> tuple[Lexicon, ...]:
        """The languages it knows."""
        return self._open()

    # Messages

    def glance(self, text: str) -> Glance:
        """Say what a message may be; every message is looked at so on its way in."""
        if answers.may_answer(text, self.known):
            return "answer"
        return "command" if commands.commands(text, self.known) else ""

    def marks(self, text: str, role: str) -> int:
        """Give what can be told of a text at a glance and helps to rank it, as the bits of `text.marks`."""
        return word_marks.marks(text, role, self.known) if self.known else marked(text, role)

    def commands(self, text: str) -> list[Command]:
        """Give what a message asks of the memory, in so many words and in order."""
        return commands.commands(text, self.known)

    def handed_on(self, text: str) -> bool:
        """Tell whether a message hands on what somebody else wrote."""
        return commands.handed_on(text, self.known)

    def sentences(self, text: str) -> list[str]:
        """Give the sentences of a message that its speaker says himself: no code, no quotation."""
        return list(sentences.sentences(sentences.plain(text), self.known))

    def instructing(self, text: str) -> bool:
        """Tell whether a text gives orders to a model, which nobody but the user may."""
        return orders.instructing(text, self.known)

    def echo(self, texts: Iterable[str], memories: Iterable[Memory] = ()) -> Echo:
        """Take in what came out of memory, prompts, files or tools, to know it when it is said back."""
        return echo.Echo(texts, memories, self.known)

    def language(self, texts: Iterable[str]) -> str:
        """Give the language texts are in, taken together, as its two letters; empty where that cannot be told."""
        return detection.language(texts, self.known)

    def told(self, text: str, language: str = "") -> Told:
        """Give what tells in a text: numbers, names, times, negations, who is spoken of, stems.

        A text too short to tell its language is taken for one in the language that is named.
        """
        return telling.told(text, self.known, language)

    # Work

    def feedback(self, text: str) -> Feedback:
        """Say whether a message puts an agent right or praises it."""
        return said_of_work.feedback(text, self.known)

    def refuses(self, text: str) -> bool:
        """Tell whether a text begins with a plain no."""
        return said_of_work.refuses(text, self.known)

    def failure(self, text: str) -> str:
        """Give the line in which a tool's message says that the tool failed; empty where it does not."""
        return said_of_work.failure(text, self.known)

    def claims_saved(self, text: str) -> Claim:
        """Say whether an answer claims that something was saved: in memory, or somewhere; empty where it does not."""
        return claims.claims_saved(text, self.known)

    # The user's word on what waits for it

    def answer(self, text: str, pending: str) -> Answer | None:
        """Read a message as yes or no to a pending value; None when it may mean something else."""
        return answers.answer(text, pending, self.known)

    def meant(self, text: str, key: str, pending: str) -> bool:
        """Tell whether a text names a pending value, and is about what it fills."""
        return answers.meant(text, key, pending, self.known)

    def asks_for(self, said: str, key: str, pending: str) -> bool:
        """Tell whether the last question of a text asks for a pending value, and for no errand."""
        return answers.asks_for(said, key, pending, self.known)

    # Questions and times

    def form(self, query: str) -> Form:
        """Say what a question asks for."""
        return questions.form(query, self.known)

    def moments(self, query: str, now: datetime, zone: tzinfo = UTC) -> list[Moment]:
        """Find every time a text names, in order; days begin at midnight in the zone."""
        return times.moments(query, now, zone) if self.known else []

    def moment(self, expression: str, now: datetime, zone: tzinfo = UTC) -> datetime:
        """Read a time as one moment; raises `InvalidInput` for what names none."""
        if self.known:
            return times.moment(expression, now, zone)
        try:
            found = datetime.fromisoformat(expression.strip())
        except (ValueError, OverflowError) as error:
            raise InvalidInput(f"{expression!r} is no time: write ISO 8601, like 2026-05-01") from error
        return (found if found.utcoffset() is not None else found.replace(tzinfo=zone)).astimezone(UTC)

    def dates(self, text: str, at: datetime, *, ahead: bool = False) -> list[Moment]:
        """Find the times a statement names, said at a moment, in any language; for jobs, as it may take a while.

        What is told of the future is looked for ahead of that moment first.
        """
        return dating.dates(text, at, ahead, self.known)

    # Names

    def cues(self, language: str) -> Cues:
        """Give the words by which names are found in texts, for a language of the stemmer."""
        return name_words.cues(language, self.known)

    def cued(self, text: str) -> Iterator[Mention]:
        """Give the names whose neighbour tells what they are: my sister Joanna, Project Apollo."""
        return name_words.cued(text, self.known)

    def also_called(self, text: str) -> list[tuple[str, str]]:
        """Give the pairs of names a text says outright belong to one, the fuller first."""
        return name_words.also_called(text, self.known)

    def called(self, fact: str) -> str:
        """Give the name a fact about a name ends with; empty where it is no such fact."""
        return name_words.called(fact, self.known)

    # Writing

    def ends(self, text: str) -> list[int]:
        """Give the places where sentences end, behind the space after their mark."""
        return sentences.ends(text, self.known)

    def voice(self, text: str) -> Voice:
        """Say how a text fails to stand on its own."""
        return wording.voice(text, self.known)

    def bare(self, text: str) -> str:
        """Take off marks and phrases that only frame a statement: `Note that …`."""
        return wording.bare(text, self.known)

    def lasting(self, text: str) -> str:
        """Leave out words that are only true for a day: today, recently."""
        return wording.lasting(text, self.known)

    def plain_words(self, text: str) -> tuple[str, ...]:
        """Give the words of a text by which it is known again: stems, without articles, in their order."""
        return wording.plain_words(text, self.known)
