"""Who and what is mentioned together, laid out to be drawn; and a conversation with what was learnt from it."""

from __future__ import annotations

from recollect.model.memory import Memory
from recollect.model.values import dataclass


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


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, and the memories that were learnt from it."""

    number: int
    """Its place in the owner's memory; what comes later has a greater one."""
    message: Memory
    learnt: tuple[Memory, ...] = ()
