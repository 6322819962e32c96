"""Modules that are imported when their first name is asked for, so that a program loads what it uses."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module. With `keep` each name is looked up once: for a library whose names nobody changes."""

    def __init__(self, name: str, *, keep: bool = False) -> None:
        self._name, self._keep = name, keep
        self._module: Any = None

    def __getattr__(self, name: str) -> Any:
        if self._module is None:
            self._module = import_module(self._name)
        value = getattr(self._module, name)
        if self._keep:
            setattr(self, name, value)
        return value


def later(package: str, *names: str) -> list[Any]:
    """Give stand-ins for the modules of a package; beside it, `if TYPE_CHECKING:` imports them for the type checker."""
    return [Later(f"{package}.{name}") for name in names]
