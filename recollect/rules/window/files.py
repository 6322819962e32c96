"""The workspace as a folder: which files there are, what each shows, which paths are safe, and how much is read."""

from __future__ import annotations

from datetime import date
from typing import Literal

from recollect.model.values import bounded, dataclass
from recollect.text.patterns import pattern

AGENTS, SOUL, USER, MEMORY = "AGENTS.md", "SOUL.md", "USER.md", "MEMORY.md"
PROJECT, HEARTBEAT = "PROJECT.md", "HEARTBEAT.md"
LEARNINGS = {"learnings/errors.md": "error", "learnings/corrections.md": "correction", "learnings/wins.md": "win"}
"""The files of lessons, and the sort each holds."""
BLOCKS = {SOUL: "persona", USER: "human"}
"""The files that are core blocks, and their labels."""
TOOL_FOLDER = "memories/"
"""Where the files of the memory tool stand: each a document under its path."""
LOG_MARK = "<!-- recollect:log -->"
"""What parts the curated head of MEMORY.md from its log."""
DIGEST = "Digest"
"""The heading of the section of MEMORY.md that the job `curate` writes."""
SUFFIX = ".md"
LONGEST_PATH = 1000
_LOG = pattern(r"memory/(\d{4}-\d{2}-\d{2})\.md")
_ODD = pattern(r'[\x00-\x1f\x7f\\:*?"<>|]')
_PLAIN = pattern(r"(?i)(?:(?!(?:con|prn|aux|nul|com\d|lpt\d)[./])[a-z0-9][a-z0-9_-]*(?:/|\.md$))+")
"""Names as most files have them: of these nothing more has to be asked."""
_DEVICE = pattern(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")

View = Literal["sections", "block", "memory", "log", "lessons", "tool"]
"""What a file shows: documents, a core block, facts, a day, lessons, or one file of the memory tool."""

SCAFFOLDS: dict[str, str] = {
    AGENTS: "# Agents\n\nWho else works here, and what each of them is for.\n",
    SOUL: "# Soul\n\nWho the agent is, and how it behaves.\n",
    USER: "# User\n\nWho the user is, what he prefers, and how he works.\n",
    MEMORY: (
        "# Memory\n\nWhat is worth knowing for good: this part is yours.\n"
        "Facts stand below the mark, a line each: `- Ana prefers tea.` or `- **timezone**: PST`.\n"
    ),
    HEARTBEAT: "# Heartbeat\n\nWhat to look after when nobody asks.\n",
}
"""What a file holds while nobody has written into it: it is nobody's memory."""


@dataclass(frozen=True, slots=True)
class WorkspacePolicy:
    """How much of the workspace is read and shown."""

    file_characters: int = bounded(200_000, least=1000)
    """How much of one file is read; a longer one is searched so far, and never written."""
    section_characters: int = bounded(4000, least=200)
    """A section longer than this is kept in several parts."""
    log_characters: int = bounded(100_000, least=1000)
    """How much of the newest facts stands in MEMORY.md; the older ones are in the store."""
    agents_characters: int = bounded(8000, least=100)
    """How much of AGENTS.md stands in a context."""
    soul_characters: int = bounded(4000, least=100)
    """How much of SOUL.md."""
    user_characters: int = bounded(4000, least=100)
    """How much of USER.md."""
    memory_characters: int = bounded(16_000, least=100)
    """How much of MEMORY.md: its head, and the newest of its log."""
    total_characters: int = bounded(40_000, least=100)
    """How much of all of them."""
    curated_characters: int = bounded(4000, least=200)
    """How long the digest a model writes into the head of MEMORY.md may be; never longer than a section is."""
    curate_hours: float = bounded(6.0, least=0.1)
    """How many hours lie between two digests at least."""
    curate_characters: int = bounded(1500, least=1)
    """After how many characters of new facts it is written anew."""
    curate_shown: int = bounded(12_000, least=500)
    """How many characters of facts a model is shown for it, the weightiest and newest first."""
    curate_retry_minutes: float = bounded(30.0, least=1.0)
    """How long it waits after a failure."""
    quiet_seconds: float = bounded(0.1, most=60)
    """How long a file must be left alone before an edit by hand is read."""
    poll_seconds: float = bounded(1.0, least=0.05)
    """How often a watched folder is looked at."""
    batch_files: int = bounded(50, least=1, most=1000)
    """How many files are read in one commit."""


def view_of(path: str, *, adopted: bool = False, project: str = "") -> View:
    """Say what a file shows; in an adopted folder every file holds sections of its own.

    The files of the memory tool belong to no project, so they stand in the workspace of none.
    """
    if adopted:
        return "sections"
    if path.startswith(TOOL_FOLDER):
        return "sections" if project else "tool"
    if path in BLOCKS:
        return "block"
    if path == MEMORY:
        return "memory"
    if path in LEARNINGS:
        return "lessons"
    return "log" if day_of(path) else "sections"


def day_of(path: str) -> date | None:
    """Give the day a file of the daily log is about; None for any other file."""
    found = _LOG.fullmatch(path)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def log_path(day: date) -> str:
    """Give the file of a day."""
    return f"memory/{day.isoformat()}.md"


def unsafe(path: object) -> str:
    """Say why a path cannot name a file of a workspace; empty for one that can."""
    if not isinstance(path, str) or not path or len(path) > LONGEST_PATH:
        return "a path is a text of 1 to 1,000 characters"
    if path.endswith(SUFFIX) and _PLAIN.fullmatch(path):
        return ""
    if _ODD.search(path):
        return "it holds a character that file names cannot have everywhere"
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "it must be relative, without empty parts, . and .."
    if any(part.startswith((".", "~")) or part.endswith((".", " ", "~")) or _DEVICE.fullmatch(part) for part in parts):
        return "hidden files, copies of editors and devices are left alone"
    return "" if path.endswith(SUFFIX) else f"only {SUFFIX} files belong to a workspace"
