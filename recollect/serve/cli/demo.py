"""The demo: four short conversations, played for real, each claim checked as it is made."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from importlib import resources
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from recollect.errors import Conflict
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.runtime import system_clock
from recollect.serve.cli.exits import ABSENT, OK
from recollect.serve.cli.frame import STARTING, command
from recollect.serve.cli.options import Place, database, loaded, opened
from recollect.serve.cli.render import clean, console, emit, note, one_line, when
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.serve.rest import app, guard, running
else:
    app, guard, running = later("recollect.serve.rest", "app", "guard", "running")


@command(STARTING, "recollect demo, or to look at it in a browser: recollect demo --serve")
def demo(
    place: Place,
    serve: Annotated[bool, typer.Option("--serve", help="Then show the page on what it made, until Ctrl-C.")] = False,
    port: Annotated[int, typer.Option("--port", help="The port of the page.")] = 7077,
) -> int:
    """Play four short conversations and show what is remembered; no key, no network, unless a model is set."""
    shown = loaded(lambda: running.run, "server") if serve else None
    begun, script = monotonic(), performed()
    with database(place, "demo") as (url, kept):
        play = Play(script, quiet=place.as_json)
        with opened(place, url, play.clock) as memory:
            # Without an embedder nobody judges what is worth keeping.
            play.model = bool(memory.settings.llm) or memory.settings.embedder == "none"
            play.show(_opening(url, kept, memory.settings.llm))
            play.all(memory, place.user or script["user"], place.tenant or "")
            about = memory.describe()
        if shown is not None:
            _page(play, place, url, port)
    seconds, ok = monotonic() - begun, all(claim["ok"] for claim in play.claims)
    if place.as_json:
        where = {"url": about["url"], "kept": kept, "bytes": about["bytes"]}
        emit({"ok": ok, "seconds": round(seconds, 3), "database": where, "claims": play.claims})
    else:
        play.show(_closing(play.claims, about["url"], kept, seconds))
        play.show(_following(script["next"], place, script["user"]))
    return OK if ok else ABSENT


def _page(play: Play, place: Place, url: str, port: int) -> None:
    """Show the page on what was made, by the clock on the wall, until Ctrl-C."""
    user = quote(place.user or play.script["user"], safe="")
    with running.listening("127.0.0.1", port) as taken, opened(place, url) as memory:
        at = f"http://127.0.0.1:{taken.getsockname()[1]}/ui/#/{user}/overview"
        note(f"\nthe page on all this is at {at}; Ctrl-C ends it")
        running.run(app.Application(memory, guard.Limits(), key_required=False), taken)


def performed() -> dict[str, Any]:
    """Give the conversations of the demo, and what is claimed of each."""
    shipped = resources.files("recollect.serve") / "demo" / "conversation.json"
    script: dict[str, Any] = json.loads(shipped.read_text("utf-8"))
    return script


@dataclass(slots=True)
class Play:
    """One performance: the script, the clock it runs on, what was made, and every claim with its proof."""

    script: dict[str, Any]
    quiet: bool
    model: bool = False
    claims: list[dict[str, Any]] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    today: datetime = field(default_factory=system_clock)
    now: datetime = field(default_factory=system_clock)

    def clock(self) -> datetime:
        """Tell the time of the play, a tenth of a second later at every look, so that weeks pass in a moment."""
        self.now += timedelta(milliseconds=100)
        return self.now

    def show(self, what: RenderableType) -> None:
        """Print, unless only a summary is wanted."""
        if not self.quiet:
            console().print(what)

    def panel(self, title: str, messages: list[dict[str, Any]]) -> None:
        """Print messages as a model has them in sight."""
        lines = [f"{one['role']}: {clean(str(one['content']))}" for one in messages]
        self.show(Panel(Text("\n".join(lines)), title=Text(title), title_align="left", border_style="dim"))

    def claim(self, text: str, ok: bool) -> None:
        """Note a claim and whether it held, and say so."""
        self.claims.append({"claim": text, "ok": ok})
        mark = ("  ✓ ", "bold green") if ok else ("  ✗ ", "bold red")
        self.show(Text.assemble(mark, one_line(text)))

    def hope(self, text: str, ok: bool) -> None:
        """Make a claim of what a model may see otherwise, or nobody judges: that is told, and is no failure."""
        if ok or not self.model:
            self.claim(text, ok)
        else:
            self.show(Text.assemble(("  – ", "dim"), one_line(f"not this time: {text}")))

    def all(self, memory: Recollect, user: str, tenant: str) -> None:
        """Play every session: its messages are observed, then its steps are carried out."""
        if memory.space(user, tenant=tenant).stats().rev:
            raise Conflict(f"user {user!r} already has memories in this database: choose another --db or --user")
        for session in self.script["sessions"]:
            self.now = self.today - timedelta(days=session["days_ago"], minutes=30)
            ago = {0: "today", 1: "yesterday"}.get(session["days_ago"], f"{session['days_ago']} days ago")
            self.show(Text())
            self.show(Rule(Text(f"{session['title']} ({ago})", style="bold"), style="dim", align="left"))
            mine = memory.space(user, self.script["agent"], session["id"], tenant)
            for message in session["messages"]:
                name = self.script["name"] if message["role"] == "user" else ""
                mine.observe(message["role"], message["content"], actor=name)
                self.show(Text.assemble((f"{message['role']:>11}  ", "cyan"), message["content"]))
            self.show(Text())
            for step in session["steps"]:
                _STEPS[step["do"]](self, memory, mine, step)


def _remember(play: Play, memory: Recollect, mine: Space, step: dict[str, Any]) -> None:
    receipt = mine.remember(step["content"], source="agent", **step["details"])
    play.ids[step["content"]] = receipt.id
    play.claim(f"remembered: {step['content']}", receipt.outcome == "stored")


def _correct(play: Play, memory: Recollect, mine: Space, step: dict[str, Any]) -> None:
    old = play.ids[step["old"]]
    receipt = mine.correct(old, step["content"])
    play.ids[step["content"]] = receipt.id
    replaced = receipt.outcome == "superseded" and mine.get(old).state == "superseded"
    play.claim(f"replaced: {step['old']} → {step['content']}", replaced)


def _repeat(play: Play, memory: Recollect, mine: Space, step: dict[str, Any]) -> None:
    receipt = mine.remember(step["content"], source="agent")
    known = receipt.outcome == "duplicate" and receipt.id == play.ids[step["known"]]
    play.claim(f"known already, not stored twice: {step['content']}", known)


def _recall(play: Play, memory: Recollect, mine: Space, step: dict[str, Any]) -> None:
    then = play.today - timedelta(days=step["days_ago"]) if "days_ago" in step else None
    found = [hit.memory.content for hit in mine.recall(step["query"], limit=5, as_of=then)]
    aside = f" ({step['note']})" if "note" in step else ""
    answer = found[0] if found else "nothing"
    right = step["holds"] in answer if "holds" in step else answer == step["expect"]
    told = play.hope if "holds" in step else play.claim
    told(f"“{step['query']}”{aside} → {answer}", right and step.get("never", "") not in found)


def _end(play: Play, memory: Recollect, mine: Space, step: dict[str, Any]) -> None:
    """End the session and show what it came to: facts, where each is from, and a summary."""
    memory.run_jobs(["learn"])  # what was asked to be remembered is saved behind the message
    told = mine.end()
    play.show(Text(f"    {clean(told.text)}", style="dim"))
    session = mine.sessions()[0].id
    learnt = mine.list(kinds=["fact", "event"], sessions=[session], limit=50)
    for fact in learnt:
        play.show(Text.assemble("    • ", clean(fact.content), (f"  “{fact.attributes.get('quote', '')}”", "dim")))
    for wanted in step["expect"]:
        play.hope(f"distilled: what was said of {wanted}", any(wanted in fact.content for fact in learnt))
    for stray in step["never"]:
        play.claim(f"not learnt from a tool: {stray}", not any(stray in fact.content for fact in learnt))
    sourced = all(any(link.type == "derived_from" for link in mine.links(fact.id)) for fact in learnt)
    play.claim("every fact leads back to the message it is from", sourced)
    summaries = mine.list(kinds=["summary"], sessions=[session])
    for summary in summaries:
        play.show(Text(f"    {clean(summary.content)}", style="dim"))
    play.claim("the conversation has one summary, and nothing is left to do", len(summaries) == 1 and _closed(mine))


def _closed(mine: Space) -> bool:
    return mine.is_session_consolidated() and mine.end().changed == 0


def _history(play: Play, memory: Recollect, mine: Space, step: dict[str, Any]) -> None:
    entries = mine.history(play.ids[step["content"]])
    rows = [(when(entry.at), entry.op, mine.get(entry.memory_id).content) for entry in entries]
    complete = [entry.op for entry in entries].count("created") == 2 and any(e.op == "superseded" for e in entries)
    play.claim("nothing is lost: its history", complete)
    play.show(Group(*(Text(f"    {at}  {op:<11} {clean(what)}", style="dim") for at, op, what in rows)))


def _context(play: Play, memory: Recollect, mine: Space, step: dict[str, Any]) -> None:
    made = mine.context(step["prompt"], step["budget"])
    text = str(made)
    title = f"what the agent is given, {made.tokens} of {step['budget']} tokens"
    play.show(Panel(Text(clean(text)), title=Text(title), title_align="left", border_style="dim"))
    for wanted in step["expect"]:
        play.claim(f"it is there: {wanted}", wanted in text)
    known = "\n".join(
        part.text for part in made.sections if part.name != "said"
    )  # what was said once may be quoted, with its date
    for stale in step["never"]:
        play.claim(f"it is not, among what is known: anything about {stale}", stale not in known)
    play.claim("it fits the budget", made.tokens <= step["budget"])


def _compact(play: Play, memory: Recollect, mine: Space, step: dict[str, Any]) -> None:
    """Let the window of the conversation be compacted, and show what the model sees before and after."""
    before = mine.messages()
    play.panel("what the model has in sight before", before)
    done = mine.messages.compact(force=True)
    after = mine.messages()
    play.panel(f"and after: {len(before)} messages became {len(after)}", after)
    play.claim("it has fewer messages, and begins with a summary", bool(done.summary) and len(after) < len(before))
    found = [hit.memory.content for hit in mine.messages.search(step["find"]).messages]
    play.claim(f"nothing is lost: what was said of {step['find']} is found", any(step["find"] in one for one in found))
    made = str(mine.context(step["prompt"], step["budget"]))
    play.show(Panel(Text(clean(made)), title=Text("its context now"), title_align="left", border_style="dim"))
    play.claim(f"and stands in the context when it is asked for: {step['find']}", step["find"] in made)


def _stranger(play: Play, memory: Recollect, mine: Space, step: dict[str, Any]) -> None:
    found = memory.space(step["user"], tenant="demo-stranger").recall(step["query"])
    play.claim(f"somebody else ({step['user']}) asks “{step['query']}” → nothing", not found)


_STEPS = {
    "remember": _remember,
    "correct": _correct,
    "repeat": _repeat,
    "recall": _recall,
    "end": _end,
    "history": _history,
    "context": _context,
    "compact": _compact,
    "stranger": _stranger,
}


def _opening(url: str, kept: bool, llm: str | None) -> RenderableType:
    where = f"in {url}" if kept else "on a throwaway database"
    asked = f"{llm} is asked when one ends" if llm else "no key, no network"
    return Text.assemble(
        ("Recollect: long-term memory for AI agents.\n", "bold"),
        f"Four short conversations, played {where}; {asked}. Every ✓ was checked as you see it.",
    )


def _closing(claims: list[dict[str, Any]], url: str, kept: bool, seconds: float) -> RenderableType:
    held = sum(claim["ok"] for claim in claims)
    fate = f"The data lives in {url}" if kept else f"The data lived in {url} and is deleted now"
    style = "bold green" if held == len(claims) else "bold red"
    counted = Text(f"{held} of {len(claims)} claims held, in {seconds:.1f} s.", style=style)
    return Group(Text(), Rule(style="dim"), counted, Text(f"{fate}."))


def _following(steps: list[dict[str, str]], place: Place, user: str) -> RenderableType:
    """Say what to try next, with the names of this database; keeping it is offered only when it was not kept."""
    names = {"db": shlex.quote(place.db or "demo.db"), "user": shlex.quote(place.user or user)}
    lines = [Text("\nTry next:")]
    for step in steps:
        if place.db is None or not step.get("to_keep"):
            lines.append(
                Text.assemble((f"  {step['what']}:\n", "dim"), f"    {_runnable(step['run'].format(**names))}")
            )
    return Group(*lines)


def _runnable(command: str) -> str:
    """Name the program the way it was started, so that the line can be pasted."""
    started = sys.argv[0]
    return started + command.removeprefix("recollect") if started.endswith("bin/recollect") else command
