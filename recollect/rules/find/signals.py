"""What speaks for each candidate of a search: its words, its meaning, who said it, when, and what stood around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from recollect.language.values import Form, Moment
from recollect.model.clock import to_ms
from recollect.model.values import dataclass
from recollect.rules.find.bm25 import saturated
from recollect.rules.find.fusion import FACED, FEATURES, ROW, blank
from recollect.rules.find.snapshot import Found, Snapshot
from recollect.text.arrays import Ints, Reals, np

NEXT, SECOND_NEXT = 0.6, 0.3
"""What the words of neighbours one and two messages away count in the window of a message."""
TALK = 20
"""Up to how many messages a session speaks for each of them in full."""
MANY = 40
"""From how many candidates on it tells something what kind of text each is; among a few, what was asked must decide."""
ALONE = 1.5
"""How much more words count where there is no meaning to compare."""
AFTER_DAYS, BEFORE_DAYS = 10.0, 3.0
"""How fast a message's nearness to a named time fades: people tell of things later, seldom before."""
DAY = 86_400_000.0
BY_MEANING = frozenset(("meaning", "window_meaning", "session_meaning"))
ALWAYS = frozenset(FEATURES) - BY_MEANING - {"names", "speaker", "date"}
"""The features that are looked for whatever is asked."""


@dataclass(frozen=True, slots=True)
class Asks:
    """What a query asks for beside its words: its form, and the times it names."""

    form: Form
    times: Sequence[Moment] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The candidates of a search and what is known of them: a row for each of `FEATURES`.

    What is known of some candidates only is NaN for the others.
    """

    docs: Ints
    values: Reals
    asked: frozenset[str] = frozenset()
    """The features that were looked for; the rows of the others hold nothing."""
    gates: dict[str, float] = field(default_factory=dict)
    """How much a feature matters to this query; 1 where nothing is said."""

    def of(self, feature: str) -> Reals:
        """Give one feature of all candidates, NaN where it is not known."""
        return np.asarray(self.values[ROW[feature]]) if feature in self.asked else np.full(len(self.docs), np.nan)

    def knows(self, feature: str) -> bool:
        """Tell whether anything is known of a feature."""
        return bool(np.isfinite(self.of(feature)).any())


def gather(snapshot: Snapshot, asks: Asks) -> Evidence:
    """Look at each candidate from every side; where neighbours were not asked for, only at what the channels found."""
    docs, found = snapshot.docs, snapshot.found
    values = blank(len(docs))
    if not len(docs):
        return Evidence(docs, values)
    asked = _by_channel(values, snapshot)
    if not snapshot.sought.beside:
        return Evidence(docs, values, frozenset(asked))
    column = snapshot.columns.column
    _words(values, snapshot)
    _inherit(values[ROW["window_words"]], found, docs)
    if found.speakers:
        said_by = column["actor"][docs]
        values[ROW["speaker"]] = np.any([said_by == code for code in found.speakers], axis=0)
        asked.add("speaker")
    if asks.times:
        values[ROW["date"]] = _dates(asks.times, column["event"].take(docs))
        asked.add("date")
    values[FACED] = column["facets"].take(docs, axis=0).T
    # The words of the question that a message answers speak for the answer.
    before = snapshot.around[1]
    answers = column["question"].take(before) & snapshot.allowed.take(before)
    values[ROW["answers"]] = found.matched.total.take(before) * answers
    return Evidence(docs, values, ALWAYS | asked, _gates(snapshot, asks.form))


def _by_channel(values: Reals, snapshot: Snapshot) -> set[str]:
    """Put down what the channels themselves found, and name the features that gives."""
    docs, found = snapshot.docs, snapshot.found
    values[ROW["words"]] = found.matched.total.take(docs)
    _inherit(values[ROW["words"]], found, docs)
    asked = {"words"}
    if found.named:
        values[ROW["names"]] = [found.named.get(doc, 0.0) for doc in docs.tolist()]
        asked.add("names")
    if snapshot.similar is not None:
        _meaning(values, snapshot, snapshot.similar)
        asked |= BY_MEANING if snapshot.sought.beside else {"meaning"}
    return asked


def _inherit(row: Reals, found: Found, docs: Ints) -> None:
    """Let what stands in the place of a replaced memory be found by the words of that one."""
    for doc, score in found.inherited.items():
        at = np.searchsorted(docs, doc)
        row[at] = max(row[at], score)


def _gates(snapshot: Snapshot, form: Form) -> dict[str, float]:
    """Say which features matter to a question of this form, in talks of this length, among so many candidates."""
    fade = min(1.0, TALK / max(snapshot.columns.messages_a_session, 1.0))
    choice = min(1.0, len(snapshot.docs) / MANY)
    told = float(not form.told) * choice
    return {
        "window_words": ALONE if snapshot.similar is None else 1.0,
        "session_words": fade**2,
        "session_meaning": fade,
        "person": told * (0.5 if form.overview else 1.0),
        "long": told,
        "asks": choice,
        "personal": choice,
        "timed": form.when * choice,
        "numbered": form.number * choice,
    }


def _words(values: Reals, snapshot: Snapshot) -> None:
    """Words in the message, around it, and in its whole session."""
    columns, around, policy = snapshot.columns, snapshot.around, snapshot.sought.policy
    matched = snapshot.found.matched
    seen = matched.counted(matched.doc, columns.size, around)
    share = columns.column["part"].take(around)
    share[0] = 1.0
    share[1:3] *= NEXT
    share[3:5] *= SECOND_NEXT
    width = np.add.reduce(share * columns.lengths.take(around))
    window = np.einsum("ij,tij->tj", share, seen)
    weights = matched.weights
    average = float(np.add.reduce(width)) / len(width)
    values[ROW["window_words"]] = weights.dot(saturated(window, width, average, policy))
    values[ROW["cover"]] = weights.dot(np.minimum(seen[:, 0], 1.0)) / matched.whole
    talk = columns.column["talk"].take(around[0])
    heard = matched.counted(columns.column["session"].take(matched.doc), len(columns.session_words), talk)
    spoken = weights.dot(saturated(heard, columns.session_words.take(talk), columns.words_a_session, policy))
    spoken[talk == 0] = np.nan
    values[ROW["session_words"]] = spoken


def _meaning(values: Reals, snapshot: Snapshot, similar: Reals) -> None:
    """Meaning of the message, and if asked for of what stood beside it, and the best in its session."""
    wanted, near = snapshot.around[:3], snapshot.found.near
    docs, beside = wanted[0], wanted[1:]
    known = np.empty(len(snapshot.allowed))  # only what is wanted is ever looked at
    known[wanted] = similar
    known[near.docs] = near.similar
    own = known.take(docs)
    values[ROW["meaning"]] = own
    if not len(beside):
        return
    sides = np.where(snapshot.allowed.take(beside), known.take(beside), np.nan)
    values[ROW["window_meaning"]] = np.fmax(sides[0], sides[1])
    # Where a fact was learnt says little about it: a talk speaks for its messages only.
    talk = snapshot.columns.column["talk"].take(docs)
    best = np.full(int(talk.max()) + 1, -1.0)
    np.maximum.at(best, talk, np.where(np.isfinite(own), own, -1.0))
    values[ROW["session_meaning"]] = np.where(talk > 0, best[talk], np.nan)


def _dates(spans: Sequence[Moment], events: Ints) -> Reals:
    """How near each message is to a time named in the query."""
    best = np.zeros(len(events))
    for span in spans:
        later = np.maximum(0.0, events - to_ms(span.end)) / DAY
        earlier = np.maximum(0.0, to_ms(span.start) - events) / DAY
        best = np.maximum(best, np.exp(-later / AFTER_DAYS - earlier / BEFORE_DAYS))
    return best
