"""A provider for AMB, the Agent Memory Benchmark: documents go in, and come back for a query.

It needs nothing of AMB, whose runner takes any object with these methods: put the class into its registry.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from recollect.adapters.looking import details, found
from recollect.adapters.naming import hashed
from recollect.errors import Closed
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.model.clock import parse_iso
from recollect.model.values import dataclass

TENANT = "amb"
EVERYBODY = "everybody"
"""Whose memory it is where a document names no user."""
PIECE = 2000
"""How many characters of a document without messages are one memory."""


@dataclass(frozen=True, slots=True)
class Document:
    """What is given back, with the fields of AMB's own documents."""

    id: str
    content: str
    user_id: str | None = None
    messages: list[dict[str, Any]] | None = None
    timestamp: str | None = None
    context: str | None = None


class RecollectMemoryProvider:
    """Keeps each message of a document, or each part of its text, and finds them by words, meaning, names and times."""

    name = "recollect"
    description = "What was said, kept as it was said, in SQLite; found by words, meaning, names and times together."
    kind = "local"
    provider: str | None = "recollect"
    variant: str | None = None
    link: str | None = None
    logo: str | None = None
    concurrency = 4

    def __init__(self, memory: Recollect | None = None) -> None:
        self._given = memory
        self._opened = memory

    def initialize(self) -> None:
        """Do nothing: there is no process to start."""

    def prepare(self, store_dir: Path, unit_ids: set[str] | None = None, reset: bool = True) -> None:
        """Open the memory in a folder, and empty it unless it is to go on."""
        if self._opened is None:
            Path(store_dir).mkdir(parents=True, exist_ok=True)
            self._opened = Recollect(f"sqlite:///{Path(store_dir).absolute()}/recollect.db")
        if reset:
            for tenant, user in self._memory.owners():
                if tenant == TENANT:
                    self._space(user).erase(everything=True)

    def cleanup(self) -> None:
        """Close what was opened here."""
        if self._given is None and self._opened is not None:
            self._opened.close()
            self._opened = None

    def ingest(self, documents: Sequence[Any]) -> None:
        """Keep documents, each part once however often it is ingested, and make them findable by meaning."""
        for document in documents:
            talk = self._space(document.user_id, str(document.id))
            at = _time(document.timestamp)
            for place, (role, text) in enumerate(_parts(document)):
                talk.observe(role, text, at, request_id=hashed(str(document.id), str(place), text))
        for user in dict.fromkeys(document.user_id for document in documents):
            self._memory.run_jobs(["embed"], owner=self._space(user).owner)

    def retrieve(
        self, query: str, k: int = 10, user_id: str | None = None, query_timestamp: str | None = None
    ) -> tuple[list[Document], dict[str, Any] | None]:
        """Give the best memories of a user for a query, and beside them why each was found."""
        hits = found(self._space(user_id), query, k)
        made = [Document(one.memory.id, one.memory.content, user_id, timestamp=details(one)["at"]) for one in hits]
        return made, {"hits": [details(one) for one in hits]}

    def retrieve_by_steps(
        self,
        steps: Sequence[int],
        query: str,
        k: int = 10,
        user_id: str | None = None,
        query_timestamp: str | None = None,
    ) -> tuple[list[Document], dict[str, Any] | None]:
        """Give the best memories for a query; steps have no part in it."""
        return self.retrieve(query, k, user_id, query_timestamp)

    def direct_answer(
        self, query: str, user_id: str | None = None, query_timestamp: str | None = None
    ) -> tuple[str, str, dict[str, Any] | None]:
        """Refuse: answering is left to the benchmark's own model."""
        raise NotImplementedError("recollect finds and does not answer here: use AMB's mode rag")

    async def async_ingest(self, documents: Sequence[Any]) -> None:
        """Keep documents, in a thread."""
        await asyncio.to_thread(self.ingest, documents)

    async def async_retrieve(self, *args: Any, **more: Any) -> tuple[list[Document], dict[str, Any] | None]:
        """Find, in a thread."""
        return await asyncio.to_thread(self.retrieve, *args, **more)

    async def async_retrieve_by_steps(self, *args: Any, **more: Any) -> tuple[list[Document], dict[str, Any] | None]:
        """Find, in a thread."""
        return await asyncio.to_thread(self.retrieve_by_steps, *args, **more)

    async def async_direct_answer(self, *args: Any, **more: Any) -> tuple[str, str, dict[str, Any] | None]:
        """Refuse, as `direct_answer` does."""
        return self.direct_answer(*args, **more)

    @property
    def _memory(self) -> Recollect:
        if self._opened is None:
            raise Closed("no memory is open: call prepare(folder) first, as AMB's runner does")
        return self._opened

    def _space(self, user_id: str | None, session: str = "") -> Space:
        return self._memory.space(user_id or EVERYBODY, tenant=TENANT, session=session)


def _parts(document: Any) -> Iterator[tuple[str, str]]:
    """Give who says what in a document: its messages, those written in it as JSON, or its text in pieces."""
    messages = document.messages or _written(document.content)
    if messages:
        for one in messages:
            if text := str(one.get("content") or "").strip():
                yield str(one.get("role") or "user"), text
        return
    for piece in _pieces(document.content.split("\n\n")):
        yield "user", piece


def _written(content: str) -> list[dict[str, Any]]:
    try:
        given = json.loads(content) if content.lstrip().startswith("[") else []
    except ValueError:  # a text that begins with a bracket
        return []
    return given if all(isinstance(one, dict) and "content" in one for one in given) else []


def _pieces(paragraphs: Iterable[str]) -> Iterator[str]:
    """Give paragraphs put together up to a length; one that is longer stays whole."""
    held = ""
    for one in paragraphs:
        if held and len(held) + len(one) > PIECE:
            yield held
            held = ""
        held = f"{held}\n\n{one}".strip()
    if held:
        yield held


def _time(text: str | None) -> datetime | None:
    return parse_iso(text) if text else None
