"""Better words for a prompt as a command: tried on examples, written to a file of your own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.prompts import load, written
from recollect.serve.cli.exits import OK
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Place, opened, space_of
from recollect.serve.cli.render import emit, note, say
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.agent import tuning
else:
    (tuning,) = later("recollect.agent", "tuning")


@command(CARING, "recollect tune think --examples examples.jsonl --out prompts")
def tune(
    place: Place,
    prompt: Annotated[str, typer.Argument(help="The prompt, such as consolidate, compact or think.")],
    examples: Annotated[str, typer.Option("--examples", metavar="FILE", help="One JSON object a line.")],
    out: Annotated[str, typer.Option("--out", metavar="FOLDER", help="Where better words are written.")] = "",
    rounds: Annotated[int, typer.Option("--rounds", min=1, max=100, help="How often words are tried anew.")] = 5,
) -> int:
    """Find better words for a prompt: a model reflects on failures, and what does better on examples is kept."""
    given = tuning.read_examples(examples, load(prompt))
    with opened(place) as memory:
        done = tuning.tune(space_of(memory, place), prompt, given, rounds)
    first, best = done.trials[0], done.best
    better = best.mean > first.mean
    path = Path(out or ".") / f"{prompt}.md"
    if out and better:
        path.parent.mkdir(parents=True, exist_ok=True)
        version = f"{done.prompt.version}.{len(done.trials) - 1}"
        path.write_text(written(done.prompt, best.instructions, version), "utf-8")
    told = {
        "prompt": prompt,
        "before": first.mean,
        "after": best.mean,
        "tried": len(done.trials),
        "tokens": done.tokens,
    }
    if place.as_json:
        emit({**told, "instructions": best.instructions, "file": str(path) if out and better else ""})
        return OK
    say(f"{prompt}: {first.mean:.2f} → {best.mean:.2f} on {len(given)} examples, {done.tokens:,} tokens")
    for one in dict.fromkeys(done.notes):
        note(one)
    if out and better:
        say(f"Written to {path}. To use it, set models.prompt_folder to {path.parent}.")
    elif better:
        say(best.instructions)
    return OK
