"""A conversation store for pydantic-ai: each conversation is a session of a space, each message is kept once.

`await store.save(result)` keeps a run, `await store.load(id)` continues it. Messages stand whole among the session's
checkpoints, and what was said in them among its messages, where it is searched and learnt from. A conversation that
is deleted takes its checkpoints along; what was said in it stays in memory until it is erased there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)
from pydantic_ai.messages import ModelMessagesTypeAdapter

from recollect.agent.translating import heard, keep
from recollect.front.aio import AsyncSpace
from recollect.front.space import Space
from recollect.model.change import Change, DropCheckpoints, SaveCheckpoint, Write
from recollect.model.receipt import Receipt
from recollect.model.window import Checkpoint
from recollect.store.base import Reading

RECORDS, ENTRIES = "pydantic-ai.record", "pydantic-ai.entry"
"""The namespaces of a session's record and entries: what is erased with the session."""
INDEX = "recollect.pydantic-ai"
"""The session that lists which conversations there are and where each entry stands, without a word of them."""
MOST = 100_000
_RECORD: TypeAdapter[ConversationRecord] = TypeAdapter(ConversationRecord)


class Conversations(ConversationStore):
    """Keeps pydantic-ai's conversations in the memory of one space."""

    def __init__(self, space: Space | AsyncSpace, *, keep: bool = True) -> None:
        self._space = space.plain if isinstance(space, AsyncSpace) else space
        self._keeps = keep

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        return await asyncio.to_thread(self._record, conversation_id)

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        found = await asyncio.to_thread(self._records)
        wanted = [one for one in found if scope is None or one.scope == scope]
        return sorted(wanted, key=lambda one: one.updated_at, reverse=True)[:limit]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        if self._keeps:  # first, for it may be done twice; a record that was written refuses the second try
            session = self._space.within(record.conversation_id)
            for said in (said for entry in new_entries for said in heard(entry.message)):
                await asyncio.to_thread(keep, session, said)
        await asyncio.to_thread(self._write, record, new_entries, expected_revision)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        await asyncio.to_thread(self._delete, conversation_id, expected_revision)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        return await asyncio.to_thread(self._entry, entry_id)

    # Below this line everything is plain and synchronous, as the store is.

    def _record(self, conversation_id: str) -> ConversationRecord | None:
        with self._space._runtime.store.view() as view:
            return self._stored(view, conversation_id)

    def _stored(self, view: Reading, conversation_id: str) -> ConversationRecord | None:
        found = view.checkpoints(self._space.owner, conversation_id, RECORDS, 1)
        return _RECORD.validate_python(found[0].data) if found else None

    def _records(self) -> list[ConversationRecord]:
        with self._space._runtime.store.view() as view:
            listed = view.checkpoints(self._space.owner, INDEX, RECORDS, MOST)
            found = [self._stored(view, one.id) for one in listed]
        return [one for one in found if one is not None]

    def _body(self, view: Reading, entry_id: str) -> Checkpoint:
        listed = view.checkpoints(self._space.owner, INDEX, ENTRIES, 1, id=entry_id)
        session = str(listed[0].data["session"]) if listed else ""
        found = view.checkpoints(self._space.owner, session, ENTRIES, 1, id=entry_id) if session else []
        if not found:
            raise LookupError(f"there is no entry {entry_id}: it was deleted, or erased with what was said")
        return found[0]

    def _entry(self, entry_id: str) -> ConversationEntry:
        with self._space._runtime.store.view() as view:
            return _read(self._body(view, entry_id))

    def _write(
        self, record: ConversationRecord, entries: Sequence[ConversationEntry], expected_revision: str | None
    ) -> None:
        """Write record and entries in one commit, unless somebody else has saved the conversation meanwhile."""

        def plan(view: Reading) -> Write:
            self._expect(view, record.conversation_id, expected_revision)
            owner, own = self._space.owner, {one.id for one in entries}
            head = record.head_id
            if head and head not in own and not view.checkpoints(owner, INDEX, ENTRIES, 1, id=head):
                raise ConversationConflict(record.conversation_id)
            return self._commit(_written(record, entries, self._space.now))

        self._space._runtime.store.decide_locked(self._space.owner, plan, self._space.now)

    def _delete(self, conversation_id: str, expected_revision: str) -> None:
        others = [one for one in self._records() if one.conversation_id != conversation_id]

        def plan(view: Reading) -> Write:
            gone = self._expect(view, conversation_id, expected_revision)
            if gone is None:
                raise ConversationConflict(conversation_id)
            held = self._reached(view, [head for one in others for head in (one.head_id, *one.branches)])
            spare = self._reached(view, [gone.head_id, *gone.branches]) - held
            drops: list[Change] = [DropCheckpoints(conversation_id, RECORDS)]
            drops.append(DropCheckpoints(INDEX, RECORDS, conversation_id))
            for one in sorted(spare):
                drops += [DropCheckpoints(conversation_id, ENTRIES, one), DropCheckpoints(INDEX, ENTRIES, one)]
            return self._commit(drops)

        self._space._runtime.store.decide_locked(self._space.owner, plan, self._space.now)

    def _reached(self, view: Reading, heads: Sequence[str | None]) -> set[str]:
        """Give the entries that histories are made of, from their ends to their beginnings."""
        reached: set[str] = set()
        for head in heads:
            at = head
            while at is not None and at not in reached:
                reached.add(at)
                try:
                    at = self._body(view, at).parent or None
                except LookupError:
                    at = None
        return reached

    def _expect(self, view: Reading, conversation_id: str, revision: str | None) -> ConversationRecord | None:
        stored = self._stored(view, conversation_id)
        if (stored.revision if stored is not None else None) != revision:
            raise ConversationConflict(conversation_id)
        return stored

    def _commit(self, changes: Sequence[Change]) -> Write:
        scope = self._space._scope
        receipt = Receipt(outcome="stored", op="saved", count=len(changes))
        return Write(
            owner=scope.owner,
            at=self._space.now,
            node="conversations",
            changes=tuple(changes),
            actor=scope.agent,
            session=INDEX,
            receipt=receipt,
        )


def _written(record: ConversationRecord, entries: Sequence[ConversationEntry], at: datetime) -> list[Change]:
    session, made = record.conversation_id, list[Change]()
    for one in entries:
        data: Any = {"message": ModelMessagesTypeAdapter.dump_python([one.message], mode="json")[0]}
        made.append(SaveCheckpoint(Checkpoint(session, ENTRIES, one.id, one.parent_id or "", data, at)))
        made.append(SaveCheckpoint(Checkpoint(INDEX, ENTRIES, one.id, "", {"session": session}, at)))
    told = _RECORD.dump_python(record, mode="json")
    made.append(SaveCheckpoint(Checkpoint(session, RECORDS, RECORDS, "", told, at)))
    made.append(SaveCheckpoint(Checkpoint(INDEX, RECORDS, session, "", {}, at)))
    return made


def _read(stored: Checkpoint) -> ConversationEntry:
    (message,) = ModelMessagesTypeAdapter.validate_python([stored.data["message"]])
    return ConversationEntry(id=stored.id, parent_id=stored.parent or None, message=message)
