"""A judge for tests: it keeps what begins like somebody's own story, and has no opinion of its own on anything else."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.providers.judges import Judge, Kept, Sentence, Verdict

TELLING = ("i ", "i'm ", "i've ", "my ", "we ", "our ")


class PlainJudge(Judge):
    """Says the same of the same sentence at once, without a model; `relations` are what it says of pairs."""

    name = "plain"

    def __init__(self, relations: dict[tuple[str, str], str] | None = None) -> None:
        self.relations = relations or {}

    def keep(self, sentences: Sequence[Sentence]) -> list[Kept]:
        """Keep what somebody says of himself and does not ask."""
        return [_kept(one.text) for one in sentences]

    def relation(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Say of pairs what was told beforehand, and of others that they are alike."""
        return [Verdict(self.relations.get(pair, "resembles"), 0.9) for pair in pairs]

    def supports(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """Have no clear opinion on any claim."""
        return [Verdict("notsaid", 0.3) for _ in pairs]

    def close(self) -> None:
        """Have nothing to let go of."""


def _kept(text: str) -> Kept:
    low = text.casefold().replace("’", "'")
    if not low.startswith(TELLING) or low.endswith("?") or "not sure" in low:
        return Kept("chat", 0.1, False)
    return Kept("health" if "allergic" in low else "home" if "live" in low else "possession", 0.9, True)
