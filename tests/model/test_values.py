"""Values that start light: whatever the standard library promises of a frozen dataclass with slots holds for them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import math
import pickle
import typing
from dataclasses import FrozenInstanceError, field
from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import recollect.model.values as light
from recollect import Link, Receipt
from recollect.model.clock import iso
from recollect.model.filter import Filter

MAKERS = {"light": light.dataclass, "library": dataclasses.dataclass}


def build(make: Any) -> Any:
    """Declare one class with everything a class here has: defaults, factories, keywords, fields left out."""

    @make(frozen=True, slots=True)
    class Thing:
        """A thing."""

        name: str
        count: int = 3
        tags: list[str] = field(default_factory=list)
        hidden: int = field(default=7, repr=False, compare=False)
        made: int = field(default=1, init=False)
        only: str = field(default="x", kw_only=True)

        def double(self) -> int:
            return self.count * 2

    return Thing


def told(make: Any) -> list[Any]:
    """Say everything about a class that somebody could rely on."""
    thing = build(make)
    one, same, other = thing("a"), thing("a", hidden=8), thing("b", 4, ["t"], only="y")
    out: list[Any] = [repr(one).partition("Thing(")[2], repr(other).partition("Thing(")[2], one == same, one == other]
    out += [one == ("a",), one.double(), dataclasses.asdict(other), dataclasses.astuple(other)]
    out += [dataclasses.replace(one, count=9).count, [each.name for each in dataclasses.fields(thing)]]
    out += [str(inspect.signature(thing)), thing.__match_args__, hasattr(one, "__dict__"), thing.__doc__]
    out += [thing.__dataclass_params__.frozen, copy.deepcopy(other) == other, copy.copy(other) == other]
    acts: list[Any] = [(setattr, one, "count", 1), (delattr, one, "count"), (setattr, one, "new", 1)]
    for act, *given in acts:
        try:
            act(*given)
        except (AttributeError, TypeError):  # the library raises TypeError for a name it does not know
            out.append("refused")
    wrongs: list[tuple[Any, ...]] = [(), ("a", 1, [], 2, 3), ("a", 1, [], 7, 1, 1)]
    for wrong in wrongs:
        try:
            thing(*wrong)
        except TypeError:
            out.append("refused")
    return out


def test_like_the_library() -> None:
    """A light class says of itself what the library's class says."""
    assert told(light.dataclass) == told(dataclasses.dataclass)


@pytest.mark.parametrize("below", MAKERS)
@pytest.mark.parametrize("above", MAKERS)
def test_subclasses_of_either_sort(below: str, above: str) -> None:
    """A frozen class of either sort may stand on one of either sort."""
    more = type("More", (build(MAKERS[below]),), {"__annotations__": {"extra": "int"}, "extra": 5})
    made: Any = MAKERS[above](frozen=True, slots=True)(more)
    one = made("a", extra=6)
    assert (one.name, one.extra, one == made("a", extra=6), one == made("a")) == ("a", 6, True, False)
    with pytest.raises(FrozenInstanceError):
        one.extra = 1


def test_a_thawed_subclass_is_refused() -> None:
    """The library takes no subclass that is not frozen, here neither."""
    with pytest.raises(TypeError, match="frozen"):
        dataclasses.dataclass(type("Thawed", (Link,), {"__annotations__": {"more": int}, "more": 1}))


def test_hash_and_equality() -> None:
    """Equal values have equal hashes; a class that says itself what is equal is still hashed; nan is itself."""

    @light.dataclass(frozen=True, slots=True)
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.name.lower() == other.name.lower()

    @light.dataclass(frozen=True, slots=True)
    class Number:
        value: float

    assert Own("A") == Own("a")
    assert hash(Own("a")) == hash(Own("a"))
    one = Number(math.nan)
    assert one == Number(one.value)
    assert {Link("a", "b", "c", 1.0, None): 1}  # type: ignore[arg-type]


def test_what_cannot_be_made_is_refused_when_it_is_declared() -> None:
    """A field without a default behind one that has, and an InitVar, are told at once."""
    with pytest.raises(TypeError, match="has no default"):
        light.dataclass(type("Bad", (), {"__annotations__": {"a": int, "b": int}, "a": 1}), frozen=True, slots=True)
    with pytest.raises(TypeError, match="InitVar"):
        light.dataclass(type("Init", (), {"__annotations__": {"a": "InitVar[int]"}}), frozen=True, slots=True)


def test_public_values_can_be_asked_and_sent() -> None:
    """Signatures and type hints of what the library returns are there before one is made; pickles come back."""
    assert list(inspect.signature(Receipt).parameters)[:2] == ["outcome", "op"]
    assert typing.get_type_hints(Receipt)["outcome"] is not None
    one = Receipt(outcome="stored", id="fact_1", warnings=("w",))
    assert pickle.loads(pickle.dumps(one)) == one
    assert typing.get_type_hints(type(one).__init__)["id"] is str


def test_a_filter_but_for_some_conditions() -> None:
    """The same as the library's `replace` gives; a condition there is none of is refused."""
    plain = Filter(owner="o", now=datetime(2026, 5, 4, tzinfo=UTC), tags=("a",))
    assert plain.but(kinds=("fact",), pinned=True) == dataclasses.replace(plain, kinds=("fact",), pinned=True)
    assert plain == dataclasses.replace(plain)
    with pytest.raises(TypeError, match="no colour"):
        plain.but(colour="red")


def test_what_is_written_is_the_json_of_what_is_plain() -> None:
    """Dataclasses, moments of any zone, mappings and sets within each other are written as `plain` gives them."""
    noon = datetime(2026, 5, 1, 12, 0, 0, 641_900, tzinfo=timezone(timedelta(hours=2)))
    link = Link("a", "b", "covers", 0.5, noon)
    value = {"one": [link, (noon.astimezone(UTC), None)], "two": MappingProxyType({"x": {"ü\ud800"}, "n": 1e-7})}
    told = json.dumps(light.plain(value), ensure_ascii=False, separators=(",", ":"))
    assert light.written(value) == told.encode("utf-8", "replace")
    assert b'"2026-05-01T10:00:00.641Z"' in light.written(value)


def test_what_has_no_form_in_json_is_refused() -> None:
    """An object nobody can write is no silent null."""
    with pytest.raises(TypeError, match="object cannot be written"):
        light.written([object()])


def test_both_moments_of_the_hour_that_comes_twice() -> None:
    """They look alike where the clocks go back, and are written apart."""
    first = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    assert (iso(first), iso(first.replace(fold=1))) == ("2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z")
