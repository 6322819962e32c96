"""The facet of the log of calls: what models were asked about one owner's memory, and what they answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model.asking import Call, CallLog
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.admin import calls
else:
    (calls,) = later("recollect.flows.admin", "calls")


class Calls:
    """What models were asked about one owner's memory, kept only where `record.calls` is set."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __call__(self, session: str = "", limit: int = 50, cursor: str = "") -> CallLog:
        """Give the log, the newest first and without its texts; `next` of one part is the `cursor` of the next."""
        named, place = checks.name("session", session), checks.name("cursor", cursor)
        return calls.listed(self._runtime, self._scope, named, checks.whole("limit", limit, 1, 1000), place)

    def get(self, call_id: str) -> Call:
        """Give one call whole: the instructions, what was shown, and what the model wrote."""
        return calls.one(self._runtime, self._scope, checks.name("call id", call_id, empty=False))

    def erase(self) -> Receipt:
        """Erase the whole log for good; what the calls have cost stays in the ledger."""
        return calls.erase(self._runtime, self._scope)
