"""mem0's interface on this memory: change one import, and keep the rest of the program.

`from recollect.adapters.mem0 import Memory, AsyncMemory` has every method of mem0ai 2.2 with its arguments and shapes.
What raises there works here: `timestamp`, `reference_date` and `decay`. docs/adapters.md says what differs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from recollect.adapters.mem0_shapes import (
    ABOUT,
    IDS,
    NO_RUN,
    ValidationError,
    added,
    day_of,
    filters_of,
    found,
    id_of,
    ids_of,
    item_of,
    may_be_shown,
    messages_of,
    moment_of,
    no_ids,
    plain,
    row_of,
    scores_of,
    search_numbers,
    settings_of,
    shown_id,
    took_place,
    verbatim,
    versions_of,
)
from recollect.errors import NotFound
from recollect.flows.keep.revise import annotate
from recollect.front.aio import Face, awaited
from recollect.front.recollect import Recollect
from recollect.front.space import Space
from recollect.model import memory as nouns
from recollect.model.clock import iso

LOG = logging.getLogger("recollect")
TENANT = "mem0"
PROCEDURAL = "procedural_memory"
KINDS = ("fact", "event", "insight", "lesson", "passage", "procedure")
"""What counts as a memory here; raw messages are kept too, and found by `recollect recall --kind episode`."""
OVER, LEAST, MOST = 4, 60, 1000
_UNSET: Any = object()


class Project:
    """The settings mem0 calls a project; of them this memory has decay."""

    def __init__(self, memory: Recollect) -> None:
        self._memory = memory

    def update(
        self,
        custom_instructions: str | None = None,
        custom_categories: Sequence[Any] | None = None,
        multilingual: bool | None = None,
        decay: bool | None = None,
    ) -> dict[str, str]:
        """Let what nobody uses fade and go, or stay, from now on; the rest is set in recollect.toml."""
        given = (custom_instructions, custom_categories, multilingual)
        if decay is None or any(one is not None for one in given):
            raise ValueError("update takes decay=True or decay=False; prompts, categories and languages are settings")
        runtime = self._memory._runtime
        preset = replace(runtime.settings.retention, preset="fading" if decay else "lasting")
        runtime.settings = replace(runtime.settings, retention=preset)
        return {"message": "Project updated successfully!"}


class Memory:
    """mem0's `Memory`. Each user is an owner of his own; agents and runs are agents and sessions in it."""

    def __init__(self, config: Recollect | Mapping[str, Any] | str | Path | None = None) -> None:
        self.config = config
        self._memory = config if isinstance(config, Recollect) else Recollect(**settings_of(config))
        self._own = not isinstance(config, Recollect)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Open with a dictionary as mem0 takes it: `recollect` holds our settings, `llm` is understood, others warn."""
        return cls(config_dict)

    @property
    def project(self) -> Project:
        """The settings mem0 calls a project."""
        return Project(self._memory)

    def add(
        self,
        messages: Any,
        *,
        user_id: Any = None,
        agent_id: Any = None,
        run_id: Any = None,
        metadata: Mapping[str, Any] | None = None,
        timestamp: Any = None,
        expiration_date: Any = None,
        infer: bool = True,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, list[dict[str, Any]]]:  # long because these are mem0's parameters
        """Keep messages: what they tell as memories, or with `infer=False` each as one."""
        about: dict[str, Any] = {"metadata": plain(metadata)} if metadata else {}
        expires = day_of(expiration_date)
        about |= {"expiration_date": expires} if expires else {}
        space = self._space(ids_of(user_id, agent_id, run_id))
        if memory_type not in (None, PROCEDURAL):
            raise ValidationError(
                f"Invalid 'memory_type'. Please pass {PROCEDURAL} to create procedural memories.",
                "VALIDATION_002",
                {"provided_type": memory_type, "valid_type": PROCEDURAL},
                f"Use '{PROCEDURAL}' to create procedural memories.",
            )
        if prompt:
            LOG.warning("prompt has no part in what is kept: prompts are files, see docs/models.md")
        said, when = messages_of(messages), moment_of(timestamp)
        if agent_id is not None and memory_type == PROCEDURAL:
            text = "\n".join(f"{one['role']}: {one['content']}" for one in said)
            more = {"metadata": {**about.get("metadata", {}), "memory_type": PROCEDURAL}}
            return {"results": [added(space, text, {**about, **more}, when, "procedure")]}
        if not infer:
            kept = [one for one in said if one["role"] != "system"]
            return {"results": [verbatim(space, one, about, when) for one in kept]}
        return {"results": list(self._inferred(space, said, about, when))}

    def _inferred(
        self, space: Space, said: list[dict[str, Any]], about: Mapping[str, Any], when: datetime | None
    ) -> Iterator[dict[str, Any]]:
        """Keep what was said and work it through at once; give the memories that came of it."""
        rev = space.stats().rev
        for one in said:
            if one["role"] != "system":
                space.observe(one["role"], one["content"], at=when, actor=str(one.get("name") or ""))
        space.end()
        made = [line.memory_id for line in space.news(rev) if line.op in ("created", "superseded")]
        for id in dict.fromkeys(made):
            memory = found(space, id)
            if memory is None or memory.kind not in KINDS:
                continue
            if about:
                annotate(space._runtime, space._scope, memory.id, {**memory.attributes, ABOUT: dict(about)})
            yield {"id": shown_id(memory), "memory": memory.content, "event": "ADD"}

    def get(self, memory_id: str) -> dict[str, Any] | None:
        """Give one memory, None where there is none."""
        stands = self._standing(memory_id)
        return None if stands is None else {"score": None, **item_of(stands[1])}

    def get_all(
        self,
        /,
        *,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> dict[str, list[dict[str, Any]]]:
        """Give the memories that pass the filters, the newest first."""
        no_ids(kwargs, "get_all")
        search_numbers(None, top_k)
        wanted = filters_of(filters)
        results: list[dict[str, Any]] = []
        for space, conditions in self._spaces(wanted):
            offset = 0
            while len(results) < top_k:
                page = space.list(limit=MOST, offset=offset, kinds=KINDS, **conditions)
                results += [
                    item for item in map(item_of, page) if may_be_shown(item, wanted, show_expired, space.now.date())
                ]
                offset += len(page)
                if len(page) < MOST:
                    break
        return {"results": results[:top_k]}

    def search(
        self,
        /,
        query: str,
        *,
        top_k: int = 20,
        filters: Mapping[str, Any] | None = None,
        threshold: float = 0.1,
        rerank: bool = False,
        explain: bool = False,
        reference_date: Any = None,
        show_expired: bool = False,
        **kwargs: Any,
    ) -> dict[str, list[dict[str, Any]]]:  # long because these are mem0's parameters
        """Find memories; `reference_date` looks at what was true then."""
        no_ids(kwargs, "search")
        search_numbers(threshold, top_k)
        if not isinstance(query, str):
            raise ValueError("Invalid query: must be a non-empty string.")
        if not query.strip():
            raise ValueError("Invalid query: cannot be empty or whitespace-only.")
        wanted, as_of = filters_of(filters), moment_of(reference_date)
        results: list[dict[str, Any]] = []
        for space, conditions in self._spaces(wanted):
            hits = space.recall(
                query.strip(), min(MOST, max(top_k * OVER, LEAST)), kinds=KINDS, as_of=as_of, **conditions
            )
            for hit, score in zip(hits, scores_of(hits), strict=True):
                item = {**item_of(hit.memory), "score": score}
                if explain:
                    item["score_details"] = {name: signal.score for name, signal in hit.why.items()}
                if score >= (threshold or 0) and may_be_shown(item, wanted, show_expired, space.now.date()):
                    results.append(item)
        results.sort(key=lambda item: -item["score"])
        return {"results": results[:top_k]}

    def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: Any = _UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Change what a memory says or what is kept beside it; it keeps its id, and what it said its history."""
        if data is not None:
            LOG.warning("The `data` argument to update() is deprecated: use `text`")
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is _UNSET:
            raise ValueError("At least one of text, metadata, or expiration_date must be provided.")
        stands = self._standing(memory_id)
        if stands is None:
            raise ValueError(f"Memory with id {memory_id} not found. Please provide a valid 'memory_id'")
        space, memory = stands
        about = dict(memory.attributes.get(ABOUT) or {})
        if metadata is not None:
            own = {name: value for name, value in metadata.items() if name not in IDS}
            about["metadata"] = {**about.get("metadata", {}), **plain(own)}
        if expiration_date is not _UNSET:
            about["expiration_date"] = day_of(expiration_date)
        about["id"] = shown_id(memory).partition("@")[0]
        current = memory
        if text is not None and text != memory.content:
            current = space.get(space.correct(memory.id, text).id)
        annotate(space._runtime, space._scope, current.id, {**current.attributes, ABOUT: about})
        return {"message": "Memory updated successfully!"}

    def delete(self, memory_id: str) -> dict[str, str]:
        """Put a memory out of sight; `recollect restore` brings it back, `recollect erase` is for good."""
        stands = self._standing(memory_id)
        if stands is None:
            raise ValueError(f"Memory with id {memory_id} not found")
        stands[0].forget(stands[1].id)
        return {"message": "Memory deleted successfully!"}

    def delete_all(self, user_id: Any = None, agent_id: Any = None, run_id: Any = None) -> dict[str, str]:
        """Put all memories of a user, an agent or a run out of sight."""
        given = {name: id_of(name, value) for name, value in zip(IDS, (user_id, agent_id, run_id), strict=True)}
        wanted = {name: value for name, value in given.items() if value}
        if not wanted:
            raise ValueError(
                "At least one filter is required to delete all memories. "
                "If you want to delete all memories, use the `reset()` method."
            )
        for space, conditions in self._spaces(wanted):
            while page := space.list(limit=MOST, kinds=KINDS, **conditions):
                for one in page:
                    space.forget(one.id)
        return {"message": "Memories deleted successfully!"}

    def history(self, memory_id: str) -> list[dict[str, Any]]:
        """Give what a memory said before and says now, the oldest first."""
        place = self._placed(memory_id)
        try:
            versions = [] if place is None else versions_of(place[0], place[1])
        except NotFound:
            return []
        rows, before = list[dict[str, Any]](), None
        for number, one in enumerate(versions):
            rows.append(row_of(memory_id, number, before, one, "UPDATE" if before else "ADD"))
            before = one
        if before is not None and before.state == "deleted":
            gone = row_of(memory_id, len(rows), before, before, "DELETE")
            rows.append({**gone, "new_memory": None, "updated_at": iso(before.updated_at), "is_deleted": True})
        return rows

    def reset(self) -> None:
        """Erase everything that was kept through this interface, for good."""
        for tenant, user in self._memory.owners():
            if tenant == TENANT:
                self._memory.space(user, tenant=tenant).erase(everything=True)

    def chat(self, query: str) -> None:
        """Do what mem0 does: nothing yet."""
        raise NotImplementedError("Chat function not implemented yet.")

    def close(self) -> None:
        """Let the database go, unless somebody else has opened it."""
        if self._own:
            self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _space(self, ids: Mapping[str, str]) -> Space:
        user = ids.get("user_id") or ("agent " + ids["agent_id"] if "agent_id" in ids else "run " + ids["run_id"])
        return self._memory.space(user, ids.get("agent_id", ""), ids.get("run_id", NO_RUN), TENANT)

    def _spaces(self, wanted: Mapping[str, Any]) -> Iterator[tuple[Space, dict[str, Any]]]:
        """Give the spaces a look goes over: the user's, or without one those of all whose agent or run is meant."""
        conditions: dict[str, Any] = {"agent": wanted["agent_id"]} if isinstance(wanted.get("agent_id"), str) else {}
        conditions |= {"sessions": [wanted["run_id"]]} if isinstance(wanted.get("run_id"), str) else {}
        user = wanted.get("user_id")
        users = [user] if user else [name for tenant, name in self._memory.owners() if tenant == TENANT]
        for one in users:
            yield self._memory.space(one, tenant=TENANT), conditions

    def _placed(self, memory_id: object) -> tuple[Space, str] | None:
        id, sign, user = str(memory_id).partition("@")
        return (self._memory.space(user, tenant=TENANT), id) if sign and user else None

    def _standing(self, memory_id: object) -> tuple[Space, nouns.Memory] | None:
        """Give what stands under an id now: the memory, or the one that took its place."""
        place = self._placed(memory_id)
        if place is None:
            return None
        memory = found(*place)
        while memory is not None and memory.state == "superseded":
            newer = [one.from_id for one in place[0].links(memory.id) if took_place(one, memory.id)]
            memory = found(place[0], newer[0]) if newer else None
        return (place[0], memory) if memory is not None and memory.state == "active" else None


class AsyncMemory(Face[Memory]):
    """mem0's `AsyncMemory`: the same, awaited."""

    def __init__(self, config: Recollect | Mapping[str, Any] | str | Path | None = None) -> None:
        super().__init__(Memory(config))

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Open with a dictionary as mem0 takes it."""
        return cls(config_dict)

    @property
    def project(self) -> Project:
        """The settings mem0 calls a project."""
        return self.sync.project

    add = awaited(Memory.add)
    get = awaited(Memory.get)
    get_all = awaited(Memory.get_all)
    search = awaited(Memory.search)
    update = awaited(Memory.update)
    delete = awaited(Memory.delete)
    delete_all = awaited(Memory.delete_all)
    history = awaited(Memory.history)
    reset = awaited(Memory.reset)
    chat = awaited(Memory.chat)

    def close(self) -> None:
        """Let the database go, unless somebody else has opened it."""
        self.sync.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()
