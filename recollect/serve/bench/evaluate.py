"""How well memory finds what it should: conversations are put in once, then asked in every mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from recollect.errors import InvalidInput, Unavailable
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.model.values import dataclass
from recollect.rules.find.fusion import SIGNALS
from recollect.runtime import Clock
from recollect.serve.bench.conversations import BEGINNING, Conversation, Question
from recollect.serve.bench.metrics import Score, Summary, score, summary

DEPTH = 50
"""How far down a ranking is looked at; what is further down counts as not found."""
AFTERWARDS = timedelta(hours=1)
"""How long after the last message a question without a time is asked."""
KINDS = ("episode",)
Level = Literal["message", "session"]
LEVELS: tuple[Level, ...] = ("message", "session")
Opener = Callable[[Clock, Mapping[str, Any]], Recollect]
"""Opens the database under a clock, with settings of the fusion."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to ask: its name, how the signals are fused, and whether that is only to see what one of them brings."""

    name: str
    fusion: Mapping[str, Any] = field(default_factory=dict)
    ablation: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """What one mode reached on one level."""

    level: Level
    mode: Mode
    figures: Summary


@dataclass(slots=True)
class Watch:
    """A clock that is set by hand, to the time of what is said."""

    now: datetime = BEGINNING

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True, slots=True)
class Kept:
    """A conversation as it was put in: whose memory it is, and which message each memory was."""

    user: str
    conversation: Conversation
    ids: Mapping[str, str]
    home: Mapping[str, str]

    def now(self, question: Question) -> datetime:
        """Tell when a question is asked: never before the last message."""
        last = self.conversation.messages[-1].at
        return last + AFTERWARDS if question.at is None else max(question.at, last)

    def stale(self, question: Question, level: Level) -> tuple[str, ...]:
        """Give what is out of date for a question: messages, or the sessions they are in."""
        return question.stale if level == "message" else tuple(self.home[id] for id in question.stale)


def evidence(question: Question, level: Level) -> tuple[str, ...]:
    """Give what answers a question: messages, or sessions."""
    return question.evidence if level == "message" else question.sessions


def has_meaning(memory: Recollect) -> bool:
    """Tell whether there is an embedder, so that meaning can be compared."""
    return memory.settings.embedder != "none"


def modes(*, meaning: bool, ablate: bool) -> list[Mode]:
    """Give the modes of a run: each channel alone, all together, and all but one of the signals."""
    signals = SIGNALS if meaning else tuple(signal for signal in SIGNALS if signal != "meaning")
    alone = ("words", "meaning") if meaning else ("words",)
    chosen = [
        # By rank, a channel alone is what it is elsewhere: plain BM25, plain cosines.
        Mode(f"{name} only", {"method": "rank", "off": tuple(other for other in SIGNALS if other != name)})
        for name in alone
    ]
    chosen.append(Mode("hybrid"))
    if meaning:
        others = tuple(signal for signal in SIGNALS if signal not in ("words", "meaning"))
        chosen.append(Mode("reciprocal rank", {"method": "rank", "off": others}))
    return chosen + [Mode(f"without {signal}", {"off": (signal,)}, ablation=True) for signal in signals if ablate]


def scorable(
    conversations: Sequence[Conversation], levels: Sequence[Level], limit: int | None = None
) -> list[Conversation]:
    """Leave out the questions without evidence, those past the limit, and conversations nobody asks about."""
    chosen: list[Conversation] = []
    for conversation in conversations:
        left = None if limit is None else limit - sum(len(one.questions) for one in chosen)
        asked = tuple(one for one in conversation.questions if any(evidence(one, level) for level in levels))[:left]
        if asked:
            chosen.append(replace(conversation, questions=asked))
    return chosen


def work(conversations: Sequence[Conversation], chosen: Sequence[Mode]) -> int:
    """Count the steps of a run, for a bar."""
    return sum(len(one.messages) + len(one.questions) * len(chosen) for one in conversations)


@dataclass(slots=True)
class Run:
    """One run over a database: who opens it, the tenant the conversations are put into, and how far it is."""

    opener: Opener
    tenant: str
    tick: Callable[[int], None]
    watch: Watch = field(default_factory=Watch)
    done: int = 0

    def measure(
        self, conversations: Sequence[Conversation], chosen: Sequence[Mode], levels: Sequence[Level]
    ) -> list[Row]:
        """Put the conversations in, ask every question in every mode, and give the figures."""
        with self.opener(self.watch, {}) as memory:
            kept = [self.put_in(memory, f"u{number}", one) for number, one in enumerate(conversations, 1)]
        rows = []
        for mode in chosen:
            with self.opener(self.watch, mode.fusion) as memory:
                scores = self._asked(memory, kept, levels)
            rows += [Row(level, mode, found) for level in levels if (found := summary(scores[level]))]
        return sorted(rows, key=lambda row: LEVELS.index(row.level))

    def erase(self) -> None:
        """Take the tenant out of the database again."""
        with self.opener(self.watch, {}) as memory:
            for tenant, user in memory.owners():
                if tenant == self.tenant:
                    memory.space(user, tenant=tenant).erase(everything=True)

    def put_in(self, memory: Recollect, user: str, conversation: Conversation) -> Kept:
        """Put a conversation in as it was said, and make its vectors."""
        ids: dict[str, str] = {}
        for message in conversation.messages:
            self.watch.now = message.at
            if message.content.strip():
                try:
                    mine = memory.space(user, session=message.session, tenant=self.tenant)
                    receipt = mine.observe(message.role, message.content, at=message.at, actor=message.actor)
                except InvalidInput as error:
                    raise InvalidInput(f"{conversation.name}, message {message.id}: {error}") from error
                ids[receipt.id] = message.id
            self.step()
        if ids:
            self._embed(memory, memory.space(user, tenant=self.tenant))
        home = {message.id: message.session for message in conversation.messages}
        return Kept(user, conversation, ids, home)

    def _embed(self, memory: Recollect, mine: Space) -> None:
        """Make the vectors. The clock stands where the conversation ended, so that nobody else's jobs are due."""
        reports = [one for one in memory.run_jobs() if one.job == "embed" and one.owner == mine.owner]
        if has_meaning(memory) and [one.status for one in reports] != ["ok"]:
            why = reports[0].text if reports else "another worker took the job"
            raise Unavailable(f"the vectors could not be made: {why}")

    def _asked(
        self, memory: Recollect, kept: Sequence[Kept], levels: Sequence[Level]
    ) -> dict[Level, list[tuple[str, Score]]]:
        scores: dict[Level, list[tuple[str, Score]]] = {level: [] for level in levels}
        for one in kept:
            mine = memory.space(one.user, tenant=self.tenant)
            for question in one.conversation.questions:
                self.watch.now = one.now(question)
                for level in levels:
                    if wanted := evidence(question, level):
                        ranked = _ranked(mine, question.text, level, one.ids)
                        scores[level].append((question.kind, score(ranked, wanted, one.stale(question, level))))
                self.step()
        return scores

    def step(self) -> None:
        """Be one step further, and say so."""
        self.done += 1
        self.tick(self.done)


def _ranked(mine: Space, text: str, level: Level, ids: Mapping[str, str]) -> list[str]:
    if level == "message":
        hits = mine.recall(text, DEPTH, kinds=KINDS)
        # Messages that say the same are folded into one hit, but each of them is there to be found.
        return [ids[id] for hit in hits for id in (hit.memory.id, *hit.folded)]
    return [hit.memory.session for hit in mine.recall(text, DEPTH, by="session", kinds=KINDS)]
