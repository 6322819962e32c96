"""What a writer takes for granted: a write is refused when one of these no longer holds."""

from __future__ import annotations

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Absent:
    """No active memory of this kind, outside slots and not run out, has this content hash."""

    kind: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Version:
    """The memory exists and is still at this version."""

    id: str
    version: int


@dataclass(frozen=True, slots=True)
class Fresh:
    """No memory of this kind was created after this revision."""

    kind: str
    rev: int


@dataclass(frozen=True, slots=True)
class Still:
    """Nothing of the owner has changed since this revision."""

    rev: int


@dataclass(frozen=True, slots=True)
class Leased:
    """This worker still holds the job."""

    name: str
    key: str
    token: str


@dataclass(frozen=True, slots=True)
class Reached:
    """The session is there, and has been worked through exactly so far."""

    session: str
    upto: int


@dataclass(frozen=True, slots=True)
class Vacant:
    """The owner holds nothing yet."""


@dataclass(frozen=True, slots=True)
class Served:
    """The owner is still there, and this embedder's vectors serve it; empty while none do."""

    model: str


@dataclass(frozen=True, slots=True)
class Sighted:
    """The session's window holds exactly these messages; None where nobody chose."""

    session: str
    messages: tuple[str, ...] | None


Expectation = Absent | Version | Fresh | Still | Leased | Reached | Vacant | Served | Sighted
