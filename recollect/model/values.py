"""Frozen dataclasses whose methods are compiled when first used: a program defines many classes and uses few.

`dataclasses.dataclass` compiles six functions for every frozen class, which takes about a millisecond whenever a
process starts. Here that library lays out the fields and the slots; equality, hash and the form for people are shared
functions, and only `__init__` is compiled, with the first value made. What the library promises of a frozen class with
slots holds: `fields`, `replace`, `asdict`, pickling, signatures, subclasses of either sort.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, FrozenInstanceError, fields
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.model.clock import iso

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **wanted: bool) -> Any:
        """Declare a class as `dataclasses.dataclass` does; only frozen ones with slots are made the light way."""
        if cls is None:
            return lambda cls: dataclass(cls, **wanted)
        if not (wanted.get("frozen") and wanted.get("slots")) or wanted.keys() - {"frozen", "slots", "kw_only"}:
            return dataclasses.dataclass(cls, **wanted)
        given = {name for name, value in vars(cls).items() if (name, value) != ("__hash__", None)}
        # Below a frozen class the library insists on a frozen one, and its methods are written over.
        frozen = any(base.__dataclass_params__.frozen for base in cls.__mro__[1:] if dataclasses.is_dataclass(base))
        kw_only = wanted.get("kw_only", False)
        made = dataclasses.dataclass(cls, init=False, repr=False, eq=False, frozen=frozen, slots=True, kw_only=kw_only)
        made.__dataclass_params__.frozen = True
        _check(made)
        _dress(made, given)
        return made


__all__ = ["bounded", "dataclass", "plain", "written"]

_PLAIN = frozenset((str, int, float, bool, type(None)))
"""What is plain already, and most of what there is."""
T = TypeVar("T", int, float, "float | None")


def bounded(default: T, least: float = 0, most: float | None = None) -> T:
    """Declare a number of a policy beside the bounds the settings hold it to."""
    bounds = {"least": least} if most is None else {"least": least, "most": most}
    made: T = dataclasses.field(default=default, metadata=bounds)
    return made


def plain(value: Any) -> Any:
    """Turn a value into plain JSON data, dataclasses and moments within it included."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if dataclasses.is_dataclass(kind):
        return {name: plain(getattr(value, name)) for name in _names(kind)}
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(inner) for inner in value]
    return iso(value) if isinstance(value, datetime) else value


def written(value: Any) -> bytes:
    """Give a value as the JSON `plain` makes of it, in one walk; the keys of its dicts are texts."""
    return _JSON.encode(value).encode("utf-8", "replace")


def _opened(value: Any) -> Any:
    """Give what JSON has no form for, one level of it, as something it has."""
    kind = type(value)
    if kind is datetime:  # the most of what there is
        return iso(value)
    if dataclasses.is_dataclass(kind):
        names, read = _fields(kind)
        return dict(zip(names, read(value), strict=True))
    if isinstance(value, Mapping):
        return {str(name): inner for name, inner in value.items()}
    if isinstance(value, set | frozenset):
        return list(value)
    if isinstance(value, datetime):
        return iso(value)
    raise TypeError(f"{kind.__name__} cannot be written as JSON")


_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"), default=_opened)


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@cache
def _fields(kind: type) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Give the names of a class's fields, and what reads them all."""
    return _names(kind), _reader(list(_names(kind)))


def _check(cls: Any) -> None:
    """Refuse when it is declared what could not be made later."""
    late = False
    for one in fields(cls):
        late = late or (one.init and not one.kw_only and _has_default(one))
        if late and one.init and not one.kw_only and not _has_default(one):
            raise TypeError(f"the field {one.name!r} of {cls.__name__} has no default and stands behind one that has")
    if any(str(kind).startswith(("InitVar", "dataclasses.InitVar")) for kind in cls.__annotations__.values()):
        raise TypeError(f"{cls.__name__} has an InitVar, which values made here do not know")


def _has_default(one: Field[Any]) -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING


def _dress(cls: Any, given: set[str]) -> None:
    """Give a class the methods of a frozen dataclass, but for those it has itself."""
    own = frozenset(one.name for one in fields(cls))
    read = _reader([one.name for one in fields(cls) if one.compare])

    def equal(self: Any, other: object) -> Any:
        return read(self) == read(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash(read(self))

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        cls.__init__ = _compiled(cls)
        cls.__init__(self, *args, **kwargs)

    def set_attribute(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in own:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if type(self) is cls or name in own:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        object.__delattr__(self, name)

    methods: dict[str, Any] = {"__init__": init, "__eq__": equal, "__hash__": hashed, "__repr__": _shown}
    methods |= {"__setattr__": set_attribute, "__delattr__": delete_attribute}
    methods |= {"__getstate__": _state, "__setstate__": _restored, "__signature__": _Signature()}
    for name, method in methods.items():
        if name not in given:
            setattr(cls, name, method)


def _reader(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Give what reads some fields of a value as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


class _Signature:
    """How a class is called, worked out when somebody asks."""

    def __get__(self, one: object, cls: type) -> inspect.Signature:
        plain, keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        made = [
            inspect.Parameter(
                field.name,
                keyword if field.kw_only else plain,
                default=_default(field),
                annotation=field.type,
            )
            for field in sorted(fields(cls), key=lambda field: bool(field.kw_only))
            if field.init
        ]
        return inspect.Signature(made, return_annotation=None)


class _Factory:
    """Shown where a value is made anew each time, as the library shows it."""

    def __repr__(self) -> str:
        return "<factory>"


def _default(one: Field[Any]) -> Any:
    if one.default_factory is not MISSING:
        return _Factory()
    return inspect.Parameter.empty if one.default is MISSING else one.default


def _shown(self: Any) -> str:
    inside = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({inside})"


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _restored(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _compiled(cls: Any) -> Any:
    """Compile the `__init__` of a class: each field is put into its slot by the slot's own setter."""
    names: dict[str, Any] = {"_unset": MISSING}
    plain, keyword, body = ["self"], list[str](), list[str]()
    for at, one in enumerate(fields(cls)):
        value, default = one.name, ""
        if one.default_factory is not MISSING:
            names[f"_make{at}"] = one.default_factory
            value = f"_make{at}() if {one.name} is _unset else {one.name}" if one.init else f"_make{at}()"
            default = "=_unset"
        elif one.default is not MISSING:
            names[f"_default{at}"] = one.default
            value = one.name if one.init else f"_default{at}"
            default = f"=_default{at}"
        if one.init:
            (keyword if one.kw_only else plain).append(one.name + default)
        names[f"_set{at}"] = getattr(cls, one.name).__set__
        body.append(f"  _set{at}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("  self.__post_init__()")
    given = ", ".join([*plain, *(["*", *keyword] if keyword else [])])
    inner = f" def __init__({given}):\n" + ("\n".join(body) or "  pass")
    made: dict[str, Any] = {}
    # Made inside a function of the class's module, so that its annotations are read where they were written.
    exec(f"def make({', '.join(names)}):\n{inner}\n return __init__", vars(sys.modules[cls.__module__]), made)
    init = made["make"](**names)
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__annotations__ = {one.name: one.type for one in fields(cls) if one.init} | {"return": None}
    return init
