"""Caps: how much may come of one session and of one day."""

from __future__ import annotations

from typing import Literal

from recollect.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Count:
    """One cap: over what it counts, and how many are allowed."""

    over: Literal["session", "day"]
    most: int

    @property
    def reason(self) -> str:
        """Why something that would pass the cap is refused."""
        return f"{self.most} memories of this {self.over} are enough"
