"""What the contract's tests are made of: memories, writes and filters in one line each."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.errors import RecollectError
from recollect.language import open_reader
from recollect.model.change import Change, Committed, Put, Write
from recollect.model.expectation import Expectation
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.owner import owner_key
from recollect.model.receipt import Receipt
from recollect.providers.entities import extract
from recollect.store.base import Store, View
from recollect.text.normal import content_hash
from recollect.text.terms import TermsPolicy, terms

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
ANA = owner_key("ana")
HOSTILE: tuple[str, ...] = (
    "ana", "Ana", "ana ", " ana", "ANA", "ána", "a%", "a_a", "%", "_", "a/b", "a%2Fb", "'; DROP TABLE memories; --",
    "😀", "😁", "ａｎａ", "ß", "ss", "\u0130", "ana\n", "..",
)  # fmt: skip
"""Names of owners that a careless engine would mix up."""


def make(id: str, content: str = "Tea is served at four.", owner: str = ANA, **fields: Any) -> Memory:
    """Make a memory with sensible values for what a test does not care about."""
    at = fields.pop("at", AT)
    given: dict[str, Any] = {"kind": "fact", "importance": 5, "decay_rate": 0.1, "source": "session"} | fields
    times = {name: given.pop(name, at) for name in ("created_at", "updated_at", "event_time", "valid_from")}
    return Memory(owner=owner, id=id, content=content, **times, **given)


def put(memory: Memory) -> Put:
    """Give a memory what it is found by, as the flows do."""
    text = f"{memory.topic}\n{memory.content}" if memory.topic else memory.content
    found = terms(text, TermsPolicy(), memory.tags)
    names = extract(memory.content, open_reader("words").cues("english"))
    return Put(memory, content_hash(memory.content), found, tuple(names))


def commit(
    store: Store,
    *changes: Change,
    owner: str = ANA,
    at: datetime = AT,
    expect: Sequence[Expectation] = (),
    request_id: str = "",
    receipt: Receipt | None = None,
    session: str = "",
) -> Committed:
    """Write as one caller."""
    return store.commit(
        Write(
            owner=owner,
            at=at,
            node="test",
            changes=changes,
            expect=tuple(expect),
            actor="tester",
            session=session,
            request_id=request_id,
            receipt=receipt,
        )
    )


def everything(owner: str = ANA, **fields: Any) -> Filter:
    """Give a filter that lets an owner's active memories through."""
    return Filter(owner=owner, now=AT, **fields)


def matched(view: View, where: Filter, terms: Sequence[str]) -> list[tuple[str, int, int]]:
    """Give (term, document, count) of every posting among the memories that pass the filter."""
    allowed = view.allowed(where)
    found = view.postings(where.owner, terms)
    return sorted(
        (terms[at], doc, int(tf))
        for at, doc, tf in zip(found.term.tolist(), found.doc.tolist(), found.tf.tolist(), strict=True)
        if allowed[doc]
    )


def together(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run callables in threads that start at once; give their answers or their errors."""
    answers: list[Any] = [None] * len(jobs)
    gate = threading.Barrier(len(jobs))

    def run(number: int) -> None:
        gate.wait()
        try:
            answers[number] = jobs[number]()
        except RecollectError as error:
            answers[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


FILTERS: tuple[tuple[str, dict[str, Any], set[str]], ...] = (
    ("none", {}, {"fact_1", "ev_2", "ep_3"}),
    ("agent", {"agent": "helper"}, {"ev_2"}),
    ("shared agent", {"agent": ""}, {"fact_1", "ep_3"}),
    ("kinds", {"kinds": ("fact", "event")}, {"fact_1", "ev_2"}),
    ("one kind", {"kinds": ("episode",)}, {"ep_3"}),
    ("tiers", {"tiers": ("long",)}, {"ep_3"}),
    ("states", {"states": ("deleted", "superseded")}, {"fact_4", "fact_5"}),
    ("any state", {"states": ()}, {"fact_1", "ev_2", "ep_3", "fact_4", "fact_5", "fact_6"}),
    ("categories", {"categories": ("goals",)}, {"ev_2"}),
    ("topic", {"topic": "DRINK"}, {"fact_1"}),
    ("topic is no pattern", {"topic": "%"}, set()),
    ("tags", {"tags": ("Hot", "green")}, {"fact_1"}),
    ("any tag", {"tags": ("green", "late"), "any_tag": True}, {"fact_1", "ev_2"}),
    ("sessions", {"sessions": ("s1",)}, {"ev_2", "ep_3"}),
    ("exclude session", {"exclude_session": "s1"}, {"fact_1"}),
    ("explicit is kept", {"exclude_session": "s0"}, {"fact_1", "ev_2", "ep_3"}),
    ("event after", {"event_after": AT + DAY}, {"ev_2"}),
    ("event before", {"event_before": AT - DAY}, {"ep_3"}),
    ("created after", {"created_after": AT + MINUTE}, {"ev_2", "ep_3"}),
    ("created before", {"created_before": AT}, {"fact_1"}),
    ("updated after", {"updated_after": AT + 2 * MINUTE}, {"ep_3"}),
    ("updated before", {"updated_before": AT + MINUTE}, {"fact_1", "ev_2"}),
    ("importance at least", {"importance_min": 6}, {"ev_2"}),
    ("importance at most", {"importance_max": 5}, {"fact_1"}),
    ("pinned", {"pinned": True}, {"ev_2"}),
    ("not pinned", {"pinned": False}, {"fact_1", "ep_3"}),
    ("role", {"role": "user"}, {"ep_3"}),
    ("actor", {"actor": "bob"}, {"ev_2"}),
    ("source", {"source": "user"}, {"fact_1", "ep_3"}),
    ("key", {"key": "drink"}, {"fact_1"}),
    ("as of now", {"as_of": AT}, {"fact_1", "ev_2", "ep_3"}),
    ("as of then", {"as_of": AT - 2 * DAY}, {"fact_5", "fact_6"}),
)
"""Every field of a Filter, and which of the memories of `stock` it lets through."""


def stock(store: Store) -> None:
    """Store six memories about Lisbon tea that differ in every field a filter looks at."""
    text = "We met over tea in Lisbon with #tearoom"
    early = AT - 3 * DAY
    for memory in (
        make("fact_1", text, topic="drinks", tags=("hot", "Green"), key="drink", source="user", session="s0"),
        make(
            "ev_2", text, kind="event", agent="helper", category="goals", tags=("late",), session="s1",
            importance=7, pinned=True, actor="bob", created_at=AT + MINUTE, updated_at=AT + MINUTE,
            event_time=AT + DAY,
        ),
        make(
            "ep_3", text, kind="episode", tier="long", session="s1", importance=None, role="user", source="user",
            created_at=AT + 2 * MINUTE, updated_at=AT + 2 * MINUTE, event_time=AT - DAY,
        ),
        make("fact_4", text, state="deleted"),
        make("fact_5", text, state="superseded", valid_from=early, valid_until=AT - DAY),
        make("fact_6", text, valid_from=early, valid_until=AT),
    ):  # fmt: skip
        commit(store, put(memory))
