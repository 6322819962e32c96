"""Guards of a turn: one against going round in circles, one against saves that are told and not called for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ModelRetry
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import RunContext, ToolDefinition

from recollect.agent.spoken_calls import spoken_calls
from recollect.agent.toolset import SAVING
from recollect.language.reader import Reader
from recollect.rules.agent.looping import AgentPolicy, Rounds

STOP = "Stop calling tools now. Answer the user with what you know, and say what could not be done."
NO_ANSWER = "(The model gave no answer after its tools were taken from it.)"
CLAIMED = (
    "You said that something was saved, but you called no tool that saves. If the user wants it kept, call the tool "
    "now; if not, answer again and do not say that it was saved."
)
UNSAVED = "[memory] Nothing was saved: the answer says so, but no tool was called."

Flag = Callable[[str, str], None]
"""Hears which guard stepped in, and why."""


def _nobody(guard: str, reason: str) -> None:
    """Take no notice."""


@dataclass
class LoopGuard(AbstractCapability[Any]):
    """Takes the tools from a model that makes the same calls again and again, or too many, and has it answer."""

    policy: AgentPolicy
    flag: Flag = _nobody
    _rounds: Rounds = field(default_factory=lambda: Rounds(1))
    _requests: int = 0
    _stopped: str = ""

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        return replace(self, _rounds=Rounds(self.policy.loop), _requests=0, _stopped="")

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return [] if self._stopped else tool_defs

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        self._requests += 1
        if not self._stopped:
            return request_context
        asked = ModelRequest(parts=[UserPromptPart(STOP)])
        return replace(request_context, messages=[*request_context.messages, asked])

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        calls = [(part.tool_name, part.args) for part in response.parts if isinstance(part, ToolCallPart)]
        if self._stopped:
            return _answering(response)
        if self._rounds.caught(calls):
            self._stop("loop", f"the same calls {self.policy.loop} times in a row: {', '.join(n for n, _ in calls)}")
        elif calls and self._requests >= self.policy.max_tool_iterations:
            self._stop("iterations", f"{self._requests} requests in one turn")
        return response

    def _stop(self, guard: str, reason: str) -> None:
        self._stopped = guard
        self.flag(guard, reason)


def _answering(response: ModelResponse) -> ModelResponse:
    """Leave calls out of an answer that was to have none."""
    kept = [part for part in response.parts if not isinstance(part, ToolCallPart)]
    said = any(isinstance(part, TextPart) and part.content.strip() for part in kept)
    return replace(response, parts=kept if said else [*kept, TextPart(NO_ANSWER)])


@dataclass
class ClaimGuard(AbstractCapability[Any]):
    """Carries out calls a model only writes down, and has it make good, or take back, a save it only tells of."""

    reader: Reader
    names: Collection[str] = ()
    """The tools whose calls are carried out when they are written down; none means all the model has."""
    flag: Flag = _nobody
    _called: frozenset[str] = frozenset()
    _asked: bool = False

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        return replace(self, _called=frozenset(), _asked=False)

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(wrapped_by=[LoopGuard])

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        known = [one.name for one in request_context.model_request_parameters.function_tools]
        called = [part.tool_name for part in response.parts if isinstance(part, ToolCallPart)]
        if not called and (spoken := self._spoken(response, known)):
            self.flag("spoken call", ", ".join(part.tool_name for part in spoken))
            response = replace(response, parts=[*response.parts, *spoken])
            called = [part.tool_name for part in spoken]
        self._called |= set(called)
        if called or not self._unfounded(_text(response)):
            return response
        if not self._asked and any(saves(name) for name in known):
            self._asked = True
            self.flag("claimed save", "the model is asked to make the call")
            raise ModelRetry(CLAIMED)
        self.flag("unsaved", "the answer claims a save that was not made")
        return replace(response, parts=[*response.parts, TextPart(f"\n\n{UNSAVED}")])

    def _unfounded(self, text: str) -> bool:
        """Tell whether a text claims a save that no call of this turn bears out; any tool may save a file."""
        claim = self.reader.claims_saved(text)
        return not any(map(saves, self._called)) if claim == "memory" else claim == "saved" and not self._called

    def _spoken(self, response: ModelResponse, known: Collection[str]) -> list[ToolCallPart]:
        wanted = set(known) & set(self.names) if self.names else set(known)
        return [ToolCallPart(name, args) for name, args in spoken_calls(_text(response), wanted)]


def saves(tool: str) -> bool:
    """Tell whether a tool saves something, or hands the saving on."""
    return tool in SAVING or tool == "llm_call"


def _text(response: ModelResponse) -> str:
    return "".join(part.content for part in response.parts if isinstance(part, TextPart))
