"""What a reader answers with, and the policies that tune how it reads: values every language shares."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Literal

from recollect.model.candidate import Candidate
from recollect.model.values import dataclass

Glance = Literal["answer", "request", "retraction", "statement", ""]
"""What a message may be: a yes or no, a wish to have something kept, words taken back or put right, somebody's own
story, or nothing of that."""
Answer = Literal["yes", "no"]
Band = Literal["merge", "ask", "apart"]
RelationName = Literal["same", "changed", "distinct", "unsure"]
Overlap = Literal["differ", "more", "same"]
"""Two texts differ in what tells (a number, a name, a negation), or the second says more, or neither."""
Voice = Literal["first", "second", "pronoun", ""]
"""How a text fails to stand on its own: in the first person, spoken to somebody, or with a pronoun to begin with."""


@dataclass(frozen=True, slots=True)
class StatementsPolicy:
    """How much is taken down without a model."""

    per_turn: int = 5
    """How many statements one message may give."""
    per_session: int = 30
    """How many statements one page of a conversation may give."""
    longest_turn: int = 4000
    """Messages of more characters are taken for pasted text: only what is asked for at their beginning is read."""
    longest_clause: int = 220
    """Clauses of more characters are passed over."""


@dataclass(frozen=True, slots=True)
class BandPolicy:
    """From which similarity two memories are one, and from which somebody has to be asked."""

    merge: float = 0.85
    """At least so alike: merged without asking, unless a number or a negation differs."""
    ask: float = 0.60
    """At least so alike: asked about."""
    doubt: float = 0.30
    """At least so alike: asked about when they share a rare word or have a number that is equal or next to it."""
    rare_chars: int = 5
    """How long a shared word must be to count as rare."""


@dataclass(frozen=True, slots=True)
class Relation:
    """How a new statement stands to an old one."""

    name: RelationName
    reason: str


@dataclass(frozen=True, slots=True)
class Retraction:
    """What a message takes back or puts right of those before it by the same speaker."""

    gone: frozenset[tuple[str, str]] = frozenset()
    """Sentences that are taken back, each with its message."""
    told: frozenset[str] = frozenset()
    """What is taken back by name."""
    mended: tuple[tuple[tuple[str, str], Candidate], ...] = ()
    """Sentences that are put right, and what they say now."""


@dataclass(frozen=True, slots=True)
class Form:
    """What a question asks for."""

    now: bool = False
    """How things are, not how they were."""
    when: bool = False
    """A time."""
    number: bool = False
    """A number."""
    overview: bool = False
    """A summary of many things."""
    told: bool = False
    """What the assistant said."""
    how: bool = False
    """How something is done, which a procedure would tell."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A span of time that a text names."""

    start: datetime
    """When it begins, in UTC."""
    end: datetime
    """When it is over, in UTC: the first moment that no longer belongs to it."""
    text: str
    """The words that said it."""
    exact: bool
    """Whether its ends were said; those of `recently` or `around May` are a guess, and a wide one."""


@dataclass(frozen=True, slots=True, eq=False)
class Cues:
    """The words of a language by which names and dates are found in a text."""

    capitals: bool = True
    """Whether a capital tells a name; where every noun has one, it tells nothing."""
    common: frozenset[str] = frozenset()
    """Words too common to be a name."""
    others: frozenset[str] = frozenset()
    """Words written large that are no names: days, months, greetings."""
    never: frozenset[str] = frozenset()
    """All of these together."""
    particles: frozenset[str] = frozenset()
    """Small words inside a name: van, de."""
    verbs: frozenset[str] = frozenset()
    """What a person does: a name stands before it even where a sentence begins."""
    articles: tuple[str, ...] = ()
    """Words that may stand before a name and are no part of it."""
    months: Mapping[str, int] = field(default_factory=dict)
    """The names of the months, in small letters, with their numbers."""
    dates: tuple[tuple[re.Pattern[str], str], ...] = ()
    """How dates are written in words: patterns, and which group is the year, month and day, as in `dmy`."""
