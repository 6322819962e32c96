"""Looking back: what of a week is shown to a model, and what becomes of the reflection it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.flows.gate.gate import index
from recollect.model.change import Change, Connect, Enqueue
from recollect.model.expectation import Expectation, Version
from recollect.model.filter import Filter
from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.proposals import Thought
from recollect.model.values import dataclass
from recollect.rules.gate.writing import violations
from recollect.rules.learn.evidence import borne_out
from recollect.rules.privacy.secrets import redacted
from recollect.runtime import Runtime
from recollect.store.base import Reading

TAG = "weekly"
LINE = 280
"""How many characters of one memory are shown."""


@dataclass(frozen=True, slots=True)
class Week:
    """What was learnt and said in the last days, and when it was last looked back upon."""

    listed: list[Memory]
    lines: list[str]
    """Each of them as a model is shown it."""
    facts: int
    episodes: int
    last: datetime | None


def week(runtime: Runtime, view: Reading, owner: str) -> Week:
    """Choose what a reflection is about: facts first, the weightiest before the others, then messages, the newest."""
    policy, now = runtime.settings.reflection, runtime.now()
    where = Filter(owner=owner, now=now, created_after=now - timedelta(days=policy.days))
    facts = view.page(replace(where, kinds=("fact", "event")), "importance", policy.read)
    said = view.page(replace(where, kinds=("episode",), role="user"), "recent", max(0, policy.read - len(facts)))
    last = view.page(Filter(owner=owner, now=now, kinds=("reflection",)), "recent", 1)
    listed, lines = fitting([*facts, *said][: policy.listed], policy.characters)
    return Week(listed, lines, len(facts), len(said), last[0].created_at if last else None)


def fitting(memories: Sequence[Memory], characters: int) -> tuple[list[Memory], list[str]]:
    """Give as many memories as there is room for, each with its line."""
    chosen: list[Memory] = []
    lines: list[str] = []
    for one in memories:
        line = f"{one.event_time.date().isoformat()} {' '.join(one.content.split())[:LINE]}"
        if characters < len(line):
            break
        characters -= len(line)
        chosen.append(one)
        lines.append(line)
    return chosen, lines


def borne(runtime: Runtime, text: str, lines: Sequence[str], kind: str, names: frozenset[str] = frozenset()) -> str:
    """Give what of a model's words stands in the lines it was shown, without secrets; empty where that is nothing, or
    what is left is not as a memory of its kind is written."""
    kept, _ = redacted(borne_out(" ".join(text.split()), "\n".join(lines), names, len(lines), runtime.reader))
    return "" if violations(kept, KINDS[kind].policy, runtime.settings.writing, runtime.reader) else kept


@dataclass(frozen=True, slots=True)
class Made:
    """What is written: a memory and the links to what it rests on."""

    id: str
    changes: tuple[Change, ...]
    expect: tuple[Expectation, ...]
    sources: int


def reflected(runtime: Runtime, owner: str, found: Week, thought: Thought, version: str) -> Made | str:
    """Turn a model's sentences into a reflection, or say why they are not kept."""
    text, _ = redacted(" ".join(one.text.strip() for one in thought.sentences))
    if not text:
        return "the model found nothing to say"
    if wrong := violations(text, KINDS["reflection"].policy, runtime.settings.writing, runtime.reader):
        return f"the reflection {wrong[0]}"
    cited = _cited(found.listed, [number for one in thought.sentences for number in one.sources])
    sources = (cited or found.listed)[: runtime.settings.reflection.cited]
    now, born = runtime.now(), KINDS["reflection"]
    memory = Memory(
        owner=owner, id=runtime.new_id("reflection", now), kind="reflection", content=text, created_at=now,
        updated_at=now, event_time=now, valid_from=now, tier=born.tier, source="job", topic="reflection",
        importance=born.importance, decay_rate=0.0, tags=(TAG,),
        attributes={"prompt": version, "facts": found.facts, "episodes": found.episodes},
    )  # fmt: skip
    return made_of(runtime, memory, sources)


def _cited(listed: Sequence[Memory], numbers: Sequence[int]) -> list[Memory]:
    return [listed[number - 1] for number in sorted(set(numbers)) if 1 <= number <= len(listed)]


def made_of(runtime: Runtime, memory: Memory, sources: Sequence[Memory]) -> Made:
    """Give what writes a memory that rests on others, which must be as they were read."""
    links = tuple(Connect(memory.id, one.id, "derived_from") for one in sources)
    embed = (Enqueue("embed", runtime.now()),) if runtime.model else ()
    expect = tuple(Version(one.id, one.version) for one in sources)
    return Made(memory.id, (index(runtime, memory), *links, *embed), expect, len(sources))
