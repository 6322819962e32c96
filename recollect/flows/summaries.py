"""The memory a summary is: of a session, and of messages that left the window."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.model.kinds import KINDS
from recollect.model.memory import Memory
from recollect.model.owner import Scope
from recollect.runtime import Runtime


def summary_memory(
    runtime: Runtime, scope: Scope, text: str, said: datetime, attributes: Mapping[str, Any], request: str = ""
) -> Memory:
    """Give a summary of what was said up to a moment; with a `request` its id is the same each time it is made."""
    now, born = runtime.now(), KINDS["summary"]
    return Memory(
        owner=scope.owner,
        id=runtime.new_id("summary", now, (scope.owner, request, 0) if request else None),
        kind="summary",
        content=text,
        created_at=now,
        updated_at=now,
        event_time=said,
        valid_from=min(said, now),
        tier=born.tier,
        agent=scope.agent,
        session=scope.session,
        source="session",
        topic="summary",
        project=scope.project,
        importance=born.importance,
        attributes=attributes,
    )
