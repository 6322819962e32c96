"""How answers look: JSON for programs, text for people. The only place that prints."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import typer

from recollect.model.hit import Hit, Signal
from recollect.model.memory import Memory
from recollect.model.owner import split_owner
from recollect.model.receipt import Receipt, Report
from recollect.model.values import plain
from recollect.serve.cli.exits import OK, REFUSED
from recollect.text.later import later

if TYPE_CHECKING:  # what only serves others, or answers in JSON, draws nothing
    from rich import console as consoles
    from rich import table as tables
    from rich import text as texts
else:
    consoles, tables, texts = later("rich", "console", "table", "text")

MOST_SHOWN = 600
BAR = 12
UNFOLDED = 10_000
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = {"\r\n": "\n", "\r": "\n", "\u2028": "\n", "\u2029": "\n", "\x85": "\n", "\x0b": "\n", "\x0c": "\n"}
_STYLES = {"stored": "green", "superseded": "green", "merged": "green", "rejected": "red", "failed": "red"}


@cache
def _output() -> type[consoles.Console]:
    class Output(consoles.Console):
        """A console that says so when its reader has gone, instead of leaving the program by itself."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Output


def console(*, stderr: bool = False) -> consoles.Console:
    """Give a console that takes text as it is: no markup, no guessing at colours; it wraps for people only."""
    made = _output()(stderr=stderr, markup=False, highlight=False, emoji=False)
    made.soft_wrap = not made.is_terminal
    return made


def clean(text: str) -> str:
    """Take out what could move the cursor, change colours or turn the text around; lines and tabs stay."""
    for odd, plain_break in _BREAKS.items():
        text = text.replace(odd, plain_break)
    return "".join(
        char for char in text if char in "\n\t" or (unicodedata.category(char) != "Cc" and char not in _BIDI)
    )


def one_line(text: str) -> str:
    """Clean a text and put it on one line."""
    return " ".join(clean(text).split())


def shown(text: str) -> str:
    """Clean a text for a list: one line, and not all of a very long one."""
    line = one_line(text)
    if len(line) <= MOST_SHOWN:
        return line
    return f"{line[:MOST_SHOWN]}… ({len(line) - MOST_SHOWN:,} more characters, all of them with --json)"


def when(moment: datetime | None) -> str:
    """Write a time for people, in UTC."""
    return "–" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def emit(value: Any, *, err: bool = False, line: bool = False) -> None:
    """Print one JSON value, and nothing else; on one line where others follow."""
    typer.echo(json.dumps(plain(value), ensure_ascii=False, indent=None if line else 2), err=err)


def say(text: str | texts.Text, style: str = "") -> None:
    """Print a line for people."""
    console().print(texts.Text(text, style=style) if isinstance(text, str) else text)


def note(text: str) -> None:
    """Say something on stderr that is no part of the answer."""
    typer.echo(one_line(text), err=True)


def warn(text: str) -> None:
    """Warn on stderr."""
    note(f"warning: {text}")


def show_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table of cleaned texts; lines are folded for a terminal, never for a program."""
    made = tables.Table(box=None, pad_edge=False, show_header=any(heads), header_style="bold", padding=(0, 2, 0, 0))
    for head in heads:
        made.add_column(head, overflow="fold")
    for row in rows:
        made.add_row(*(texts.Text(one_line(cell)) for cell in row))
    out = console()
    if not out.is_terminal:
        out.width = UNFOLDED
    out.print(made)


def described(memory: Memory) -> str:
    """Say in a few words what a memory is beside its text."""
    facts = [
        memory.id,
        memory.kind if memory.state == "active" else f"{memory.kind}, {memory.state}",
        memory.topic or (memory.category if memory.category != "general" else ""),
        f"key {memory.key}" if memory.key else "",
        f"{memory.role} in {memory.session}" if memory.role and memory.session else memory.role or memory.session,
        "" if memory.importance is None else f"importance {memory.importance}",
        "pinned" if memory.pinned else "",
        " ".join(f"#{tag}" for tag in memory.tags),
        when(memory.event_time),
    ]
    return one_line(" · ".join(fact for fact in facts if fact))


def show_memory(memory: Memory, head: str = "", newer: str = "") -> None:
    """Print a memory: its text, what it is in a dim line, and the newer one that may have taken its place."""
    margin = " " * max(2, len(head))
    say(texts.Text.assemble((head, "bold"), shown(memory.content)))
    say(texts.Text(margin + described(memory), style="dim"))
    if newer:
        say(texts.Text.assemble(margin, ("maybe outdated", "yellow"), f" by {newer}"))


def show_hits(hits: Sequence[Hit], *, why: bool) -> None:
    """Print what a recall found, the best first, with its reasons when asked for."""
    for number, hit in enumerate(hits, 1):
        show_memory(hit.memory, f"{number:>2}. ", hit.outdated_by)
        if hit.folded:
            say(f"    and {len(hit.folded)} more that say the same", "dim")
        if why:
            show_signals(hit.why)
            say(f"    score       {hit.score:+.3f}", "dim")


def show_signals(why: Mapping[str, Signal]) -> None:
    """Print what each signal added as a bar: full for, hatched against."""
    longest = max((abs(signal.boost) for signal in why.values()), default=0.0)
    for name, signal in why.items():
        if not signal.boost and not signal.score:
            continue
        filled = round(BAR * abs(signal.boost) / longest) if longest else 0
        bar = ("█" if signal.boost >= 0 else "▒") * filled + "░" * (BAR - filled)
        told = signal.rank and signal.score != signal.boost
        place = f", rank {signal.rank}, measured {signal.score:.3f}" if told else ""
        style = "cyan" if signal.boost >= 0 else "red"
        say(texts.Text.assemble("    ", f"{name:<12}", (bar, style), f"  {signal.boost:+.3f}{place}"))


def show_receipt(receipt: Receipt, as_json: bool) -> int:
    """Print what became of a write, and give its exit code."""
    if as_json:
        emit(receipt.to_json())
        return OK if receipt.ok else REFUSED
    words: list[Any] = [(receipt.outcome, _STYLES.get(receipt.outcome, "yellow"))]
    if receipt.outcome == "stored" and receipt.op != "created":
        words = [(receipt.op, "green")]
    words += [f" {receipt.id}"] if receipt.id else []
    words += [f" (in the place of {receipt.other})"] if receipt.outcome == "superseded" else []
    words += [f": {one_line(receipt.reason)}"] if receipt.reason else []
    say(texts.Text.assemble(*words))
    for warning in receipt.warnings:
        warn(warning)
    return OK if receipt.ok else REFUSED


def show_reports(reports: Sequence[Report], *, steps: bool = False, whose: bool = False) -> None:
    """Print what jobs did, a line a run; for whom, and what was done to what, where that is asked for."""
    for report in reports:
        style = {"ok": "green", "skipped": "yellow", "failed": "red"}[report.status]
        told = [one_line(report.text or report.skipped), f" ({report.run})" if report.run else ""]
        owner = f" of {one_line(split_owner(report.owner)[1])}" if whose and report.owner else ""
        say(texts.Text.assemble((report.status, style), f" {report.job}{owner}: ", *told))
        for step in report.steps if steps else ():
            say(f"    {one_line(step)}", "dim")
