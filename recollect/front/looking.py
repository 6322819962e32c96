"""The verbs that look at memory as a whole: `Space` has them all."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from recollect.model.hit import Answered, Growth, Hit, Worn
from recollect.model.owner import Scope
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.find import browse, filters, recall, think, weak
    from recollect.flows.window import scene
else:
    (scene,) = later("recollect.flows.window", "scene")
    browse, filters, recall, think, weak = later("recollect.flows.find", "browse", "filters", "recall", "think", "weak")

MOST_EVIDENCE = 50
MOST_DAYS = 3660


class Looking:
    """Thinking about a question, what is hardly sure any more, and the time as this memory sees it."""

    _runtime: Runtime
    _scope: Scope

    def think(self, question: str, limit: int = 8) -> Answered:
        """Answer a question from memory in fewer than 150 words, naming sources; without a model, give the evidence."""
        asked = checks.text("question", question, 100_000, empty=False)
        wish = recall.Wish(limit=checks.whole("limit", limit, 1, MOST_EVIDENCE))
        where = filters.build(self._runtime, self._scope, {}, weak.KINDS_ASKED)
        hits = recall.recall(self._runtime, asked, where, wish, self._scope.session)
        return think.think(self._runtime, self._scope, asked, hits)

    def fitting(self, query: str, hits: Sequence[Hit]) -> builtins.list[Hit]:
        """Give the hits of a query that are about it at all, by what a context is held to; the nearest may be far."""
        return scene.fitting(self._runtime, query, hits)

    def outdated(self, ids: Sequence[str]) -> dict[str, str]:
        """Give those of these memories that a newer one may have taken the place of, each with the id of that one."""
        return browse.newer(self._runtime, self._scope, checks.several("memory id", ids))

    def weak_facts(self, below: float = 0.3, limit: int = 20) -> builtins.list[Worn]:
        """Give facts whose confidence has fallen below a share by now, the weakest first, each with what is left."""
        share = checks.share("below", below)
        return weak.weak_facts(self._runtime, self._scope, share, checks.whole("limit", limit, 1, 1000))

    def growth(self, days: int = 90) -> builtins.list[Growth]:
        """Count what was made in the last days, by day and kind, whatever became of it since."""
        span = timedelta(days=checks.whole("days", days, 1, MOST_DAYS))
        first = datetime.combine((self._runtime.now() - span).date(), time(), UTC)
        with self._runtime.store.view() as view:
            return view.growth(self._scope.owner, first)

    def moment(self, words: str) -> datetime:
        """Read a time, in ISO 8601 or in words such as "3 days ago", as seen from now."""
        return self._runtime.reader.moment(checks.text("time", words, 200, empty=False), self._runtime.now())

    @property
    def now(self) -> datetime:
        """The time by the clock of this memory."""
        return self._runtime.now()
