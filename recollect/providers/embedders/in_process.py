"""An embedder whose model runs in this process, with no key and no network, loaded when first asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache

from recollect.config import EmbeddingSettings
from recollect.errors import ConfigError
from recollect.model.values import dataclass
from recollect.providers.embedders.embedder import Embedded, Embedder, Pieces, Told, Vector, readable

Run = Callable[[Sequence[Told]], Embedded]
"""A loaded model."""
Reads = Callable[[str], Pieces]
"""A loaded model that gives a text piece by piece."""
KEPT = 1024
"""How many stretches of text that were read closely are kept at hand: about 20 KB each."""
QUESTION = 0.5
"""How much of what was learnt about requests counts for a question, which is nearer to its answer."""
MOMENT = 5.0
"""How many seconds a question waits for the model to be loaded; it takes one or two."""
LOADING = "the model is still loading"
"""Why there are no vectors yet: a job tries again, and a search goes by words."""


@dataclass(frozen=True, slots=True)
class Bands:
    """What an embedder's similarities mean."""

    link_min: float
    same_min: float


class InProcess(Embedder):
    """A small model in this process; it reads the first 256 word pieces of a text."""

    local = True
    dimensions = 384

    def __init__(
        self, name: str, load: Callable[[], Run], bands: Bands, settings: EmbeddingSettings, *, context: bool = False,
        reads: Callable[[], Reads] | None = None,
    ) -> None:  # fmt: skip
        self.name = name
        self.context = context
        self.link_min = settings.link_min or bands.link_min
        self.same_min = settings.same_min or bands.same_min
        self._load = load
        self._model: Run | None = None
        self._reads = reads
        self._reader: Reads | None = None
        self._guard = threading.Lock()
        self._warming = False
        self._warm_done = threading.Event()

    def warm(self) -> None:
        """Load the model in a thread of its own; until then texts get no vectors, and who asks waits a moment."""
        self._warm_done.clear()
        self._warming = True
        threading.Thread(target=self._warm, name="recollect-embedder", daemon=True).start()

    def _warm(self) -> None:
        try:
            with suppress(ConfigError):  # whoever asks next is told
                self.load()
        finally:
            self._warming = False
            self._warm_done.set()

    def load(self) -> Run:
        """Load the model unless it is, or say what is wrong with it."""
        with self._guard:
            if self._model is None:
                self._model = self._load()
            return self._model

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of texts that ask; a model that loads is waited for a moment, then words serve."""
        return self._asked(texts, QUESTION)

    def embed_requests(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of requests, which share less with what they need than a question with its answer."""
        return self._asked(texts, 1.0)

    def _asked(self, texts: Sequence[str], much: float) -> Embedded:
        if self._warming:
            self._warm_done.wait(MOMENT)  # better late than to say that nothing is known
        made = self.embed_told([Told(text, asked=much) for text in texts])
        return Embedded(made.vectors) if made.problem == LOADING else made

    def embed_told(self, texts: Sequence[Told]) -> Embedded:
        """Give the vectors of texts with what stood before them."""
        vectors: list[Vector | None] = [None] * len(texts)
        shown = [Told(readable(one.text), readable(one.before), one.asked) for one in texts]
        told = {at: one for at, one in enumerate(shown) if one.text}
        if not told or self._warming:
            return Embedded(vectors, LOADING if told else "")
        try:
            model = self.load()
        except ConfigError as error:
            return Embedded(vectors, str(error))
        made = model(list(told.values()))
        for at, vector in zip(told, made.vectors, strict=True):
            vectors[at] = vector
        return Embedded(vectors, made.problem)

    def read(self, texts: Sequence[str]) -> list[Pieces] | None:
        """Give texts piece by piece; those read lately are at hand."""
        if self._reads is None or self._warming:
            return None
        try:
            with self._guard:
                if self._reader is None:
                    self._reader = lru_cache(KEPT)(self._reads())
                reader = self._reader
            return [reader(readable(one)) for one in texts]
        except ConfigError:  # whoever embeds is told; a search keeps the order it has
            return None

    def close(self) -> None:
        """Let go of the model; it is loaded anew when asked again."""
        with self._guard:
            self._model = self._reader = None
