"""What a page of a conversation tells: in people's own words, and beside that what a model says of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime

from recollect.flows.asking import absent, ask
from recollect.flows.find.recall import Wish, find
from recollect.flows.learn.notes import NOT_KEPT, notes, wishes
from recollect.flows.learn.pages import Talk
from recollect.model.asking import Failed, Nothing, OverBudget, Refused, Usage, Value
from recollect.model.candidate import Candidate
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.proposals import Proposal
from recollect.model.turn import Turn
from recollect.model.values import dataclass
from recollect.prompts.quoting import known as numbered
from recollect.prompts.quoting import turns as laid_out
from recollect.rules.learn.evidence import borne_out
from recollect.rules.learn.notes import is_note
from recollect.rules.learn.notes import shown as as_shown
from recollect.rules.learn.paging import shown
from recollect.rules.learn.topics import settled_topic
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime
from recollect.text.roles import is_machine
from recollect.text.terms import fold

RULES = "rules"
NO_SHAPE = "the model failed: it said null where facts were asked for"
BROKE_OFF = "the rest of a page, as the model's answer broke off"
PROMPT = "consolidate"
NEAREST, LONGEST_QUERY = 15, 4000
"""How many known memories a model is shown beside a page, and how much of the page they are looked up by."""
NEWEST, TOPICS = 200, 30
"""Of how many of the newest facts the topics are gathered, and how many of them a model is shown."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What came of reading some turns."""

    candidates: tuple[Candidate, ...]
    summary: str = ""
    by: str = RULES
    """Who read them: a model as `provider:model`, or nobody but the rules and the judge."""
    version: str = ""
    """The version of the prompt a model was asked with."""
    why: str = ""
    """Why no model's answer is here, where that is not what was wanted."""
    dropped: int = 0
    """How many items had not the right shape, or were too many of one turn."""
    usage: Usage = field(default_factory=Usage)
    failed: bool = False
    """Whether a model should have read them and could not, or not to the end: it is worth asking again later."""


def said(runtime: Runtime, talk: Talk, turns: Sequence[Turn], why: str = "") -> Extracted:
    """Read turns without a model: what people ask to be kept, and what of their words is worth it."""
    asked = [one for turn in turns for one in wishes(runtime, talk, turn)]
    if runtime.judge is None and any(not is_machine(turn.role) for turn in turns):
        why = f"{why}; {NOT_KEPT}" if why else NOT_KEPT
    return Extracted((*asked, *notes(runtime, talk, turns)), why=why)


def extracted(runtime: Runtime, owner: str, talk: Talk, summary: str, *, job: str, session: str) -> Extracted:
    """Read a talk, on behalf of a job and a session: what people said, and what the model that is set says of it."""
    prompt = runtime.prompt(PROMPT)
    if runtime.llm is None:
        return said(runtime, talk, talk.turns, absent(runtime))
    if prompt.role not in runtime.llm.roles:
        return said(runtime, talk, talk.turns, f"no model is set for the role {prompt.role}")
    own = replace(said(runtime, talk, talk.turns), why="")
    near = _nearest(runtime, owner, talk.turns)
    topics = known_topics(runtime, owner)
    question = prompt.question(
        categories=", ".join(runtime.settings.categories.names),
        topics=", ".join(topics),
        summary=summary,
        known=numbered(as_shown(one) for one in near),
        messages=_laid_out(runtime, talk.turns),
    )
    answer = ask(runtime, owner, question, job=job, session=session)
    if isinstance(answer, Value):
        return replace(_proposed(runtime, answer, talk, near, own, summary, topics), version=question.version)
    if isinstance(answer, Nothing) and not answer.shaped:
        return replace(own, why=NO_SHAPE, usage=answer.usage, failed=True)
    if isinstance(answer, Nothing):
        return replace(own, by=answer.model, version=question.version, usage=answer.usage)
    if isinstance(answer, OverBudget):
        why = answer.reason.partition(":")[0] + ": too little is left for a call"  # how much differs from page to page
    else:
        why = f"the model {'refused' if isinstance(answer, Refused) else 'failed'}: {answer.reason}"
    return replace(own, why=why, usage=answer.usage, failed=isinstance(answer, Failed))


def _laid_out(runtime: Runtime, turns: Sequence[Turn]) -> str:
    """Lay out turns for a model, each marked as a person's or a machine's."""
    policy = runtime.settings.consolidation
    return laid_out(
        (at, f"{'MACHINE' if is_machine(turn.role) else 'PERSON'} {turn.actor or turn.role}",
         turn.at.date().isoformat(), shown(turn, policy))
        for at, turn in enumerate(turns, 1)
    )  # fmt: skip


def known_topics(runtime: Runtime, owner: str) -> list[str]:
    """Give the topics the newest facts are filed under, those of most facts first, so that a model reuses them."""
    where = Filter(owner=owner, now=runtime.now(), kinds=("fact",))
    with runtime.store.view() as view:
        found = Counter(one.topic for one in view.page(where, "recent", NEWEST) if one.topic and not is_note(one))
    return [topic for topic, _ in found.most_common(TOPICS)]


def _nearest(runtime: Runtime, owner: str, turns: Sequence[Turn]) -> list[Memory]:
    """Give the memories nearest to what people say, so that a model can tell what repeats or changes them."""
    query = "\n".join(turn.content for turn in turns if not is_machine(turn.role))[:LONGEST_QUERY]
    where = Filter(owner=owner, now=runtime.now(), kinds=("fact", "event"))
    return [hit.memory for hit in find(runtime, query, where, Wish(limit=NEAREST))] if query.strip() else []


def _proposed(
    runtime: Runtime,
    answer: Value,
    talk: Talk,
    near: Sequence[Memory],
    own: Extracted,
    before: str,
    topics: Sequence[str],
) -> Extracted:
    """Put what a model proposes beside what was said; an answer that broke off is asked for again later."""
    proposed = [one for proposal in answer.value.facts for one in _candidates(proposal, talk.turns, near, topics)]
    few = _few(proposed, runtime.settings.consolidation.facts_per_turn)
    return Extracted(
        candidates=(*own.candidates, *few),
        summary=_safe(runtime, answer.value.summary, talk, before),
        by=answer.model,
        why=BROKE_OFF if answer.mended else "",
        dropped=answer.dropped + len(proposed) - len(few),
        usage=answer.usage,
        failed=answer.mended,
    )


def _candidates(
    proposal: Proposal, turns: Sequence[Turn], near: Sequence[Memory], topics: Sequence[str]
) -> list[Candidate]:
    """Give a proposal as a fact, and where it tells a field of the profile also as the value of that."""
    known = 1 <= proposal.turn <= len(turns)
    when = datetime.fromisoformat(proposal.event_time).replace(tzinfo=UTC) if proposal.event_time else None
    one = Candidate(
        content=proposal.content.strip(),
        kind=proposal.kind,
        category=proposal.category.strip(),
        topic=settled_topic(" ".join(proposal.topic.split())[:100], topics),
        display=" ".join(proposal.display.split()),
        importance=proposal.importance,
        confidence=proposal.confidence,
        event_time=when if when and 1000 <= when.year < 3000 else None,
        entities=tuple(proposal.entities),
        quote=proposal.quote,
        turn=turns[proposal.turn - 1].id if known else "",
        updates=_meant(proposal.updates, near),
        repeats=_meant(proposal.repeats, near),
    )
    if not (proposal.slot and proposal.value.strip()):
        return [one]
    value = replace(
        one, content=proposal.value.strip(), key=proposal.slot, updates="", repeats="", event_time=None, display=""
    )
    return [one, value]


def _meant(number: int | str | None, near: Sequence[Memory]) -> str:
    """Give the memory a model means by its number; empty for one there is not."""
    digits = re.search(r"\d{1,4}", str(number)) if number is not None else None
    at = int(digits[0]) if digits else 0
    return near[at - 1].id if 1 <= at <= len(near) else ""


def _few(candidates: Iterable[Candidate], most: int) -> list[Candidate]:
    """Leave out what one turn gives too much of; a value for the profile comes along with its fact."""
    seen: Counter[str] = Counter()
    kept = []
    for one in candidates:
        seen[one.turn] += not one.key
        if seen[one.turn] <= most:
            kept.append(one)
    return kept


def _safe(runtime: Runtime, summary: str, talk: Talk, before: str) -> str:
    """Take of a model's summary what tells and does not command, without secrets, and of nobody who was not named."""
    text = " ".join(redacted(summary)[0].split())
    said = "\n".join(
        (before, *(f"{one.actor} {one.role} {one.at.date().isoformat()} {one.content}" for one in talk.turns))
    )
    names = frozenset(part for name in talk.user.names for part in fold(name).split())
    return borne_out(text, said, names, len(talk.turns), runtime.reader)
