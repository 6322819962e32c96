"""The inbox: what waits for the owner's word, and the word."""

from __future__ import annotations

from recollect.errors import NotFound
from recollect.flows.learn.screen import DISPLAY
from recollect.front.space import Space
from recollect.serve.cli.frame import KEEPING, LOOKING, command
from recollect.serve.cli.options import Content, MemoryId, Place, RequestId, Speaker, space, text
from recollect.serve.cli.render import emit, note, one_line, say, show_memory, show_receipt, shown, when


@command(LOOKING, "recollect inbox --user ana")
def inbox(place: Place) -> None:
    """Show what waits for your word, and what is kept apart for want of evidence, each with its reason."""
    with space(place, existing=True) as mine:
        found = mine.inbox()
        standing = {one: _text(mine, one) for each in found for one in each.replaces}
    if place.as_json:
        emit(found)
        return
    for one in found:
        show_memory(one.memory)
        if display := str(one.memory.attributes.get(DISPLAY, "")):
            say(f"  {one_line(display)}")
        for old in one.replaces:
            say(f"  now: {shown(standing[old]) or old}")
        instead = f", in the place of {', '.join(one.replaces)}" if one.replaces else ""
        say(f"  {one_line(one.reason)}{instead}; until {when(one.expires)}", "dim")
    if not found:
        note("nothing waits")


def _text(mine: Space, id: str) -> str:
    """Give what a memory says; empty where it was erased meanwhile."""
    try:
        return mine.get(id).content
    except NotFound:
        return ""


@command(KEEPING, "recollect accept ID")
def accept(place: Place, speaker: Speaker, memory_id: MemoryId, request_id: RequestId = "") -> int:
    """Let something in the inbox become true; what it changes gives way."""
    with space(place, speaker) as mine:
        return show_receipt(mine.inbox.accept(memory_id, request_id), place.as_json)


@command(KEEPING, "recollect reject ID")
def reject(place: Place, speaker: Speaker, memory_id: MemoryId, request_id: RequestId = "") -> int:
    """Take something out of the inbox; what stands, stands."""
    with space(place, speaker) as mine:
        return show_receipt(mine.inbox.reject(memory_id, request_id), place.as_json)


@command(KEEPING, 'recollect amend ID "Ana lives in Porto."')
def amend(place: Place, speaker: Speaker, memory_id: MemoryId, content: Content, request_id: RequestId = "") -> int:
    """Accept something in the inbox in other words, your own."""
    content = text(content)
    with space(place, speaker) as mine:
        return show_receipt(mine.inbox.amend(memory_id, content, request_id), place.as_json)
