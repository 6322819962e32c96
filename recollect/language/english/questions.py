"""The form of a question: what it wants to know tells which memories can answer it. Only English has forms here."""

from __future__ import annotations

from recollect.language.values import Form
from recollect.text.patterns import pattern

LONGEST = 2000
_PAST = pattern(
    r"\b(?:did|was|were|had|ago|used to|before|originally|previous\w*|earlier|initially"
    r"|last (?:year|month|week)|happened)\b"
)
_NOW = pattern(r"\b(?:is|are|am|do|does|has|have|current\w*|now|latest|today|these days|still|what's|who's|where's)\b")
_WHEN = pattern(r"\b(?:when|what (?:date|day|month|year|time))\b")
_NUMBER = pattern(r"\bhow (?:many|much|long|often|old|far)\b")
_OVERVIEW = pattern(r"\b(?:summar\w+|overview|order in which|across|throughout|over time|progress\w*)\b")
_OVERALL = ("summar", "over", "order in", "across", "throughout", "progress")
_TOLD = pattern(
    r"\b(?:did you|have you|you(?: had| have|'ve|'d| just| also| previously| once)? (?:recommended|suggested|said"
    r"|mentioned|told|provided|gave|listed|described|explained|advised|proposed|wrote|shared|outlined|taught|came up)"
    r"|your (?:suggestions?|advice|recommendations?|answers?|explanations?|list|responses?|previous))\b"
)


_HOW = pattern(
    r"\bhow (?:do|can|should|would|did) (?:i|we|you)\b|\bhow(?: is| are)? to\b|\bsteps (?:to|for|of)\b|\bprocedures?\b"
    r"|\bwalk me through\b",
)


def form(query: str) -> Form:
    """Tell what a question asks for."""
    text = query[:LONGEST].lower().replace("’", "'")
    # A part of a word is looked for in no time, and mostly is not there.
    return Form(
        now=bool(_NOW.search(text)) and not _PAST.search(text),
        when=("when" in text or "what " in text) and bool(_WHEN.search(text)),
        number="how " in text and bool(_NUMBER.search(text)),
        overview=any(map(text.__contains__, _OVERALL)) and bool(_OVERVIEW.search(text)),
        told="you" in text and bool(_TOLD.search(text)),
        how=("how" in text or "steps " in text or "procedure" in text or "walk me" in text) and bool(_HOW.search(text)),
    )
