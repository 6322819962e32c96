"""The port to what turns a text into a vector, so that meaning can be compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from recollect.model.values import dataclass

if TYPE_CHECKING:  # numpy is loaded with the first vector, not with the library
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
"""A text's meaning: float32 numbers of length one in all, so that a dot product is a cosine."""

Pieces: TypeAlias = "NDArray[np.float16]"
"""A text read closely: its own vector first, then one a word piece, each of length one."""

LONGEST_TEXT = 8_000
"""How many characters of a text are embedded; no model here reads on much further."""


@dataclass(frozen=True, slots=True)
class Told:
    """A text to embed, and for a message what stood before it in its session; both begin with who says it."""

    text: str
    before: str = ""
    asked: float = 0.0
    """How much it asks: 0 for what is kept, 1 for a request whose needs are looked for."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """What an embedder made of some texts."""

    vectors: list[Vector | None]
    """In the order of the texts; None for a blank text, and where the model gave nothing that can be used."""
    problem: str = ""
    """Why some are missing, in words for the user: never a text, never a key."""


class Embedder(ABC):
    """Turns texts into vectors. May be asked by many threads at once."""

    name: str
    """Kept with each vector, so that vectors of different models are never compared; at most 200 characters."""
    dimensions: int
    """How many numbers a vector has; 0 while an endpoint has not answered yet."""
    local: bool
    """Runs in this process, so that it may be asked while somebody waits."""
    context: bool = False
    """Was taught that a message begins with its speaker and stands behind another one."""
    link_min: float
    """The similarity from which two memories are related."""
    same_min: float
    """The similarity from which two texts may say the same."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of these texts, which are looked for; what a model or an endpoint does wrong is told, not
        raised."""

    def embed_requests(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of what a model was asked to do, for finding what it needs to know for that."""
        return self.embed(texts)

    def warm(self) -> None:  # noqa: B027 - most have nothing to load
        """Begin to load what is slow, without anybody waiting: until it is there, texts get no vectors."""

    def embed_told(self, texts: Sequence[Told]) -> Embedded:
        """Give the vectors of texts with what stood before them, which only a model with `context` reads."""
        return self.embed([told.text for told in texts])

    def read(self, texts: Sequence[str]) -> list[Pieces] | None:
        """Give texts piece by piece, for telling which place of one answers a question; None where a model cannot."""
        return None

    @abstractmethod
    def close(self) -> None:
        """Let go of connections and of the model; closing twice is fine."""


def readable(text: str) -> str:
    """Give what of a text is embedded: its beginning, without blanks around it and without half characters."""
    return text.lstrip()[:LONGEST_TEXT].encode("utf-8", "replace").decode("utf-8").rstrip()
