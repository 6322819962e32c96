"""How many of the truly nearest vectors a search finds: its answers against a comparison with every vector."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.model.filter import Filter
from recollect.providers.embedders import Embedder
from recollect.runtime import Runtime
from recollect.store.base import Searching
from recollect.text.arrays import Reals, np
from recollect.text.vectors import unpacked

NEAREST = 10
AT_ONCE = 8_000


def share_found(
    runtime: Runtime, owner: str, embedder: Embedder, questions: Sequence[str], tick: Callable[[int], None]
) -> float:
    """Give the share of each question's ten nearest vectors that the owner's search finds among its first ten."""
    asked = [vector for vector in embedder.embed(questions).vectors if vector is not None]
    rounded = np.asarray(asked).astype(np.float16).astype(np.float32)
    wide = max(NEAREST, runtime.settings.fusion.per_channel)  # as many as a recall asks for
    where = Filter(owner=owner, now=runtime.now())
    with runtime.store.view() as view:
        exact = _nearest(view, owner, embedder.name, rounded, tick)
        found = [view.nearest(where, embedder.name, vector, wide).docs[:NEAREST].tolist() for vector in rounded]
    shares = [len(set(near) & best) / len(best) for near, best in zip(found, exact, strict=True) if best]
    return sum(shares) / len(shares)


def _nearest(view: Searching, owner: str, model: str, asked: Reals, tick: Callable[[int], None]) -> list[set[int]]:
    """Compare each question with every vector there is."""
    best: list[list[tuple[float, int]]] = [[] for _ in asked]
    size = view.columns(owner).size
    for start in range(0, size, AT_ONCE):
        kept = view.embeddings(owner, model, range(start, min(start + AT_ONCE, size)))
        docs, vectors = list(kept), unpacked(list(kept.values()))
        for at, scores in enumerate(asked @ vectors.T if docs else ()):
            top = np.argsort(-scores)[:NEAREST].tolist()
            best[at] = sorted([*best[at], *((float(scores[one]), docs[one]) for one in top)])[-NEAREST:]
        tick(len(docs))
    return [{doc for _, doc in one} for one in best]
