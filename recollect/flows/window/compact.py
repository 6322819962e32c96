"""A window that is full: facts are kept, what is old is summed up, the summary and the last groups stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import Any

from recollect.errors import Closed, Conflict, RecollectError
from recollect.flows.asking import absent, ask
from recollect.flows.gate.gate import index
from recollect.flows.learn.consolidate import consolidate, report
from recollect.flows.summaries import summary_memory
from recollect.flows.window.messages import Request, in_sight, read, room, session, tokens
from recollect.model.asking import Value
from recollect.model.change import Change, Connect, Enqueue, SetWindow, Write
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.model.window import Window
from recollect.rules.privacy.secrets import redacted
from recollect.rules.window.compaction import (
    FOLD,
    Cut,
    Preset,
    Step,
    WindowPolicy,
    chunks,
    due,
    fitting,
    pruned,
    summarising,
    told,
    warning,
)
from recollect.rules.window.counting import window as window_of
from recollect.rules.window.grouping import ASSISTANT, Message, acceptable
from recollect.rules.window.layout import shortened
from recollect.runtime import Runtime
from recollect.store.base import Reading

JOB = "compact"
LEAST_TEXT = 100
"""Below so many characters a conversation holds no facts worth looking for."""
EXTRACT_LINE, EXTRACT_REPLY, EXTRACT_MOST = 200, 60, 2400
"""How much of what a person says, of a reply, and of all of it a summary without a model quotes."""
EXTRACTED = "(Extracted without a model: what was said, shortened.)"


@dataclass(frozen=True, slots=True)
class Compaction:
    """What was done to a window."""

    step: Step
    """`flush`, `summarise`, `prune`, or nothing."""
    before: int
    after: int
    """How many tokens the request took before and takes now."""
    window: int
    summary: str = ""
    """The id of the summary, if one was made."""
    dropped: tuple[str, ...] = ()
    """The messages that are out of sight now; all are stored and found."""
    kept: int = 0
    learnt: str = ""
    """What came of looking for facts."""
    warning: str = ""
    """What the system prompt should tell the model."""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Work:
    runtime: Runtime
    scope: Scope
    asked: Request
    policy: WindowPolicy
    seen: Window | None
    memories: list[Memory]
    messages: list[Message]
    window: int
    before: int
    notes: list[str] = field(default_factory=list)
    late: list[Message] = field(default_factory=list)
    """What came while the summary was made: it stays in sight."""

    def count(self, messages: Sequence[Message]) -> int:
        """Give how many tokens the request takes with these messages."""
        with self.runtime.store.view() as view:
            return tokens(self.runtime, view, self.scope, acceptable(list(messages)), self.asked)

    @property
    def flushed(self) -> bool:
        """Whether facts were kept ahead of time since the last compaction."""
        return bool(self.seen and self.seen.notes.get("flushed"))


def needs_compaction(runtime: Runtime, scope: Scope, used: int | None, asked: Request) -> bool:
    """Tell whether a request of so many tokens, or the window as it is, has crossed the mark."""
    if used is None:
        used = _opened(runtime, scope, asked, runtime.settings.window).before
    return due(used / room(runtime, asked), runtime.settings.window, flushed=True) == "summarise"


def compact(runtime: Runtime, scope: Scope, asked: Request, preset: Preset | None, *, force: bool) -> Compaction:
    """Do what is due to the session's window; `force` sums up whatever its size. What leaves it stays stored."""
    policy = replace(runtime.settings.window, preset=preset) if preset else runtime.settings.window
    work = _opened(runtime, scope, asked, policy)
    step: Step = "summarise" if force else due(work.before / work.window, policy, flushed=work.flushed)
    made = Compaction("", work.before, work.before, work.window, kept=len(work.messages))
    if step == "flush":
        made = replace(made, step="flush", learnt=_flushed(work))
        _mark(work, SetWindow(scope.session, scope.agent, notes={"flushed": True}))
    elif step == "summarise":
        made = _summarised(work)
    made = replace(made, notes=tuple(work.notes))
    return replace(made, warning=warning(made.after, work.window, policy))


def _opened(runtime: Runtime, scope: Scope, asked: Request, policy: WindowPolicy) -> _Work:
    session(scope)
    with runtime.store.view() as view:
        seen, found = in_sight(view, scope)
        read_in = [read(one) for one in found]
        before = tokens(runtime, view, scope, acceptable(read_in), asked)
    return _Work(runtime, scope, asked, policy, seen, found, read_in, room(runtime, asked), before)


def _flushed(work: _Work) -> str:
    """Let the facts of the conversation pass the gate; a failure is told, and costs nothing that is stored."""
    if sum(len(one.content) for one in work.memories) < LEAST_TEXT:
        return ""
    try:
        done = consolidate(work.runtime, work.scope.owner, work.scope.session)
    except Closed:
        raise
    except RecollectError as error:
        work.notes.append(f"no facts could be kept: {error}")
        return ""
    return report(work.scope.owner, [done], JOB).text


def _summarised(work: _Work) -> Compaction:
    """Keep facts, sum up, and leave the summary and the last groups in sight; without a summary only prune."""
    made = Compaction("", work.before, work.before, work.window, kept=len(work.messages))
    cut = summarising(work.messages, work.policy, work.window, work.count)
    if not cut.gone:
        return made
    facts = _flushed(work)
    summary = _summary(work, cut)
    if not summary:
        return replace(_pruned(work), learnt=facts)
    stays = _emergency(work, cut, summary)
    if not _written(work, stays, summary):
        return replace(made, learnt=facts)
    lead = Message(summary.id, "user", summary.content, summary=True)
    after = work.count([*_heads(stays.kept), lead, *_tails(stays.kept), *work.late])
    gone = tuple(one.id for one in stays.gone)
    return Compaction(
        "summarise", work.before, after, work.window, summary.id, gone, len(stays.kept) + 1 + len(work.late), facts
    )


def _heads(kept: Sequence[Message]) -> list[Message]:
    return [one for one in kept if one.role in ("system", "developer")]


def _tails(kept: Sequence[Message]) -> list[Message]:
    return [one for one in kept if one.role not in ("system", "developer")]


def _emergency(work: _Work, cut: Cut, summary: Memory) -> Cut:
    """Drop more where the last groups alone are too long for the window."""
    lead = Message(summary.id, "user", summary.content, summary=True)
    order = [*_heads(cut.kept), lead, *_tails(cut.kept)]
    if work.count(order) <= work.window * work.policy.prune:
        return cut
    fit = fitting(order, int(work.window * work.policy.prune), work.count)
    kept = tuple(one for one in fit.kept if one.id != summary.id)
    ids = {one.id for one in kept}
    return Cut(kept, tuple(one for one in work.messages if one.id not in ids))


def _pruned(work: _Work) -> Compaction:
    cut = pruned(work.messages, work.policy.keep)
    if not cut.gone or not _written(work, cut, None):
        return Compaction("", work.before, work.before, work.window, kept=len(work.messages))
    gone = tuple(one.id for one in cut.gone)
    kept = [*cut.kept, *work.late]
    return Compaction("prune", work.before, work.count(kept), work.window, "", gone, len(kept))


def _summary(work: _Work, cut: Cut) -> Memory | None:
    """Give the memory that sums up what leaves the window, and what was summed up before it."""
    texts = {one.id: one.content for one in work.memories}
    before = "\n".join(texts[one.id] for one in cut.gone if one.summary)
    lines = [told(one, texts[one.id]) for one in cut.gone if not one.summary and texts[one.id].strip()]
    written, by = _by_model(work, before, lines)
    text = written or _extracted(work, before, cut, texts)
    if not text.strip():
        return None
    return _memory(work, redacted(text)[0], cut, by or "rules")


def _by_model(work: _Work, before: str, lines: Sequence[str]) -> tuple[str, str]:
    """Ask for a summary, part by part; the name of who gave it, or nothing and a note why."""
    runtime = work.runtime
    if runtime.llm is None:
        work.notes.append(f"summed up without a model: {absent(runtime)}")
        return "", ""
    _narrow(work)
    by, parts, told_before = "", list[str](), before
    for chunk in chunks(lines) or [""]:
        text, name = _asked(work, told_before, chunk)
        if not text:
            return "", ""
        by, told_before = name, text
        parts.append(text)
    whole = "\n".join(parts)
    if len(parts) > 1 and len(whole) > FOLD:
        whole, by = _asked(work, before, whole)
    elif len(parts) > 1:  # each part carries on the one before it
        whole = parts[-1]
    return _worded(whole, work.policy.summary_words), by


def _narrow(work: _Work) -> None:
    """Warn where who sums up reads less than whose window it is."""
    settings = work.runtime.settings
    name = settings.models.summarizer or settings.llm or ""
    reads = window_of(name, work.policy.models)
    if name and reads < work.window:
        work.notes.append(f"the summarizer {name} reads {reads:,} tokens, the window has {work.window:,}: name another")


def _asked(work: _Work, before: str, text: str) -> tuple[str, str]:
    question = work.runtime.prompt("compact").question(summary=before, conversation=text)
    answer = ask(work.runtime, work.scope.owner, question, job=JOB, session=work.scope.session)
    if not isinstance(answer, Value):
        work.notes.append(f"the model gave no summary: {getattr(answer, 'reason', 'it said nothing')}")
        return "", ""
    value = answer.value
    parts = [("Overview", value.overview), ("State", value.state), ("Next", value.next)]
    return "\n".join(f"{head}: {part.strip()}" for head, part in parts if part.strip()), answer.model


def _worded(text: str, most: int) -> str:
    words = text.split(" ")
    return text if len(text.split()) <= most else " ".join(words[:most]) + " …"


def _extracted(work: _Work, before: str, cut: Cut, texts: dict[str, str]) -> str:
    """Give what was said in short, with what was summed up before it: the newest is quoted first of all."""
    lines: list[str] = []
    left = EXTRACT_MOST
    for one in reversed(cut.gone):
        if one.summary or one.role == "tool" or one.empty:
            continue
        most = EXTRACT_REPLY if one.role == ASSISTANT else EXTRACT_LINE
        line = f"{one.role}: {shortened(' '.join(texts[one.id].split()), most)}"
        if len(line) > left:
            break
        left -= len(line)
        lines.insert(0, line)
    earlier = shortened(before.replace(EXTRACTED, "").strip(), EXTRACT_MOST)
    return "\n".join([EXTRACTED, *([earlier] if earlier else []), *lines]) if lines or earlier else ""


def _memory(work: _Work, text: str, cut: Cut, by: str) -> Memory:
    spoken = {one.id: one for one in work.memories}
    gone = [spoken[one.id] for one in cut.gone]
    previous = next((one.id for one in gone if one.kind == "summary"), "")
    covers = sum(int(one.attributes.get("covers", 1)) if one.kind == "summary" else 1 for one in gone)
    noted: dict[str, Any] = {"covers": covers, "model": by, "previous": previous, "window": True}
    noted |= {"from": gone[0].event_time.isoformat(), "to": gone[-1].event_time.isoformat()}
    return summary_memory(work.runtime, work.scope, text, gone[-1].event_time, noted)


def _written(work: _Work, cut: Cut, summary: Memory | None) -> bool:
    """Change the window and keep the summary in one commit, with what was said since it was read; not if anybody
    changed the window otherwise."""
    changes: list[Change] = []
    lead: tuple[str, ...] = ()
    if summary is not None:
        changes.append(index(work.runtime, summary))
        linked = [one.id for one in cut.gone]
        changes += [Connect(summary.id, one, "derived_from") for one in linked]
        changes += [Enqueue("embed", work.runtime.now())] if work.runtime.model else []
        lead = (summary.id,)
    heads, tails = [one.id for one in _heads(cut.kept)], [one.id for one in _tails(cut.kept)]

    def plan(view: Reading) -> Write:
        work.late = _late(work, view)
        ids = (*heads, *lead, *tails, *(one.id for one in work.late))
        seen = SetWindow(work.scope.session, work.scope.agent, messages=ids, notes={"flushed": False})
        return _write(work, [*changes, seen], "compacted")

    return _commit(work, plan)


def _late(work: _Work, view: Reading) -> list[Message]:
    """Give what came into the window since it was read; refuse one that was changed otherwise."""
    now, before = in_sight(view, work.scope)[1], [one.id for one in work.memories]
    if [one.id for one in now[: len(before)]] != before:
        raise Conflict("somebody else changed it meanwhile, look at it again")
    return [read(one) for one in now[len(before) :]]


def _mark(work: _Work, change: SetWindow) -> None:
    _commit(work, lambda _: _write(work, [change], "window"))


def _write(work: _Work, changes: Sequence[Change], op: str) -> Write:
    return Write(
        owner=work.scope.owner,
        at=work.runtime.now(),
        node=JOB,
        changes=tuple(changes),
        actor=work.scope.agent,
        session=work.scope.session,
        receipt=Receipt(outcome="stored", op=op),
    )


def _commit(work: _Work, plan: Callable[[Reading], Write]) -> bool:
    try:
        work.runtime.store.decide_locked(work.scope.owner, plan, work.runtime.now())
    except Closed:
        raise
    except RecollectError as error:
        work.notes.append(f"the window was left as it is: {error}")
        return False
    return True
