"""Words for models: one Markdown file per question, with its version, role, limits and schema in its head."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from recollect.errors import ConfigError, InvalidInput
from recollect.model.asking import ROLES, Question
from recollect.model.proposals import (
    Consolidated,
    Distilled,
    Graded,
    Inferred,
    Judged,
    Portrayed,
    Ranked,
    Regrouped,
    Resumed,
    Reworded,
    Things,
    Thought,
)
from recollect.model.values import dataclass
from recollect.prompts.quoting import quoted

__all__ = ["Prompt", "check", "load", "names"]

SCHEMAS: dict[str, type[Any]] = {
    shape.__name__: shape
    for shape in (
        Consolidated, Distilled, Graded, Inferred, Judged, Portrayed, Ranked, Regrouped, Resumed, Reworded, Things,
        Thought,
    )
}  # fmt: skip
"""The shapes an answer can have, by the name a prompt's head gives them."""

_FOLDER = Path(__file__).parent
_HEAD = re.compile(r"---\n(.*?)\n---\n+(.*)", re.DOTALL)
_FIELDS = ("name", "version", "role", "schema", "max_items", "max_tokens", "data")
_OPTIONAL = ("temperature",)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question as its file has it."""

    name: str
    version: str
    role: str
    schema: type[Any]
    instructions: str
    data: tuple[str, ...]
    """The names of the texts it is asked about, in the order they are shown."""
    max_items: int = 0
    max_tokens: int = 0
    temperature: float | None = None

    @property
    def guard(self) -> str:
        """The first paragraph, which keeps quoted text from being taken for instructions; it is never changed."""
        return self.instructions.partition("\n\n")[0]

    @property
    def wording(self) -> str:
        """What is behind the first paragraph: the part that may be worded otherwise."""
        return self.instructions.partition("\n\n")[2]

    def reworded(self, wording: str, version: str) -> Prompt:
        """Give the same question in other words, behind the same first paragraph."""
        return replace(self, instructions=f"{self.guard}\n\n{wording.strip()}", version=version)

    def text(self) -> str:
        """Give the prompt as its file has it."""
        schema = next(name for name, one in SCHEMAS.items() if one is self.schema)
        head = {"name": self.name, "version": self.version, "role": self.role, "schema": schema}
        head |= {"max_items": str(self.max_items), "max_tokens": str(self.max_tokens), "data": ", ".join(self.data)}
        head |= {} if self.temperature is None else {"temperature": f"{self.temperature:g}"}
        lines = "\n".join(f"{name}: {value}" for name, value in head.items())
        return f"---\n{lines}\n---\n{self.instructions}\n"

    def question(self, **data: str) -> Question:
        """Make the question about these texts, each quoted as data under its name; an empty one is left out."""
        unknown = sorted(set(data) ^ set(self.data))
        if unknown:
            raise InvalidInput(f"the prompt {self.name} is about {', '.join(self.data)}: look at {', '.join(unknown)}")
        shown = [quoted(name, data[name]) for name in self.data if data[name].strip()]
        return Question(
            role=self.role,
            instructions=self.instructions,
            data="\n".join(shown),
            schema=self.schema,
            name=self.name,
            version=f"{self.name}@{self.version}",
            max_items=self.max_items,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
        )


def names() -> list[str]:
    """Give the names of the prompts there are."""
    return sorted(file.stem for file in _FOLDER.glob("*.md"))


def load(name: str, folder: str = "") -> Prompt:
    """Read a prompt by its name: the one in a folder of the user's own, where it has one, else ours."""
    ours = _ours(name)
    own = Path(folder).expanduser() / f"{name}.md" if folder else None
    return _own(own, ours) if own is not None and own.is_file() else ours


@cache
def _ours(name: str) -> Prompt:
    if name not in names():
        raise InvalidInput(f"there is no prompt {name!r}: there are {', '.join(names())}")
    return parse((_FOLDER / f"{name}.md").read_text("utf-8"))


def _own(path: Path, ours: Prompt) -> Prompt:
    """Read a prompt of the user's own, which must ask for the same as ours and guard what it quotes as ours does."""
    try:
        found = parse(path.read_text("utf-8"))
    except (InvalidInput, OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be used as a prompt: {error}") from error
    for what in ("name", "schema", "data", "guard"):
        if getattr(found, what) != getattr(ours, what):
            part = "first paragraph" if what == "guard" else what
            raise ConfigError(f"{path} cannot be used as a prompt: its {part} must be that of the prompt it replaces")
    return found


def check(folder: str) -> None:
    """Refuse a folder of prompts that is not there, or holds one that cannot be used."""
    if folder and not Path(folder).expanduser().is_dir():
        raise ConfigError(f"models.prompts is {folder}, which is no folder: make it, or leave it out")
    for name in names() if folder else ():
        load(name, folder)


def parse(text: str) -> Prompt:
    """Read a prompt from the text of its file, or say what is wrong with it."""
    match = _HEAD.fullmatch(text.replace("\r\n", "\n").strip() + "\n")
    if match is None:
        raise InvalidInput("a prompt begins with a head between two lines of ---, and goes on with its words")
    head = dict(_field(line) for line in match[1].splitlines() if line.strip())
    odd = sorted((set(head) - set(_OPTIONAL)) ^ set(_FIELDS))
    if odd:
        raise InvalidInput(f"the head of a prompt has {', '.join(_FIELDS)}: look at {', '.join(odd)}")
    if head["role"] not in ROLES or head["schema"] not in SCHEMAS:
        raise InvalidInput(f"the role {head['role']!r} or the schema {head['schema']!r} is unknown")
    if not (head["max_items"].isdecimal() and head["max_tokens"].isdecimal()):
        raise InvalidInput("max_items and max_tokens must be whole numbers, 0 for no limit")
    return Prompt(
        name=head["name"],
        version=head["version"],
        role=head["role"],
        schema=SCHEMAS[head["schema"]],
        instructions=match[2].strip(),
        data=tuple(part.strip() for part in head["data"].split(",")),
        max_items=int(head["max_items"]),
        max_tokens=int(head["max_tokens"]),
        temperature=float(head["temperature"]) if "temperature" in head else None,
    )


def _field(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon:
        raise InvalidInput(f"the line {line!r} in the head of a prompt is no `name: value`")
    return name.strip(), value.strip()
