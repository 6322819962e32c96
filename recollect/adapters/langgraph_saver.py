"""A checkpoint saver for LangGraph: threads are sessions of one owner, and every state stands in this memory.

`graph = builder.compile(checkpointer=RecollectSaver(space))`. It has all eight capabilities LangGraph's conformance
suite knows, on every engine.
"""

from __future__ import annotations

import asyncio
import base64
import builtins
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    CheckpointTuple,
    get_checkpoint_metadata,
    writes_sort_key,
)

from recollect.adapters.naming import hashed
from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.window import Checkpoint

STATES, WRITES, INDEX = "lg.state.", "lg.writes.", "lg.threads"
MOST = 10_000
COUNTERS = "counters_since_delta_snapshot"
"""What of a state's metadata says that it rests on those before it."""


class RecollectSaver(BaseCheckpointSaver):
    """Saves the states of graphs in the memory of one owner."""

    def __init__(self, space: Space, *, serde: Any = None) -> None:
        super().__init__(serde=serde)
        self._space = space
        self._known: set[str] = set()

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        asked = config["configurable"]
        thread, ns = str(asked["thread_id"]), str(asked.get("checkpoint_ns", ""))
        self._listed(thread)
        data = {
            "ns": ns,
            "parent": asked.get("checkpoint_id") or "",
            "checkpoint": self._packed(checkpoint),
            "metadata": self._packed(get_checkpoint_metadata(config, metadata)),
        }
        self._at(thread).save(data, STATES + hashed(ns), checkpoint["id"])
        return _config(thread, ns, checkpoint["id"])

    def put_writes(self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        asked = config["configurable"]
        thread, ns, id = str(asked["thread_id"]), str(asked.get("checkpoint_ns", "")), asked["checkpoint_id"]
        self._listed(thread)
        rows, place = self._at(thread), _writes(ns, id)
        known = {one.id for one in rows(place, MOST)}
        for number, (channel, value) in enumerate(writes):
            at = WRITES_IDX_MAP.get(channel, number)
            name = f"{hashed(task_id)[:32]}.{at + 100:06d}"
            if at >= 0 and name in known:  # a task that is run again has written this already
                continue
            kept = {"task": task_id, "path": task_path, "at": at, "channel": channel, "value": self._packed(value)}
            rows.save({"ns": ns, "of": id, **kept}, place, name)

    def get_tuple(self, config: Any) -> CheckpointTuple | None:
        asked = config["configurable"]
        thread, ns, id = str(asked["thread_id"]), str(asked.get("checkpoint_ns", "")), asked.get("checkpoint_id")
        found = self._states(thread, ns)
        if id:
            found = [one for one in found if one.id == id]
        return self._tuple(thread, max(found, key=_id)) if found else None

    def list(
        self,
        config: Any,
        *,
        filter: Mapping[str, Any] | None = None,
        before: Any = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        asked = config["configurable"] if config else {}
        threads = [str(asked["thread_id"])] if "thread_id" in asked else self._threads()
        end = before["configurable"].get("checkpoint_id") if before else None
        found = [(thread, one) for thread in threads for one in self._states(thread, asked.get("checkpoint_ns"))]
        given = 0
        for thread, one in sorted(found, key=lambda pair: pair[1].id, reverse=True):
            if (end and one.id >= end) or (asked.get("checkpoint_id") and one.id != asked["checkpoint_id"]):
                continue
            if limit is not None and given >= limit:
                return
            made = self._tuple(thread, one)
            if all(made.metadata.get(name) == value for name, value in (filter or {}).items()):
                given += 1
                yield made

    def delete_thread(self, thread_id: str) -> None:
        self._at(str(thread_id)).delete()
        self._space.within(INDEX).checkpoints.delete("", hashed(str(thread_id)))
        self._known.discard(str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        for thread in self._threads() if run_ids else ():
            for one in self._states(thread, None):
                if self._metadata(one).get("run_id") in run_ids:
                    self._drop(thread, one)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        rows = self._at(str(source_thread_id))(None, MOST)
        if rows:
            self._listed(str(target_thread_id))
        target = self._at(str(target_thread_id))
        for one in reversed(rows):
            target.save(one.data, one.ns, one.id)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        if strategy not in ("keep_latest", "delete"):
            raise InvalidInput(f"unknown strategy {strategy!r}: use keep_latest or delete")
        for thread in map(str, thread_ids):
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            states = self._states(thread, None)
            kept = self._needed(states)
            for one in states:
                if (one.ns, one.id) not in kept:
                    self._drop(thread, one)

    def _needed(self, states: builtins.list[Checkpoint]) -> set[tuple[str, str]]:
        """Give the last state of each namespace, and those before it that it rests on."""
        by_id = {(one.ns, one.id): one for one in states}
        kept: set[tuple[str, str]] = set()
        for ns in {one.ns for one in states}:
            at: Checkpoint | None = max((one for one in states if one.ns == ns), key=_id)
            while at is not None and (at.ns, at.id) not in kept:
                kept.add((at.ns, at.id))
                rests = any((self._metadata(at).get(COUNTERS) or {}).values())
                at = by_id.get((at.ns, at.data["parent"])) if rests else None
        return kept

    def _at(self, thread: str) -> Any:
        return self._space.within(thread).checkpoints

    def _listed(self, thread: str) -> None:
        """Note that a thread exists: sessions alone do not tell which are threads."""
        if thread not in self._known:
            self._space.within(INDEX).checkpoints.save({"thread": thread}, "", hashed(thread))
            self._known.add(thread)

    def _threads(self) -> builtins.list[str]:
        return [one.data["thread"] for one in self._space.within(INDEX).checkpoints("", MOST)]

    def _states(self, thread: str, ns: str | None) -> builtins.list[Checkpoint]:
        rows = self._at(thread)(None if ns is None else STATES + hashed(ns), MOST)
        return [one for one in rows if one.ns.startswith(STATES)]

    def _drop(self, thread: str, state: Checkpoint) -> None:
        self._at(thread).delete(_writes(state.data["ns"], state.id))
        self._at(thread).delete(state.ns, state.id)

    def _tuple(self, thread: str, one: Checkpoint) -> CheckpointTuple:
        ns, parent = one.data["ns"], one.data["parent"]
        rows = self._at(thread)(_writes(ns, one.id), MOST)
        wrote = sorted((row.data for row in rows), key=lambda row: writes_sort_key(row["path"], row["task"], row["at"]))
        return CheckpointTuple(
            _config(thread, ns, one.id),
            self._unpacked(one.data["checkpoint"]),
            self._metadata(one),
            _config(thread, ns, parent) if parent else None,
            [(row["task"], row["channel"], self._unpacked(row["value"])) for row in wrote],
        )

    def _metadata(self, one: Checkpoint) -> Any:
        return self._unpacked(one.data["metadata"])

    def _packed(self, value: Any) -> builtins.list[str]:
        kind, data = self.serde.dumps_typed(value)
        return [kind, base64.b64encode(data).decode()]

    def _unpacked(self, packed: Sequence[str]) -> Any:
        return self.serde.loads_typed((packed[0], base64.b64decode(packed[1])))

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def aget_tuple(self, config: Any) -> CheckpointTuple | None:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: Any,
        *,
        filter: Mapping[str, Any] | None = None,
        before: Any = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        for one in await asyncio.to_thread(
            lambda: builtins.list(self.list(config, filter=filter, before=before, limit=limit))
        ):
            yield one

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await asyncio.to_thread(lambda: self.prune(thread_ids, strategy=strategy))


_id: Callable[[Checkpoint], str] = lambda one: one.id  # noqa: E731


def _writes(ns: str, id: str) -> str:
    return WRITES + hashed(ns, id)


def _config(thread: str, ns: str, id: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ns, "checkpoint_id": id}}
