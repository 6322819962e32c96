"""A chat in the terminal with an assistant that remembers: what was recalled is shown beside each answer."""

from __future__ import annotations

import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.text import Text

from recollect.errors import InvalidInput
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.rules.window.grouping import BRIDGES
from recollect.serve.cli.exits import OK, REFUSED
from recollect.serve.cli.frame import STARTING, command
from recollect.serve.cli.options import Place, Speaker, opened, space_of, tell_waiting
from recollect.serve.cli.render import clean, console, emit, note, one_line, say
from recollect.text.later import later

if TYPE_CHECKING:
    import readline

    from recollect.agent import commands, companion, events
    from recollect.providers.llm import loop
else:
    commands, companion, events = later("recollect.agent", "commands", "companion", "events")
    (loop,) = later("recollect.providers.llm", "loop")
    try:
        import readline
    except ImportError:  # on some machines there is none: lines are typed plainly
        readline = None

GRACE = 2.0
"""How many seconds pass before jobs run: the first answer comes first."""
LONGEST_TURN = 3600.0
PREFIX = "chat-"
NO_MODEL = "To have one answer, set RECOLLECT_LLM=openai:MODEL and OPENAI_API_KEY, or see docs/models.md."
MOST_RECALLED = 6
EARLIER = 6
MOST_HISTORY = 200
WIDTH = 110
T = TypeVar("T")


@command(STARTING, 'recollect chat, then talk; or recollect chat "What do you know about me?" for one answer')
def chat(
    place: Place,
    speaker: Speaker,
    message: Annotated[
        str | None, typer.Argument(help="One message; without it, a conversation.", show_default=False)
    ] = None,
    last: Annotated[bool, typer.Option("--continue", "-c", help="Go on with the last conversation.")] = False,
    profile: Annotated[str, typer.Option("--profile", help="The form memory has in a request.")] = "",
    no_worker: Annotated[bool, typer.Option("--no-worker", help="Leave jobs to `recollect worker`.")] = False,
) -> int:
    """Talk with an assistant that remembers; without a model's key it answers from memory alone, and says so."""
    if message is not None and not message.strip():
        raise InvalidInput("the message is empty: say something, or leave it out for a conversation")
    with opened(place) as memory, _working(memory, wanted=not no_worker):
        memory.warm()
        mine = space_of(memory, place, speaker)
        earlier = speaker.session or (_last(mine) if last else "")
        if last and not earlier:
            note("There is no earlier conversation to go on with: this begins a new one.")
        agent = companion.RecollectAgent(mine.within(earlier or _fresh(mine)), profile=profile)
        if not agent.problem:  # without a model the answer itself says it
            tell_waiting(mine)
        with _Terminal(agent, place) as terminal:
            return terminal.converse() if message is None else terminal.once(message)


@contextmanager
def _working(memory: Recollect, *, wanted: bool) -> Iterator[None]:
    """Let jobs run beside the conversation, a moment after it began."""
    timer = threading.Timer(GRACE, lambda: memory.worker().start())
    timer.daemon = True
    if wanted:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _fresh(space: Space) -> str:
    return f"{PREFIX}{space.now:%Y%m%d-%H%M%S-%f}"[:-3]


def _last(space: Space) -> str:
    return next((one.id for one in space.sessions() if one.id.startswith(PREFIX)), "")


class _Terminal:
    """One conversation in a terminal, or with a program that writes lines."""

    def __init__(self, agent: companion.RecollectAgent, place: Place) -> None:
        self._json, self._place = place.as_json, place
        self._loop = loop.Loop()
        self._commands = commands.Commands(agent, lambda: _fresh(agent.space), self.told)
        self._shown = ""
        self._out = console()

    def __enter__(self) -> _Terminal:
        return self

    def __exit__(self, *error: object) -> None:
        self._kept(self._commands.agent.close())
        self._loop.close()

    @property
    def _agent(self) -> companion.RecollectAgent:
        return self._commands.agent

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        done = self._loop.run(work, LONGEST_TURN)
        if isinstance(done, BaseException):
            raise done
        return done

    def converse(self) -> int:
        """Read lines and answer them, until there are no more."""
        asking = sys.stdin.isatty() and not self._json
        if asking:
            self._greet()
        self._finish_turn()
        while (line := _line("you> " if asking else "")) is not None:
            if line.strip() in commands.LEAVING:
                break
            if line.strip():
                self._answer(line)
        if asking:
            say(f"\nThis conversation is kept. To go on with it: recollect chat {self._here}", "dim")
        self._hint()
        return OK

    def once(self, text: str) -> int:
        """Answer one message, and leave; give the exit code."""
        code = self.turn(text)
        self._hint()
        return code

    @property
    def _here(self) -> str:
        """The options that name this conversation."""
        return f"--session {self._agent.space._scope.session}{self._place.again}"

    def _hint(self) -> None:
        """Say when what was said becomes facts, where no model has: a conversation that may go on is read later."""
        if not self._json and not self._agent.role.model and self._agent.space.messages.ids():
            note(f"What you said becomes facts later, or now: recollect end {self._here}")

    def _greet(self) -> None:
        space = self._agent.space
        model = self._agent.role.model
        who = f"{model}." if model else f"no model ({self._agent.problem}): answers come from memory alone. {NO_MODEL}"
        say(f"Talking with {who} !help lists what else there is; Ctrl-D leaves.", "dim")
        for warning in self._agent.warnings:
            note(f"warning: {warning}")
        for one in space.messages()[-EARLIER:]:
            text = one_line(str(one.get("content") or ""))
            if text and one["role"] in BRIDGES and text != BRIDGES[one["role"]]:
                say(Text.assemble((f"{'you' if one['role'] == 'user' else 'agent'}> ", "cyan"), (text, "dim")))
        if readline is not None:
            for said in reversed(space.list("recent", MOST_HISTORY, kinds=["episode"], role="user")):
                readline.add_history(one_line(said.content))

    def _finish_turn(self) -> None:
        """Go on with a turn that was broken off in the middle."""
        turn = self._kept(self._agent.resume(self.told))
        if turn is not None:
            self._close(turn)

    def _answer(self, line: str) -> None:
        if line.lstrip().startswith(commands.MARK):
            self._kept(self._commands.run(line))
        elif hint := commands.meant(line):
            self.told(events.Status(hint))
        else:
            self.turn(line)

    def turn(self, text: str) -> int:
        """Answer one message; give the exit code."""
        self._shown = ""
        turn = self._kept(self._agent.turn(text, self.told))
        if turn is None:
            return REFUSED
        self._close(turn)
        return OK

    def _kept(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Wait for an answer; Ctrl-C breaks it off, and what was said until then is kept."""
        try:
            return self._run(work)
        except KeyboardInterrupt:
            note("\n(interrupted: what was said until here is kept)")
            return None

    def _close(self, turn: companion.Turn) -> None:
        if self._json:
            context = turn.context
            known = [self._agent.space.get(id) for id in (context.ids if context else ())]
            recalled = [{"id": one.id, "content": one.content} for one in known]
            flags = [{"guard": guard, "reason": reason} for guard, reason in turn.flags]
            told = {"text": turn.text, "recalled": recalled, "calls": turn.calls, "flags": flags}
            emit({**told, "problem": turn.problem, "session": self._agent.space._scope.session}, line=True)
            return
        rest = turn.text.removeprefix(self._shown.strip()) if self._shown.strip() else turn.text
        typer.echo(clean(rest))

    def told(self, event: events.Event) -> None:
        """Show what happens while an answer is made; for programs only what a command says."""
        if isinstance(event, events.Status):
            if self._json:
                emit({"status": event.text}, line=True)
            else:
                say(clean(event.text), "dim" if event.text.startswith("[memory]") else "")
        elif not self._json:
            self._show(event)

    def _show(self, event: events.Event) -> None:
        if isinstance(event, events.Piece):
            self._shown += event.text
            with suppress(UnicodeEncodeError):
                sys.stdout.write(clean(event.text))
                sys.stdout.flush()
            return
        if self._shown and not self._shown.endswith("\n"):
            sys.stdout.write("\n")
        self._shown = ""
        for line in _aside(event):
            say(Text(f"  ┊ {_cut(line)}", style="dim"))


def _aside(event: events.Event) -> list[str]:
    """Give what is shown beside an answer: what was recalled or kept, which tools were called, which guard spoke."""
    if isinstance(event, events.Recalled):
        found = [
            line.strip()
            for part in event.context.sections
            for line in part.text.splitlines()
            if line.strip() and not line.startswith(("#", "*"))
        ]
        more = [f"… and {len(found) - MOST_RECALLED} more"] if len(found) > MOST_RECALLED else []
        return [*(["recalled:"] if found else []), *found[:MOST_RECALLED], *more]
    if isinstance(event, events.Called):
        return [f"calls {event.tool} {event.arguments}"]
    if isinstance(event, events.Returned):
        return [f"→ {event.text}"]
    if isinstance(event, events.Kept):
        return [f"kept: {event.text}"]
    if isinstance(event, events.Flagged):
        return [f"guard ({event.guard}): {event.reason}"]
    if isinstance(event, events.Compacted):
        made = event.what
        return [f"[memory] window {made.step}: {made.before:,} → {made.after:,} tokens, {made.learnt}"]
    return []


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def _line(prompt: str) -> str | None:
    """Read a line; None at the end, and when Ctrl-C is pressed with nothing under way."""
    try:
        return input(prompt)
    except (EOFError, KeyboardInterrupt):
        return None
