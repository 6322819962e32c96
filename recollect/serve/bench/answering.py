"""Questions answered from memory and graded, end to end: what is right, and how many tokens it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field

from recollect.errors import Unavailable
from recollect.flows.asking import ask
from recollect.flows.find.think import think
from recollect.flows.find.weak import KINDS_ASKED
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.model.asking import Usage, Value
from recollect.model.values import dataclass
from recollect.prompts import load
from recollect.serve.bench.conversations import Conversation, Question
from recollect.serve.bench.evaluate import Kept, Run

KINDS = (*KINDS_ASKED, "episode", "summary")
"""What a question may be answered from: all that is known, and all that was said."""


@dataclass(frozen=True, slots=True)
class Graded:
    """One question, what was answered, and whether that is right."""

    conversation: str
    kind: str
    question: str
    reference: str
    answer: str
    correct: bool
    why: str
    read: int
    """How many tokens the answering model read."""
    wrote: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run came to."""

    questions: int
    correct: float
    """The share of right answers."""
    kinds: dict[str, float]
    read: float
    """Tokens the answering model read for a question, on average."""
    wrote: float
    judging: float
    """Tokens the judge read and wrote for a question, on average."""
    graded: list[Graded] = field(default_factory=list)


def answerable(conversations: Sequence[Conversation], limit: int | None) -> list[tuple[Conversation, list[Question]]]:
    """Give the conversations with the questions that have a reference, the first so many."""
    left, chosen = limit, list[tuple[Conversation, list[Question]]]()
    for one in conversations:
        asked = [question for question in one.questions if question.answer][:left]
        left = None if left is None else left - len(asked)
        if asked:
            chosen.append((one, asked))
    return chosen


def examined(
    run: Run, memory: Recollect, chosen: Sequence[tuple[Conversation, list[Question]]], evidence: int
) -> Figures:
    """Put the conversations in, let the model answer from what is found for each question, and the judge grade it."""
    graded: list[Graded] = []
    judging = 0
    for number, (conversation, questions) in enumerate(chosen, 1):
        kept = run.put_in(memory, f"u{number}", conversation)
        mine = memory.space(kept.user, tenant=run.tenant)
        for question in questions:
            one, spent = _graded(memory, mine, kept, question, evidence, run)
            graded.append(one)
            judging += spent
    many = len(graded)
    kinds = Counter(one.kind for one in graded)
    right = Counter(one.kind for one in graded if one.correct)
    return Figures(
        many,
        sum(right.values()) / many,
        {kind: right[kind] / count for kind, count in kinds.items()},
        sum(one.read for one in graded) / many,
        sum(one.wrote for one in graded) / many,
        judging / many,
        graded,
    )


def _graded(
    memory: Recollect, mine: Space, kept: Kept, question: Question, evidence: int, run: Run
) -> tuple[Graded, int]:
    run.watch.now = kept.now(question)
    before = _spent(mine)
    hits = mine.recall(question.text, evidence, kinds=KINDS)
    said = think(memory._runtime, mine._scope, question.text, hits)
    if said.problem:
        raise Unavailable(f"the question {question.text!r} was not answered: {said.problem}")
    after = _spent(mine)
    answer = said.answer or said.unknown
    prompt = load("grade").question(question=question.text, reference=question.answer, answer=answer)
    verdict = ask(memory._runtime, mine.owner, prompt)
    if not isinstance(verdict, Value):
        reason = getattr(verdict, "reason", "the judge said nothing")
        raise Unavailable(f"the answer to {question.text!r} was not graded: {reason}")
    spent = verdict.usage.tokens_in + verdict.usage.tokens_out
    made = Graded(
        kept.conversation.name,
        question.kind,
        question.text,
        question.answer,
        answer,
        bool(verdict.value.correct),
        verdict.value.why,
        after.tokens_in - before.tokens_in,
        after.tokens_out - before.tokens_out,
    )
    run.step()
    return made, spent


def _spent(mine: Space) -> Usage:
    return sum((line.usage for line in mine.cost()), Usage())
