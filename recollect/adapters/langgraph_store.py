"""A store for LangGraph on this memory: what agents put into it is found by words and meaning, and belongs to an owner.

`graph = builder.compile(store=RecollectStore(space))`. An item is a document of its own key; a namespace is its tags.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    PutOp,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

from recollect.adapters.naming import hashed
from recollect.flows.keep.revise import annotate
from recollect.front.space import Space
from recollect.model.clock import iso
from recollect.model.memory import Memory

ABOUT = "langgraph"
MOST = 1000
WHOLE = "$"
_COMPARED: Mapping[str, Any] = {
    "$eq": lambda have, want: have == want,
    "$ne": lambda have, want: have != want,
    "$gt": lambda have, want: have is not None and have > want,
    "$gte": lambda have, want: have is not None and have >= want,
    "$lt": lambda have, want: have is not None and have < want,
    "$lte": lambda have, want: have is not None and have <= want,
}


class RecollectStore(BaseStore):
    """Keeps items of any namespace in the memory of one owner."""

    supports_ttl = False

    def __init__(self, space: Space) -> None:
        self._space = space

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        return [self._done(op) for op in ops]

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _done(self, op: Any) -> Any:
        if isinstance(op, GetOp):
            found = self._row(op.namespace, op.key)
            return None if found is None else _item(found)
        if isinstance(op, PutOp):
            return self._put(op)
        if isinstance(op, SearchOp):
            return self._search(op)
        if isinstance(op, ListNamespacesOp):
            return self._namespaces(op)
        raise TypeError(f"{type(op).__name__} is no operation of a store")

    def _row(self, namespace: Sequence[str], key: str) -> Memory | None:
        return next(iter(self._space.list(kinds=["document"], key=_slot(namespace, key), limit=1)), None)

    def _put(self, op: PutOp) -> None:
        old = self._row(op.namespace, op.key)
        if op.value is None:
            if old is not None:
                self._space.forget(old.id)
            return
        text, now = _words(op), self._space.now
        about = {
            "namespace": list(op.namespace),
            "key": op.key,
            "value": op.value,
            "created_at": iso(now) if old is None else old.attributes[ABOUT]["created_at"],
            "updated_at": iso(now),
            "found": op.index is not False,
        }
        if old is not None and old.content == text:
            annotate(self._space._runtime, self._space._scope, old.id, {ABOUT: about})
            return
        tags = [_tag(op.namespace[:depth]) for depth in range(len(op.namespace) + 1)]
        slot = _slot(op.namespace, op.key)
        receipt = self._space.remember(text, kind="document", key=slot, tags=tags, attributes={ABOUT: about})
        if receipt.outcome == "duplicate":
            annotate(self._space._runtime, self._space._scope, receipt.id, {ABOUT: about})

    def _search(self, op: SearchOp) -> list[SearchItem]:
        wanted: dict[str, Any] = {"kinds": ["document"], "tags": [_tag(op.namespace_prefix)]}
        pairs: list[tuple[Memory, float | None]]
        if op.query:
            hits = self._space.recall(op.query, MOST, **wanted)
            pairs = [(hit.memory, hit.score) for hit in hits if hit.memory.attributes[ABOUT]["found"]]
        else:
            pairs = [(one, None) for one in self._rows(wanted)]
        kept = [pair for pair in pairs if _passes(pair[0].attributes[ABOUT]["value"], op.filter or {})]
        return [_found(one, score) for one, score in kept[op.offset : op.offset + op.limit]]

    def _rows(self, wanted: Mapping[str, Any]) -> Iterator[Memory]:
        at = 0
        while page := self._space.list(order="oldest", limit=MOST, offset=at, **wanted):
            yield from page
            at += len(page)

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        rows = self._rows({"kinds": ["document"], "tags": [_tag(())]})
        every = sorted({tuple(one.attributes[ABOUT]["namespace"]) for one in rows})
        kept = [one for one in every if all(_matches(one, each) for each in op.match_conditions or ())]
        cut = kept if op.max_depth is None else sorted({one[: op.max_depth] for one in kept})
        return cut[op.offset : op.offset + op.limit]


def _slot(namespace: Sequence[str], key: str) -> str:
    return f"{ABOUT}.{hashed(*namespace, key)}"


def _tag(namespace: Sequence[str]) -> str:
    return f"{ABOUT}.{hashed('namespace', *namespace)[:24]}"


def _words(op: PutOp) -> str:
    """Give what an item is found by: the fields to be indexed, or all it holds; its key where that is nothing."""
    paths = [WHOLE] if not isinstance(op.index, list) else op.index
    found = [text for path in paths for text in get_text_at_path(op.value, path)] if op.index is not False else []
    text = "\n".join(one for one in found if one.strip())
    return text or json.dumps([*op.namespace, op.key], ensure_ascii=False)


def _item(memory: Memory) -> Item:
    return Item(**_fields(memory))


def _found(memory: Memory, score: float | None) -> SearchItem:
    return SearchItem(**_fields(memory), score=score)


def _fields(memory: Memory) -> dict[str, Any]:
    about = memory.attributes[ABOUT]
    times = {name: datetime.fromisoformat(about[name]) for name in ("created_at", "updated_at")}
    return {"namespace": tuple(about["namespace"]), "key": about["key"], "value": about["value"], **times}


def _passes(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(_met(value.get(name), condition) for name, condition in wanted.items())


def _met(have: Any, condition: Any) -> bool:
    if not isinstance(condition, Mapping) or not any(str(name).startswith("$") for name in condition):
        return bool(have == condition)
    unknown = condition.keys() - _COMPARED.keys()
    if unknown:
        raise ValueError(f"Unsupported operator: {', '.join(sorted(unknown))}")
    return all(bool(_COMPARED[name](have, want)) for name, want in condition.items())


def _matches(namespace: tuple[str, ...], condition: Any) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(want in ("*", have) for have, want in zip(part, path, strict=True))
