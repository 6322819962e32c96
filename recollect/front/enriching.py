"""The verbs about who and what memories name: `Space` has them all."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from recollect.errors import Unavailable
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.find import browse
    from recollect.flows.people import enrich, naming
else:
    (browse,) = later("recollect.flows.find", "browse")
    enrich, naming = later("recollect.flows.people", "enrich", "naming")


class Enriching:
    """Reading memories again for people, places and things, one at a time; the job `enrich` does it for all."""

    _runtime: Runtime
    _scope: Scope

    def accurate_ner_available(self) -> bool:
        """Tell whether anybody better than patterns is there to find names: spaCy, or a model."""
        return bool(naming.readers(self._runtime))

    def get_memories_for_enrichment(self, limit: int = 50) -> builtins.list[Memory]:
        """Give the newest memories that name little and were not read again yet."""
        most = checks.whole("limit", limit, 1, 1000)
        with self._runtime.store.view() as view:
            return enrich.waiting(self._runtime, view, self._scope.owner).memories[:most]

    def enrich_memory_entities(self, memory_id: str) -> int:
        """Read one memory again, and give how many names were found in it."""
        memory = browse.get(self._runtime, self._scope, memory_id)
        if not self.accurate_ner_available():
            raise Unavailable(f"nobody is there to read it again: {naming.MISSING}")
        done = enrich.enrich_one(self._runtime, self._scope, memory)
        if done.unread:
            raise Unavailable(f"it could not be read: {'; '.join(done.problems)}")
        return done.named
