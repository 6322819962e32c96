"""Tuning: better words for a prompt, found on your own examples and taken only if they win on those held out."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.flows.learn.tuning import Tuned
from recollect.front.recollect import Recollect
from recollect.model.values import dataclass
from recollect.serve.cli.exits import OK, REFUSED
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Place, opened, space_of
from recollect.serve.cli.render import emit, note, say, show_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Where better words come from, and where they go."""

    candidate: Annotated[str, typer.Option("--candidate", metavar="FILE", help="Try these words; seek none.")] = ""
    into: Annotated[
        str, typer.Option("--into", metavar="FOLDER", help="Where a better prompt goes; else models.prompts.")
    ] = ""
    export: Annotated[
        str, typer.Option("--export", metavar="FOLDER", help="Only write what GEPA is given, to run it elsewhere.")
    ] = ""
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Seek and compare, and write nothing.")] = False


@command(CARING, "recollect tune judge --examples judged.jsonl --into prompts")
def tune(
    place: Place,
    way: Way,
    prompt: Annotated[str, typer.Argument(help="Which prompt; without one they are listed.")] = "",
    examples: Annotated[str, typer.Option("--examples", metavar="FILE", help="Examples with right answers.")] = "",
    sample: Annotated[bool, typer.Option("--sample", help="Show one line of such a file, to fill in.")] = False,
) -> int:
    """Find better words for a prompt on your own examples; they are taken only if they win on examples held out."""
    with opened(place) as memory:
        if not prompt:
            return _listed(memory, place.as_json)
        line = memory.prompts.sample(prompt)  # whether there is such a prompt is said before what else is missing
        if sample:
            typer.echo(json.dumps(line, ensure_ascii=False))
            return OK
        if not examples:
            raise InvalidInput("examples are needed: --examples FILE, one JSON object a line; --sample shows one")
        if way.export:
            return _exported(memory, prompt, examples, way.export, place.as_json)
        owner = space_of(memory, place).owner
        found = memory.prompts.tune(
            prompt, examples, candidate=way.candidate or None, into=way.into or None, dry=way.dry_run, owner=owner
        )
        return _told(found, memory.settings.models.prompts, place.as_json)


def _exported(memory: Recollect, prompt: str, examples: str, folder: str, as_json: bool) -> int:
    used, held = memory.prompts.export(prompt, examples, folder)
    if as_json:
        emit({"folder": folder, "examples": used, "held_out": held})
    else:
        say(f"wrote {used} examples and the prompt to {folder}; {held} are held out, to judge what comes back")
    return OK


def _listed(memory: Recollect, as_json: bool) -> int:
    found = memory.prompts()
    if as_json:
        emit([{"prompt": one.name, "version": one.version, "role": one.role, "data": one.data} for one in found])
    else:
        rows = [(one.name, one.version, one.role, ", ".join(one.data)) for one in found]
        show_table(("prompt", "version", "role", "asked about"), rows)
    return OK


def _told(found: Tuned, folder: str, as_json: bool) -> int:
    if as_json:
        emit(found)
        return OK if found.won else REFUSED
    say(f"{found.prompt}: {found.reason}")
    told = f"{found.before:.3f} before, {found.after:.3f} after, on {found.held_out} of {found.examples} examples"
    say(f"  {told}; {found.usage.calls:,} calls, {found.usage.tokens:,} tokens", "dim")
    if found.wording and not found.taken:
        note(found.wording)
    if found.path:
        say(f"written to {found.path} as version {found.version}")
    if found.path and not folder:
        say("it is used once models.prompts names that folder")
    return OK if found.won else REFUSED
