"""Modules that are imported when their first name is asked for, so that a program loads what it uses."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module; each of its names is looked up once."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


def later(package: str, *names: str) -> list[Any]:
    """Give stand-ins for the modules of a package; beside it, `if TYPE_CHECKING:` imports them for the type checker."""
    return [Later(f"{package}.{name}") for name in names]
