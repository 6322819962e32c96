"""Fusion: several rankings into one."""

from __future__ import annotations

import pytest

from recollect.rules.fusion import FusionPolicy, fuse


def test_fusion() -> None:
    """Reciprocal ranks add up over channels, the newer document wins a tie, and every hit says why."""
    fused = fuse({"words": [(1, 9.0), (2, 8.0), (3, 1.0)], "names": [(2, 1.0)]}, 10, FusionPolicy())
    assert [doc for doc, _, _ in fused] == [2, 1, 3]
    assert fused[0][1] == pytest.approx(1 / 62 + 0.5 / 61)
    assert (fused[0][2]["words"].rank, fused[0][2]["names"].rank, fused[0][2]["words"].score) == (2, 1, 8.0)
    assert [doc for doc, _, _ in fuse({"words": [(1, 1.0)], "names": []}, 10, FusionPolicy())] == [1]
    tie = fuse({"words": [(1, 1.0)], "names": [(7, 1.0)]}, 10, FusionPolicy(names=1.0))
    assert [doc for doc, _, _ in tie] == [7, 1]
    assert [doc for doc, _, _ in fuse({"words": [(1, 9.0), (2, 8.0)], "names": [(3, 1.0)]}, 1, FusionPolicy())] == [1]
