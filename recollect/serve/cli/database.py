"""The database as a whole: making it, bringing it up to date, and moving house."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.model.values import plain
from recollect.serve.cli.frame import CARING, command
from recollect.serve.cli.options import Base, opened
from recollect.serve.cli.render import emit, say
from recollect.serve.cli.transfer import progress


class DbAction(StrEnum):
    """What to do with a database."""

    init = "init"
    migrate = "migrate"
    copy = "copy"


@command(CARING, "recollect db copy memory.db postgresql://me@localhost/agents")
def db(
    place: Base,
    action: Annotated[DbAction, typer.Argument(help="Make it, bring its schema up to date, or copy it.")],
    source: Annotated[str, typer.Argument(metavar="FROM", help="copy: the database to read.")] = "",
    target: Annotated[str, typer.Argument(metavar="TO", help="copy: the database to write.")] = "",
) -> None:
    """Make a database, bring it up to date, or copy everything from one to another of any engine."""
    if action is DbAction.copy:
        _copy(place, source, target)
        return
    if source or target:
        raise InvalidInput(f"db {action} takes no databases as arguments: name one with --db")
    with opened(place) as memory:
        about = memory.describe()
    if place.as_json:
        emit(about)
    else:
        say(f"{about['url']} is ready: {about['engine']} {about['version']}, schema {about['schema']}")


def _copy(place: Base, source: str, target: str) -> None:
    if not source or not target:
        raise InvalidInput("db copy needs two databases: recollect db copy FROM TO")
    with opened(place, source, existing=True) as one, opened(place, target) as other, progress("copying") as tick:
        copied = one.copy_to(other, tick)
    if place.as_json:
        emit(plain(copied))
    else:
        there = f", {copied.skipped:,} of them there already" if copied.skipped else ""
        say(f"copied {copied.rows:,} rows of {copied.owners:,} users{there}; checksum of both: {copied.checksum[:16]}")
