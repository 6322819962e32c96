"""Edits of a block: what becomes of its text, or why not. A refusal carries what the editor needs to try again."""

from __future__ import annotations

import hashlib

from recollect.errors import InvalidInput
from recollect.model.block import Block
from recollect.model.values import bounded, dataclass
from recollect.text.patterns import pattern

NUMBERED = pattern(r"(?m)^[ \t]*\d+→")
"""A line number as viewers print it in front of a line: no part of the text."""
_HUNK = pattern(r"@@.*")
_HEAD = pattern(r"\*\*\* (Add|Delete|Update) Block: (\S+)\s*")
_MOVE = pattern(r"\*\*\* Move to: (\S+)\s*")
_LABEL = pattern(r"[^\W\d_][\w-]{0,99}")
_TAKEN = ("memory_blocks", "memory_metadata")


@dataclass(frozen=True, slots=True)
class BlocksPolicy:
    """What core blocks are like unless they say otherwise."""

    limit: int = bounded(20_000, least=1, most=1_000_000)
    """How many characters a block may hold."""
    persona: str = "I am a helpful assistant with a long-term memory of the people I work for."
    """What the block `persona` says until somebody writes it."""
    human: str = ""
    """What the block `human` says until somebody writes it."""


DESCRIPTIONS = {
    "persona": "Stores details about your current persona, guiding how you behave and respond.",
    "human": "Stores key details about the person you are conversing with.",
}


def label_problem(label: str) -> str:
    """Say why a text cannot be a label, which becomes the name of a tag; empty when it can."""
    if _LABEL.fullmatch(label) and label not in _TAKEN:
        return ""
    return f"{label[:120]!r} is no label: use a letter, then up to 99 letters, digits, _ or -, as in project_notes"


def fingerprint(value: str) -> str:
    """Name a value exactly, to bind an edit to it."""
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def defaults(policy: BlocksPolicy) -> list[Block]:
    """Give the blocks an owner has before anybody has written one."""
    values = {"persona": policy.persona, "human": policy.human}
    return [
        Block(label, value, DESCRIPTIONS[label], policy.limit, hash=fingerprint(value))
        for label, value in values.items()
    ]


def refused(block: Block, problem: str, advice: str) -> InvalidInput:
    """Say why an edit was not made, how the block stands, and what to do instead."""
    size = f"{len(block.value):,} of {block.limit:,} characters, version {block.version}, hash {block.hash}"
    return InvalidInput(f"block '{block.label}': {problem}. {advice}. It holds {size} and reads:\n{block.value}")


def replaced(block: Block, old: str, new: str, *, every: bool = False) -> str:
    """Put one text in the place of another, which must stand there exactly once unless all are meant."""
    if not old:
        raise refused(block, "the text to replace is empty", "Name the text to replace, or append or rethink instead")
    if NUMBERED.search(old) or NUMBERED.search(new):
        raise refused(block, "the text has line numbers in front", "Leave the numbers and arrows out")
    many = block.value.count(old)
    if not many:
        raise refused(block, f"{_short(old)} does not stand in it", "Copy the text to replace exactly as it stands")
    if many > 1 and not every:
        found = [str(at) for at, line in enumerate(block.value.split("\n"), 1) if old in line]
        where = f" (lines {', '.join(found[:20])})" if found else ""
        advice = "Give more of the text around it, or replace all of them with every=True"
        raise refused(block, f"{_short(old)} stands in it {many} times{where}", advice)
    return block.value.replace(old, new)


def appended(block: Block, text: str) -> str:
    """Add a text on a line of its own at the end."""
    return f"{block.value}\n{text}" if block.value else text


def inserted(block: Block, text: str, line: int = -1) -> str:
    """Put a text behind so many lines: 0 is the top, -1 the end."""
    lines = block.value.split("\n")
    if NUMBERED.search(text):
        raise refused(block, "the text has line numbers in front", "Leave the numbers and arrows out")
    if not -1 <= line <= len(lines):
        advice = f"Use a line from 0, the top, to {len(lines)}, or -1 for the end"
        raise refused(block, f"there is no line {line}", advice)
    at = len(lines) if line < 0 else line
    if not block.value:
        return text
    return "\n".join([*lines[:at], text, *lines[at:]])


def patched(block: Block, diff: str) -> str:
    """Apply the hunks of a unified diff; each must fit in exactly one place, whatever line it names."""
    value = block.value
    hunks = _hunks(diff)
    if not hunks:
        advice = "Write lines that begin with a blank to keep, - to take out, + to put in, hunks parted by @@"
        raise refused(block, "the patch changes nothing", advice)
    for number, (old, new) in enumerate(hunks, 1):
        value = _fitted(block, value, number, old, new)
    return value


def _fitted(block: Block, value: str, number: int, old: list[str], new: list[str]) -> str:
    lines = value.split("\n") if value else []
    if not old:
        return "\n".join([*lines, *new])
    places = [at for at in range(len(lines) - len(old) + 1) if lines[at : at + len(old)] == old]
    if len(places) != 1:
        problem = "does not fit anywhere" if not places else f"fits in {len(places)} places"
        advice = "Copy the lines around the change exactly" if not places else "Give more lines around the change"
        raise refused(block, f"hunk {number} of the patch {problem}", advice)
    return "\n".join([*lines[: places[0]], *new, *lines[places[0] + len(old) :]])


def _hunks(diff: str) -> list[tuple[list[str], list[str]]]:
    """Read a diff: of each hunk the lines it expects and the lines it leaves."""
    hunks: list[tuple[list[str], list[str]]] = []
    old: list[str] = []
    new: list[str] = []
    begun = False
    for line in [*diff.split("\n"), "@@"]:
        if line.startswith("\\") or (not begun and line.startswith(("--- ", "+++ "))):
            continue  # the names of files stand above the first hunk, and there only
        begun = begun or bool(line)
        if _HUNK.fullmatch(line):
            if old != new:
                hunks.append((old, new))
            old, new = [], []
        elif line[:1] in ("-", " "):
            old.append(line[1:])
        if line[:1] in ("+", " "):
            new.append(line[1:])
    return hunks


@dataclass(frozen=True, slots=True)
class Part:
    """What a patch over several blocks does to one of them."""

    verb: str
    """`Add`, `Delete` or `Update`."""
    label: str
    body: str = ""
    to: str = ""
    """The label it shall have afterwards; empty where it keeps its own."""


def parts(patch: str) -> list[Part]:
    """Read a patch over several blocks: `*** Add Block: x`, `*** Delete Block: x`, `*** Update Block: x`, each with
    its lines, and `*** Move to: y` below the last."""
    found: list[Part] = []
    for line in patch.strip("\n").split("\n"):
        head, move = _HEAD.fullmatch(line), _MOVE.fullmatch(line)
        if head:
            found.append(Part(head[1], head[2]))
        elif line.startswith("*** ") and not move:
            continue  # where a patch begins and ends
        elif not found:
            raise InvalidInput("the patch names no block: begin with a line such as *** Update Block: human")
        elif move:
            found[-1] = Part(found[-1].verb, found[-1].label, found[-1].body, move[1])
        else:
            found[-1] = Part(found[-1].verb, found[-1].label, f"{found[-1].body}{line}\n", found[-1].to)
    return found


def added(part: Part) -> str:
    """Give the value of a block that a patch adds: its lines, without the plus in front."""
    return "\n".join(line.removeprefix("+") for line in part.body.removesuffix("\n").split("\n"))


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")
