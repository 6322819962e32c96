"""The models that are set, by role: asked in turn, again where that may help, and never longer than agreed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from recollect.config import ModelsSettings
from recollect.model.asking import Answer, Failed, Nothing, Question, Refused, Usage, Value
from recollect.providers.llm.call import MODES, Build, Caller, Reply
from recollect.providers.llm.llm import Llm
from recollect.providers.llm.loop import Loop
from recollect.providers.llm.target import Target
from recollect.rules.agent.roles import RolesPolicy
from recollect.rules.window.budget import cost

FIRST_WAIT = 0.5
LONGEST_WAIT = 20.0
"""How long a provider may ask us to wait before the next one is asked instead."""

_MODES: dict[tuple[str, str], str] = {}
_GUARD = threading.Lock()
"""The mode that worked, by address and model: found out once in a process."""


@dataclass(slots=True)
class _Tally:
    """What a question has cost so far, and how far it may go."""

    cost: int
    most: int
    usage: Usage
    text: str = ""
    """What was written last, though it was of no use."""

    @property
    def spent(self) -> bool:
        return bool(self.most) and self.usage.tokens + self.cost > self.most


class Models(Llm):
    """A list of models for each role, the fallbacks behind the first."""

    def __init__(
        self,
        chosen: Mapping[str, Sequence[Target]],
        build: Build,
        settings: ModelsSettings,
        roles: RolesPolicy | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.roles = frozenset(role for role, targets in chosen.items() if targets)
        self._settings = settings
        self._sleep = sleep
        self._loop = Loop()
        self._closed = False
        targets = {target for several in chosen.values() for target in several}
        made = {target: Caller(target, build, settings, self._loop, roles or RolesPolicy()) for target in targets}
        self._callers = {role: [made[target] for target in several] for role, several in chosen.items()}

    def ask(self, question: Question, most_tokens: int = 0) -> Answer:
        """Ask the role's models one after the other until one answers."""
        callers = self._callers.get(question.role, [])
        if not callers or self._closed:
            reason = "the models are closed" if self._closed else f"no model is set for the role {question.role}"
            return Failed(reason)
        tally = _Tally(cost(question, self._settings.max_tokens), most_tokens, Usage())
        problems: list[str] = []
        for caller in callers:
            answer = self._one(caller, question, tally)
            if not isinstance(answer, str):
                return answer
            problems.append(f"{caller.target.name} {answer}")
        return Failed("; ".join(problems), tally.usage, tally.text)

    def close(self) -> None:
        """Close the connections and the loop all requests run in."""
        self._closed = True
        for caller in {caller for several in self._callers.values() for caller in several}:
            caller.close()
        self._loop.close()

    def _one(self, caller: Caller, question: Question, tally: _Tally) -> Answer | str:
        """Ask one model: each mode once, and the same again after a failure that may pass; a text says why not."""
        known = _MODES.get(_place(caller.target))
        modes = list(MODES[MODES.index(known) :]) if known else list(MODES)
        left, wait = self._settings.retries, FIRST_WAIT
        rejected = False
        while True:
            if tally.spent:
                return "was not asked again: it would exceed the budget"
            reply = caller.ask(question, modes[0])
            if self._closed:
                return "was closed meanwhile"
            tally.usage += reply.usage
            tally.text = reply.text or tally.text
            if reply.refused:
                return Refused(reply.problem, tally.usage, reply.text)
            if reply.read is not None:
                self._note(caller.target, modes[0], known is None or rejected)
                return _answer(reply, caller.target, tally.usage)
            pause = max(wait, reply.wait)
            if reply.again and left and pause <= LONGEST_WAIT:
                self._sleep(pause)
                left, wait = left - 1, wait * 2
            elif reply.step and len(modes) > 1:
                rejected = rejected or "status" in reply.problem
                modes.pop(0)
            else:
                return reply.problem

    def _note(self, target: Target, mode: str, learn: bool) -> None:
        if learn:  # a mode that worked before is not given up for one bad answer
            with _GUARD:
                _MODES[_place(target)] = mode


def _answer(reply: Reply, target: Target, usage: Usage) -> Answer:
    read = reply.read
    assert read is not None
    if read.empty:
        return Nothing(usage, target.name, read.shaped, reply.text)
    return Value(read.value, usage, target.name, read.dropped, read.mended, reply.text)


def _place(target: Target) -> tuple[str, str]:
    return target.address.url, target.model
