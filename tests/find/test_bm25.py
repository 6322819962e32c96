"""BM25 and what stands in for unknown words."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from recollect.rules.find.bm25 import idf, is_part, near, rarest, scores
from recollect.text.terms import TermsPolicy

POLICY = TermsPolicy()


def test_idf() -> None:
    """Rare terms weigh more, and no term weighs less than nothing."""
    assert idf(3, 1) == pytest.approx(log(2.5 / 1.5 + 1))
    assert idf(10, 1) > idf(10, 5) > idf(10, 10) > 0
    assert idf(3, 9) > 0
    assert idf(0, 0) > 0


def test_scores_by_hand() -> None:
    """Two documents, two terms, worked out with pencil and paper for k1 = 1.5 and b = 0.75."""
    weights = {"tea": idf(3, 2), "milk": idf(3, 1)}
    docs, tf = np.array([1, 2, 1]), np.array([2.0, 1.0, 1.0])
    weighed = np.array([weights["tea"], weights["tea"], weights["milk"]])
    got = scores(docs, tf, weighed, np.array([0, 4, 2]), 3.0, TermsPolicy(k1=1.5, b=0.75))
    # 1.5 × (0.25 + 0.75 × 4/3) = 1.875 for document 1; 1.5 × (0.25 + 0.75 × 2/3) = 1.125 for document 2
    assert got[1] == pytest.approx(0.470003629 * 2 * 2.5 / 3.875 + 0.980829253 * 1 * 2.5 / 2.875)
    assert got[2] == pytest.approx(0.470003629 * 1 * 2.5 / 2.125)


def test_rarest() -> None:
    """A long query keeps its rarest terms, in their order."""
    known = {"a": 9, "b": 1, "c": 5}
    assert rarest(known, ["a", "b", "c"], 3) == ["a", "b", "c"]
    assert rarest(known, ["a", "b", "c"], 2) == ["b", "c"]
    assert rarest(known, ["a", "x", "c"], 1) == ["x"]


@pytest.mark.parametrize(
    ("word", "known", "found"),
    [
        ("cofee", ["coffee", "tea"], ["coffee"]),
        ("teh", ["the"], []),
        ("Lisbno".lower(), ["lisbon"], ["lisbon"]),
        ("postgrasql", ["postgresql", "posting"], ["postgresql"]),
        ("postgrqsl", ["postgresql"], ["postgresql"]),
        ("kuber", ["cuber", "tuber", "kubernetes"], ["cuber", "tuber"]),
    ],
)
def test_near(word: str, known: list[str], found: list[str]) -> None:
    """Short words have no typos, longer ones one, long ones two; swapped letters are one."""
    assert list(near(word, known, POLICY)) == found


def test_near_is_capped_and_weighed() -> None:
    """Few words stand in for one, and farther ones weigh less."""
    found = near("abcdefgh", [f"abcdefg{x}" for x in "ijklmnopq"] + ["abcdefgh"[:-2] + "zz"], POLICY)
    assert len(found) == POLICY.expansions
    two = near("abcdefgh", ["abcdefgi", "abcdefzz"], POLICY)
    assert two == {"abcdefgi": POLICY.expansion_weight, "abcdefzz": POLICY.expansion_weight / 2}


def test_parts() -> None:
    """Only runs of three letters or more can be part of a word; in unspaced scripts one is enough."""
    assert is_part("kubern")
    assert not is_part("ab")
    assert not is_part("a" * 65)
    assert is_part("茶")
