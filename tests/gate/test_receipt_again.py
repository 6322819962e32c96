"""A retry is answered with the receipt of the first time, whole."""

from __future__ import annotations

import json

from recollect import Recollect


def test_a_retry_names_the_category_too(database: str) -> None:
    """The same request gives the same receipt, its category and those of its parts included, also after a restart."""
    with Recollect(database) as rc:
        ana = rc.space("ana")
        first = ana.remember("Ana prefers tea.", category="preferences", request_id="r1")
        many = ana.remember_many([{"content": "Ana rows.", "category": "activity"}], request_id="r2")
        assert first.category == "preferences"
    with Recollect(database) as rc:
        ana = rc.space("ana")
        again = ana.remember("Ana prefers tea.", category="preferences", request_id="r1")
        assert (again, again.category) == (first, first.category)
        assert json.dumps(again.to_json()) == json.dumps(first.to_json())
        twice = ana.remember_many([{"content": "Ana rows.", "category": "activity"}], request_id="r2")
        assert [one.to_json() for one in twice] == [one.to_json() for one in many]
        assert twice[0].category == "activity"
