"""Somebody's words inside a prompt: quoted as data, so that they can neither end the quote nor pass for another's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_TAG = re.compile(r"<(?=[^\w<>]{0,8}data\b)", re.IGNORECASE)
_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def quoted(name: str, text: str) -> str:
    """Put a text between the marks of data; marks inside it are broken, everything else stays as it is."""
    return f'<data name="{name}">\n{_TAG.sub("&lt;", text)}\n</data>'


def turns(said: Iterable[tuple[int, str, str, str]]) -> str:
    """Lay out turns of a conversation, each as (number, speaker, day, text), so that a text cannot pass for a turn.

    A turn begins its line with its number; further lines of its text are indented. The speaker says whether he is a
    person, whose words may be quoted.
    """
    return "\n".join(f"[{number}] {_line(speaker)} {day}: {_indented(text)}" for number, speaker, day, text in said)


def known(memories: Iterable[str]) -> str:
    """Lay out memories, numbered, so that an answer can say which of them it repeats or brings up to date."""
    return "\n".join(f"K{number} {_line(text)}" for number, text in enumerate(memories, 1))


def pairs(compared: Sequence[tuple[str, str, bool]]) -> str:
    """Lay out pairs to be judged, each as (older, newer, whether the older was confirmed by the user)."""
    return "\n".join(
        f"[{number}] {'OLD, confirmed' if confirmed else 'OLD'}: {_line(older)}\n    NEW: {_line(newer)}"
        for number, (older, newer, confirmed) in enumerate(compared, 1)
    )


def numbered(texts: Iterable[str]) -> str:
    """Lay out texts as a list, each on a line of its own with its number."""
    return "\n".join(f"[{number}] {_line(text)}" for number, text in enumerate(texts, 1))


def described(known: Iterable[tuple[str, str, Sequence[str]]]) -> str:
    """Lay out what is known of several, each as (name, type, lines): a line cannot pass for another one's."""
    return "\n".join(
        "\n".join((f"E{number} {_line(name)} ({type})", *(f"    {_line(line)}" for line in lines)))
        for number, (name, type, lines) in enumerate(known, 1)
    )


def _indented(text: str) -> str:
    return _BREAKS.sub("\n    ", text.strip())


def _line(text: str) -> str:
    return _BREAKS.sub(" ", text.strip())
