"""What human languages say: words as data, and who reads them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from recollect.language.reader import Reader

READERS: tuple[str, ...] = ("words", "none")
"""Who can be set to read what people say: by the words of the languages there are, or nobody."""


@cache
def open_reader(name: str) -> Reader:
    """Give the reader of this name; what it knows of languages is loaded when it is first asked."""
    from recollect.language.lexicon import lexicons
    from recollect.language.reader import Reader

    if name not in READERS:
        raise InvalidInput(f"there is no reader {name!r}: use one of {', '.join(READERS)}")
    return Reader(lexicons if name == "words" else tuple)
