"""Tools for one space: the schemas of a profile, and the one place where a call by name is carried out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from recollect.errors import InvalidInput, RecollectError
from recollect.front.aio import AsyncSpace, Face, awaited
from recollect.front.space import Space
from recollect.model.values import dataclass
from recollect.tools import schema
from recollect.tools.declare import Answer, Tool

PROFILES: tuple[str, ...] = (
    "default", "samaritan", "orchestrator", "consolidator", "openlegion", "letta", "single", "anthropic",
)  # fmt: skip
"""The profiles there are, each a module of this package."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A set of tools that belong together, under the names one kind of agent knows."""

    name: str
    text: str
    tools: Mapping[str, Tool]


@cache
def find_profile(name: str) -> Profile:
    """Give a profile by its name."""
    if name not in PROFILES:
        raise InvalidInput(f"there is no profile {name!r}: use one of {', '.join(PROFILES)}")
    module = import_module(f"recollect.tools.{name}")
    listed: tuple[Tool, ...] = module.TOOLS
    return Profile(name, (module.__doc__ or "").strip(), {one.name: one for one in listed})


class Tools:
    """The tools of a profile for one space; whose memory it is comes from the space and never from the model."""

    def __init__(self, space: Space, profile: str = "default") -> None:
        self._space = space
        self._profile = find_profile(profile)

    @property
    def profile(self) -> str:
        """The name of the profile."""
        return str(self._profile.name)

    def names(self) -> list[str]:
        """Give the names of the tools."""
        return list(self._profile.tools)

    def as_openai_tools(self, *, strict: bool = True) -> list[dict[str, Any]]:
        """Give the tools as OpenAI's API and all that speak it take them."""
        return [schema.openai(one, strict=strict) for one in self._profile.tools.values()]

    def as_anthropic_tools(self) -> list[dict[str, Any]]:
        """Give the tools as Anthropic's API takes them."""
        native = getattr(self._module(), "NATIVE", None)
        return list(native) if native else [schema.anthropic(one) for one in self._profile.tools.values()]

    def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> Answer:
        """Carry out a tool; an error of the library is raised."""
        known = self._profile.tools
        if name not in known:
            raise InvalidInput(f"there is no tool {name!r} in the profile {self.profile!r}: use {', '.join(known)}")
        return known[name].call(self._space, {} if arguments is None else arguments)

    def dispatch(self, name: str, arguments: Mapping[str, Any] | None = None) -> Answer:
        """Carry out a tool for a model: what goes wrong is an answer that says what to do, and never an exception."""
        try:
            return self.call(name, arguments)
        except RecollectError as error:
            return refusal(error, getattr(self._module(), "PREFIX", "Error: "))

    def _module(self) -> Any:
        return import_module(f"recollect.tools.{self.profile}")


class AsyncTools(Face[Tools]):
    """The tools of a profile for async code."""

    def __init__(self, space: AsyncSpace | Space, profile: str = "default") -> None:
        super().__init__(Tools(space.plain if isinstance(space, AsyncSpace) else space, profile))

    call = awaited(Tools.call)
    dispatch = awaited(Tools.dispatch)


def refusal(error: RecollectError, prefix: str = "Error: ") -> Answer:
    """Give an error as an answer: nothing was changed, and what to do is said."""
    kind = type(error).__name__
    return Answer(f"{prefix}{error}", {"error": {"type": kind, "message": str(error)}}, refused=True)
