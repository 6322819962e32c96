"""Meaning: the vectors of what is asked and of what is to be kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.flows.life.shelves import Shelves
from recollect.model.change import Change, Embed, Enqueue, Seal
from recollect.model.event import Event
from recollect.model.memory import Memory
from recollect.model.options import Draft
from recollect.model.values import dataclass
from recollect.providers.embedders import Embedder, Told
from recollect.runtime import Runtime
from recollect.store.base import Counters
from recollect.text.vectors import kept, packed, sound

BATCH = 128
"""How many memories are embedded between one commit and the next."""
Made = tuple[tuple[str, bytes], ...]
"""Vectors as they are stored, by memory id."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A query's vector and the model it belongs to, or why there is none."""

    model: str = ""
    vector: Any = None
    problem: str = ""


def ahead(runtime: Runtime, owner: str, query: str) -> Asked | None:
    """Ask an embedder that is far away before a view is opened: nobody should hold one while waiting for a network."""
    embedder = runtime.embedder()
    if embedder is None or embedder.local or not query.strip() or "meaning" in runtime.settings.fusion.off:
        return None
    with runtime.store.view() as view:
        counters = view.counters(owner)
    return ask(runtime, owner, counters, query)


def requested(runtime: Runtime, owner: str, prompt: str) -> Asked | None:
    """Give the vector of what a model is asked to do, for finding what it needs to know; no view is open meanwhile."""
    if not runtime.model or not prompt.strip() or "meaning" in runtime.settings.fusion.off:
        return None
    with runtime.store.view() as view:
        counters = view.counters(owner)
    return ask(runtime, owner, counters, prompt, request=True)


def ask(runtime: Runtime, owner: str, counters: Counters, query: str, *, request: bool = False) -> Asked:
    """Give a query's vector by the model whose vectors serve the owner; why there is none is said once, in the log."""
    if not counters.model or not runtime.model:
        return Asked(counters.model)
    embedder = runtime.embedder(counters.model)
    if embedder is None:
        problem = f"the vectors are {counters.model}'s, which cannot be asked: run recollect reindex"
    else:
        made = (embedder.embed_requests if request else embedder.embed)([query])
        vector, problem = sound(made.vectors[0] if made.vectors else None), made.problem
        if vector is not None:
            # As exact as the vectors that are kept, so that every engine compares the same numbers.
            return Asked(counters.model, kept(vector))
    if problem:
        runtime.complain(f"searching by words only: {problem}")
        runtime.note(Event(owner, "embedder", "embed", "failed"))
    return Asked(counters.model, None, problem)


def text_of(memory: Memory) -> str:
    """Give what of a memory is embedded: a slot's name belongs to it, and the place of a section."""
    return _text(memory.key or (memory.topic if memory.kind == "document" else ""), memory.content)


def told(memory: Memory, before: Memory | None, *, context: bool) -> Told:
    """Give a memory as it is embedded: a message with its speaker and the one before, if the model was taught so."""
    if not context or memory.kind != "episode":
        return Told(text_of(memory))
    return Told(_spoken(memory), _spoken(before) if before is not None else "")


def _spoken(message: Memory) -> str:
    return f"{message.actor or message.role}: {message.content}"


def _text(key: str, content: str) -> str:
    return f"{key}: {content}" if key else content


@dataclass(frozen=True, slots=True)
class Batch:
    """Memories that had no vector, those made now, and why some are still without one."""

    memories: list[Memory]
    before: Mapping[str, Memory]
    """The messages before those that are messages, for models that read them."""
    vectors: Made
    problem: str

    @property
    def missing(self) -> list[Memory]:
        """The memories no vector was made for."""
        made = dict(self.vectors)
        return [memory for memory in self.memories if memory.id not in made]


def batches(runtime: Runtime, owner: str, embedder: Embedder) -> Iterator[Batch]:
    """Embed what has no vector of this model, in order; each batch is to be written before the next is asked for."""
    after = 0
    while True:
        with runtime.store.view() as view:
            waiting = view.pending(owner, embedder.name, after, BATCH)
            ids = [id for _, id in waiting]
            memories, before = view.get(owner, ids), view.before(owner, ids) if embedder.context else {}
        if not waiting:
            return
        whole = Shelves(runtime).whole  # what is archived is embedded whole, not by the line that is left of it
        yield made(embedder, whole(memories), dict(zip(before, whole(before.values()), strict=True)))
        after = waiting[-1][0]


def made(embedder: Embedder, memories: list[Memory], before: Mapping[str, Memory]) -> Batch:
    """Ask for the vectors of memories, with the messages before those that are messages."""
    texts = [told(memory, before.get(memory.id), context=embedder.context) for memory in memories]
    answer = embedder.embed_told(texts)
    pairs = zip(memories, answer.vectors, strict=False)  # an embedder of the user's own may give too few
    vectors = tuple((memory.id, blob) for memory, vector in pairs if (blob := packed(vector)))
    return Batch(memories, before, vectors, answer.problem)


def keeping(runtime: Runtime, model: str, vectors: Made) -> tuple[Change, ...]:
    """Give what writes vectors down, packed where the engine has no search of its own."""
    return (Embed(model, vectors), *((Seal(model),) if runtime.store.segmented else ()))


class Vectors:
    """Vectors made on the way of a write, if the embedder is at hand; each text is embedded once, however often asked.

    Where it is not, a job makes them later.
    """

    def __init__(self, runtime: Runtime) -> None:
        embedder = runtime.embedder()
        self._embedder = embedder if embedder is not None and embedder.local else None
        self._known: dict[Told, bytes] = {}
        self.model = self._embedder.name if self._embedder else ""
        self.wanted = embedder is not None
        """Whether there shall be vectors at all, now or later."""

    def prepare(self, drafts: Sequence[Draft]) -> None:
        """Embed what is going to be asked for, all at once."""
        self._make(list(dict.fromkeys(Told(_text(draft.key, draft.content)) for draft in drafts)))

    def _make(self, texts: Sequence[Told]) -> None:
        if self._embedder is not None and texts:
            made = self._embedder.embed_told(texts).vectors
            self._known |= {text: packed(vector) for text, vector in zip(texts, made, strict=False)}

    def of(self, memory: Memory) -> bytes:
        """Give a memory's vector as it is stored; nothing where there is none."""
        return self._of(Told(text_of(memory)))

    def _of(self, text: Told) -> bytes:
        if text not in self._known:
            self._make([text])
        return self._known.get(text, b"")

    def message(self, memory: Memory, before: Memory | None, now: datetime) -> Change:
        """Give what makes a new message findable by meaning: its vector, or the job that will make it."""
        context = self._embedder is not None and self._embedder.context
        vector = self._of(told(memory, before, context=context))
        return Embed(self.model, ((memory.id, vector),)) if vector else Enqueue("embed", now)

    def changes(self, serving: str, memories: Sequence[Memory], now: datetime) -> tuple[Change, ...]:
        """Give what makes new memories findable by meaning: their vectors, or the job that will make them."""
        if not self.wanted or not memories:
            return ()
        if self.model and serving in ("", self.model):
            made = tuple((memory.id, vector) for memory in memories if (vector := self.of(memory)))
            if made:
                return (Embed(self.model, made),)
        return (Enqueue("embed", now),)
