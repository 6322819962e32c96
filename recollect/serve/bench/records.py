"""Records of somebody else's JSON file: each knows where it stands, so that what is wrong with it can be told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One object of a file and the place it stands at."""

    where: str
    fields: Mapping[str, Any]

    def wrong(self, field: str, problem: str) -> InvalidInput:
        """Make the error that says which field of which record is wrong."""
        return InvalidInput(f"{self.where}: {field} {problem}")

    def text(self, field: str, default: str | None = None) -> str:
        """Give a field that is a text; without a default it must be there."""
        value = self.fields.get(field, default)
        if not isinstance(value, str):
            raise self.wrong(field, _instead("a text", field in self.fields, value))
        return value

    def name(self, field: str) -> str:
        """Give a field that names something: a text, or a whole number."""
        return self._name(field, self.fields.get(field))

    def names(self, field: str) -> tuple[str, ...]:
        """Give a field that lists names; one that is not there lists none."""
        return tuple(self._name(f"{field}[{at}]", one) for at, one in enumerate(self.items(field, empty=True)))

    def items(self, field: str, *, empty: bool = False) -> list[Any]:
        """Give a field that is a list; it must be there unless it may be empty."""
        value = self.fields.get(field, [] if empty else None)
        if not isinstance(value, list):
            raise self.wrong(field, _instead("a list", field in self.fields, value))
        return value

    def records(self, field: str, what: str) -> list[Record]:
        """Give a field that is a list of objects; what they are called tells where each one stands."""
        return listed(self.items(field), f"{self.where}, {what}")

    def _name(self, field: str, value: object) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            raise self.wrong(field, _instead("a name", value is not None, value))
        return str(value)


def _instead(wanted: str, there: bool, value: object) -> str:
    return (
        f"must be {wanted}, not {json.dumps(value, default=str)[:60]}" if there else f"is missing: it must be {wanted}"
    )


def listed(values: object, what: str) -> list[Record]:
    """Take a list of objects for records, numbered from 1."""
    if not isinstance(values, list):
        raise InvalidInput(f"{what}s must be a list, not {type(values).__name__}")
    return [record(value, f"{what} {number}") for number, value in enumerate(values, 1)]


def record(value: object, where: str) -> Record:
    """Take an object for a record."""
    if not isinstance(value, dict):
        raise InvalidInput(f"{where} must be an object, not {type(value).__name__}")
    return Record(where, value)


def parsed_file(path: Path) -> object:
    """Read a file of JSON, or say why it cannot be used."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # not UTF-8 is a ValueError too
        raise InvalidInput(f"{path} is not JSON: {error}") from error
