"""The running summary of a session: one memory at a time, each taking the place of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.flows.extract import RULES, Extracted
from recollect.flows.gate import index
from recollect.flows.pages import Page
from recollect.flows.verdict import supersede
from recollect.model.change import Change, Connect, Expectation, Version
from recollect.model.clock import EPOCH
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.runtime import Runtime
from recollect.store.base import View

MOST_FACTS = 8
"""How many facts a summary made without a model names."""
_LEARNT = ("fact", "event")


@dataclass(frozen=True, slots=True)
class Summing:
    """The summary so far."""

    memory: Memory | None = None
    messages: int = 0
    """How many messages it is of."""

    @property
    def text(self) -> str:
        """What it says, for a model to go on from; what rules wrote is none of that."""
        return self.memory.content if self.memory is not None and self.memory.attributes.get("model") != RULES else ""


@dataclass(frozen=True, slots=True)
class Summed:
    """A summary on its way: its id, and what has to be written."""

    id: str
    changes: tuple[Change, ...]
    expect: tuple[Expectation, ...]


def summing(view: View, owner: str, session: str) -> Summing:
    """Find the summary that stands for a session."""
    where = Filter(owner=owner, now=EPOCH, kinds=("summary",), sessions=(session,))
    for one in view.page(where, "recent", 10):
        if "messages" in one.attributes:
            many = one.attributes["messages"]
            return Summing(one, many if isinstance(many, int) else 0)
    return Summing()


def summed(
    runtime: Runtime, view: View, scope: Scope, page: Page, what: tuple[Extracted, Summing, Sequence[Memory]]
) -> Summed | None:
    """Give the summary of a session with this page, or None where it is too short, or more is to come."""
    read, before, new = what
    total = before.messages + len(page.turns)
    by_model = bool(read.summary)
    if not page.turns or total < runtime.settings.consolidation.least_messages or (page.more and not by_model):
        return None
    told = [] if by_model else _told(runtime, view, scope, new)
    text = read.summary if by_model else _made(read, before, total, page, told)
    memory = _memory(runtime, scope, page, _cut(text, runtime.settings.writing.summary_words), (read, total, by_model))
    put = index(runtime, memory)
    sources = page.messages if by_model else told
    links = tuple(Connect(memory.id, one.id, "derived_from") for one in sources)
    old = before.memory
    if old is None:
        return Summed(memory.id, (put, *links), ())
    return Summed(memory.id, (*supersede([old], put), *links), (Version(old.id, old.version),))


def _told(runtime: Runtime, view: View, scope: Scope, new: Sequence[Memory]) -> list[Memory]:
    """Give what was learnt in the session, the new first; one that waits or was set apart is not told."""
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=_LEARNT, sessions=(scope.session,))
    known = view.page(where, "importance", MOST_FACTS)
    return [one for one in (*new, *known) if one.kind in _LEARNT and one.state == "active"][:MOST_FACTS]


def _made(read: Extracted, before: Summing, total: int, page: Page, told: Sequence[Memory]) -> str:
    """Word a summary without a model, and say why there is no better one."""
    why = read.why or "the model gave no summary"
    if before.text:
        return f"{before.text} ({len(page.turns)} later messages were not summarised: {why}.)"
    first = page.session.first_seen.date().isoformat()
    learnt = f" Learnt: {' '.join(one.content for one in told)}" if told else " Nothing was learnt."
    return f"A conversation of {total} messages, begun on {first}, not summarised by a model ({why}).{learnt}"


def _cut(text: str, most: int) -> str:
    words = text.split()
    return " ".join(words) if len(words) <= most else " ".join(words[: most - 1]) + " …"


def _memory(runtime: Runtime, scope: Scope, page: Page, text: str, how: tuple[Extracted, int, bool]) -> Memory:
    read, total, by_model = how
    now, said = runtime.now(), page.turns[-1].at
    born = KINDS["summary"]
    attributes = {"messages": total, "model": read.by if by_model else RULES}
    return Memory(
        owner=scope.owner,
        id=runtime.new_id("summary", now, (scope.owner, f"summary\n{page.session.id}\n{page.turns[0].id}", 0)),
        kind="summary",
        content=text,
        created_at=now,
        updated_at=now,
        event_time=said,
        valid_from=min(said, now),
        tier=born.tier,
        agent=scope.agent,
        session=scope.session,
        source="session",
        topic="summary",
        importance=born.importance,
        attributes={**attributes, **({"prompt": read.version} if by_model else {})},
    )
