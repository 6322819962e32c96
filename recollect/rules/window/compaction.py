"""When a window is full and what then stays in it: thresholds, whole groups, and what must be summed up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from recollect.model.values import bounded, dataclass
from recollect.rules.window.counting import ModelWindow
from recollect.rules.window.grouping import ASSISTANT, SYSTEM, TOOL, USER, Group, Message, groups

Preset = Literal["openlegion", "letta"]
Step = Literal["", "flush", "summarise", "prune"]
LEAST_THRESHOLD, MOST_THRESHOLD = 0.5, 0.95
TAIL = 0.5
"""Which share of the window the messages that stay may take."""
PRUNE_LEAST_MESSAGES, PRUNE_LEAST_GROUPS = 8, 5
CHUNK, RESULT, CHUNKS, FOLD = 20_000, 2_000, 8, 12_000
"""How many characters of a conversation are summed up at once, how much of a tool's result is read, how many such
chunks are, and from how many characters on their summaries are summed up again."""


@dataclass(frozen=True, slots=True)
class WindowPolicy:
    """When the message window is compacted, and how."""

    preset: Preset = "openlegion"
    """`openlegion` flushes, summarises, warns and prunes by four marks; `letta` summarises past one."""
    flush: float = bounded(0.6, most=1)
    """From which share of the window on facts are kept ahead of time, once."""
    summarise: float = bounded(0.7, most=1)
    """From which share on what is old is summed up."""
    warn: float = bounded(0.8, most=1)
    """From which share on the system prompt warns the model."""
    prune: float = bounded(0.9, most=1)
    """From which share on what is old is dropped without a summary, if need be."""
    threshold: float = bounded(0.8, most=1)
    """The one mark of `letta`; it is held between 0.5 and 0.95."""
    keep: int = bounded(4, least=1)
    """How many of the last groups of messages stay."""
    least: int = bounded(20, least=1)
    """How many of the last messages stay at least with `letta`, and half of all if that is more."""
    model: str = ""
    """Whose window it is, as PROVIDER/MODEL, unless the caller says."""
    max_tokens: int = bounded(0)
    """How many tokens the window has; 0 takes what is known of the model."""
    models: tuple[ModelWindow, ...] = ()
    """How many tokens the windows of single models have here."""
    summary_words: int = bounded(100, least=10)
    """How long a summary by a model may be."""


def due(usage: float, policy: WindowPolicy, *, flushed: bool) -> Step:
    """Say what is due at this share of the window."""
    if policy.preset == "letta":
        return "summarise" if usage > clamped(policy.threshold) else ""
    if usage >= policy.summarise:
        return "summarise"
    return "flush" if usage >= policy.flush and not flushed else ""


def clamped(threshold: float) -> float:
    """Hold a threshold within what makes sense."""
    return min(MOST_THRESHOLD, max(LEAST_THRESHOLD, threshold))


def warning(tokens: int, window: int, policy: WindowPolicy) -> str:
    """Give what the system prompt must say when the window is nearly full; nothing before that."""
    if not window or tokens / window < policy.warn:
        return ""
    share = int(tokens / window * 100)
    return (
        f"CONTEXT WARNING: {share}% of the context window is used ({tokens:,}/{window:,} tokens). "
        "Wrap up, or save what matters with memory_save before older messages are summarised."
    )


@dataclass(frozen=True, slots=True)
class Cut:
    """Which messages stay, and which are to be summed up."""

    kept: tuple[Message, ...]
    gone: tuple[Message, ...]


def summarising(
    messages: Sequence[Message], policy: WindowPolicy, window: int, count: Callable[[Sequence[Message]], int]
) -> Cut:
    """Say what is summed up: all but the system's messages and the last few groups, which fit half of the window and
    begin with the assistant where that can be."""
    head = tuple(one for one in messages if one.role in SYSTEM and not one.summary)
    found = groups(_others(messages, head))
    if len(found) <= 1:
        return Cut(tuple(messages), ())
    tail = _tail(found, policy)
    while len(tail) > 1 and count([one for group in tail for one in group]) > window * TAIL:
        tail = tail[1:]
    while len(tail) > 1 and tail[0][0].role != ASSISTANT:
        tail = tail[1:]
    if tail[0][0].role not in (ASSISTANT, USER):  # a result alone, or somebody unknown
        tail = []
    kept = tuple(one for group in tail for one in group)
    return Cut((*head, *kept), tuple(_others(messages, (*head, *kept))))


def _others(messages: Sequence[Message], these: Sequence[Message]) -> list[Message]:
    ids = {one.id for one in these}
    return [one for one in messages if one.id not in ids]


def _tail(found: list[Group], policy: WindowPolicy) -> list[Group]:
    if policy.preset == "openlegion":
        return found[-min(policy.keep, len(found) - 1) :]
    wanted = max(policy.least, sum(map(len, found)) // 2)
    tail: list[Group] = []
    while len(tail) < len(found) - 1 and sum(map(len, tail)) + len(found[-1 - len(tail)]) <= wanted:
        tail.insert(0, found[-1 - len(tail)])
    return tail or found[-1:]


def pruned(messages: Sequence[Message], keep: int) -> Cut:
    """Say what stays without a summary: the system's messages, the first group and the last few."""
    head = tuple(one for one in messages if one.role in SYSTEM)
    found = groups(_others(messages, head))
    if len(messages) <= PRUNE_LEAST_MESSAGES or len(found) <= PRUNE_LEAST_GROUPS:
        return Cut(tuple(messages), ())
    kept = (*head, *(one for group in (found[0], *found[-keep:]) for one in group))
    return Cut(kept, tuple(_others(messages, kept)))


def fitting(messages: Sequence[Message], room: int, count: Callable[[Sequence[Message]], int]) -> Cut:
    """Say what stays of a request that is too long: groups go from the oldest on, the first and the last stay."""
    head = tuple(one for one in messages if one.role in SYSTEM)
    found = groups(_others(messages, head))
    while len(found) > 2 and count([*head, *(one for group in found for one in group)]) > room:
        del found[1]
    kept = (*head, *(one for group in found for one in group))
    return Cut(kept, tuple(_others(messages, kept)))


def told(message: Message, text: str) -> str:
    """Give a message as a summariser reads it."""
    called = "".join(f" [calls {call.get('function', {}).get('name', '')}]" for call in message.calls)
    return f"[{message.role}]: {text[:RESULT] if message.role == TOOL else text}{called}"


def chunks(lines: Sequence[str]) -> list[str]:
    """Cut a long conversation between messages; of very many parts the first and the newest are read."""
    found: list[str] = []
    now = ""
    for line in lines:
        if now and len(now) + len(line) > CHUNK:
            found.append(now)
            now = ""
        now += f"{line[:CHUNK]}\n"
    found += [now] if now else []
    return found if len(found) <= CHUNKS else [found[0], *found[-(CHUNKS - 1) :]]
