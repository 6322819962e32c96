"""Regular expressions that are compiled when they are first used: most programs never use most of them."""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _Unread:
    """Stands for a pattern. At its first use it takes the compiled one's methods over: later uses cost no more."""

    def __init__(self, text: str, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(*self._given)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Give a pattern as `re.compile` does, read when it is first used."""
    return cast(re.Pattern[str], _Unread(text, flags))
