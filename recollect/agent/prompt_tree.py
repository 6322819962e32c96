"""A system prompt as a tree of files: `.system_prompt` and, behind its `[SECTIONS]`, a file for each section it names.

A section is named `name: description` on a line of its own and stands in `.system_prompt_NAME` beside it; a file with
`[SECTIONS]` of its own has sections below it. What cannot be used is told as a warning, never left out in silence.
"""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from recollect.errors import InvalidInput, NotFound
from recollect.model.values import dataclass
from recollect.text.patterns import pattern

ROOT = ".system_prompt"
MARKER = "[SECTIONS]"
HEADING = "## "
_NAME = pattern(r"[\w-]{1,100}")
BUILT_IN = Path(__file__).parents[1] / "prompts" / "agent"
"""The trees that come with each role, to be used or copied."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its name, what it is for, its words, and the sections below it."""

    name: str
    description: str
    body: str
    inner: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptTree:
    """A system prompt as its files have it."""

    body: str
    sections: tuple[Section, ...] = ()
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """What in the files could not be used, and why."""

    def text(self) -> str:
        """Give the whole prompt: the main paragraph, then each section under a heading as deep as it stands."""
        return "\n\n".join([*([self.body] if self.body else []), *_told(self.sections, 0)])

    def section(self, name: str) -> str:
        """Give the words of one section, with those below it; empty where there is none."""
        found = _found(self.sections, name)
        return "" if found is None else "\n\n".join([found.body, *_told(found.inner, 1)]).strip()


def read_tree(folder: str | Path) -> PromptTree:
    """Read the tree of a folder; a folder without a root is an empty tree with a warning."""
    return _Reading(Path(folder)).whole()


def role_tree(role: str, folder: str = "") -> PromptTree:
    """Read the tree of a role: the folder that is set for it, or the one that comes with the role."""
    if folder and not Path(folder).is_dir():
        raise NotFound(f"there is no folder {folder} for the prompt of {role}: correct roles.{role}.prompt_folder")
    own = read_tree(folder) if folder else PromptTree("")
    if own.body or own.sections:
        return own
    built_in = read_tree(BUILT_IN / role)
    return PromptTree(built_in.body, built_in.sections, (*own.warnings, *built_in.warnings))


def write_section(folder: str | Path, name: str, body: str) -> Path:
    """Write the words of a section, or of the root with an empty name; the list of sections below it stays."""
    if name and not _NAME.fullmatch(name):
        raise InvalidInput(f"{name!r} is no name of a section: use letters, digits, - and _")
    path = Path(folder) / (f"{ROOT}_{name}" if name else ROOT)
    before = path.read_text("utf-8") if path.is_file() else ""
    lines = before.splitlines()
    at = next((number for number, line in enumerate(lines) if line.strip() == MARKER), None)
    head = [lines[0]] if name and lines and lines[0].startswith(HEADING) and not body.startswith(HEADING) else []
    kept = [] if at is None else ["", *lines[at:]]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*head, body.rstrip(), *kept]) + "\n", "utf-8")
    return path


class _Reading:
    """One walk through the files of a tree."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._warnings: list[str] = []
        self._known: set[str] = set()

    def whole(self) -> PromptTree:
        text = self._file(ROOT)
        body, entries = _parted(text or "")
        sections = tuple(self._sections(entries, ROOT, ()))
        return PromptTree(body, sections, tuple(self._warnings))

    def _sections(self, entries: list[str], file: str, above: tuple[str, ...]) -> list[Section]:
        found = []
        for entry in entries:
            name, colon, description = (part.strip() for part in entry.partition(":"))
            if not colon:
                self._warn(f"{file}: the section {entry!r} is left out: write it as `{entry}: what it is for`")
            elif not _NAME.fullmatch(name):
                self._warn(f"{file}: {name!r} is no name of a section: use letters, digits, - and _")
            else:
                found.append(self._section(name, description, above))
        return found

    def _section(self, name: str, description: str, above: tuple[str, ...]) -> Section:
        if name in above or name in self._known:
            problem = f"the section {name} stands {'inside itself' if name in above else 'twice'}"
            self._warn(f"{problem}: give one of the two another name")
            return Section(name, description, f"[{problem} and is not repeated here]")
        self._known.add(name)
        file = f"{ROOT}_{name}"
        text = self._file(file) or ""
        first, _, rest = text.partition("\n")
        body, entries = _parted(rest if first.startswith(HEADING) else text)
        return Section(name, description, body, tuple(self._sections(entries, file, (*above, name))))

    def _file(self, name: str) -> str | None:
        try:
            return (self._folder / name).read_text("utf-8").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
            self._warn(f"{name} cannot be read: {why}")
            return None

    def _warn(self, problem: str) -> None:
        if problem not in self._warnings:
            self._warnings.append(problem)


def _parted(text: str) -> tuple[str, list[str]]:
    """Part a file at its first marker: its own words, and the lines that name sections."""
    lines = text.split("\n")
    at = next((number for number, line in enumerate(lines) if line.strip() == MARKER), len(lines))
    return "\n".join(lines[:at]).strip("\n").rstrip(), [line.strip() for line in lines[at + 1 :] if line.strip()]


def _told(sections: tuple[Section, ...], depth: int) -> list[str]:
    told = []
    for one in sections:
        head = f"{'#' * (depth + 2)} {one.name}: {one.description}"
        told += [f"{head}\n{one.body}" if one.body else head, *_told(one.inner, depth + 1)]
    return told


def _found(sections: tuple[Section, ...], name: str) -> Section | None:
    for one in sections:
        found = one if one.name == name else _found(one.inner, name)
        if found is not None:
            return found
    return None
