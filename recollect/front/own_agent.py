"""The verbs of an agent that consolidates by itself: `Space` has them all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recollect.model.own_agent import PAGE, Episodes, Marked, Rivals, SavedFacts
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.learn import own_agent as flow
else:
    (flow,) = later("recollect.flows.learn", "own_agent")


class Consolidating:
    """What is needed to turn conversations into facts with an agent of one's own, in place of the built-in job."""

    _runtime: Runtime
    _scope: Scope

    def get_episodes_for_consolidation(self, session_id: str = "", offset: int = 0, limit: int = PAGE) -> Episodes:
        """Give the messages of a session page by page, in the order they came; the current one if none is named."""
        return flow.episodes(self._runtime, self._in(session_id), offset, limit)

    def save_facts_batch(
        self, facts: Sequence[Mapping[str, Any]], session_id: str = "", request_id: str = ""
    ) -> SavedFacts:
        """Keep facts read out of a session: each is `content`, `source_ids`, `confidence`, `tags` and the like."""
        return flow.save_facts(self._runtime, self._in(session_id), facts, request_id)

    def detect_conflicts(self, new_fact_id: str, content: str = "", session_id: str = "") -> Rivals:
        """Give up to five facts of other sessions a fact may contradict; the agent judges them."""
        wanted = checks.name("session_id", session_id)
        return flow.detect_conflicts(self._runtime, replace(self._scope, session=wanted), new_fact_id, content)

    def resolve_conflict(
        self,
        new_fact_id: str,
        old_fact_id: str,
        reason: str = "",
        *,
        confirmed: bool = False,
        request_id: str = "",
    ) -> Receipt:
        """Let a new fact take the place of an old one; `confirmed` says that the user agrees to give up a sure one."""
        pair = (new_fact_id, old_fact_id)
        return flow.resolve_conflict(self._runtime, self._scope, pair, reason, confirmed, request_id)

    def mark_session_consolidated(self, session_id: str = "", upto: str = "", back: bool = False) -> Marked:
        """Note that a session was worked through up to a message, or its last; a later message opens it again.

        `upto` is the id of the last message that was read, so that none that came meanwhile is passed over; `back`
        allows an earlier one than was marked before, and what lies behind it is read again.
        """
        return flow.mark(self._runtime, self._in(session_id), upto, back)

    def is_session_consolidated(self, session_id: str = "") -> bool:
        """Tell whether a session was worked through up to its last message."""
        return flow.consolidated(self._runtime, self._in(session_id))

    def _in(self, session_id: str) -> Scope:
        named = checks.name("session_id", session_id)
        return replace(self._scope, session=named) if named else self._scope
