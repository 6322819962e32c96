"""Matters: one plain fact about somebody with the ways it is said, denied, left open and got wrong.

Each line of train/matters holds interchangeable phrases, so that one matter gives hundreds of pairs that differ in what
counts and in little else: whether it was said at all, of whom, with which value, and whether it was denied. In some the
fact is said outright (`said`), in others only in answer to somebody (`asks`, `answers`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from train.conversations import VERDICTS, rows
from train.texts import BEFORE_QUOTE, Judged, names

MATTERS = Path(__file__).parent / "matters"
NOBODY = "The user"
"""What claims call a speaker whose name is not known."""
SHARES = {"supported": 0.4, "contradicted": 0.22, "notsaid": 0.26, "otherperson": 0.12}
"""How often each verdict is drawn."""
LED, MIXED, NAMELESS, JOINED = 0.4, 0.3, 0.2, 0.15
"""How often something stands before a quote, how often other matters stand in it, how often its speaker has no name,
and how often a claim tells of two matters at once."""


@dataclass(frozen=True, slots=True)
class Matter:
    """One line: phrases by what they are for, and the values that may stand in them."""

    values: tuple[str, ...]
    phrases: dict[str, tuple[str, ...]]
    language: str


def matters(folder: Path = MATTERS) -> list[Matter]:
    """Read every matter."""
    found = []
    for _, row in rows(folder):
        phrases = {name: tuple(some) for name, some in row.items() if name not in ("values", "lang")}
        found.append(Matter(tuple(row["values"]), phrases, row.get("lang", "en")))
    return found


class Cast:
    """Who and what stand in the phrases of one pair."""

    def __init__(self, matter: Matter, chance: random.Random) -> None:
        self.matter, self.chance = matter, chance
        self.speaker, self.person, self.stranger = chance.sample(names(), 3)
        if matter.language == "en" and chance.random() < NAMELESS:
            self.speaker = NOBODY
        self.value, self.other = chance.sample(matter.values, 2) if matter.values else ("", "")

    def one(self, kind: str, *, needs: str = "") -> str:
        """Give a phrase of a kind, as it is written; where it must hold a placeholder, one that does."""
        some = [text for text in self.matter.phrases[kind] if needs in text]
        return self.chance.choice(some) if some else ""

    def put(self, text: str, *, of: str = "", value: str = "") -> str:
        """Give a phrase with names and value in their places, told `of` the speaker unless of somebody else."""
        who = of or self.speaker
        text = text.replace("{x}", value or self.value).replace("{P}", self.person)
        return text.replace("{S}", who) if text.startswith("{S}") else text.replace("{S}", _inside(who))


def _inside(who: str) -> str:
    return who[0].lower() + who[1:] if who == NOBODY else who


Drawn = tuple[str, str]
"""What was said, with what leads up to it, and the claim."""


def supports(all_of: Sequence[Matter], many: int, chance: random.Random) -> list[Judged]:
    """Draw pairs of what was said and a claim, so many from each matter."""
    found = []
    for matter in all_of:
        for _ in range(many):
            verdict = chance.choices(list(SHARES), list(SHARES.values()))[0]
            cast = Cast(matter, chance)
            drawn = chance.choice((_ANSWERING if "asks" in matter.phrases else _WAYS)[verdict])(cast)
            if drawn and chance.random() < JOINED and verdict != "otherperson":
                drawn = _joined(drawn, cast, all_of)
            if drawn:
                said, claim = _among(drawn[0], cast, all_of), drawn[1]
                found.append(Judged(f"check: {said}", claim, VERDICTS.index(verdict)))
    return found


def _joined(drawn: Drawn, cast: Cast, all_of: Sequence[Matter]) -> Drawn | None:
    """Join what was drawn with another matter that is said as well, in quote and claim."""
    other = Cast(_another(all_of, cast), cast.chance)
    other.speaker = cast.speaker
    more, claim = other.put(other.one("said")), other.put(other.one("claim"))
    first, second = (drawn[1], claim) if cast.chance.random() < 0.5 else (claim, drawn[1])
    head, mark, quote = drawn[0].rpartition(f"{cast.speaker}: ")
    return (
        f"{head}{mark}{quote} {more}",
        f"{first.rstrip('.')}, and {_inside(second) if second.startswith(NOBODY) else second}",
    )


def _another(all_of: Sequence[Matter], cast: Cast) -> Matter:
    """Choose another matter that is said outright, of the same language where there is one."""
    said = [one for one in all_of if "said" in one.phrases and one is not cast.matter]
    return cast.chance.choice([one for one in said if one.language == cast.matter.language] or said)


def _among(said: str, cast: Cast, all_of: Sequence[Matter]) -> str:
    """Put a quote among what else is said: before it by others or its speaker, or in the same breath."""
    chance = cast.chance
    if "Assistant: " not in said and chance.random() < LED:
        asks = _elsewhere(all_of, cast, "asked" if chance.random() < 0.5 else "said")
        by = "Assistant" if chance.random() < 0.6 else cast.stranger
        said = f"{by}: {asks[-BEFORE_QUOTE:]} / {said}"
    if chance.random() < MIXED:
        more = _elsewhere(all_of, cast, "said")
        head, mark, quote = said.rpartition(f"{cast.speaker}: ")
        if chance.random() < 0.4:
            return f"{head}{more[-BEFORE_QUOTE:]} / {mark}{quote}"
        return head + mark + (f"{more} {quote}" if chance.random() < 0.5 else f"{quote} {more}")
    return said


def _elsewhere(all_of: Sequence[Matter], cast: Cast, kind: str) -> str:
    """Give what is said of another matter in the same language."""
    other = Cast(_another(all_of, cast), cast.chance)
    return other.put(other.one(kind))


def _said(cast: Cast, kind: str, *, needs: str = "", value: str = "") -> str:
    text = cast.one(kind, needs=needs)
    return f"{cast.speaker}: {cast.put(text, value=value)}" if text else ""


def _both(said: str, claim: str) -> Drawn | None:
    return (said, claim) if said and claim else None


def _pair(kind: str, claim: str) -> Callable[[Cast], Drawn | None]:
    return lambda cast: _both(_said(cast, kind), cast.put(cast.one(claim)))


def _another_value(cast: Cast) -> Drawn | None:
    if not cast.other:
        return None
    return _both(_said(cast, "said", needs="{x}"), cast.put(cast.one("claim", needs="{x}"), value=cast.other))


def _of_the_other(cast: Cast) -> Drawn | None:
    """A claim about somebody else, whose matter it is."""
    held = "{x}" if cast.matter.values else ""
    return _both(_said(cast, "theirs", needs=held), cast.put(cast.one("claim"), of=cast.person))


def _swapped(cast: Cast) -> Drawn | None:
    return _both(_said(cast, "said", needs="{P}"), cast.put(cast.one("swapped")))


def _stranger(cast: Cast) -> Drawn | None:
    return _both(_said(cast, "said"), cast.put(cast.one("claim"), of=cast.stranger))


def _answered(kind: str) -> Callable[[Cast], Drawn | None]:
    """What an assistant takes for granted, and what the speaker answers."""

    def drawn(cast: Cast) -> Drawn | None:
        asked = cast.one("asked", needs="{x}" if cast.matter.values else "")
        answer = cast.put(cast.one(kind))
        said = f"Assistant: {cast.put(asked)} / {cast.speaker}: {answer}" if asked else ""
        return _both(said, cast.put(cast.one("claim")))

    return drawn


def _replied(kind: str, claim: str = "claim", *, other: bool = False) -> Callable[[Cast], Drawn | None]:
    """What somebody asks, and what the speaker replies; the claim may be about the other one."""

    def drawn(cast: Cast) -> Drawn | None:
        held = "{x}" if cast.matter.values and kind in ("answers", "turned") else ""
        reply = cast.one(kind, needs=held)
        by = "Assistant" if cast.chance.random() < 0.5 else cast.stranger
        said = f"{by}: {cast.put(cast.one('asks'))} / {cast.speaker}: {cast.put(reply)}" if reply else ""
        return _both(said, cast.put(cast.one(claim), of=cast.person if other else ""))

    return drawn


def _replied_by_another(cast: Cast) -> Drawn | None:
    """A claim about the one who asked."""
    said = f"{cast.stranger}: {cast.put(cast.one('asks'))} / {cast.speaker}: {cast.put(cast.one('answers'))}"
    return _both(said, cast.put(cast.one("claim"), of=cast.stranger))


def _replied_otherwise(cast: Cast) -> Drawn | None:
    """A claim with another value."""
    if not cast.other:
        return None
    drawn = _replied("answers")(cast)
    return drawn and (drawn[0], cast.put(cast.one("claim", needs="{x}"), value=cast.other))


_WAYS: dict[str, tuple[Callable[[Cast], Drawn | None], ...]] = {
    "supported": (*[_pair("said", "claim")] * 7, _answered("yes"), *[_of_the_other] * 2),
    "contradicted": (
        *[_pair("said", "opposite")] * 5, *[_pair("denied", "claim")] * 3, _another_value, _answered("no"),
    ),
    "notsaid": (
        *[_pair("said", "beyond")] * 5,
        *[_pair("open", "claim")] * 3, _pair("open", "opposite"), _answered("shrug"),
    ),
    "otherperson": (*[_pair("theirs", "claim")] * 3, *[_swapped] * 2, _stranger),
}  # fmt: skip
_ANSWERING: dict[str, tuple[Callable[[Cast], Drawn | None], ...]] = {
    "supported": (*[_replied("answers")] * 5, _replied("turned", other=True)),
    "contradicted": (
        *[_replied("answers", "opposite")] * 3, *[_replied("nay")] * 3, _replied_otherwise,
    ),
    "notsaid": (*[_replied("answers", "beyond")] * 3, *[_replied("dodge")] * 2),
    "otherperson": (*[_replied("turned")] * 2, _replied_by_another),
}  # fmt: skip
