"""Nobody: reads no language, and says so by the safe answer to every question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import UTC, datetime, tzinfo
from functools import cache

from recollect.errors import InvalidInput
from recollect.language.values import (
    Band,
    BandPolicy,
    Cues,
    Form,
    Glance,
    Moment,
    Overlap,
    Relation,
    Retraction,
    StatementsPolicy,
    Voice,
)
from recollect.model.candidate import Candidate
from recollect.model.entity import Mention
from recollect.model.memory import Memory
from recollect.model.turn import Turn
from recollect.text.marks import marked
from recollect.text.normal import content_hash
from recollect.text.patterns import pattern
from recollect.text.stopwords import stop_words

UNCHECKED = "nobody here can check it against what was said"
_UNREAD = Relation("unsure", "cannot be read")
_END = pattern(r"[.!?…。！？]+(?:\s+|$)")
_NO_FORM = Form()
_NO_RETRACTION = Retraction()
_NO_SIGN = frozenset(("german",))
"""Languages in which every noun has a capital: there, a capital tells nothing."""


class Repeats:
    """Texts that came out of memory or tools: what is the same line to the letter, but for case and signs, repeats."""

    def __init__(self, texts: Iterable[str], memories: Iterable[Memory] = ()) -> None:
        kept = tuple(memories)
        self._memories = {(one.kind, bool(one.key), content_hash(one.content)) for one in kept}
        whole = (*texts, *(one.content for one in kept))
        self._known = {content_hash(line) for text in whole for line in (text, *text.splitlines()) if line.strip()}

    def has(self, kind: str, key: str, text: str) -> bool:
        """Tell whether a text is a memory of this kind to the letter."""
        digest = content_hash(text)
        return (kind, False, digest) in self._memories or (bool(key) and (kind, True, digest) in self._memories)

    def repeats(self, text: str) -> bool:
        """Tell whether a text is known, as a whole or line by line."""
        lines = [line for line in text.splitlines() if line.strip()]
        return bool(lines) and (
            content_hash(text) in self._known or all(content_hash(line) in self._known for line in lines)
        )


class Nobody:
    """A reader who cannot read: nothing is kept, changed, taken back or answered on its word."""

    reads = ""
    naming = ""

    # Messages

    def glance(self, text: str) -> Glance:
        """See nothing in a message."""
        return ""

    def marks(self, text: str, role: str) -> int:
        """Give the marks that need no language."""
        return marked(text, role)

    def requests(self, turn: Turn, policy: StatementsPolicy) -> list[Candidate]:
        """Hear no wish."""
        return []

    def statements(self, turns: Sequence[Turn], policy: StatementsPolicy) -> list[Candidate]:
        """Take nothing down."""
        return []

    def retraction(self, before: Turn, turn: Turn, policy: StatementsPolicy) -> Retraction:
        """Take nothing for taken back."""
        return _NO_RETRACTION

    def taken_back(self, turns: Sequence[Turn], policy: StatementsPolicy) -> set[tuple[str, str]]:
        """Take nothing for taken back."""
        return set()

    def says(self, content: str, told: str) -> bool:
        """Not know that it does."""
        return False

    def instructing(self, text: str) -> bool:
        """Not know of orders: what nobody can check is kept apart anyway."""
        return False

    def standing(self, quote: str) -> bool:
        """Not know of standing orders."""
        return False

    def echo(self, texts: Iterable[str], memories: Iterable[Memory] = ()) -> Repeats:
        """Know what is repeated to the letter."""
        return Repeats(texts, memories)

    def language(self, texts: Iterable[str]) -> str:
        """Know no language."""
        return ""

    # Claims

    def unfounded(
        self, candidate: Candidate, turns: Sequence[Turn], exempt: Sequence[str] = (), known: Sequence[str] = ()
    ) -> str:
        """Find no claim borne out: it is kept apart until somebody approves it."""
        return UNCHECKED

    def borne_out(self, summary: str, said: Sequence[str], turns: int) -> str:
        """Let no sentence pass that nobody can check."""
        return ""

    def names_in(self, text: str) -> list[str]:
        """Know no names."""
        return []

    def of_another(self, content: str, quote: str, name: str) -> str:
        """Leave it as it is."""
        return content

    # Pairs

    def compare(self, old: str, new: str) -> Relation:
        """Know only the same text for the same."""
        return Relation("same", "the same words") if content_hash(old) == content_hash(new) else _UNREAD

    def clash(self, old: str, new: str) -> Relation | None:
        """Leave it open how two texts stand to each other."""
        return _UNREAD

    def readable(self, text: str) -> bool:
        """Read nothing."""
        return False

    def reworded(self, one: str, other: str) -> bool:
        """Take no two texts for the same."""
        return False

    def band(self, similarity: float, old: str, new: str, policy: BandPolicy) -> Band:
        """Ask about what is alike, and never merge it."""
        return "ask" if similarity >= policy.ask else "apart"

    def gist(self, text: str) -> set[str]:
        """Know no more of a text than the text."""
        return {content_hash(text)}

    def overlap(self, old: str, new: str) -> Overlap:
        """Fear a difference."""
        return "same" if content_hash(old) == content_hash(new) else "differ"

    def other_wordings(self, text: str) -> str:
        """Know no other words for it."""
        return ""

    # Answers

    def answer(self, text: str, pending: str) -> None:
        """Take no message for an answer."""

    def meant(self, text: str, key: str, pending: str) -> bool:
        """Not know what is meant."""
        return False

    def asks_for(self, said: str, key: str, pending: str, answer: str = "") -> bool:
        """Not know what is asked."""
        return False

    # Questions

    def form(self, query: str) -> Form:
        """Know no form."""
        return _NO_FORM

    def moments(self, query: str, now: datetime, zone: tzinfo = UTC) -> list[Moment]:
        """Find no times."""
        return []

    def moment(self, expression: str, now: datetime, zone: tzinfo = UTC) -> datetime:
        """Read ISO 8601 only."""
        try:
            found = datetime.fromisoformat(expression.strip())
        except (ValueError, OverflowError) as error:
            raise InvalidInput(f"{expression!r} is no time: write ISO 8601, like 2026-05-01") from error
        return (found if found.utcoffset() is not None else found.replace(tzinfo=zone)).astimezone(UTC)

    # Names

    def cues(self, language: str) -> Cues:
        """Give what the stemmer's language alone tells."""
        return _cues(language)

    def cued(self, text: str) -> Iterator[Mention]:
        """Know of no word that tells what a name is."""
        return iter(())

    def also_called(self, text: str) -> list[tuple[str, str]]:
        """Know of no second name."""
        return []

    def introduced(self, texts: Sequence[str]) -> set[str]:
        """Know nobody's name."""
        return set()

    def called(self, fact: str) -> str:
        """Know nobody's name."""
        return ""

    def named(self, fact: str) -> str:
        """Know nobody's name."""
        return ""

    def names_told(self, texts: Iterable[str], known: Set[str]) -> set[str]:
        """Know the names that are known."""
        return {name.casefold() for name in known if name.strip()}

    def head(self, text: str) -> str:
        """Not know whom a fact is about: all are about the same."""
        return ""

    def on_one_subject(self, old: str, new: str, names: Iterable[str]) -> tuple[str, str]:
        """Leave both as they are."""
        return old, new

    # Writing

    def ends(self, text: str) -> list[int]:
        """Let sentences end at their marks."""
        return [end.end() for end in _END.finditer(text)]

    def voice(self, text: str) -> Voice:
        """Find no fault."""
        return ""

    def present(self, text: str) -> bool:
        """Know no tense."""
        return False

    def bare(self, text: str) -> str:
        """Leave it as it is."""
        return text

    def lasting(self, text: str) -> str:
        """Leave it as it is."""
        return text

    def remarks(self, text: str) -> list[int]:
        """Know of no remark."""
        return []


@cache
def _cues(language: str) -> Cues:
    common = stop_words(language)
    return Cues(capitals=language not in _NO_SIGN, common=common, never=common)
