"""What a reader answers with: values every language shares."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Literal

from recollect.model.values import dataclass

Glance = Literal["answer", "command", ""]
"""What a message may be: a yes or no, something asked of the memory, or nothing of that."""
Answer = Literal["yes", "no"]
Feedback = Literal["correction", "praise", ""]
"""What a message says of an agent's work."""
Claim = Literal["memory", "saved", ""]
"""What an answer claims to have saved: something in memory, something somewhere, or nothing."""
Voice = Literal["first", "second", "pronoun", "open", ""]
"""How a text fails to stand on its own: in the first person, spoken to somebody, with a pronoun to begin with, or with
one that may mean either of two people."""


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
