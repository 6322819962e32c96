"""The round trip: the verbs' own acceptance tests, run through `connect(url)` against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from recollect import InvalidInput, Recollect, connect
from recollect.serve.client.remote import RemoteRecollect
from recollect.testing import FixedClock
from tests.doors.serving import serving
from tests.front import test_verbs
from tests.front.test_update import *  # noqa: F403
from tests.front.test_verbs import *  # noqa: F403

assert test_verbs.__doc__


class Both:
    """A memory whose spaces are reached over HTTP, and everything else in this process."""

    def __init__(self, local: Recollect, remote: RemoteRecollect) -> None:
        self._local, self._remote = local, remote

    def space(self, user: str, agent: str = "", session: str = "", tenant: str = "", project: str = "") -> Any:
        """Give a space at the server."""
        return self._remote.space(user, agent, session, tenant, project)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._local, name)


@pytest.fixture
def rc(database: str, clock: FixedClock) -> Iterator[Any]:
    """Give a memory behind a server."""
    with Recollect(database, clock=clock) as opened, serving(opened) as url, connect(url) as remote:
        yield Both(opened, remote)


@pytest.mark.parametrize("item", ["a text", 5, None, ["content"], {1: 2}])  # type: ignore[no-redef]
def test_odd_items_sink_no_others(ana: Any, item: Any) -> None:
    """An item that is not even a mapping is rejected like any other; bytes cannot travel and are refused at once."""
    receipts = ana.remember_many([item, {"content": "Ana likes tea."}])
    assert [receipt.outcome for receipt in receipts] == ["rejected", "stored"]
    with pytest.raises(InvalidInput, match="bytes cannot be sent"):
        ana.remember_many([b"x"])
