"""The verbs about what time does to a memory: `Space` has them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model.forecast import Forecast
from recollect.model.owner import Scope
from recollect.model.receipt import Report
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.life import forecast, undo
    from recollect.jobs import age as ageing
else:
    forecast, undo = later("recollect.flows.life", "forecast", "undo")
    (ageing,) = later("recollect.jobs", "age")

MOST_WEEKS = 1000


class Life:
    """Moving what is old at once, and looking ahead."""

    _runtime: Runtime
    _scope: Scope

    def age(self, after_hours: float | None = None, most: int | None = None, *, dry: bool = False) -> Report:
        """Move what is old from the short to the long tier now, with other numbers than the settings' if given."""
        return ageing.at_once(self._runtime, self._scope.owner, after_hours, most, dry=dry)

    def take_back(self, revision: int) -> Report:
        """Take back one change, named by its revision, such as a receipt's `rev`; what was changed since stays.

        What was erased does not come back.
        """
        return undo.take_back(self._runtime, self._scope, checks.whole("revision", revision, 1, 2**62))

    def forgetting(self, weeks: int = 12, memory_id: str = "", preset: str = "") -> Forecast:
        """Say what goes out of sight or for good in the next weeks if nobody uses it, or what becomes of one memory.

        `preset` asks what would go under another one: `lasting`, `fading` or `expiring`.
        """
        span, named = checks.whole("weeks", weeks, 1, MOST_WEEKS), checks.name("preset", preset)
        if memory_id:
            return forecast.fate(self._runtime, self._scope, memory_id, span, named)
        return forecast.forgetting(self._runtime, self._scope, span, named)
