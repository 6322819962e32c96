"""One owner's documents as columns by document number: what every search looks at."""

from __future__ import annotations

from typing import Any, NamedTuple

from recollect.rules.find.marks import FACETS
from recollect.text.arrays import Flags, Ints, Reals, np

TYPES: dict[str, str] = {
    "state": "u1", "kind": "u1", "until": "i8", "length": "i4", "session": "i4", "actor": "i4", "project": "i4",
    "asked": "?", "event": "i8", "marks": "u1", "before": "i4", "after": "i4", "talk": "i4", "question": "?",
    "facets": f"({len(FACETS) + 1},)f4", "part": "f8",
}  # fmt: skip
"""The columns and what each holds. `before` and `after` are the messages beside one in its session, `talk` is the
session of a message and 0 for what is no message, `part` is how much of a neighbour's words count."""
NAMED: tuple[str, ...] = ("state", "kind", "session", "actor", "project")
"""The columns that hold numbers of names."""


class Postings(NamedTuple):
    """The documents of several terms, one term behind the other: how many each has, the documents, the counts."""

    many: Ints
    doc: Ints
    tf: Reals

    @property
    def term(self) -> Ints:
        """The place of each posting's term among those asked for."""
        return np.arange(len(self.many)).repeat(self.many)

    def then(self, more: Postings) -> Postings:
        """Give these and the postings of further terms behind them."""
        return Postings(*(np.concatenate(both) for both in zip(self, more, strict=True)))


class Columns:
    """The columns of one owner's documents at one moment. Nobody changes columns that others look at."""

    def __init__(self) -> None:
        self.size = 1
        """One more than the greatest document number."""
        self.column: dict[str, Any] = {name: np.zeros(1, dtype=kind) for name, kind in TYPES.items()}
        self.spelling: dict[str, dict[str, int]] = {name: {"": 0} for name in NAMED}
        """The number of each name in the columns of `NAMED`."""
        self.session_words: Any = np.zeros(0)
        """How many words each session has, by its number."""
        self.words_a_session = self.messages_a_session = 0.0
        """How much a session holds on average."""
        self.voices: Any = np.zeros(0, dtype=np.int64)
        """How many documents each actor has, by its number."""
        self.called: dict[str, set[int]] = {}
        """The numbers of the actors whose names hold a word."""
        self.standing = 0
        """How many documents are active."""

    def around(self, docs: Ints, reach: int = 2) -> Ints:
        """Give some documents and the messages around them in their sessions, a row each, 0 for none.

        Behind the documents themselves come the ones before, those after, those before these, and so on.
        """
        rows = np.empty((1 + 2 * reach, len(docs)), dtype=np.int64)
        rows[0] = docs
        for step in range(1, 2 * reach, 2):
            rows[step] = self.column["before"].take(rows[max(0, step - 2)])
            rows[step + 1] = self.column["after"].take(rows[max(0, step - 1)])
        rows *= rows < self.size  # later columns, which share the arrays, may know what follows
        return rows

    @property
    def lengths(self) -> Ints:
        """How many words each document has, by document number."""
        return np.asarray(self.column["length"][: self.size])

    @property
    def all_stand(self) -> bool:
        """Whether every document there ever was is active: postings of one that is gone may still be in memory."""
        return self.standing == self.size - 1

    def stands(self, docs: Ints) -> Flags:
        """Say which of some documents are active: the others have words, but do not count."""
        return self.are("state", "active", docs)

    def are(self, name: str, value: str, docs: Ints) -> Flags:
        """Say which of some documents have a value in a column of `NAMED`."""
        return np.asarray(self.column[name].take(docs) == self.spelling[name].get(value, -1))

    def speakers(self, words: frozenset[str]) -> tuple[list[int], set[str]]:
        """Give the numbers of the actors called by some of these words, and those words; none where all are called."""
        found: dict[int, set[str]] = {}
        for word in words if self.called else ():
            for code in self.called.get(word, ()):
                if code < len(self.voices) and self.voices[code] > 0:
                    found.setdefault(code, set()).add(word)
        if not found or len(found) == np.count_nonzero(self.voices[1:]):
            return [], set()
        return list(found), set().union(*found.values())
