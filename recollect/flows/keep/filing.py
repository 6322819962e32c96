"""Topics that are nearly one: what may be filed together is asked in the inbox, and filed when the owner says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count

from recollect.flows.gate.gate import index
from recollect.flows.gate.pending import TOPICS, end, named, pending
from recollect.flows.gate.verdict import Verdict
from recollect.flows.keep.revise import filed
from recollect.model.change import Enqueue, Put
from recollect.model.clock import EPOCH
from recollect.model.expectation import Version
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.learn.notes import is_note
from recollect.rules.learn.topics import Merge, alike
from recollect.runtime import Runtime
from recollect.store.base import Reading

TAG = "topics"
NEWEST = 2000
"""Of how many of the newest facts the topics are compared."""
MOST, FILED = 5, 1000
"""How many questions a night asks, and how many memories are looked at in one go."""


def questions(runtime: Runtime, view: Reading, owner: str) -> list[Put]:
    """Give the questions whether topics that are written nearly alike are one; each is asked once.

    One that was answered or ran out is not asked again until it is gone.
    """
    now = runtime.now()
    facts = view.page(_under(owner, now), "recent", NEWEST)
    counts = Counter(one.topic for one in facts if one.topic and not is_note(one))
    before = Filter(owner=owner, now=EPOCH, kinds=("fact",), states=("proposed", "deleted"), tags=(TAG,))
    asked = {frozenset(named(one, TOPICS)) for one in view.page(before, "recent", FILED)}
    found = [one for one in alike(counts) if frozenset((one.into, *one.topics)) not in asked]
    return [_question(runtime, owner, one, counts) for one in found[:MOST]]


def _under(owner: str, now: datetime) -> Filter:
    """Tell what has a topic of the owner's choosing: a section's is its heading, a portrait's is its entity."""
    return Filter(owner=owner, now=now, kinds=("fact", "event"))


def _filed(runtime: Runtime, view: Reading, scope: Scope, topic: str) -> Iterator[Memory]:
    """Give everything under a topic."""
    where = replace(_under(scope.owner, runtime.now()), topic=topic)
    for start in count(0, FILED):
        page = view.page(where, "oldest", FILED, start)
        yield from (one for one in page if one.topic == topic and not is_note(one))
        if len(page) < FILED:
            return


def _question(runtime: Runtime, owner: str, merge: Merge, counts: Counter[str]) -> Put:
    now, many = runtime.now(), sum(counts[one] for one in merge.topics)
    memory = Memory(
        owner=owner, id=runtime.new_id("fact", now), kind="fact", content=f"{', '.join(merge.topics)} → {merge.into}",
        created_at=now, updated_at=now, event_time=now, valid_from=now, tier="short", source="job", tags=(TAG,),
    )  # fmt: skip
    until = now + timedelta(days=runtime.settings.consent.days)
    reason = f"these topics may be one: accept it to file {many} memories under {merge.into!r}"
    return pending(index(runtime, memory), "proposed", reason, until, **{TOPICS: (merge.into, *merge.topics)})


def refiled(runtime: Runtime, view: Reading, question: Memory, into: str) -> Verdict:
    """File what is under one of several topics under the one that stands for them; it says how many that were."""
    now, scope = runtime.now(), Scope(question.owner)
    found = [one for topic in named(question, TOPICS) if topic != into for one in _filed(runtime, view, scope, topic)]
    changes = [change for one in found for change in filed(runtime, view, scope, one, into)]
    embed = [Enqueue("embed", now)] if found and runtime.model else []
    receipt = Receipt(outcome="stored", op="accepted", id=question.id, count=len(found))
    expect = tuple(Version(one.id, one.version) for one in (question, *found))
    return Verdict(receipt, (end(runtime, question, "accepted", {"into": into}), *changes, *embed), expect)
