"""Keeping and changing: one command per verb that writes a memory."""

from __future__ import annotations

from typing import Annotated

import typer

from recollect.flows.learn.end import NO_SESSION
from recollect.model.options import Updates
from recollect.serve.cli.exits import ABSENT, OK, REFUSED
from recollect.serve.cli.frame import KEEPING, command
from recollect.serve.cli.options import (
    TIME,
    About,
    Content,
    Filed,
    MemoryId,
    Place,
    RequestId,
    Speaker,
    parsed,
    space,
    text,
    time_given,
)
from recollect.serve.cli.render import emit, note, show_receipt, show_reports


@command(KEEPING, 'recollect remember "Ana lives in Lisbon." --topic home --importance 7')
def remember(place: Place, speaker: Speaker, about: About, content: Content, request_id: RequestId = "") -> int:
    """Keep a fact, or another kind of memory, unless it is known already."""
    details, content = about.details(), text(content)
    with space(place, speaker) as mine:
        return show_receipt(mine.remember(content, request_id=request_id, **details), place.as_json)


@command(KEEPING, 'recollect observe user "I moved to Lisbon in May." --session monday')
def observe(
    place: Place,
    speaker: Speaker,
    role: Annotated[str, typer.Argument(help="Who speaks: user, assistant, tool …", show_default=False)],
    content: Content,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help=f"When it was said. {TIME}.")] = None,
    actor: Annotated[str, typer.Option("--actor", help="The name of who speaks.")] = "",
    attributes: Annotated[
        str | None, typer.Option("--attributes", metavar="JSON", help="Anything else, a JSON object.")
    ] = None,
    request_id: RequestId = "",
) -> int:  # long because the parameters are the message
    """Keep one message of a conversation as it was said."""
    said = None if at is None else time_given("--at", at)
    extra = None if attributes is None else parsed("--attributes", attributes)
    content = text(content)
    with space(place, speaker) as mine:
        return show_receipt(mine.observe(role, content, said, extra, actor, request_id), place.as_json)


@command(KEEPING, 'recollect correct ID "Ana lives in Porto."')
def correct(place: Place, speaker: Speaker, memory_id: MemoryId, content: Content, request_id: RequestId = "") -> int:
    """Replace what a memory says; the old text stays on record and is not recalled again."""
    content = text(content)
    with space(place, speaker) as mine:
        receipt = mine.correct(memory_id, content, request_id)
    code = show_receipt(receipt, place.as_json)
    if code == OK and receipt.outcome == "superseded" and not place.as_json:
        note(f"to take it back: recollect undo {receipt.id}{place.again}")
    return code


@command(KEEPING, "recollect update ID --topic work --importance 8")
def update(
    place: Place,
    speaker: Speaker,
    filed: Filed,
    memory_id: MemoryId,
    content: Annotated[str | None, typer.Option("--content", help="What it says from now on.")] = None,
    request_id: RequestId = "",
) -> int:
    """Change what a memory says or how it is filed; what is not given stays."""
    changes = Updates(content=content, **filed.changes())  # type: ignore[typeddict-item]
    with space(place, speaker) as mine:
        return show_receipt(mine.update(memory_id, request_id=request_id, **changes), place.as_json)


@command(KEEPING, "recollect confirm ID")
def confirm(place: Place, speaker: Speaker, memory_id: MemoryId, request_id: RequestId = "") -> int:
    """Make a memory certain: full confidence, no decay."""
    with space(place, speaker) as mine:
        return show_receipt(mine.confirm(memory_id, request_id), place.as_json)


@command(KEEPING, "recollect pin ID, and to take the pin out: recollect pin ID --off")
def pin(
    place: Place,
    speaker: Speaker,
    memory_id: MemoryId,
    off: Annotated[bool, typer.Option("--off", help="Take the pin out.")] = False,
    request_id: RequestId = "",
) -> int:
    """Protect a memory from ageing, decay, expiry and merging."""
    with space(place, speaker) as mine:
        return show_receipt(mine.pin(memory_id, not off, request_id), place.as_json)


@command(KEEPING, "recollect rate ID 8")
def rate(
    place: Place,
    speaker: Speaker,
    memory_id: MemoryId,
    importance: Annotated[int, typer.Argument(help="From 1 (trifle) to 10 (critical).", show_default=False)],
    request_id: RequestId = "",
) -> int:
    """Say how much a memory matters."""
    with space(place, speaker) as mine:
        return show_receipt(mine.rate(memory_id, importance, request_id), place.as_json)


@command(KEEPING, "recollect forget ID")
def forget(place: Place, speaker: Speaker, memory_id: MemoryId, request_id: RequestId = "") -> int:
    """Put a memory out of sight; restore brings it back, erase is for good."""
    with space(place, speaker) as mine:
        return show_receipt(mine.forget(memory_id, request_id), place.as_json)


@command(KEEPING, "recollect restore ID")
def restore(place: Place, speaker: Speaker, memory_id: MemoryId, request_id: RequestId = "") -> int:
    """Bring a forgotten memory back whole."""
    with space(place, speaker) as mine:
        return show_receipt(mine.restore(memory_id, request_id), place.as_json)


@command(KEEPING, 'recollect merge ID1 ID2 --content "Ana likes jazz and fado."')
def merge(
    place: Place,
    speaker: Speaker,
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Two memories or more.", show_default=False)],
    content: Annotated[
        str | None, typer.Option("--content", help="What the new one says; put together from the parts by default.")
    ] = None,
    request_id: RequestId = "",
) -> int:
    """Make one memory of several; the parts stay on record."""
    with space(place, speaker) as mine:
        return show_receipt(mine.merge(ids, content, request_id), place.as_json)


@command(KEEPING, "recollect end --session monday")
def end(place: Place, speaker: Speaker, request_id: RequestId = "") -> int:
    """Close a conversation: its new messages become facts and a summary now."""
    with space(place, speaker, existing=True) as mine:
        told = mine.end(request_id)
    if place.as_json:
        emit(told.to_json())
    else:
        show_reports([told])
    if told.skipped == NO_SESSION:
        return ABSENT
    return REFUSED if told.status == "failed" else OK


Name = Annotated[str, typer.Argument(metavar="NAME", help="A person, project, place or thing.", show_default=False)]


@command(KEEPING, 'recollect unite Bob "Robert Smith"')
def unite(
    place: Place,
    speaker: Speaker,
    name: Name,
    into: Annotated[str, typer.Argument(metavar="INTO", help="The name it stays known by.", show_default=False)],
    of_type: Annotated[str, typer.Option("--type", help="Of this type only.")] = "",
    request_id: RequestId = "",
) -> int:
    """Say that two names are one person, place or thing; `recollect part` takes it back."""
    with space(place, speaker, existing=True) as mine:
        return show_receipt(mine.unite(name, into, of_type, request_id), place.as_json)


@command(KEEPING, "recollect part Bob")
def part(place: Place, speaker: Speaker, name: Name, request_id: RequestId = "") -> int:
    """Take back that a name was united with another: each has its own memories again."""
    with space(place, speaker, existing=True) as mine:
        return show_receipt(mine.part(name, request_id), place.as_json)
