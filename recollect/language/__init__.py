"""What human languages say: words as data, and who reads them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, cast

from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.language.reader import Reader

READERS: tuple[str, ...] = ("english", "none")
"""Who can be set to read what people say."""


@cache
def open_reader(name: str) -> Reader:
    """Give the reader of this name; what it knows of its language is loaded when it is first asked."""
    if name == "english":
        from recollect.language.english import English

        return cast("Reader", English())
    if name == "none":
        from recollect.language.none import Nobody

        return Nobody()
    raise InvalidInput(f"there is no reader {name!r}: use one of {', '.join(READERS)}")
