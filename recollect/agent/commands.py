"""What a person can ask of a chat beside talking: commands that begin with an exclamation mark."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from recollect.agent.companion import RecollectAgent, Told
from recollect.agent.events import Status
from recollect.agent.querying import query
from recollect.agent.reviewing import memstats, merged, topic_merges
from recollect.errors import InvalidInput, RecollectError
from recollect.rules.learn.topics import Merge

MARK = "!"

HELP: dict[str, str] = {
    "!help": "these lines",
    "!reset": "sum the conversation up to memory, clear it, and begin a new one",
    "!memstats": "how much is remembered, of what",
    "!memreview": "topics that may be one; `!memreview 1 3` or `!memreview all` merges them",
    "!db_query SELECT …": "a query over memories (facts and the like), messages or sessions, which changes nothing",
    "!heartbeat": "look after what nobody asks for",
    "!quit": "leave; the conversation is kept",
}
LEAVING = ("!quit", "!exit")


def meant(line: str) -> str:
    """Say which command a line is that lacks its sign, or has another program's; nothing where it is none."""
    name = f"{MARK}{line.strip().lstrip('/:').casefold()}"
    known = LEAVING[0] if name in LEAVING else name
    text = HELP.get(known, "")
    return f"Was this a command? {known}: {text}. It was not kept as a message." if text else ""


class Commands:
    """Carries out what a person asks of a chat; the agent it is for changes with `!reset`."""

    def __init__(self, agent: RecollectAgent, fresh: Callable[[], str], told: Told) -> None:
        self.agent = agent
        self._fresh, self._told = fresh, told
        self._merges: list[Merge] = []
        self._known: dict[str, Callable[[str], Awaitable[None]]] = {
            "!help": self._help,
            "!reset": self._reset,
            "!memstats": self._memstats,
            "!memreview": self._memreview,
            "!db_query": self._db_query,
            "!heartbeat": self._heartbeat,
        }

    async def run(self, line: str) -> None:
        """Carry out a command; what is wrong with it is said, and nothing is changed."""
        name, _, rest = line.strip().partition(" ")
        carry_out = self._known.get(name)
        try:
            if carry_out is None:
                raise InvalidInput(f"there is no command {name}: !help lists those there are")
            await carry_out(rest.strip())
        except RecollectError as error:
            self._say(f"error: {error}")

    def _say(self, text: str) -> None:
        self._told(Status(text))

    async def _help(self, rest: str) -> None:
        width = max(map(len, HELP))
        self._say("\n".join(f"{name:<{width}}  {text}" for name, text in HELP.items()))

    async def _reset(self, rest: str) -> None:
        await self.agent.reset(self._told)
        before = self.agent
        self.agent = before.within(self._fresh())
        await before.close()

    async def _memstats(self, rest: str) -> None:
        self._say(await asyncio.to_thread(memstats, self.agent.space))

    async def _db_query(self, rest: str) -> None:
        if not rest:
            raise InvalidInput("say which query: !db_query SELECT COUNT(*) FROM memories")
        self._say((await asyncio.to_thread(query, self.agent.space, rest)).text())

    async def _heartbeat(self, rest: str) -> None:
        turn = await self.agent.heartbeat(self._told)
        self._say("All is well." if turn is None else turn.text)

    async def _memreview(self, rest: str) -> None:
        if rest:
            await self._merge(rest)
            return
        self._merges = await asyncio.to_thread(topic_merges, self.agent.space)
        if not self._merges:
            self._say("No two topics look like one.")
            return
        lines = [f"{at}. {', '.join(one.topics)} → {one.into}" for at, one in enumerate(self._merges, 1)]
        self._say("\n".join([*lines, "Nothing is changed yet: !memreview 1 3 or !memreview all merges them."]))

    async def _merge(self, rest: str) -> None:
        every = {str(at): one for at, one in enumerate(self._merges, 1)}
        numbers = list(every) if rest == "all" else rest.replace(",", " ").split()
        if not every or any(one not in every for one in numbers):
            raise InvalidInput("look first with !memreview, then say which numbers, or all")
        for number in numbers:
            changed = await asyncio.to_thread(merged, self.agent.space, every[number])
            self._say(f"{', '.join(every[number].topics)} → {every[number].into}: {changed} memories changed")
        self._merges = []
