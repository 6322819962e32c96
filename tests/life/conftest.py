"""Here time takes away all it can: by default it takes nothing, which the acceptance tests are about."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def passing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let facts fade and what matters little expire, unless a test says otherwise."""
    monkeypatch.setenv("RECOLLECT_RETENTION__PRESET", "fading+expiring")
