"""The running summary of a session: one memory at a time, each taking the place of the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.flows.gate.gate import index
from recollect.flows.gate.verdict import Verdict, supersede
from recollect.flows.learn.extract import RULES, Extracted
from recollect.flows.learn.pages import Page
from recollect.flows.summaries import summary_memory
from recollect.model.change import Change, Connect, Patch, Put
from recollect.model.clock import EPOCH
from recollect.model.expectation import Expectation, Version
from recollect.model.filter import Filter
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.values import dataclass
from recollect.rules.learn.notes import shown
from recollect.runtime import Runtime
from recollect.store.base import Reading
from recollect.text.normal import content_hash

MOST_FACTS = 8
"""How many facts a summary made without a model names."""
_LEARNT = ("fact", "event")


@dataclass(frozen=True, slots=True)
class Summing:
    """The summary so far."""

    memory: Memory | None = None

    @property
    def text(self) -> str:
        """What a model has said in it, for a model to go on from; what rules wrote is none of that."""
        if self.memory is None:
            return ""
        whole = self.memory.content
        return whole[: self._number("told")] if self.memory.attributes.get("model") == RULES else whole

    @property
    def messages(self) -> int:
        """How many messages it is of."""
        return self._number("messages")

    @property
    def summarised(self) -> int:
        """How many of them a model has summarised."""
        return self._number("summarised") or self.messages

    def _number(self, name: str) -> int:
        found = self.memory.attributes.get(name) if self.memory is not None else 0
        return found if isinstance(found, int) else 0


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page, what came of reading it, and the summary of what was before it."""

    page: Page
    read: Extracted
    before: Summing


@dataclass(frozen=True, slots=True)
class Summed:
    """A summary on its way: its id, and what has to be written."""

    id: str
    changes: tuple[Change, ...]
    expect: tuple[Expectation, ...]


def summing(view: Reading, owner: str, session: str) -> Summing:
    """Find the summary that stands for a session."""
    where = Filter(owner=owner, now=EPOCH, kinds=("summary",), sessions=(session,))
    for one in view.page(where, "recent", 10):
        if "messages" in one.attributes:
            return Summing(one)
    return Summing()


def summed(
    runtime: Runtime, view: Reading, scope: Scope, whole: PageRead, verdicts: Sequence[Verdict]
) -> Summed | None:
    """Give the summary of a session with this page, or None where it is too short, or more is to come.

    The verdicts are those on what the page tells: a summary by rules tells what stands after them.
    """
    page, read, before = whole.page, whole.read, whole.before
    total = page.total or before.messages + len(page.turns) + page.passed
    by_model = bool(read.summary)
    least = runtime.settings.consolidation.least_messages
    if not page.turns or not scope.session or total < least or (page.more and not by_model):
        return None
    told = [] if by_model or before.text else _told(runtime, view, scope, verdicts)
    text, noted = _worded(read, before, _made(read, total, page, told), total, runtime.settings.writing.summary_words)
    made = f"summary\n{page.session.id}\n{page.turns[0].id}\n{view.counters(scope.owner).rev}"
    memory = summary_memory(runtime, scope, text, page.turns[-1].at, {"messages": total, **noted}, made)
    put = index(runtime, memory)
    sources = page.messages if by_model else told
    links = tuple(Connect(memory.id, one.id, "derived_from") for one in sources)
    old = before.memory
    if old is None:
        return Summed(memory.id, (put, *links), ())
    return Summed(memory.id, (*supersede([old], put), *links), (Version(old.id, old.version),))


def _worded(read: Extracted, before: Summing, made: str, total: int, most: int) -> tuple[str, dict[str, Any]]:
    """Give the words of a summary and what is noted with it: a model's, which rules only add a note to, or theirs."""
    if read.summary:
        return _cut(read.summary, most), {"model": read.by, "prompt": read.version}
    if not before.text:
        return _cut(made, most), {"model": RULES}
    note = f"({total - before.summarised} later messages were not summarised: {_why(read)}.)"
    kept = _cut(before.text, most - len(note.split()))
    return f"{kept} {note}", {"model": RULES, "told": len(kept), "summarised": before.summarised}


def _told(runtime: Runtime, view: Reading, scope: Scope, verdicts: Sequence[Verdict]) -> list[Memory]:
    """Give what was learnt in the session and stands at its end, the new first; what waits is not told."""
    where = Filter(owner=scope.owner, now=runtime.now(), kinds=_LEARNT, sessions=(scope.session,))
    known = view.page(where, "importance", MOST_FACTS * 2)
    changes = [change for verdict in verdicts for change in verdict.changes]
    new = [change.memory for change in changes if isinstance(change, Put)]
    gone = {one.id for one in changes if isinstance(one, Patch) and one.values.get("state", "active") != "active"}
    standing = {
        content_hash(one.content): one
        for one in (*new, *known)
        if one.kind in _LEARNT and one.state == "active" and one.id not in gone
    }
    return list(standing.values())[:MOST_FACTS]


def _why(read: Extracted) -> str:
    return read.why or "the model gave no summary"


def _made(read: Extracted, total: int, page: Page, told: Sequence[Memory]) -> str:
    """Word a summary without a model, and say why there is no better one."""
    first = page.session.first_seen.date().isoformat()
    learnt = f" Learnt: {' '.join(map(_sentence, told))}" if told else " Nothing was learnt."
    return f"A conversation of {total} messages, begun on {first}, not summarised by a model ({_why(read)}).{learnt}"


def _sentence(memory: Memory) -> str:
    """Give what was learnt as a sentence; the value of a slot with what it is of."""
    text = f"{memory.key.replace('_', ' ')}: {memory.content}" if memory.key else shown(memory)
    return text if text[-1:] in ".!?…”" else f"{text}."


def _cut(text: str, most: int) -> str:
    words = text.split()
    return " ".join(words) if len(words) <= most else " ".join(words[: most - 1]) + " …"
