"""The reference agent: it lives on one space's memory, in one session, and goes on where it was left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from recollect.agent.compactor import Compactor
from recollect.agent.events import Called, Event, Flagged, Kept, Piece, Recalled, Returned, Status
from recollect.agent.heartbeat import QUIET, asked_by_heartbeat
from recollect.agent.roles import Role, Roles
from recollect.errors import InvalidInput, RecollectError
from recollect.flows.admin.coverage import waits
from recollect.flows.asking import absent
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.jobs import once
from recollect.model.hit import Context, Hit
from recollect.model.kinds import DEFAULT_KINDS
from recollect.model.values import dataclass
from recollect.providers.judges import Sentence
from recollect.rules.learn.notes import NOBODY
from recollect.rules.window.profiles import PROFILES
from recollect.text.later import later
from recollect.text.marks import asks
from recollect.text.roles import is_machine
from recollect.tools.forms import short

if TYPE_CHECKING:  # without a model none of this is loaded, and its libraries may be missing
    from pydantic_ai import messages, tools

    import recollect.agent.crew as crew
    import recollect.agent.delegation as delegation
    import recollect.agent.remembering as remembering
    import recollect.agent.translating as translating
else:
    messages, tools = later("pydantic_ai", "messages", "tools")
    crew, delegation, remembering, translating = later(
        "recollect.agent", "crew", "delegation", "remembering", "translating"
    )

LEAST_MESSAGES = 4
"""How many messages a conversation must have to be worked through before it is cleared."""
MOST_SHOWN = 5
MOST_SOUGHT = 20
"""How many are looked at where no model answers: some may be questions of earlier days."""
QUESTION = "question"
"""The judge's class of what only asks."""
OUTDATED = ", maybe outdated"
SUMMARIZING = "[memory] Summarizing session to memory..."

Told = Callable[[Event], None]


def _nobody(event: Event) -> None:
    """Take no notice."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of one message: the answer, what it rests on, and what the guards saw."""

    text: str
    context: Context | None = None
    """What of memory stood in the request."""
    calls: tuple[str, ...] = ()
    """The tools that were called, in order."""
    flags: tuple[tuple[str, str], ...] = ()
    """Which guards stepped in, and why."""
    problem: str = ""
    """Why no model has answered; then the text is from memory alone."""


class RecollectAgent:
    """An agent that remembers. One turn at a time; what was said stands in the space's session."""

    def __init__(
        self,
        space: Space | AsyncSpace,
        *,
        role: str = "reasoning",
        profile: str = "",
        budget_tokens: int = 0,
        toolsets: Sequence[Any] = (),
    ) -> None:
        self.space = space.plain if isinstance(space, AsyncSpace) else space
        if not self.space._scope.session:
            raise InvalidInput("an agent needs a session: name one for its space")
        if profile and profile not in PROFILES:
            raise InvalidInput(f"profile {profile!r} is none: there are {', '.join(PROFILES)}")
        runtime = self.space._runtime
        self.roles = Roles(runtime.settings, runtime.complain)
        self.role: Role = self.roles.role(role)
        self.tree = self.role.tree()
        self.role.declared()  # a toolset that is not there is told now
        self._profile, self._budget, self._toolsets = profile, budget_tokens, toolsets
        self._compactor = Compactor(self.space, self.role, self.tree.text)
        self._told: Told = _nobody
        self._seen: list[Event] = []
        self._turning = asyncio.Lock()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What in the files of its prompt could not be used, and why."""
        return self.tree.warnings

    @property
    def problem(self) -> str:
        """Why there is no model to ask; empty where there is one."""
        return "" if self.role.targets else absent(self.space._runtime)

    def within(self, session: str) -> RecollectAgent:
        """Give the same agent in another session."""
        return RecollectAgent(
            self.space.within(session),
            role=self.role.name,
            profile=self._profile,
            budget_tokens=self._budget,
            toolsets=self._toolsets,
        )

    async def turn(self, prompt: str, told: Told = _nobody) -> Turn:
        """Answer a message; without a model, or where it fails, from memory alone."""
        if not prompt.strip():
            raise InvalidInput("the message is empty: say something")
        async with self._turning:
            if not self.role.targets:
                turn = await self._from_memory(prompt, self.problem)
                told(Kept(await asyncio.to_thread(_kept, self.space, prompt)))
                for done in await asyncio.to_thread(_asked_of_memory, self.space, prompt):
                    told(Status(f"[memory] {done}"))
                return turn
            await self._make_room(prompt, told)
            before = await asyncio.to_thread(translating.history, self.space)
            return await self._run(prompt, before, told)

    async def _make_room(self, prompt: str, told: Told) -> None:
        """See that the request will fit; a window that cannot be counted is told, and no reason not to answer."""
        try:
            await self._compactor.make_room(prompt, self.roles.room(self.role) - self._memory_tokens)
        except RecollectError as error:
            told(Status(f"[memory] {error}"))
        self._compactor.tell(told)

    @property
    def _memory_tokens(self) -> int:
        return self._budget or self.space._runtime.settings.agent.budget_tokens

    async def resume(self, told: Told = _nobody) -> Turn | None:
        """Go on with a turn that was broken off, its open calls first; None where nothing is open."""
        async with self._turning:
            if not self.role.targets:
                return None
            before = await asyncio.to_thread(translating.history, self.space)
            if not before or _closed(before[-1]):
                return None
            return await self._run(None, before, told)

    async def heartbeat(self, told: Told = _nobody) -> Turn | None:
        """Look after what nobody asks for: HEARTBEAT.md, proposals, failed jobs; None where all is well.

        It is no part of the conversation. What it says goes into the log of today.
        """
        asked = await asyncio.to_thread(asked_by_heartbeat, self.space)
        if not asked or not self.role.targets:
            return None
        async with self._turning:
            turn = await self._run(asked, [], told, keeps=False)
        if turn.problem or turn.text.strip() == QUIET:
            return turn if turn.problem else None
        await asyncio.to_thread(self.space.workspace.log, f"Heartbeat: {turn.text}")
        return turn

    async def reset(self, told: Told = _nobody) -> int:
        """Work the conversation through and clear it; give how many messages went out of sight. It always clears."""
        removed = len(await asyncio.to_thread(self.space.messages.ids))
        if removed >= LEAST_MESSAGES:
            told(Status(SUMMARIZING))
            try:
                report = await asyncio.to_thread(self.space.end)
                told(Status(f"[memory] {report.text}"))
            except RecollectError as error:
                told(Status(f"[memory] The session could not be summarized: {error}. What was said is kept."))
        await asyncio.to_thread(self.space.messages.set_ids, [])
        self._compactor.abandon()
        told(Status(f"Conversation history cleared: {removed} messages removed."))
        return removed

    async def close(self) -> None:
        """Let the compaction under way come to its end, and close the connections to models."""
        await self._compactor.finish()
        await self.roles.close()

    def instructions(self) -> str:
        """Give the system prompt as it stands now: the tree, and the warning of a window that is nearly full."""
        return "\n\n".join(part for part in (self.tree.text(), self._compactor.warning) if part)

    async def _run(
        self, prompt: str | None, before: list[messages.ModelMessage], told: Told, *, keeps: bool = True
    ) -> Turn:
        self._told, self._seen = told, []
        team = crew.Crew(self.space, self.roles, lambda guard, reason: self._tell(Flagged(guard, reason)))
        seconds = self.space._runtime.settings.agent.call_seconds
        try:
            agent = team.agent(self.role, self._equipped(team, keeps=keeps))
            done = await agent.run(
                prompt, message_history=before, event_stream_handler=self._streamed, infer_name=False
            )
        except crew.FAILURES as error:
            return await self._from_memory(prompt or "", f"{self.role.model} {crew.why(error, seconds)}")
        finally:
            self._told = _nobody
        if keeps:
            self._compactor.start()
        return self._turn(done.output)

    def _equipped(self, team: crew.Crew, *, keeps: bool) -> crew.Equipped:
        own = delegation.Delegation(team, self.role, self.instructions).tools() if self.role.hands_on else []
        recalling = remembering.Recalling(
            self.space,
            self._budget,
            self._profile,
            self.role.model,
            shown=lambda context: self._tell(Recalled(context)),
            problem=self._trouble,
        )
        return crew.Equipped(
            self.instructions(),
            self.role.declared(),
            own,
            around=[*([remembering.Keeping(self.space, self._trouble)] if keeps else []), recalling],
            toolsets=self._toolsets,
        )

    def _trouble(self, problem: str) -> None:
        self._tell(Status(f"[memory] {problem}"))

    def _tell(self, event: Event) -> None:
        self._seen.append(event)
        self._told(event)

    async def _streamed(self, ctx: tools.RunContext[Any], events: AsyncIterable[messages.AgentStreamEvent]) -> None:
        async for event in events:
            if (
                isinstance(event, messages.PartStartEvent)
                and isinstance(event.part, messages.TextPart)
                and event.part.content
            ):
                self._tell(Piece(event.part.content))
            elif isinstance(event, messages.PartDeltaEvent) and isinstance(event.delta, messages.TextPartDelta):
                self._tell(Piece(event.delta.content_delta))
            elif isinstance(event, messages.FunctionToolCallEvent):
                self._tell(Called(event.part.tool_name, event.part.args_as_json_str()))
            elif isinstance(event, messages.FunctionToolResultEvent):
                self._tell(Returned(event.part.tool_name or "", event.part.model_response_str(wrap_if_error=False)))

    def _turn(self, text: str) -> Turn:
        contexts = [one.context for one in self._seen if isinstance(one, Recalled)]
        return Turn(
            text,
            contexts[0] if contexts else None,
            tuple(one.tool for one in self._seen if isinstance(one, Called)),
            tuple((one.guard, one.reason) for one in self._seen if isinstance(one, Flagged)),
        )

    async def _from_memory(self, prompt: str, problem: str) -> Turn:
        """Answer from memory alone, and say so."""
        return Turn(await asyncio.to_thread(_from_memory, self.space, prompt, problem), problem=problem)


def _closed(last: messages.ModelMessage) -> bool:
    return isinstance(last, messages.ModelResponse) and not last.tool_calls


def _from_memory(space: Space, prompt: str, problem: str) -> str:
    """Give what memory alone has on a message, and why no model has answered it."""
    lines = [f"- {short(hit.memory.content)} ({_dated(hit)})" for hit in _on(space, prompt)]
    head = f"No model has answered ({problem})."
    if lines:
        return "\n".join([f"{head} From memory alone:", *lines])
    with space._runtime.store.view() as view:
        waiting = waits(space._runtime, view, space.owner)
    return f"{head} Nothing is found on this yet. {waiting}" if waiting else f"{head} Memory has nothing on this."


def _dated(hit: Hit) -> str:
    """Say of when a hit is, and whether it may still be so."""
    return hit.memory.event_time.date().isoformat() + (OUTDATED if hit.outdated_by else "")


def _kept(space: Space, prompt: str) -> str:
    """Keep a message; give what was kept of it, without the secrets it held."""
    return space.get(space.messages.append("user", prompt).id).content


def _asked_of_memory(space: Space, prompt: str) -> list[str]:
    """Carry out at once what a message asks of the memory, such as to forget something, and say what was done."""
    runtime = space._runtime
    if not runtime.reader.commands(prompt):
        return []
    return [one.text for one in once.run_jobs(runtime, ["learn"], None, owner=space.owner) if one.text]


def _on(space: Space, prompt: str) -> list[Hit]:
    """Give what is about a message, facts and what was said alike; who asks does not want his questions back."""
    if not prompt.strip():
        return []
    hits = space.fitting(prompt, space.recall(prompt, MOST_SOUGHT, kinds=[*DEFAULT_KINDS, "episode"]))
    return [hit for hit in hits if not _only_asks(space, hit, prompt)][:MOST_SHOWN]


def _only_asks(space: Space, hit: Hit, prompt: str) -> bool:
    """Tell whether a hit is a person's message that tells nothing, or the one that is to be answered."""
    memory = hit.memory
    if memory.kind != "episode" or is_machine(memory.role):
        return False
    said = space._runtime.reader.sentences(memory.content) or [memory.content]
    return memory.content.strip() == prompt.strip() or all(map(asks, said)) or _judged(space, said)


def _judged(space: Space, said: Sequence[str]) -> bool:
    """Tell whether the judge takes all sentences for questions; without one, only what ends like a question is."""
    judge = space._runtime.judge
    return judge is not None and all(
        one.label == QUESTION and not one.worth for one in judge.keep([Sentence(NOBODY, text) for text in said])
    )
