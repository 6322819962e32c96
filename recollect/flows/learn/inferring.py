"""Inferring: what is shown to a model that reads between the lines, and what becomes of what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import get_args

from recollect.flows.find.meaning import Vectors
from recollect.flows.gate.commit import Origin, Resolution, commit
from recollect.flows.gate.gate import draft, judged
from recollect.flows.learn.looking_back import Made, fitting, made_of
from recollect.model.clock import EPOCH, iso
from recollect.model.filter import Filter
from recollect.model.job import Job
from recollect.model.kinds import KINDS, STATES
from recollect.model.memory import Memory
from recollect.model.options import Draft
from recollect.model.owner import Scope
from recollect.model.proposals import Inference, Inferred, Slot
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.gate.hashes import hash_of
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime
from recollect.store.base import Reading, View

CATEGORY = "relationship_dynamic"
WEEK = timedelta(days=7)
SAID = 10
"""Of how many of the last messages the conversation is made up."""
NODE = "infer"
UNSURE, LONGEST_VALUE = 0.01, 100


@dataclass(frozen=True, slots=True)
class Lately:
    """What happened lately, as a model is shown it; or why it is not to be asked now, and when it may be."""

    listed: list[Memory]
    lines: list[str]
    said: str
    why: str = ""
    again: datetime | None = None


def lately(runtime: Runtime, view: Reading, owner: str) -> Lately:
    """Choose what insights are to rest on: the latest events and messages, the newest facts, and the last words."""
    policy, now = runtime.settings.insight, runtime.now()
    asked = _asked(view, owner)
    if asked and now - asked[0] < timedelta(hours=policy.between_hours):
        again = asked[0] + timedelta(hours=policy.between_hours)
        return Lately([], [], "", f"it was asked less than {policy.between_hours:g} hours ago", again)
    days = sorted({line.day for line in view.spent(owner, (now - WEEK).date().isoformat()) if line.job == NODE})
    if now.date().isoformat() in days:
        return Lately([], [], "", f"it was asked less than {policy.between_hours:g} hours ago", now)
    if len(days) >= policy.a_week:
        return Lately([], [], "", f"it was asked {len(days)} times in seven days", now)
    where = Filter(owner=owner, now=now, created_after=asked[0] if asked else None)
    said = view.page(replace(where, kinds=("episode",), role="user"), "recent", SAID)
    acts = view.page(replace(where, kinds=("event",)), "recent", policy.activities)
    acts += said[: policy.activities - len(acts)]
    facts = view.page(replace(where, kinds=("fact",)), "recent", policy.facts)
    listed, lines = fitting([*acts, *facts], policy.characters)
    if not acts or not facts:
        return Lately([], [], "", "nothing new was said and learnt since the last time")
    talk = "\n".join(" ".join(one.content.split()) for one in reversed(said))
    return Lately(listed, lines, talk[-policy.characters :])


def _asked(view: Reading, owner: str) -> list[datetime]:
    """Give when insights were made before, the newest first; those asked about together count once."""
    where = Filter(owner=owner, now=EPOCH, kinds=("insight",), states=STATES)
    made = [one for one in view.page(where, "recent", 50) if one.source == "job"]
    return sorted({one.created_at for one in made}, reverse=True)


def unfounded(view: Reading, owner: str, now: datetime) -> list[Memory]:
    """Give the insights that rested on something that is out of sight or gone by now."""
    mine = [
        one for one in view.page(Filter(owner=owner, now=now, kinds=("insight",)), "recent", 200) if one.source == "job"
    ]
    links = [one for one in view.links(owner, [one.id for one in mine]) if one.type == "derived_from"]
    known = {one.id: one for one in view.get(owner, sorted({one.to_id for one in links}))}
    lost = {one.from_id for one in links if one.to_id not in known or known[one.to_id].state == "deleted"}
    return [one for one in mine if one.id in lost]


@dataclass(frozen=True, slots=True)
class Insight:
    """One insight: what writes it, and what the model said."""

    made: Made
    said: Inference


def inferred(runtime: Runtime, owner: str, found: Lately, told: Inferred, version: str) -> list[Insight]:
    """Turn what a model infers into memories of low weight; what is too long or rests on nothing is left out."""
    policy, now, born = runtime.settings.insight, runtime.now(), KINDS["insight"]
    made: list[Insight] = []
    texts: set[str] = set()
    for one in told.insights:
        text, _ = redacted(" ".join(one.summary.split()))
        sources = [found.listed[at - 1] for at in sorted(set(one.sources)) if 1 <= at <= len(found.listed)]
        if not text or len(text) > policy.longest or not sources:
            continue
        memory = Memory(
            owner=owner, id=runtime.new_id("insight", now), kind="insight", content=text, created_at=now,
            updated_at=now, event_time=now, valid_from=now, tier=born.tier, source="job", category=CATEGORY,
            importance=policy.importance, decay_rate=born.decay, confidence=round(one.confidence, 3),
            tags=tuple(dict.fromkeys(tag.strip()[:40] for tag in one.tags[:2] if tag.strip())),
            attributes={"prompt": version},
        )  # fmt: skip
        if hash_of(memory) not in texts:
            texts.add(hash_of(memory))
            made.append(Insight(made_of(runtime, memory, sources), one))
    return made


def signalled(runtime: Runtime, this: Job, insights: Sequence[Insight]) -> tuple[Receipt, ...]:
    """Let what a model is sure of count as one signal for a field of the profile: another turn must bear it out.

    Who somebody is (`consent.guarded`) is not inferred at all.
    """
    policy, scope = runtime.settings.consent, Scope(this.owner)
    sure = [one for one in insights if one.said.confidence >= policy.sure]
    drafts = [made for one in sure if (made := _draft(runtime, one)) is not None]
    if not drafts:
        return ()
    vectors = Vectors(runtime)

    def plan(view: View) -> Resolution:
        verdicts = judged(runtime, view, scope, drafts, "", vectors)
        return Resolution(Receipt(outcome="stored", op="batch", count=len(verdicts)), verdicts)

    return commit(runtime, Origin(scope, NODE, NODE, job=this), plan, vectors).parts


def _draft(runtime: Runtime, insight: Insight) -> Draft | None:
    """Make the draft of a value: never sure enough to fill a field by itself, and heard in the insight."""
    slot, _, value = (part.strip() for part in insight.said.fills.partition(":"))
    policy = runtime.settings.consent
    if slot not in get_args(Slot) or slot in policy.guarded or not (slot and value):
        return None
    noted = {"turn": insight.made.id, "said": iso(runtime.now()), "by": NODE}
    confidence = min(insight.said.confidence, policy.sure - UNSURE)
    details = {"key": slot, "source": "session", "confidence": confidence, "attributes": noted}
    return draft(" ".join(value.split())[:LONGEST_VALUE], details, runtime)
