"""What leaves the database for the archive: the least that matters of an owner who has very much."""

from __future__ import annotations

from recollect.model.memory import Memory
from recollect.model.values import bounded, dataclass
from recollect.rules.life.lifecycle import FADING
from recollect.rules.life.salience import SaliencePolicy, guarded

CUT = "…"


@dataclass(frozen=True, slots=True)
class ArchivePolicy:
    """Where the texts of old memories go, and which; see [the archive](archive.md)."""

    url: str = ""
    """A folder, or a URL that fsspec knows, such as `s3://bucket/path`; empty keeps everything in the database."""
    beyond: int = bounded(5000)
    """How many memories of the long tier an owner may have before the least of them are moved out."""
    batch: int = bounded(500, 1, 10_000)
    """How many go into one file, and in one run."""
    kinds: tuple[str, ...] = ("fact", "event", "insight", "passage")
    """The kinds that go; the others are read by themselves and must be whole."""
    never_from: int = bounded(9, 1, 11)
    """From this importance on a memory never goes. What is protected does not go either."""
    messages_after_days: float = bounded(0.0)
    """After how many days raw messages that were worked through go as well; 0 keeps them."""
    line: int = bounded(120, 0, 10_000)
    """How many characters of each text stay in the database, to be found and shown by."""


def stays(memory: Memory, policy: ArchivePolicy, salience: SaliencePolicy) -> bool:
    """Tell whether a memory is never archived: it is protected, matters much, or fills a slot."""
    if memory.kind == "episode":
        return memory.pinned
    return (
        memory.pinned
        or bool(memory.key)
        or memory.source == "directive"
        or (memory.importance or 0) >= min(policy.never_from, salience.protected_importance)
        or (memory.decay_rate == 0 and memory.kind in FADING)
        or bool(guarded(memory, salience))
    )


def weight(memory: Memory) -> int:
    """Give what a memory weighs against its like: importance × (uses + 1)."""
    return (memory.importance or 0) * (memory.access_count + 1)


def is_cut(memory: Memory) -> bool:
    """Tell whether only a part of a memory's text is here: then it says nothing of what the rest is like."""
    return bool(memory.archive) and memory.content.endswith(CUT)


def index_line(text: str, most: int) -> str:
    """Give what of a text stays behind: all of a short one, of a longer one its beginning, cut between words."""
    if len(text) <= most:
        return text
    head = text[: max(0, most - len(CUT))]
    words = head.rsplit(None, 1)
    return (words[0] if len(words) == 2 and len(words[0]) >= most // 2 else head).rstrip() + CUT
