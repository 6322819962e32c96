"""Cursors: where a list goes on, as a text nobody needs to understand."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime

from recollect.model.values import dataclass
from recollect.serve.rest.problems import Problem

BROKEN = "the cursor cannot be read: begin again without one"


@dataclass(frozen=True, slots=True)
class Cursor:
    """How many were given already, and until which moment the list reaches."""

    offset: int
    until: str

    @property
    def moment(self) -> datetime:
        """The moment the list was begun; what came later is not in it."""
        return datetime.fromisoformat(self.until)

    def text(self) -> str:
        """Give it as a text for the next request."""
        return base64.urlsafe_b64encode(f"{self.offset}|{self.until}".encode()).decode().rstrip("=")


def read(text: str, now: str) -> Cursor:
    """Read a cursor; an empty one begins now."""
    if not text:
        return Cursor(0, now)
    try:
        raw = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)).decode("ascii")
        offset, _, until = raw.partition("|")
        made = Cursor(int(offset), until)
        if made.offset < 0 or made.offset > 10**8 or made.moment.tzinfo is None:
            raise Problem(422, BROKEN)
    except (ValueError, UnicodeError, binascii.Error) as error:
        raise Problem(422, BROKEN) from error
    return made
