"""What the gate decides, and how one memory takes the place of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime

from recollect.model.change import Change, Connect, Patch, Put
from recollect.model.expectation import Expectation, Version
from recollect.model.kinds import EXPLICIT, KINDS
from recollect.model.memory import Memory
from recollect.model.receipt import Receipt
from recollect.model.values import dataclass
from recollect.rules.life.salience import SaliencePolicy, protected

KNOWN = "already known, no action is needed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate decided: the receipt, and what has to be written for it to come true."""

    receipt: Receipt
    changes: tuple[Change, ...] = ()
    expect: tuple[Expectation, ...] = ()
    put: Put | None = None


@dataclass(slots=True)
class Batch:
    """What the same batch has admitted so far, and how it leaves the memories it has touched."""

    puts: list[Put] = field(default_factory=list)
    now: dict[str, Memory] = field(default_factory=dict)

    def add(self, verdict: Verdict) -> None:
        """Take a verdict in, so that the next one sees what it does."""
        if verdict.put is not None:
            self.puts.append(verdict.put)
        for change in verdict.changes:
            if isinstance(change, Put):
                self.now[change.memory.id] = change.memory
            elif isinstance(change, Patch) and change.id in self.now:
                self.now[change.id] = replace(self.now[change.id], **change.values)

    def see(self, memory: Memory) -> Memory:
        """Give a memory as this batch leaves it, and keep it in sight."""
        return self.now.setdefault(memory.id, memory)

    def made(self, memory_id: str) -> bool:
        """Tell whether a memory comes with this batch: nobody can have changed it meanwhile."""
        return any(put.memory.id == memory_id for put in self.puts)

    def unchanged(self, memories: Sequence[Memory]) -> tuple[Version, ...]:
        """Expect those that were there before to be what they were."""
        return tuple(Version(one.id, one.version) for one in memories if not self.made(one.id))


def known(memory_id: str) -> Verdict:
    """Say that a memory says so already."""
    return Verdict(Receipt(outcome="duplicate", op="none", id=memory_id, other=memory_id, reason=KNOWN))


def retire(old: Memory, by: str, at: datetime) -> Patch:
    """Let an old memory give up its place: it keeps its row, its words and the time it was true."""
    end = max(old.valid_from, at)
    until = end if old.valid_until is None else min(end, old.valid_until)
    return Patch(old.id, {"state": "superseded", "valid_until": until}, "superseded", {"by": by})


def supersede(olds: Sequence[Memory], put: Put) -> tuple[Change, ...]:
    """Let a new memory take the place of old ones; the old go first, since a slot holds only one."""
    new = put.memory
    links = (Connect(new.id, old.id, "supersedes") for old in olds)
    return (*(retire(old, new.id, new.valid_from) for old in olds), put, *links)


def since(memory: Memory, olds: Sequence[Memory]) -> Memory:
    """Let a memory told late be true from now on, not before the old value was."""
    late = any(memory.valid_from <= old.valid_from for old in olds)
    return replace(memory, valid_from=memory.created_at) if late else memory


def own_word(memory: Memory) -> bool:
    """Tell whether a memory is the owner's own word: asked for, or said by himself in a conversation."""
    said = memory.source == "session" and memory.trust >= 1.0 and "turn" in memory.attributes
    return said or memory.source in EXPLICIT


def confirmed(memory: Memory) -> bool:
    """Tell whether somebody made a memory certain or pinned it: nobody but the owner takes it back."""
    return memory.pinned or (memory.decay_rate == 0 and KINDS[memory.kind].decay > 0)


def held(memory: Memory, own: bool, policy: SaliencePolicy) -> bool:
    """Tell whether a memory may not be demoted without asking: what is protected gives way to the owner's own words,
    what was confirmed not even to them. What was only overheard gives way to what is overheard later."""
    return confirmed(memory) or (not own and memory.source != "session" and protected(memory, policy))
