"""Tools called at a door: by the profile's own dispatch, and over what was shared where a key was granted it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.serve.rest.access import Caller
from recollect.serve.rest.problems import Problem
from recollect.tools.declare import Answer
from recollect.tools.forms import Listed, Shown
from recollect.tools.toolbox import Tools, find_profile

SHARED = ("default", "memory_search")
"""The tool that also searches what others have shared."""


def called(caller: Caller, user: str, profile: str, tool: str, given: Mapping[str, Any]) -> Answer:
    """Carry out a tool for a caller; a key that may only read calls only tools that do."""
    found = find_profile(profile).tools.get(tool)
    if found is None:
        raise Problem(404, f"there is no tool {tool!r} in the profile {profile!r}")
    if not found.reads:
        caller.must_write()
    answer = Tools(caller.space(user), profile).dispatch(tool, given)
    if answer.refused or (profile, tool) != SHARED or not caller.key.grants:
        return answer
    others = [(name, Tools(space, profile).dispatch(tool, given)) for name, space in caller.granted()]
    return _merged(answer, others)


def _merged(own: Answer, others: list[tuple[str, Answer]]) -> Answer:
    """Put what was shared behind one's own, each named after the space it is from."""
    rows = [Shown(**{**row, "tags": tuple(row["tags"])}) for row in own.data["memories"]]
    for name, answer in others:
        for row in () if answer.refused else answer.data["memories"]:
            rows.append(Shown(**{**row, "tags": tuple(row["tags"]), "source": f"shared by {name}"}))
    fits = any(one.data["fits"] for one in (own, *(answer for _, answer in others)) if not one.refused)
    made = Listed(tuple(rows), len(rows), fits)
    return Answer(made.text(), {"memories": [_row(one) for one in rows], "found": len(rows), "fits": fits})


def _row(one: Shown) -> dict[str, Any]:
    return {name: getattr(one, name) for name in Shown.__dataclass_fields__} | {"tags": list(one.tags)}
