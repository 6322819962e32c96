"""One snapshot for a search: every channel asked in one moment, under one filter."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.model.filter import Filter
from recollect.rules.find.snapshot import Found, Snapshot, Sought, candidates, nobody
from recollect.rules.find.words import Matched, sought
from recollect.store.base import Searching
from recollect.store.sql.read.meaning import ByMeaning
from recollect.store.sql.read.words import ByWords
from recollect.store.sql.where import marks, padded, where
from recollect.store.sql.work import chunks

FEW_MENTIONED, MOST_MENTIONED = 10, 1000
REPLACED = 10
"""Of how many replaced memories that the words find it is asked who stands in their place."""
LONGEST_LINE = 50


class SqlSearching(ByWords, ByMeaning, Searching):
    """Finds by words, by meaning and by names, and takes the snapshot that ranking looks at."""

    def snapshot(self, asked: Sought) -> Snapshot:
        given, vector = asked.where, asked.vector
        columns, allowed = self.columns(given.owner), self.allowed(given)
        # Who is called by name is looked for among those who speak, not among the words: everybody names him.
        speakers, called = columns.speakers(asked.calls)
        matched = self.matched(given, sought(asked.words, asked.tags, asked.policy, called))
        found = Found(
            matched=matched,
            near=nobody() if vector is None else self.nearest(given, asked.model, vector, asked.nearest),
            named=self._named(given, asked.names) if asked.names else {},
            inherited=self._inherited(given, matched),
            speakers=speakers,
        )
        docs = candidates(asked, columns, allowed, found)
        around = columns.around(docs, reach=2 if asked.beside else 0)
        similar = None if vector is None else self.similar(given.owner, asked.model, vector, around[:3])
        return Snapshot(asked, columns, allowed, found, docs, around, similar)

    def _named(self, given: Filter, names: Sequence[str]) -> dict[int, float]:
        # A name that most memories carry tells none from another.
        most = min(MOST_MENTIONED, max(FEW_MENTIONED, self.counters(given.owner).docs // 10))
        return {doc: float(many) for doc, many in self.about(given, names, MOST_MENTIONED, most=most)}

    def _inherited(self, given: Filter, matched: Matched) -> dict[int, float]:
        """Give the documents that stand in the place of replaced ones the words would have found, with their scores."""
        if given.states != ("active",) or given.as_of is not None:
            return {}
        replaced = matched.replaced(self.columns(given.owner), REPLACED)
        if not replaced:
            return {}
        old = {memory.id: replaced[doc] for doc, memory in self.documents(given.owner, list(replaced)).items()}
        standing = self._successors(given.owner, old)
        known, allowed = self.numbers(given.owner, list(standing)), self.allowed(given)
        return {doc: standing[id] for id, doc in known.items() if doc < len(allowed) and allowed[doc]}

    def _successors(self, owner: str, old: dict[str, float]) -> dict[str, float]:
        """Follow each line of succession, and give all who stand on it with the best score they inherit."""
        standing: dict[str, float] = {}
        for _ in range(LONGEST_LINE):
            if not old:
                break
            after: dict[str, float] = {}
            for link in self.links(owner, list(old)):
                pairs = {"supersedes": (link.to_id, link.from_id), "merged_into": (link.from_id, link.to_id)}
                was, now = pairs.get(link.type, ("", ""))
                if was in old:
                    after[now] = max(after.get(now, 0.0), old[was])
            standing |= {id: max(score, standing.get(id, 0.0)) for id, score in after.items()}
            old = after
        return standing

    def about(
        self, given: Filter, names: Sequence[str], limit: int, type: str = "", most: int | None = None
    ) -> list[tuple[int, int]]:
        entities: set[str] = set()
        for some in chunks(names):
            wanted = padded(some)
            sql = (
                "SELECT n.entity_id, n.type, e.mentions FROM names n "
                "JOIN entities e ON e.owner = n.owner AND e.id = n.entity_id "
                f"WHERE n.owner = ? AND n.folded IN ({marks(wanted)})"
            )
            for entity, known, mentions in self._rows(sql, (given.owner, *wanted)):
                if (not type or known == type) and (most is None or mentions <= most):
                    entities.add(entity)
        if not entities:
            return []
        condition, params = where(given)
        wanted = padded(sorted(entities))
        sql = (
            "SELECT m.doc, COUNT(*) FROM links l JOIN memories m ON m.id = l.from_id "
            f"WHERE l.owner = ? AND l.to_id IN ({marks(wanted)}) AND l.type = 'mentions' AND {condition} "
            "GROUP BY m.doc ORDER BY COUNT(*) DESC, MAX(m.event_time) DESC, m.doc DESC LIMIT ?"
        )
        return [(row[0], row[1]) for row in self._rows(sql, (given.owner, *wanted, *params, limit))]
