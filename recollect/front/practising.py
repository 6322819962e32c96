"""Verbs about work: how calls of tools ended, and what was learnt from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.model.event import Lesson, Outcome
from recollect.model.owner import Scope
from recollect.model.receipt import Receipt
from recollect.rules.gate import checks
from recollect.rules.learn.lessons import SORTS, arguments_hash
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.flows.learn import lessons as learning
else:
    (learning,) = later("recollect.flows.learn", "lessons")


class Lessons:
    """What was learnt from failed tools, corrections and praise. Called, it gives the list."""

    def __init__(self, runtime: Runtime, scope: Scope) -> None:
        self._runtime = runtime
        self._scope = scope

    def __call__(self, sort: str = "", limit: int = 20, *, everything: bool = False) -> list[Lesson]:
        """Give lessons, the newest first: of a sort (error, correction, win) or all; archived and retired if asked."""
        chosen = checks.one_of("sort", sort, SORTS) if sort else ""
        most = checks.whole("limit", limit, 1, 1000)
        flag = checks.flag("everything", everything)
        return learning.lessons(self._runtime, self._scope, chosen, most, all_of_them=flag)

    def retire(self, memory_id: str, reason: str = "", request_id: str = "") -> Receipt:
        """Let a lesson go: it stays on record, and is shown and found no more."""
        return learning.retire(self._runtime, self._scope, memory_id, reason, request_id)


class Practising:
    """Telling how calls of tools ended, and asking how they did."""

    _runtime: Runtime
    _scope: Scope

    def tool_failed(
        self,
        tool: str,
        args: Mapping[str, Any] | None = None,
        error: str = "",
        *,
        context: str = "",
        lesson: str = "",
        request_id: str = "",
    ) -> Receipt:
        """Keep that a call of a tool failed, and learn from it; failures of one kind are one lesson with a count."""
        told = learning.failure(self._runtime, tool, args, error, context, lesson)
        return learning.tool_failed(self._runtime, self._scope, told, request_id)

    def tool_succeeded(self, tool: str, args: Mapping[str, Any] | None = None, request_id: str = "") -> Receipt:
        """Keep that a call of a tool succeeded; `count` says how many lessons were let go because of it."""
        return learning.tool_succeeded(self._runtime, self._scope, tool, args, request_id)

    def outcomes(
        self, tool: str = "", args: Mapping[str, Any] | None = None, success: bool | None = None, limit: int = 50
    ) -> list[Outcome]:
        """Give how the last calls of a tool, or of all, ended, the newest first; `args` narrows to the same call."""
        wanted = None if success is None else checks.flag("success", success)
        digest = "" if args is None else arguments_hash(args)
        most = checks.whole("limit", limit, 1, 10_000)
        return learning.outcomes(self._runtime, self._scope, checks.name("tool", tool), digest, wanted, most)

    @property
    def lessons(self) -> Lessons:
        """What was learnt from work; called, it gives the list."""
        return Lessons(self._runtime, self._scope)
