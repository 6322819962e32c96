"""Fusion: several rankings into one."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.rules.find.fusion import (
    FEATURES,
    ROW,
    SIGNALS,
    FusionPolicy,
    blank,
    by_rank,
    ranked,
    standardised,
    weighed,
)


def test_standardised() -> None:
    """Values become deviations from their mean; unknown ones, and those all share, say nothing."""
    assert standardised(np.array([1.0, 2.0, 3.0])).tolist() == pytest.approx([-1.224745, 0, 1.224745])
    assert standardised(np.array([5.0, 5.0])).tolist() == [0, 0]
    assert standardised(np.array([1.0, np.nan, 3.0])).tolist() == [-1, 0, 1]
    assert standardised(np.array([np.nan, np.nan])).tolist() == [0, 0]
    assert standardised(np.zeros(0)).tolist() == []


def test_weighed() -> None:
    """Each signal adds the weighted deviations of its features; one that is off adds nothing."""
    values = blank(2)
    values[ROW["cover"]], values[ROW["meaning"]] = [0.0, 2.0], [0.9, 0.1]
    cover, meaning = FEATURES["cover"][1], FEATURES["meaning"][1]
    adds = weighed(values, {"meaning": 0.5}, FusionPolicy())
    assert adds[ROW["cover"]].tolist() == pytest.approx([-cover, cover])
    assert adds[ROW["meaning"]].tolist() == pytest.approx([meaning / 2, -meaning / 2])
    assert adds.sum(axis=0).tolist() == pytest.approx([meaning / 2 - cover, cover - meaning / 2])
    assert weighed(values, {}, FusionPolicy(off=("words",)))[ROW["cover"]].tolist() == [0, 0]
    assert not weighed(values, {}, FusionPolicy(off=SIGNALS)).any()


def test_by_rank() -> None:
    """Reciprocal ranks: equals share a place, and what a channel did not find gets nothing from it."""
    values = blank(4)
    values[ROW["words"]], values[ROW["meaning"]] = [3.0, 1.0, 3.0, 0.0], [np.nan, 0.5, 0.1, 0.2]
    adds = by_rank(values, {}, FusionPolicy())
    assert adds[ROW["words"]].tolist() == pytest.approx([1 / 61, 1 / 62, 1 / 61, 0])
    assert adds[ROW["meaning"]].tolist() == pytest.approx([0, 1 / 61, 1 / 63, 1 / 62])
    assert adds.sum() == pytest.approx(adds[[ROW["words"], ROW["meaning"]]].sum())


def test_ranked() -> None:
    """The greatest is first; equal values share a place."""
    assert ranked(np.array([0.5, 2.0, 0.5, 1.0])).tolist() == [3, 1, 3, 2]
