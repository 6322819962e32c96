"""A question answered from memory: recalled, worded by a model with its sources, and never more than they say."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.flows.asking import absent, ask
from recollect.model.asking import Nothing, Value
from recollect.model.hit import Answered, Hit
from recollect.model.owner import Scope
from recollect.model.proposals import Cited, Thought
from recollect.prompts.quoting import numbered
from recollect.runtime import Runtime

MOST_WORDS = 149


def think(runtime: Runtime, scope: Scope, question: str, hits: Sequence[Hit]) -> Answered:
    """Answer a question from what was found for it; without a model, what was found is the answer."""
    if not hits:
        return Answered(question, "", "Nothing in memory is about this.", ())
    evidence = tuple(hits)
    if runtime.llm is None:
        return Answered(question, "", "", evidence, problem=absent(runtime))
    memories = numbered(f"{hit.memory.event_time.date().isoformat()} {hit.memory.content}" for hit in hits)
    said = ask(
        runtime,
        scope.owner,
        runtime.prompt("think").question(memories=memories, question=question),
        session=scope.session,
    )
    if isinstance(said, Nothing):
        return Answered(question, "", "Nothing in memory answers this.", evidence, said.model)
    if not isinstance(said, Value):
        return Answered(question, "", "", evidence, problem=said.reason)
    thought: Thought = said.value
    return Answered(question, _worded(thought.sentences, len(hits)), thought.unknown.strip(), evidence, said.model)


def _worded(sentences: Sequence[Cited], many: int) -> str:
    """Join sentences that name a source there is; one without is the model's own, and left out."""
    told, words = list[str](), 0
    for one in sentences:
        sources = [number for number in dict.fromkeys(one.sources) if 1 <= number <= many]
        text = " ".join(one.text.split())
        words += len(text.split())
        if sources and words <= MOST_WORDS:
            told.append(f"{text} {''.join(f'[{number}]' for number in sources)}")
    return " ".join(told)
