"""Where entities stand in a drawing: those mentioned together draw near, all others push each other away.

Forces as Fruchterman and Reingold cool them down. The same graph is always laid out the same way. Beyond a few hundred
entities each is pushed by some of the others instead of by all, which takes a fraction of the time and looks the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.text.arrays import Ints, Reals, np

STEPS = 90
ALL = 400
"""Up to how many entities each pushes every other."""
SOME = 48
"""Of more, how many push each at every step."""
PULL = 0.04
"""How strongly all are held to the middle, so that what is joined with nothing does not drift away."""
Pair = tuple[int, int, int]


def places(count: int, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    """Give a place for each of `count` entities; `pairs` are two of them and how often they come together."""
    if count < 2:
        return [(0.0, 0.0)] * count
    turn = np.arange(count) * 2.399963  # the golden angle: neighbours in the list begin apart
    reach = np.sqrt((np.arange(count) + 0.5) / count)
    at: Reals = np.stack((reach * np.cos(turn), reach * np.sin(turn)), axis=1)
    joined = np.array([pair[:2] for pair in pairs], dtype=np.int64).reshape(-1, 2)
    strength = np.log2(1.0 + np.array([pair[2] for pair in pairs], dtype=np.float64))
    wide, dice = (1.0 / count) ** 0.5, np.random.default_rng(count)
    for step in range(STEPS):
        force = np.add(_pushed(at, wide, dice), _drawn(at, joined, strength, wide)) - at * PULL
        size = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        at = at + force / size * np.minimum(size, 0.12 * (1.0 - step / STEPS))
    at = at - at.mean(axis=0)
    at = at / max(float(np.abs(at).max()), 1e-9)
    return [(round(float(x), 4), round(float(y), 4)) for x, y in at]


def _pushed(at: Reals, wide: float, dice: np.random.Generator) -> Reals:
    count = len(at)
    if count <= ALL:
        apart = at[:, None, :] - at[None, :, :]
        scale = 1.0
    else:
        apart = at[:, None, :] - at[dice.integers(0, count, (count, SOME))]
        scale = count / SOME
    square = np.maximum((apart**2).sum(axis=2), 1e-6)
    return np.asarray((apart / square[:, :, None]).sum(axis=1) * wide * wide * scale)


def _drawn(at: Reals, joined: Ints, strength: Reals, wide: float) -> Reals:
    force = np.zeros_like(at)
    if not len(joined):
        return force
    apart = at[joined[:, 1]] - at[joined[:, 0]]
    pull = apart * (np.linalg.norm(apart, axis=1) / wide * np.minimum(strength, 4.0) * 0.5)[:, None]
    np.add.at(force, joined[:, 0], pull)
    np.add.at(force, joined[:, 1], -pull)
    return force
