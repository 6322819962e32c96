"""Editing somebody else's settings: only our own entry, with a look before and a copy of what was there."""

from __future__ import annotations

import difflib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from recollect.errors import Conflict, InvalidInput, Unavailable
from recollect.model.values import dataclass
from recollect.serve.install import comments

BEGIN, END = "# recollect: begin", "# recollect: end"
SECTIONS = frozenset({"mcpServers", "servers", "mcp", "hooks"})
"""Where our entries stand in the settings of clients."""


class Commented(InvalidInput):
    """Settings have comments, which cannot be kept."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A file as it is, and as it would be."""

    path: Path
    before: str
    after: str
    gone: bool = False
    """Whether the file goes: nothing is left in it, and it was not there before us."""
    by_hand: str = ""
    """What somebody has to do himself, as the file cannot be edited safely; it is left as it is."""

    @classmethod
    def of(cls, path: Path, change: Callable[[str], str]) -> Edit:
        """Give what a change would make of a file; one that is not there is empty."""
        try:
            text = _read(path) if path.exists() else ""
            try:
                return cls(path, text, change(text))
            except Commented:
                plain = comments.without(text)
                after = change(plain)
                todo = "" if json.loads(after) == json.loads(plain) else comments.to_do(str(path), plain, after)
                return cls(path, text, text, by_hand=todo)
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{path} is not UTF-8: look at it, then try again") from error
        except OSError as error:
            raise Unavailable(f"{path} cannot be read: {error.strerror}") from error
        except InvalidInput as error:
            raise InvalidInput(f"{path}: {error}") from error

    @classmethod
    def away(cls, path: Path, change: Callable[[str], str]) -> Edit:
        """Give what taking us out of a file makes of it: what it was before us, to the letter, or no file at all."""
        made = cls.of(path, change)
        if not made.changes:  # also where a hand has to do it
            return made
        for kept in reversed(_copies(path)):
            with suppress(InvalidInput, Unavailable):  # a copy nobody can read says nothing
                before = cls.of(kept, change)
                if not before.changes and not before.by_hand and _same(before.before, made.after):
                    return cls(path, made.before, before.before)
        return cls(path, made.before, "", gone=True) if _same(made.after, "") else made

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after

    def shown(self) -> str:
        """Give the difference, for people to read before they agree."""
        lines = difflib.unified_diff(
            self.before.splitlines(), self.after.splitlines(), str(self.path), str(self.path), lineterm="", n=2
        )
        return "\n".join(lines)

    def write(self) -> Path | None:
        """Write the file whole or not at all, or take it away, and give the copy that was kept of what was there."""
        kept = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists():
                if _read(self.path) != self.before:
                    raise Conflict(f"{self.path} was changed meanwhile: try again")
                kept = next(one for number in count(1) if not (one := _copy(self.path, number)).exists())
                shutil.copy2(self.path, kept)
                if self.gone:
                    self.path.resolve().unlink()
                    return kept
            _replace(self.path.resolve(), self.after)
        except OSError as error:
            raise Unavailable(f"{self.path} cannot be written: {error.strerror}") from error
        return kept


def _read(path: Path) -> str:
    """Read a text with the ends of its lines as they are."""
    return path.read_bytes().decode("utf-8")


def _replace(target: Path, text: str) -> None:
    """Put a text in the place of a file at once, with the rights the file had."""
    number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, name)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _ends(text: str) -> str:
    """Give how the lines of a text end."""
    return "\r\n" if "\r\n" in text else "\n"


def _copy(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.before-recollect-{number}")


def _copies(path: Path) -> list[Path]:
    """Give the copies that were kept of a file, the oldest first."""
    return list(takewhile(Path.exists, (_copy(path, number) for number in count(1))))


def _same(one: str, other: str) -> bool:
    """Tell whether two texts hold the same settings, however they are laid out; an empty section of ours is none."""
    if one.strip() == other.strip():
        return True
    try:
        first, second = (loaded(text).items() for text in (one, other))
        return _filled(first) == _filled(second)
    except InvalidInput:  # not JSON: then only the text itself tells
        return False


def _filled(settings: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in settings if value != {} or name not in SECTIONS}


def loaded(text: str) -> dict[str, Any]:
    """Read settings in JSON; what else there is, such as comments, cannot be kept and is refused."""
    if not text.strip():
        return {}
    try:
        made = json.loads(text)
    except ValueError as error:
        if _is_json(comments.without(text)):
            raise Commented("it has comments or commas that JSON has not, which cannot be kept") from error
        raise InvalidInput(f"it is no JSON ({error}): mend it, then try again") from error
    if not isinstance(made, dict):
        raise InvalidInput("it holds no settings: look at it, then try again")
    return made


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def dumped(made: dict[str, Any], before: str) -> str:
    """Write settings in the manner they had: the same indentation, and the same end."""
    indent = next((len(line) - len(line.lstrip(" ")) for line in before.splitlines() if line.startswith(" ")), 2)
    tabs = any(line.startswith("\t") for line in before.splitlines())
    text = json.dumps(made, indent="\t" if tabs else indent, ensure_ascii=False)
    whole = text if before and not before.endswith("\n") else f"{text}\n"
    return whole.replace("\n", _ends(before))


def within(made: dict[str, Any], name: str) -> dict[str, Any]:
    """Give a section of settings, made if it is not there."""
    inner = made.setdefault(name, {})
    if not isinstance(inner, dict):
        raise InvalidInput(f"{name} is no section: look at the file, then try again")
    return inner


def put(text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    """Put our entry into JSON settings, or renew it; one of that name that somebody else wrote is left alone."""
    made = loaded(text)
    section = within(made, path[0])
    known = section.get(path[1])
    if known == value:
        return text
    if known is not None and not _as_we_write(known, value):
        raise Conflict(
            f"{path[0]} has an entry {path[1]!r} that somebody else has written: keep it, or take it out by hand"
        )
    section[path[1]] = value
    return dumped(made, text)


def _as_we_write(known: object, value: dict[str, Any]) -> bool:
    """Tell whether an entry is one of ours, perhaps for another user or database: only its command's words differ."""
    if not isinstance(known, dict) or known.keys() != value.keys():
        return False
    same = all(known[name] == value[name] for name in value if name not in ("command", "args"))
    words = [known["command"], *known["args"]] if "args" in value else known["command"]
    return same and isinstance(words, list) and all(isinstance(one, str) for one in words) and _is_ours(words)


def _is_ours(words: list[str]) -> bool:
    return len(words) > 1 and Path(words[0]).stem == "recollect" and words[1] == "mcp"


def _runs_us(known: object) -> bool:
    """Tell whether an entry starts our program, whatever a hand has added to it."""
    if not isinstance(known, dict):
        return False
    command, args = known.get("command"), known.get("args", [])
    words = [*(command if isinstance(command, list) else [command]), *(args if isinstance(args, list) else [])]
    return all(isinstance(one, str) for one in words) and _is_ours(words)


def take(text: str, path: tuple[str, str]) -> str:
    """Take our entry out of JSON settings; a section that only held it goes too. One that somebody else wrote stays."""
    made = loaded(text)
    section = made.get(path[0])
    if not isinstance(section, dict) or not _runs_us(section.get(path[1])):
        return text
    del section[path[1]]
    if not section:
        del made[path[0]]
    return dumped(made, text)


def put_block(text: str, head: str, body: str) -> str:
    """Put our block at the end of a text, between two marks; everything else stays to the letter."""
    end = _ends(text)
    block = "\n".join((BEGIN, head, body, END)).replace("\n", end)
    if block in text:
        return text
    start, stop = text.find(BEGIN), text.find(END)
    if -1 < start < stop:  # ours, for another user or database
        return f"{text[:start]}{block}{text[stop + len(END) :]}"
    if head in text:
        raise Conflict(f"there is a section {head} that somebody else has written: keep it, or take it out by hand")
    return f"{text}{'' if not text or text.endswith(end) else end}{end if text else ''}{block}{end}"


def take_block(text: str) -> str:
    """Take our block out of a text, and the line that set it apart."""
    start, end = text.find(BEGIN), text.find(END)
    if start == -1 or end < start:
        return text
    line = _ends(text)
    before, after = text[:start], text[end + len(END) :].removeprefix(line)
    return (before.removesuffix(line) if before.endswith(line * 2) else before) + after
