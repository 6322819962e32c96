"""A client for OmniMemEval's user-memory track, as its `client_factory` makes them: filled by `add`, asked by `search`.

It needs nothing of OmniMemEval, which takes any object with these methods. Which database is used is said by the
settings, `RECOLLECT_URL` among them; users of a run are a tenant of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from recollect.adapters.looking import found, when
from recollect.adapters.naming import hashed
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.model.clock import parse_iso

TENANT = "omnimemeval"


@cache
def _opened() -> Recollect:
    """Give one memory for all clients of a process: the harness makes a client for every conversation."""
    return Recollect()


class RecollectClient:
    """Keeps what was said as it was said, and finds it again; no model has a part in it."""

    def __init__(self, memory: Recollect | None = None) -> None:
        self._memory = _opened() if memory is None else memory

    def add(self, messages: Sequence[Mapping[str, Any]], user_id: str, session_key: str = "", **more: Any) -> None:
        """Keep the messages of one session, each once however often it is added, and make them findable by meaning.

        Their time is `chat_time`, where the harness says it; without a session's name, those of one time are one.
        """
        for place, one in enumerate(messages):
            text, time = str(one.get("content") or ""), str(one.get("chat_time") or "")
            if not text.strip():
                continue
            talk = self._space(user_id, session_key or time)
            known = hashed(user_id, session_key, time, str(place), text)
            at = parse_iso(time) if time else None
            talk.observe(str(one.get("role") or "user"), text, at, actor=str(one.get("name") or ""), request_id=known)
        self._memory.run_jobs(["embed"], owner=self._space(user_id).owner)

    def search(self, query: str, user_id: str, top_k: int) -> str:
        """Give the best memories for a question, a line each with its day, as a text for the answering model."""
        hits = found(self._space(user_id), query, top_k)
        return "\n".join(f"[{when(hit.memory)}] {hit.memory.content}" for hit in hits)

    def delete(self, user_id: str) -> None:
        """Erase all that is known of a user."""
        self._space(user_id).erase(everything=True)

    def _space(self, user_id: str, session: str = "") -> Space:
        return self._memory.space(user_id, tenant=TENANT, session=session)
