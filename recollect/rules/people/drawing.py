"""Where entities stand in a drawing: those mentioned together draw near, all others push each other away.

Forces as Fruchterman and Reingold cool them down. The same graph is always laid out the same way. Beyond a few hundred
entities each is pushed by some of the others instead of by all, which takes a fraction of the time and looks the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.text.arrays import Ints, Reals, np

STEPS, FEWER = 80, 40
"""How many steps the forces take to come to rest, few entities and many."""
ALL = 250
"""Up to how many entities each pushes every other."""
SOME = 12
"""Of more, how many push each at every step."""
PULL = 0.3
"""How strongly all are held to the middle, so that parts that are joined with nothing do not drift away."""
WIDE = 1.25
"""How much wider than high a drawing is."""
Pair = tuple[int, int, int]


def places(count: int, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
    """Give a place for each of `count` entities; `pairs` are two of them and how often they come together."""
    if count < 2:
        return [(0.0, 0.0)] * count
    ends = {end for pair in pairs for end in pair[:2]}
    joined, alone = sorted(ends), [one for one in range(count) if one not in ends]
    number = {one: place for place, one in enumerate(joined)}
    inner = _settled(len(joined), [(number[first], number[second], many) for first, second, many in pairs])
    found = dict(zip(joined, inner * (0.82 if alone else 1.0), strict=True))
    found |= dict(zip(alone, _round(len(alone)) if joined else _spiral(len(alone)), strict=True))
    return [(round(float(found[one][0]) * WIDE, 4), round(float(found[one][1]), 4)) for one in range(count)]


def _spiral(count: int) -> Reals:
    """Give places all over a disc, as seeds stand in a sunflower."""
    turn, reach = np.arange(count) * 2.399963, np.sqrt((np.arange(count) + 0.5) / max(count, 1))
    return np.asarray(np.stack((reach * np.cos(turn), reach * np.sin(turn)), axis=1))


def _round(count: int) -> Reals:
    """Give places on the rim: for what is mentioned together with nothing else."""
    turn = np.arange(count) * (2 * np.pi / max(count, 1)) + 0.4
    return np.asarray(np.stack((np.cos(turn), np.sin(turn)), axis=1))


def _settled(count: int, pairs: Sequence[Pair]) -> Reals:
    """Give the places where forces come to rest, each coordinate from -1 to 1."""
    at = _spiral(count)
    if not count:
        return at
    joined = np.array([pair[:2] for pair in pairs], dtype=np.int64).reshape(-1, 2)
    strength = np.log2(1.0 + np.array([pair[2] for pair in pairs], dtype=np.float64))
    busy = np.bincount(joined.ravel(), minlength=count)
    strength = strength / np.sqrt(
        busy[joined[:, 0]] * busy[joined[:, 1]]
    )  # who is joined with many is drawn by each less
    wide, dice = (1.0 / count) ** 0.5, np.random.default_rng(count)
    steps = STEPS if count <= ALL else FEWER
    for step in range(steps):
        force = np.add(_pushed(at, wide, dice), _drawn(at, joined, strength, wide)) - at * PULL * wide
        size = np.maximum(np.hypot(force[:, :1], force[:, 1:]), 1e-9)
        at = at + force / size * np.minimum(size, 0.12 * (1.0 - step / steps))
    low, high = at.min(axis=0), at.max(axis=0)
    return np.asarray((at - low) / np.maximum(high - low, 1e-9) * 2.0 - 1.0)


def _pushed(at: Reals, wide: float, dice: np.random.Generator) -> Reals:
    """Give what each is pushed away by, sampled where there are many."""
    count = len(at)
    x, y = at[:, 0], at[:, 1]
    if count <= ALL:
        across, along, scale = x[:, None] - x[None, :], y[:, None] - y[None, :], 1.0
    else:
        others = dice.integers(0, count, (count, SOME))
        across, along, scale = x[:, None] - x[others], y[:, None] - y[others], count / SOME
    near = (wide * wide * scale) / (across * across + along * along + 1e-6)
    return np.asarray(np.stack(((across * near).sum(axis=1), (along * near).sum(axis=1)), axis=1))


def _drawn(at: Reals, joined: Ints, strength: Reals, wide: float) -> Reals:
    """Give what each is drawn by to those it is joined with."""
    first, second, count = joined[:, 0], joined[:, 1], len(at)
    apart = at[second] - at[first]
    pull = apart * (np.hypot(apart[:, 0], apart[:, 1]) / wide * strength * 2.0)[:, None]
    sides = [np.bincount(first, pull[:, side], count) - np.bincount(second, pull[:, side], count) for side in (0, 1)]
    return np.asarray(np.stack(sides, axis=1))
