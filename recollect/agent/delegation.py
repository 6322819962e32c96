"""Handing a task on to the model of another role: `llm_call` and `llm_list`, as tools of an agent.

Whatever is wrong with a call, its answer is a text that begins with `ERROR:` and says what to do, and never an
exception. By itself the other model works with its own tools, so that a save that is handed on is a save.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.tools import Tool as PydanticTool

from recollect.agent.crew import FAILURES, Crew, Equipped, why
from recollect.agent.roles import Role
from recollect.model.asking import ROLES

MODES = ("run", "text", "tool")
PROMPTS = ("none", "caller", "target")
HISTORIES = ("none", "caller")
NO_RESULT = "(The tool gave no result, and the model no words.)"
_DEPTH: ContextVar[tuple[int, int]] = ContextVar("depth", default=(0, 0))
"""How many tasks stand above this one that were handed on, and how many of them with the conversation."""


@dataclass(frozen=True)
class Task:
    """A task as it was handed on."""

    model: str
    prompt: str
    mode: str
    sys_prompt: str
    history: str
    tool: str


class Delegation:
    """Hands tasks on within a crew; `caller` is the role that does."""

    def __init__(self, crew: Crew, caller: Role, instructions: Callable[[], str]) -> None:
        self._crew, self._caller, self._instructions = crew, caller, instructions

    def tools(self) -> list[PydanticTool[Any]]:
        """Give the two tools."""
        return [PydanticTool(self.llm_call, takes_ctx=True), PydanticTool(self.llm_list, takes_ctx=False)]

    async def llm_list(self) -> str:
        """List the models a task can be handed to, and what each has at hand."""
        return "\n".join(_listed(role, self._crew) for role in self._crew.roles.all())

    async def llm_call(
        self,
        ctx: RunContext[Any],
        model: str,
        prompt: str,
        mode: str = "run",
        sys_prompt: str = "target",
        history: str = "none",
        tool: str = "",
    ) -> str:
        """Hand a task on to another model, and give its answer.

        It sees the prompt and nothing else, unless history says so: put all it needs into it. Do not hand on the same
        task again when it fails.

        Args:
            ctx: The run.
            model: Who: reasoning, execution, summarizer, extractor or judge.
            prompt: The task, with all it takes to carry it out.
            mode: run works with its own tools until it is done; text answers without tools; tool makes one call.
            sys_prompt: Whose system prompt it has: target, caller or none.
            history: caller shows it this conversation; none does not.
            tool: With mode tool, the one tool it calls, such as memory_save.
        """
        task = Task(model, prompt, mode, sys_prompt, history, tool)
        problem = self._problem(task)
        if problem:
            return f"ERROR: {problem}"
        above, shared = _DEPTH.get()
        policy = self._crew.space._runtime.settings.agent
        if above >= policy.depth or (history == "caller" and shared >= policy.caller_depth):
            self._crew.flag("depth", f"{model} was not asked: tasks are handed on {above} deep already")
            return "ERROR: this task is handed on too deep already. Do not retry: carry it out yourself, or say so."
        mark = _DEPTH.set((above + 1, shared + (history == "caller")))
        try:
            return await self._carried_out(task, ctx.messages)
        finally:
            _DEPTH.reset(mark)

    def _problem(self, task: Task) -> str:
        """Say what is wrong with a task; empty when nothing is."""
        for name, given, known in (
            ("model", task.model, ROLES),
            ("mode", task.mode, MODES),
            ("sys_prompt", task.sys_prompt, PROMPTS),
            ("history", task.history, HISTORIES),
        ):
            if given not in known:
                return f"there is no {name} {given!r}: use {', '.join(known)}"
        role = self._crew.roles.role(task.model)
        if not role.targets:
            return f"no model is set for {task.model}: llm_list says which there are"
        if not task.prompt.strip():
            return "the prompt is empty: say what is to be done"
        if task.mode == "tool" and not task.tool:
            return "mode tool needs the name of a tool, such as memory_save"
        if task.mode == "tool" and task.tool not in role.declared():
            return f"{task.model} has no tool {task.tool!r}: it has {', '.join(role.declared())}"
        return ""

    async def _carried_out(self, task: Task, conversation: list[ModelMessage]) -> str:
        role = self._crew.roles.role(task.model)
        seconds = self._crew.space._runtime.settings.agent.delegate_seconds
        seen = _before(conversation) if task.history == "caller" else []
        try:
            agent = self._crew.agent(role, self._equipped(role, task, seconds))
            done = await agent.run(task.prompt, message_history=seen, timeout=seconds, infer_name=False)
        except FAILURES as error:
            return f"ERROR: {role.name} {why(error, seconds)}. Do not retry at once."
        return done.output

    def _equipped(self, role: Role, task: Task, seconds: float) -> Equipped:
        instructions = {"none": "", "caller": self._instructions(), "target": role.tree().text()}[task.sys_prompt]
        if task.mode == "text":
            return Equipped(instructions, seconds=seconds)
        declared = role.declared()
        if task.mode == "tool":
            one = declared[task.tool]
            instructions = instructions or role.tree().section(f"tool_{one.name}") or one.description
            return Equipped(instructions, {one.name: one}, inside=[OneCall()], seconds=seconds)
        own = Delegation(self._crew, role, lambda: instructions).tools() if role.hands_on else []
        return Equipped(instructions, declared, own, seconds=seconds)


def _before(conversation: list[ModelMessage]) -> list[ModelMessage]:
    """Give a conversation up to the answer that is being worked on, whose calls are open."""
    answers = [at for at, one in enumerate(conversation) if isinstance(one, ModelResponse)]
    return conversation[: answers[-1]] if answers else list(conversation)


def _listed(role: Role, crew: Crew) -> str:
    if not role.targets:
        return f"{role.name}: no model is set"
    tools = ", ".join(role.tools) or "none"
    return f"{role.name}: {role.model}, {crew.roles.room(role):,} tokens, tools: {tools}"


@dataclass
class OneCall(AbstractCapability[Any]):
    """Has the first call of a model carried out and no other; then it words the result, or the result stands."""

    _called: bool = False
    _results: list[str] = field(default_factory=list)

    async def for_run(self, ctx: RunContext[Any]) -> AbstractCapability[Any]:
        return replace(self, _called=False, _results=[])

    async def prepare_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        return [] if self._called else tool_defs

    async def after_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], result: Any
    ) -> Any:
        self._results.append(str(result))
        return result

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
        others = [part for part in response.parts if not isinstance(part, ToolCallPart)]
        if not self._called:
            self._called = bool(calls)
            return replace(response, parts=[*others, *calls[:1]])
        worded = any(isinstance(part, TextPart) and part.content.strip() for part in others)
        return replace(response, parts=others if worded else [*others, TextPart("\n".join(self._results) or NO_RESULT)])
