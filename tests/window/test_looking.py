"""How a context looks at the database: seldom, at one moment, and never past a change."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.flows.window.sections import MAKERS
from recollect.store.base import View
from recollect.testing import FixedClock
from tests.window.test_context import part


def test_a_section_that_spoils_its_view_is_left_out_alone(ana: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement the database refuses ends its transaction on some engines: the sections behind it still stand."""
    ana.remember("Ana is allergic to nuts.", importance=9)
    ana.blocks.append("human", "Name: Ana")

    def refused(_: Any, view: Any) -> Any:
        return view._rows("SELECT nothing FROM nowhere")

    monkeypatch.setitem(MAKERS, "always", refused)
    context = ana.context("nuts")
    assert [problem.partition(":")[0] for problem in context.problems] == ["always"]
    assert "nuts" in part(context, "relevant")
    assert "Name: Ana" in context.stable


def test_a_context_looks_twice(ana: Space, rc: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    """All sections are made in one view, behind the one that looks at the session; each opens a transaction."""
    ana.remember("Ana is allergic to nuts.", importance=9)
    view, looks = rc._runtime.store.view, list[str]()

    def looked() -> AbstractContextManager[View]:
        looks.append("a look")
        return view()

    monkeypatch.setattr(rc._runtime.store, "view", looked)
    assert "nuts" in str(ana.context("nuts"))
    assert len(looks) <= 2 + bool(rc._runtime.model)  # and one for the vector of the prompt


def test_what_another_process_writes_stands_in_the_next_context(database: str, clock: FixedClock) -> None:
    """Who has laid out a context knows what an owner has none of; once another process has written some, it is shown,
    and to nobody else."""
    with Recollect(database, clock=clock) as one, Recollect(database, clock=clock) as other:
        for name in ("ana", "bob"):
            one.space(name, "helper", "s0").observe("user", f"{name} painted the boat blue.")
            assert "boat" in str(one.space(name, "helper", "s1").context("Which colour has the boat?"))
        ana = other.space("ana", "helper", "s2")
        ana.blocks.append("human", "Name: Ana Sousa")
        ana.remember("Porto", key="city", source="agent")
        old = ana.remember("Somebody painted the boat green.").id
        ana.correct(old, "Somebody sold the boat.")
        ana.observe("user", "Nobody painted the boat green, somebody said.")
        context = one.space("ana", "helper", "s1").context("Which colour has the boat?")
        assert "Ana Sousa" in context.stable
        assert "Porto" in part(context, "waiting")
        assert "sold the boat" in str(context)
        assert "boat green" not in part(context, "said")
        assert "ana painted" in part(context, "said")
        assert (
            context.volatile
            != (bobs := one.space("bob", "helper", "s1").context("Which colour has the boat?")).volatile
        )
        assert bobs.stable == ""
        assert not any(word in str(bobs) for word in ("Sousa", "Porto", "sold", "green"))
