"""Filling a budget: lines by priority, until the first that does not fit; so more room never loses a line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from recollect.model.values import dataclass
from recollect.rules.window.profiles import CAUTION, CLOSE, OPEN, Profile, Section

Count = Callable[[str], int]
"""Says how many tokens a text takes."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a section, and the memory it shows, if it shows one."""

    text: str
    id: str = ""
    bare: bool = False
    """Whether it stands without the bullet of its section."""
    same: str = ""
    """Another memory that says the same: where that is shown, this line is not needed."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a section would show, the most important first, and how many tokens it may take; 0 for as many as fit."""

    lines: Sequence[Line] = ()
    cap: int = 0


@dataclass(frozen=True, slots=True)
class Filled:
    """What a section shows, and how many of its lines had no room."""

    name: str
    text: str
    ids: tuple[str, ...]
    left: tuple[str, ...]
    """The memories that were left out."""


@dataclass(frozen=True, slots=True)
class Page:
    """A whole context: its two parts, and what each section came to, in the order they stand."""

    stable: str
    volatile: str
    cut: bool
    """Whether blocks had to be cut."""
    sections: tuple[Filled, ...]


RESERVE = 600
"""How many tokens are kept for what is volatile before blocks get any."""


Stable = Callable[[int], tuple[str, bool]]
"""Gives what is stable inside so many tokens, and whether it had to be cut."""


def fill(profile: Profile, made: Mapping[str, Made], stable: Stable, budget: int, count: Count) -> Page:
    """Fill a budget: what is stable up to a reserve, then what is volatile, by priority."""
    held = min(budget, RESERVE) if profile.fenced else 0
    top, cut = stable(budget - held)
    # While blocks are cut, the rest keeps exactly its reserve: its room must not shrink when one more line fits above.
    room = held if cut else budget - (count(f"{top}\n\n") if top else 0)
    fence = [OPEN, CAUTION, CLOSE] if profile.fenced else []
    volatile = [one for one in profile.sections if not one.stable]
    rest = taken(volatile, made, room - sum(count(f"{line}\n") for line in fence), count)
    inner = "\n\n".join(rest[one.name].text for one in volatile if rest[one.name].text)
    whole = f"{OPEN}\n{CAUTION}\n{inner}\n{CLOSE}" if fence and inner else inner
    return Page(top, whole, cut, tuple(rest[one.name] for one in volatile))


def taken(sections: Sequence[Section], made: Mapping[str, Made], room: int, count: Count) -> dict[str, Filled]:
    """Take lines by priority until the first that does not fit; the rest is left out, whatever its size."""
    full = False
    known: set[str] = set()
    found: dict[str, Filled] = {}
    for section in sorted(sections, key=lambda one: one.priority):
        wanted = made.get(section.name, Made())
        lines: list[Line] = []
        used = count(f"\n\n{section.head}\n")
        fresh = [line for line in wanted.lines if not {line.id, line.same} & known]
        for line in fresh:
            cost = count(f"{_shown(section, line)}\n")
            if wanted.cap and used + cost > wanted.cap:
                break
            full = full or used + cost > room
            if full:
                break
            used += cost
            lines.append(line)
        room -= used if lines else 0
        found[section.name] = _filled(section, lines, fresh[len(lines) :])
        known |= set(found[section.name].ids)
    return found


def _shown(section: Section, line: Line) -> str:
    return line.text if line.bare else f"{section.bullet}{line.text}"


def _filled(section: Section, taken: Sequence[Line], left: Sequence[Line]) -> Filled:
    head = [section.head] if section.head else []
    text = "\n".join([*head, *(_shown(section, line) for line in taken)]) if taken else ""
    # Most are there for a memory; a line may be a heading or continue the one before.
    ids = tuple(dict.fromkeys(line.id for line in taken if line.id))
    out = tuple(dict.fromkeys(line.id or section.name for line in left if line.id not in ids or not line.id))
    return Filled(section.name, text, ids, out)
