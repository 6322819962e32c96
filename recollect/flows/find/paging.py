"""Lists page by page: a cursor names the place of the last memory given, so that nothing shifts what comes next."""

from __future__ import annotations

import base64
import json

from recollect.errors import InvalidInput
from recollect.flows.find.founded import founded
from recollect.model.clock import to_ms
from recollect.model.filter import Filter
from recollect.model.hit import Page
from recollect.model.memory import Memory
from recollect.runtime import Runtime
from recollect.store.base import Place

BROKEN = "the cursor cannot be read, or is of another order: begin again without one"
MOST = 2**62


def page(runtime: Runtime, where: Filter, order: str, limit: int, cursor: str) -> Page:
    """Give a part of a list, and where it goes on: what is saved, moved or erased meanwhile is skipped or told once."""
    after = _read(cursor, order) if cursor else None
    with runtime.store.view() as view:
        found = view.page(where, order, limit, after=after)
        shown = tuple(founded(view, where.owner, found, where.now))
        if len(found) < limit:
            return Page(shown)
        doc = view.numbers(where.owner, [found[-1].id])[found[-1].id]
    return Page(shown, _text(order, (_value(order, found[-1]), doc)))


def listed(runtime: Runtime, where: Filter, order: str, limit: int, offset: int) -> list[Memory]:
    """Give a part of a list by its place in it."""
    with runtime.store.view() as view:
        return founded(view, where.owner, view.page(where, order, limit, offset), where.now)


def _value(order: str, last: Memory) -> int:
    """Give the number a memory is ordered by, before its document number."""
    moments = {"updated": last.updated_at, "event": last.event_time, "used": last.last_accessed}
    moment = moments.get(order)
    return (last.importance or 0) if order == "importance" else 0 if moment is None else to_ms(moment)


def _text(order: str, place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps([order, *place]).encode()).decode().rstrip("=")


def _read(text: str, order: str) -> Place:
    try:
        named, value, doc = json.loads(base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)))
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput(BROKEN) from error
    if named != order or not all(type(one) is int and abs(one) <= MOST for one in (value, doc)):
        raise InvalidInput(BROKEN)
    return value, doc
