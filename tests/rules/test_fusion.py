"""Fusion: several rankings into one."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.rules.fusion import FEATURES, SIGNALS, FusionPolicy, by_rank, ranked, standardised, weighed


def test_standardised() -> None:
    """Values become deviations from their mean; unknown ones, and those all share, say nothing."""
    assert standardised(np.array([1.0, 2.0, 3.0])).tolist() == pytest.approx([-1.224745, 0, 1.224745])
    assert standardised(np.array([5.0, 5.0])).tolist() == [0, 0]
    assert standardised(np.array([1.0, np.nan, 3.0])).tolist() == [-1, 0, 1]
    assert standardised(np.array([np.nan, np.nan])).tolist() == [0, 0]
    assert standardised(np.zeros(0)).tolist() == []


def test_weighed() -> None:
    """Each signal adds the weighted deviations of its features; one that is off adds nothing."""
    features = {"cover": np.array([0.0, 2.0]), "meaning": np.array([0.9, 0.1])}
    parts = weighed(features, {}, FusionPolicy())
    assert parts["words"].tolist() == pytest.approx([-FEATURES["cover"][1], FEATURES["cover"][1]])
    assert parts["meaning"].tolist() == pytest.approx([FEATURES["meaning"][1], -FEATURES["meaning"][1]])
    assert weighed(features, {}, FusionPolicy(off=("words",))).keys() == {"meaning"}
    assert weighed(features, {}, FusionPolicy(off=SIGNALS)) == {}


def test_by_rank() -> None:
    """Reciprocal ranks: equals share a place, and what a channel did not find gets nothing from it."""
    parts = by_rank(
        {"words": np.array([3.0, 1.0, 3.0, 0.0]), "meaning": np.array([np.nan, 0.5, 0.1, 0.2])}, {}, FusionPolicy()
    )
    assert parts["words"].tolist() == pytest.approx([1 / 61, 1 / 62, 1 / 61, 0])
    assert parts["meaning"].tolist() == pytest.approx([0, 1 / 61, 1 / 63, 1 / 62])


def test_ranked() -> None:
    """The greatest is first; equal values share a place."""
    assert ranked(np.array([0.5, 2.0, 0.5, 1.0])).tolist() == [3, 1, 3, 2]
