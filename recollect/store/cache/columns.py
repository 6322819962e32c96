"""The columns of the owners last looked at, kept in memory.

The columns follow the database: a search compares the owner's revision with theirs and reads only what
the journal says has changed, whichever process changed it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from copy import copy
from operator import attrgetter
from typing import Any

from recollect.model.clock import to_ms
from recollect.model.filter import Filter
from recollect.model.kinds import EXPLICIT
from recollect.rules.find.columns import TYPES, Columns
from recollect.rules.find.marks import LONG, facets
from recollect.store.cache.codebook import Codebook
from recollect.text.arrays import Flags, Ints, Reals, np, room
from recollect.text.marks import ASKS
from recollect.text.terms import fold, split

COLUMNS = "doc, state, kind, valid_until, length, session, actor, source, event_time, marks, project"
"""What is read of each memory; an index holds all of it."""
FOREVER = 2**62
ENTRY, MUCH = 400, 65_536
"""How many bytes a term takes beside its postings, and how many are worth weighing the columns again."""
STATES = 256
"""More than there are states."""
MOST_PASSED = 16
"""For how many filters the columns remember what passes."""
_elsewhere = attrgetter(
    "tiers", "categories", "topic", "tags", "created_after", "created_before", "updated_after", "updated_before",
    "importance_min", "importance_max", "role", "source", "key",
)  # fmt: skip
"""What of a filter only the rows can tell."""
_here = attrgetter(
    "states", "kinds", "sessions", "actor", "exclude_session", "event_after", "event_before", "projects"
)  # fmt: skip


class Kept(dict[str, tuple[Ints, Reals, int]]):
    """The postings of terms: documents, counts, and up to which document they are known. Later columns share it."""

    __slots__ = ("_told", "weight")

    def __init__(self) -> None:
        self.weight = self._told = 0
        """How many bytes they take, about, and how many it was when somebody last asked whether they have grown."""

    def grown(self) -> bool:
        """Tell whether they have grown by much since they were last said to."""
        if self.weight - self._told < MUCH:
            return False
        self._told = self.weight
        return True

    def keep(self, term: str, docs: Ints, tfs: Reals, upto: int) -> tuple[Ints, Reals, int]:
        """Keep the postings of a term, in the place of those kept before."""
        before = self.get(term)
        self.weight += docs.nbytes + tfs.nbytes + ENTRY - (before[0].nbytes + before[1].nbytes + ENTRY if before else 0)
        self[term] = docs, tfs, upto
        return self[term]


class CachedColumns(Columns):
    """The columns of one owner's documents as far as they were read, the postings read so far, and its vectors.

    Nobody changes columns that others look at: who finds more in the database makes new ones of them. Arrays are
    shared where documents were only added, since columns are never looked at past their own size.
    """

    def __init__(self) -> None:
        super().__init__()
        self.born = self.rev = -1
        self.upto = 1
        """The number of the document that comes next, as far as is known here."""
        self.postings = Kept()
        self.codebooks: dict[str, Codebook] = {}
        self.said = 0
        """How many messages are in sessions."""
        self.many: dict[int, int] = {}
        """How many documents there are of a kind in a state, by the numbers of both in one."""
        self.soonest = FOREVER
        """When the first document runs out, or has."""
        self._last: dict[int, int] = {}
        self._passed: dict[Any, Flags] = {}

    def copied(self, *, deep: bool) -> CachedColumns:
        """Give columns to go on with; `deep` where documents that are in them already will change."""
        new = copy(self)
        new.column = {name: array.copy() if deep else array for name, array in self.column.items()}
        new.session_words, new.voices, new.many = self.session_words.copy(), self.voices.copy(), self.many.copy()
        new._passed = {}
        return new

    @property
    def weight(self) -> int:
        """How many bytes of memory the columns take, about."""
        own: int = sum(array.nbytes for array in self.column.values())
        passed: int = sum(flags.nbytes for flags in list(self._passed.values()))
        return 4096 + own + self.postings.weight + passed + sum(book.weight for book in list(self.codebooks.values()))

    # Filling

    def put(self, rows: Sequence[Sequence[Any]]) -> None:
        """Take in documents, new or changed: rows of `COLUMNS`, ascending by document."""
        if not rows:
            return
        docs, states, kinds, untils, lengths, sessions, actors, sources, events, marks, projects = zip(
            *rows, strict=True
        )
        size = max(self.size, docs[-1] + 1)
        for name in TYPES:
            self.column[name] = room(self.column[name], size)
        at = np.array(docs)
        fresh = at >= self.size
        self._tally(at[~fresh], -1)
        column = self.column
        self.standing -= int(np.count_nonzero(self.stands(at[~fresh])))
        column["state"][at] = self._spelled("state", states)
        self.standing += int(np.count_nonzero(self.stands(at)))
        column["kind"][at] = self._spelled("kind", kinds)
        column["until"][at] = [FOREVER if until is None else until for until in untils]
        stands = column["until"][at[self.stands(at)]]
        self.soonest = min(self.soonest, int(stands.min(initial=FOREVER)))
        column["length"][at] = lengths
        column["part"][at] = LONG / np.maximum(lengths, LONG)  # a long neighbour counts like a part of itself
        column["session"][at] = self._spelled("session", sessions)
        column["actor"][at] = self._spelled("actor", actors)
        column["project"][at] = self._spelled("project", projects)
        column["asked"][at] = [
            kind != "episode" and source in EXPLICIT for kind, source in zip(kinds, sources, strict=True)
        ]
        column["event"][at] = events
        column["marks"][at] = marks
        said = column["kind"][at] == self.spelling["kind"].get("episode", -1)
        column["talk"][at] = column["session"][at] * said
        column["question"][at] = (column["marks"][at] & ASKS > 0) & (column["length"][at] < LONG)
        column["facets"][at] = facets(column["marks"][at], column["length"][at], said)
        self.size = size
        self._tally(at, 1)
        self._chain(at[fresh])

    def _spelled(self, name: str, values: Iterable[str]) -> list[int]:
        known = self.spelling[name]
        return [known[value] if value in known else self._new(name, value) for value in values]

    def _new(self, name: str, value: str) -> int:
        """Give a name a number; an actor is known by the words of his name too."""
        code = self.spelling[name][value] = len(self.spelling[name])
        if name == "actor":
            for word in split(fold(value)):
                self.called[word] = self.called.get(word, set()) | {code}
        return code

    def _tally(self, docs: Ints, step: int) -> None:
        """Let documents count for their session and who said them (1), or count no more (-1)."""
        words = room(self.session_words, len(self.spelling["session"]))
        np.add.at(words, self.column["session"][docs], step * self.column["length"][docs])
        voices = room(self.voices, len(self.spelling["actor"]))
        np.add.at(voices, self.column["actor"][docs], step)
        self.session_words, self.voices = words, voices
        sorts = self.column["kind"][docs].astype(np.int64) * STATES + self.column["state"][docs]
        for sort, count in zip(*(each.tolist() for each in np.unique(sorts, return_counts=True)), strict=True):
            self.many[sort] = self.many.get(sort, 0) + step * count
        self.said += step * len(self._said(docs))
        heard = words[1:]
        many = max(1, int(np.count_nonzero(heard)))
        self.words_a_session, self.messages_a_session = float(heard.sum()) / many, self.said / many

    def _said(self, docs: Ints) -> Ints:
        """Give those of some documents that are messages of a session."""
        return np.asarray(docs[self.column["talk"][docs] > 0])

    def _chain(self, docs: Ints) -> None:
        """Let each new message of a session know the one before it, and that one what follows."""
        said = self._said(docs)
        before, after, last = self.column["before"], self.column["after"], self._last
        for doc, session in zip(said.tolist(), self.column["session"][said].tolist(), strict=True):
            previous = last.get(session, 0)
            if previous:
                before[doc], after[previous] = previous, doc
            last[session] = doc

    def drop(self, docs: Iterable[int]) -> None:
        """Take documents out; nothing finds them any more."""
        gone = [doc for doc in dict.fromkeys(docs) if 0 < doc < self.size]
        self._tally(np.array(gone, dtype=np.int64), -1)
        self.standing -= int(np.count_nonzero(self.stands(np.array(gone, dtype=np.int64))))
        for doc in gone:
            before, after = int(self.column["before"][doc]), int(self.column["after"][doc])
            if before:
                self.column["after"][before] = after
            if after:
                self.column["before"][after] = before
            session = int(self.column["session"][doc])
            if self._last.get(session) == doc:
                self._last[session] = before
            for name in TYPES:
                self.column[name][doc] = 0

    # Looking

    def allowed(self, given: Filter) -> Flags | None:
        """Say of every document number whether it passes the filter; None when the columns cannot tell."""
        if given.agent is not None or given.pinned is not None or given.as_of is not None:
            return None
        if any(_elsewhere(given)):
            return None
        wanted = _here(given)
        if self.soonest <= to_ms(given.now):  # something has run out, or may have by the next look
            return self._passing(given)
        passed = self._passed.get(wanted)
        if passed is None:
            if len(self._passed) >= MOST_PASSED:
                self._passed.clear()
            passed = self._passed[wanted] = self._passing(given)
        return passed

    def lack(self, given: Filter) -> bool:
        """Tell whether there is no document of the kinds and in the states of a filter, which is known at once."""
        if given.as_of is not None or not given.kinds or not given.states:
            return False
        kinds, states = self.spelling["kind"], self.spelling["state"]
        return not any(
            self.many.get(kinds[kind] * STATES + states[state], 0)
            for state in given.states
            if state in states
            for kind in given.kinds
            if kind in kinds
        )

    def _passing(self, given: Filter) -> Flags:
        size, column = self.size, self.column
        passed = self._among("state", given.states) if given.states else column["state"][:size] > 0
        if given.kinds:
            passed &= self._among("kind", given.kinds)
        if given.states == ("active",):
            passed &= column["until"][:size] > to_ms(given.now)
        if given.sessions:
            passed &= self._among("session", given.sessions)
        if given.projects:
            passed &= self._among("project", given.projects)
        if given.actor:
            passed &= self._among("actor", (given.actor,))
        if given.exclude_session:
            other = column["session"][:size] != self.spelling["session"].get(given.exclude_session, -1)
            passed &= other | column["asked"][:size]
        if given.event_after is not None:
            passed &= column["event"][:size] >= to_ms(given.event_after)
        if given.event_before is not None:
            passed &= column["event"][:size] <= to_ms(given.event_before)
        return np.asarray(passed)

    def _among(self, name: str, values: Sequence[str]) -> Any:
        known, column = self.spelling[name], self.column[name][: self.size]
        codes = [known[value] for value in values if value in known]
        if len(codes) == 1:
            return column == codes[0]
        column = column.copy()  # another thread may be writing a code that is new
        table = np.zeros(len(known), dtype=bool)
        table[codes] = True
        return table[column]

    def flags(self, docs: Iterable[int]) -> Flags:
        """Mark these documents, as `allowed` would."""
        passed = np.zeros(self.size, dtype=bool)
        among = np.fromiter(docs, dtype=np.int64)
        passed[among[among < self.size]] = True
        return passed


class Place:
    """Where one owner's latest columns stand, and the lock of whoever replaces them."""

    __slots__ = ("columns", "guard", "weight")

    def __init__(self) -> None:
        self.guard = threading.Lock()
        self.columns = CachedColumns()
        self.weight = 0


class ColumnCache:
    """The columns of the owners last looked at, within a limit of bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._guard = threading.Lock()
        self._places: OrderedDict[str, Place] = OrderedDict()
        self._total = 0

    def take(self, owner: str) -> Place:
        """Give the owner's place, with empty columns at first."""
        with self._guard:
            if owner in self._places:
                self._places.move_to_end(owner)
            else:
                self._places[owner] = Place()
            return self._places[owner]

    def weigh(self, owner: str, place: Place) -> None:
        """Note that columns have grown; those not looked at for longest make room."""
        weight = place.columns.weight
        with self._guard:
            if self._places.get(owner) is not place:
                return
            self._total += weight - place.weight
            place.weight = weight
            while self._total > self.limit and len(self._places) > 1:
                _, gone = self._places.popitem(last=False)
                self._total -= gone.weight
