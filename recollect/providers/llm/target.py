"""Where a model is: its provider, its address and its key."""

from __future__ import annotations

from dataclasses import field

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Address:
    """A provider's address with what it takes to be let in."""

    provider: str
    url: str
    key: str = field(default="", repr=False)
    seconds: float = 60.0
    own: bool = True
    """Whether it is the provider's own address, where prices are known; another one is somebody else's."""


@dataclass(frozen=True, slots=True)
class Target:
    """One model at one address."""

    model: str
    address: Address

    @property
    def name(self) -> str:
        """The model as settings name it."""
        return f"{self.address.provider}:{self.model}"
