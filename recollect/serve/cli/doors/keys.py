"""API keys on the command line: made, listed, revoked."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.model.owner import ApiKey
from recollect.model.values import plain
from recollect.serve.cli.frame import CARING, command, group
from recollect.serve.cli.options import Base, opened
from recollect.serve.cli.render import emit, note, say, show_table, when

keys = group("keys", CARING, "Make, list and revoke the keys that open this memory over HTTP.")
Several = list[str] | None


@command(CARING, "recollect keys create laptop --user ana --days 90", name="create", within=keys)
def create(
    place: Base,
    name: Annotated[str, typer.Argument(help="What it is for, such as laptop.", show_default=False)],
    user: Annotated[str, typer.Option("--user", "-u", help="Whose memory; else every user of the tenant.")] = "",
    tenant: Annotated[str, typer.Option("--tenant", help="The tenant.")] = "",
    agent: Annotated[str, typer.Option("--agent", help="Speaks for this agent alone.")] = "",
    project: Annotated[str, typer.Option("--project", help="Works in this project alone.")] = "",
    read_only: Annotated[bool, typer.Option("--read-only", help="May change nothing.")] = False,
    admin: Annotated[bool, typer.Option("--admin", help="May make keys, run jobs and see every tenant.")] = False,
    grant: Annotated[Several, typer.Option("--grant", help="Another user whose memory it may read; repeat.")] = None,
    days: Annotated[float | None, typer.Option("--days", help="How long it lasts; else for ever.")] = None,
) -> None:  # long because the parameters are the key
    """Make a key; its secret is shown now and never again."""
    with opened(place) as memory:
        made, secret = memory.keys.create(
            name,
            user=user,
            tenant=tenant,
            agent=agent,
            project=project,
            read_only=read_only,
            admin=admin,
            grants=grant or (),
            days=days,
        )
    if place.as_json:
        emit({"key": made, "secret": secret})
        return
    say(secret)
    note(f"the key {made.id}; keep it, it is not shown again")


@command(CARING, "recollect keys list", name="list", within=keys)
def list_(place: Base) -> None:
    """List the keys, without their secrets."""
    with opened(place, existing=True) as memory:
        found = memory.keys()
    if place.as_json:
        emit(plain(found))
    elif found:
        heads = ("key", "name", "opens", "made (UTC)", "until (UTC)", "last used (UTC)")
        show_table(heads, [(one.id, one.name, _opens(one), *_times(one)) for one in found])
    else:
        note("there are no keys")


def _opens(one: ApiKey) -> str:
    whose = "everything" if one.admin and not one.user else f"{one.tenant or '-'}/{one.user or 'every user'}"
    more = [
        "reads only" if one.read_only else "",
        f"as {one.agent}" if one.agent else "",
        f"in {one.project}" if one.project else "",
        f"also reads {', '.join(one.grants)}" if one.grants else "",
    ]
    return ", ".join(part for part in (whose, *more) if part)


def _times(one: ApiKey) -> tuple[str, str, str]:
    return when(one.created_at), when(one.expires_at), when(one.last_used)


@command(CARING, "recollect keys revoke 2d7388ecf73757a3", name="revoke", within=keys)
def revoke(place: Base, key_id: Annotated[str, typer.Argument(metavar="KEY", help="The id of a key.")]) -> None:
    """Let a key open nothing any more, at once."""
    with opened(place, existing=True) as memory:
        gone = memory.keys.revoke(key_id)
    if place.as_json:
        emit(plain(gone))
    else:
        say(f"revoked {gone.id} ({gone.name})")
