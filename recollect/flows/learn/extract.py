"""What a page of a conversation tells: asked of a model, or taken down by rules where there is none to ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime

from recollect import prompts
from recollect.flows.asking import absent, ask
from recollect.model.asking import Failed, Nothing, OverBudget, Refused, Usage, Value
from recollect.model.candidate import Candidate
from recollect.model.proposals import Proposal
from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.prompts.quoting import turns as laid_out
from recollect.rules.learn.paging import shown
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime
from recollect.text.normal import content_hash
from recollect.text.roles import is_machine

RULES = "rules"
NOT_ENGLISH = "the rules read English, and this talk seems to be in another language"
NO_READER = "no reader is set, so nothing is read without a model"
NO_SHAPE = "the model failed: it said null where facts were asked for"
BROKE_OFF = "the rest of a page, as the model's answer broke off"
PROMPT = "consolidate"


@dataclass(frozen=True, slots=True)
class Extracted:
    """What came of reading some turns."""

    candidates: tuple[Candidate, ...]
    summary: str = ""
    by: str = RULES
    """Who read them: a model as `provider:model`, or the rules."""
    version: str = ""
    """The version of the prompt a model was asked with."""
    why: str = ""
    """Why no model's answer is here, where that is not what was wanted."""
    dropped: int = 0
    """How many items had not the right shape, or were too many of one turn."""
    usage: Usage = field(default_factory=Usage)
    failed: bool = False
    """Whether a model should have read them and could not, or not to the end: it is worth asking again later."""


def extracted(
    runtime: Runtime, owner: str, turns: Sequence[Turn], summary: str, *, job: str, session: str
) -> Extracted:
    """Read turns by the model that is set, on behalf of a job and a session; without a usable answer, by rules."""
    policy, prompt = runtime.settings.consolidation, prompts.load(PROMPT)
    if runtime.llm is None:
        return by_rules(runtime, turns, absent(runtime))
    if prompt.role not in runtime.llm.roles:
        return by_rules(runtime, turns, f"no model is set for the role {prompt.role}")
    said = laid_out(
        (at, turn.actor or turn.role, turn.at.date().isoformat(), shown(turn, policy))
        for at, turn in enumerate(turns, 1)
    )
    question = prompt.question(categories=", ".join(runtime.settings.categories.names), summary=summary, messages=said)
    answer = ask(runtime, owner, question, job=job, session=session)
    if isinstance(answer, Value):
        return replace(_proposed(runtime, answer, turns, summary), version=question.version)
    if isinstance(answer, Nothing) and not answer.shaped:
        return replace(by_rules(runtime, turns, NO_SHAPE), usage=answer.usage, failed=True)
    if isinstance(answer, Nothing):
        certain = _certain(runtime, turns)
        return Extracted(certain, by=answer.model, version=question.version, usage=answer.usage)
    if isinstance(answer, OverBudget):
        why = answer.reason.partition(":")[0] + ": too little is left for a call"  # how much differs from page to page
    else:
        why = f"the model {'refused' if isinstance(answer, Refused) else 'failed'}: {answer.reason}"
    return replace(by_rules(runtime, turns, why), usage=answer.usage, failed=isinstance(answer, Failed))


def _proposed(runtime: Runtime, answer: Value, turns: Sequence[Turn], before: str) -> Extracted:
    """Take what a model proposes, beside what no model may pass over; what an answer that broke off does not speak of
    is read by rules."""
    proposed = [_candidate(one, turns) for one in answer.value.facts]
    few = _few(proposed, runtime.settings.consolidation.facts_per_turn)
    left = [turn for turn in turns if answer.mended and turn.id not in {one.turn for one in proposed}]
    certain = _certain(runtime, turns)
    others = [one for one in by_rules(runtime, left, "").candidates if one not in certain] if left else []
    asked = {(one.turn, content_hash(one.content)) for one in certain if one.explicit}
    return Extracted(
        candidates=(*certain, *(one for one in few if (one.turn, content_hash(one.content)) not in asked), *others),
        summary=_safe(runtime, answer.value.summary, turns, before),
        by=answer.model,
        why=BROKE_OFF if answer.mended else "",
        dropped=answer.dropped + len(proposed) - len(few),
        usage=answer.usage,
        failed=answer.mended,
    )


def _certain(runtime: Runtime, turns: Sequence[Turn]) -> tuple[Candidate, ...]:
    """Give what no model may pass over: what the user asked for in so many words, and values for slots."""
    return tuple(one for one in by_rules(runtime, turns, "").candidates if one.explicit or one.key)


def by_rules(runtime: Runtime, turns: Sequence[Turn], why: str) -> Extracted:
    """Read turns by rules alone: what people say of themselves, and what they ask to be kept."""
    policy = runtime.settings.statements
    found = runtime.reader.statements(turns, policy)
    few = _few(found, policy.per_turn)
    if not few and (unread := _unread(runtime, turns)):
        why = f"{why}; {unread}" if why else unread
    return Extracted(tuple(_free_too(few)), why=why, dropped=len(found) - len(few))


def _unread(runtime: Runtime, turns: Sequence[Turn]) -> str:
    """Say why nothing could be read in a talk, where the reader does not know its language."""
    reader = runtime.reader
    if not reader.reads:
        return NO_READER
    spoken = reader.language(turn.content for turn in turns if not is_machine(turn.role))
    return NOT_ENGLISH if spoken not in ("", reader.reads) else ""


def asked_for(runtime: Runtime, turn: Turn) -> list[Candidate]:
    """Read only what the speaker asks to be remembered, in so many words."""
    return runtime.reader.requests(turn, runtime.settings.statements)


def _candidate(proposal: Proposal, turns: Sequence[Turn]) -> Candidate:
    known = 1 <= proposal.turn <= len(turns)
    when = datetime.fromisoformat(proposal.event_time).replace(tzinfo=UTC) if proposal.event_time else None
    return Candidate(
        content=proposal.content.strip(),
        kind=proposal.kind,
        category=proposal.category.strip(),
        topic=" ".join(proposal.topic.split())[:100],
        importance=proposal.importance,
        confidence=proposal.confidence,
        event_time=when if when and 1000 <= when.year < 3000 else None,
        entities=tuple(proposal.entities),
        quote=proposal.quote,
        turn=turns[proposal.turn - 1].id if known else "",
    )


def _free_too(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Give what was said in passing and fits a slot twice: as a fact like any other, and as the slot's next value.

    Where the same talk fills the slot in so many words, nothing said in passing is proposed for it.
    """
    asked = {one.key for one in candidates if one.explicit}
    for one in candidates:
        if one.key and not one.explicit:
            yield replace(one, key="")
        if one.explicit or not one.key or one.key not in asked:
            yield one


def _few(candidates: Iterable[Candidate], most: int) -> list[Candidate]:
    """Leave out what one turn gives too much of."""
    seen: Counter[str] = Counter()
    kept = []
    for one in candidates:
        seen[one.turn] += 1
        if seen[one.turn] <= most:
            kept.append(one)
    return kept


def _safe(runtime: Runtime, summary: str, turns: Sequence[Turn], before: str) -> str:
    """Take of a model's summary what tells and does not command, without secrets, and of nobody who was not named."""
    text = " ".join(redacted(summary)[0].split())
    said = [before, *(f"{turn.actor} {turn.role} {turn.at.date().isoformat()} {turn.content}" for turn in turns)]
    return "" if runtime.reader.instructing(text) else runtime.reader.borne_out(text, said, len(turns))
