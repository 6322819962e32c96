"""What a text has most in common with, by exact terms alone."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.filter import Filter
from recollect.rules.find.words import Words
from recollect.store.base import Searching
from recollect.text.arrays import Ints
from recollect.text.terms import TermsPolicy


def best_matches(view: Searching, where: Filter, terms: Sequence[str], policy: TermsPolicy, limit: int) -> Ints:
    """Rank by exact terms alone: what a new text has most in common with."""
    return view.matched(where, Words({}, tuple(terms), policy)).best(limit)
