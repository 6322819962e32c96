"""Frozen dataclasses whose methods are compiled when first used: a program defines many classes and uses few.

`dataclasses.dataclass` compiles six functions for every frozen class, which takes about a millisecond whenever a
process starts. Here that library lays out the fields and the slots; equality, hash and the form for people are shared
functions, and only `__init__` is compiled, with the first value made. `fields`, `replace`, `asdict` and pickling work
as ever.
"""

from __future__ import annotations

import dataclasses
from dataclasses import FrozenInstanceError, fields
from math import inf
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **wanted: bool) -> Any:
        """Declare a class as `dataclasses.dataclass` does; only frozen ones with slots are made the light way."""
        if cls is None:
            return lambda cls: dataclass(cls, **wanted)
        if not (wanted.get("frozen") and wanted.get("slots")) or wanted.keys() - {"frozen", "slots", "kw_only"}:
            return dataclasses.dataclass(cls, **wanted)
        given = set(vars(cls))
        kw_only = wanted.get("kw_only", False)
        made = dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
        _dress(made, given)
        return made


__all__ = ["bounded", "dataclass"]

T = TypeVar("T", int, float, "float | None")


def bounded(default: T, least: float = 0, most: float = inf) -> T:
    """Declare a number of a policy beside the bounds the settings hold it to."""
    made: T = dataclasses.field(default=default, metadata={"least": least, "most": most})
    return made


def _dress(cls: Any, given: set[str]) -> None:
    """Give a class the methods of a frozen dataclass, but for those it has itself."""
    compared = [field.name for field in fields(cls) if field.compare]
    read = attrgetter(*compared) if compared else _nothing

    def equal(self: Any, other: object) -> Any:
        return read(self) == read(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(read(self))

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        cls.__init__ = _compiled(cls)
        cls.__init__(self, *args, **kwargs)

    methods = {"__init__": init, "__eq__": equal, "__hash__": hashed, "__repr__": _shown}
    methods |= {"__setattr__": _refused, "__delattr__": _refused, "__getstate__": _state, "__setstate__": _restored}
    for name, method in methods.items():
        if name not in given:
            setattr(cls, name, method)


def _nothing(self: object) -> tuple[()]:
    return ()


def _shown(self: Any) -> str:
    inside = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({inside})"


def _refused(self: object, name: str, value: object = None) -> None:
    raise FrozenInstanceError(f"cannot change {name!r}: a {type(self).__name__} is a value")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _restored(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _compiled(cls: Any) -> Any:
    """Compile the `__init__` of a class: each field is put into its slot by the slot's own setter."""
    names: dict[str, Any] = {"_unset": dataclasses.MISSING}
    plain, body = ["self"], list[str]()
    keyword: list[str] = []
    for at, one in enumerate(fields(cls)):
        value = one.name
        if one.default_factory is not dataclasses.MISSING:
            names[f"_make{at}"] = one.default_factory
            value = f"_make{at}() if {one.name} is _unset else {one.name}" if one.init else f"_make{at}()"
            default = "=_unset"
        elif one.default is not dataclasses.MISSING:
            names[f"_default{at}"] = one.default
            value = one.name if one.init else f"_default{at}"
            default = f"=_default{at}"
        else:
            default = ""
        if one.init:
            (keyword if one.kw_only else plain).append(one.name + default)
        names[f"_set{at}"] = getattr(cls, one.name).__set__
        body.append(f"  _set{at}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("  self.__post_init__()")
    star = ["*", *keyword] if keyword else []
    exec(f"def __init__({', '.join([*plain, *star])}):\n" + ("\n".join(body) or "  pass"), names)
    names["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    return names["__init__"]
