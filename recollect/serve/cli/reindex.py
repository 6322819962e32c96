"""Another embedder: what it would cost to embed everything anew, and doing it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.flows.admin.reindex import Estimate, Reindexed
from recollect.front.recollect import Recollect
from recollect.model.values import plain
from recollect.serve.cli.exits import OK, REFUSED
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Base, opened
from recollect.serve.cli.render import emit, note, one_line, say, warn
from recollect.serve.cli.transfer import progress

NOTHING = "no embedder is set, so there is nothing to do; --drop takes the vectors away that are there"


@command(CARING, "recollect reindex --estimate, then: recollect reindex --yes")
def reindex(
    place: Base,
    estimate: Annotated[bool, typer.Option("--estimate", help="Only say what it would cost.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Embed nothing: take all vectors away.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Embed everything with the embedder that is set; the old vectors serve until the new ones are there."""
    if drop and estimate:
        raise InvalidInput("--drop embeds nothing, so there is nothing to estimate: leave one of them out")
    with opened(place, existing=True) as memory:
        return _drop(memory, yes, place.as_json) if drop else _embed(memory, estimate, yes, place.as_json)


def _embed(memory: Recollect, only: bool, yes: bool, as_json: bool) -> int:
    cost = memory.reindex_estimate()
    if only or not cost.owners:
        if as_json:
            emit(cost if only else Reindexed(cost.model))
        else:
            say(_described(cost))
        return OK
    note(_described(cost))
    # A program cannot be asked, and nothing is lost by it.
    if not yes and at_terminal() and not typer.confirm("Begin?", err=True):
        note("nothing was embedded")
        return REFUSED
    with progress("embedding", lambda: cost.memories) as tick:
        done = memory.reindex(tick)
    return _told(done, as_json)


def _described(cost: Estimate) -> str:
    if not cost.model:
        return NOTHING
    if not cost.owners:
        return f"all {cost.of_memories:,} memories of {cost.of_owners:,} users have their vector of {cost.model}"
    before = ", ".join(sorted(filter(None, cost.serving))) or "no vectors"
    time = f"about {_length(cost.seconds)}" if cost.seconds is not None else "the endpoint decides how long it takes"
    return (
        f"from {before} to {cost.model}: {cost.memories:,} of {cost.of_memories:,} memories, "
        f"{cost.owners:,} of {cost.of_owners:,} users; {cost.characters:,} characters, about {cost.tokens:,} tokens; "
        + (one_line(cost.problem) or time)
    )


def _length(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1, round(seconds))} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 6000 else f"{seconds / 3600:.1f} hours"


def _told(done: Reindexed, as_json: bool) -> int:
    if as_json:
        emit(plain(done))
        return REFUSED if done.problem else OK
    say(f"embedded {done.memories:,} memories with {done.model}; {done.owners:,} users are done")
    if done.left:
        warn(f"{done.model} gives no vector for {done.left:,} memories: they are found by their words")
    if done.kept:
        warn(f"{done.kept:,} users keep their old vectors: {done.model} gives none for most of their memories")
    if done.problem:
        warn(f"stopped: {done.problem}; the old vectors serve on, and the next run goes on from here")
    return REFUSED if done.problem else OK


def at_terminal() -> bool:
    """Tell whether there is somebody to ask."""
    return sys.stdin.isatty()


def _drop(memory: Recollect, yes: bool, as_json: bool) -> int:
    if not yes and not at_terminal():
        raise InvalidInput("dropping vectors asks for confirmation, but there is no terminal to ask at: add --yes")
    if not yes and not typer.confirm("Take the vectors of all users away? Making them anew may cost money.", err=True):
        note("nothing was taken away")
        return REFUSED
    done = memory.reindex(drop=True)
    if as_json:
        emit(plain(done))
    else:
        say(f"took {done.memories:,} vectors of {done.owners:,} users away; what is there is found by its words")
    return OK
