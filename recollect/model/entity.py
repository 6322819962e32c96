"""Who and what the memories are about."""

from __future__ import annotations

from recollect.model.memory import Memory
from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Mention:
    """One name found in a text: where it stands, what it is, and how it is also written."""

    name: str
    type: str
    start: int
    end: int
    confidence: float = 1.0
    aliases: tuple[str, ...] = ()
    tentative: bool = False
    """Counts only when the owner already knows this name: it creates no entity by itself."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, project, place or thing the owner's memories mention."""

    id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    mentions: int
    summary: str = ""
    """What is known of it in a few sentences: the text of its portrait, where whoever looks may see that."""
    protected: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """An entity together with the memories that mention it, newest first."""

    entity: Entity
    memories: tuple[Memory, ...]
    alike: tuple[Entity, ...] = ()
    """People that may be the same one, by their names: nobody but the owner can tell."""


@dataclass(frozen=True, slots=True)
class Node:
    """An entity with its place in a drawing, in a square from -1 to 1."""

    id: str
    name: str
    type: str
    mentions: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Edge:
    """Two entities that memories mention together, and in how many."""

    first: str
    second: str
    together: int


@dataclass(frozen=True, slots=True)
class Graph:
    """Entities around chosen ones, or the most mentioned, and what joins them."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    hidden: int = 0
    """How many more there are around them, mentioned together less often."""
