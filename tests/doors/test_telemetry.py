"""Telemetry: spans by the names of the GenAI memory operations, opt-in, and content only when asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from recollect import InvalidInput, NotFound, Recollect


@pytest.fixture(scope="module")
def spans() -> InMemorySpanExporter:
    """Give what collects the spans of this process."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.mark.parametrize(("on", "content"), [(False, False), (True, False), (True, True)])
def test_spans(spans: InMemorySpanExporter, tmp_path: Path, on: bool, content: bool) -> None:
    """Verbs are spans where it is on; what people said is in them only where that is asked for."""
    spans.clear()
    settings = {"enabled": on, "content": content}
    with Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none", telemetry=settings) as memory:
        ana = memory.space("ana")
        kept = ana.remember("Ana's hidden garden is in Sintra.")
        ana.recall("hidden garden")
        ana.update(kept.id, importance=9)
        ana.forget(kept.id)
        with pytest.raises(InvalidInput):
            ana.remember("")
    made = spans.get_finished_spans()
    names = [one.attributes["gen_ai.operation.name"] for one in made if one.attributes]
    wanted = ["upsert_memory", "search_memory", "update_memory", "delete_memory", "upsert_memory"]
    assert names == (wanted if on else [])
    assert ("garden" in str([one.attributes for one in made])) is content
    if on:
        assert made[1].attributes is not None
        assert made[1].attributes["gen_ai.memory.search.result.count"] == 1
        assert not made[4].status.is_ok


def test_what_was_said_is_told_by_its_name(spans: InMemorySpanExporter, tmp_path: Path) -> None:
    """With content on, the content is what was said, and not who said it or the id of what is changed."""
    spans.clear()
    settings = {"enabled": True, "content": True}
    with Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none", telemetry=settings) as memory:
        ana = memory.space("ana")
        ana.observe("user", "I like tea.")
        ana.correct(ana.remember("Ana likes tea.").id, content="Ana likes coffee.")
        ana.recall(query="coffee")
    said = [dict(one.attributes or {}) for one in spans.get_finished_spans()]
    assert [one.get("gen_ai.memory.content") for one in said] == [
        "I like tea.", "Ana likes tea.", "Ana likes coffee.", None,
    ]  # fmt: skip
    assert said[-1]["gen_ai.memory.query.text"] == "coffee"


def test_errors_do_not_tell_what_was_said(spans: InMemorySpanExporter, tmp_path: Path) -> None:
    """Of an error a span tells the kind alone: its message may quote what was passed."""
    spans.clear()
    with (
        Recollect(f"sqlite:///{tmp_path}/m.db", embedder="none", telemetry={"enabled": True}) as memory,
        pytest.raises(NotFound, match="garden"),
    ):
        memory.space("ana").forget("hidden garden")
    (one,) = spans.get_finished_spans()
    assert "garden" not in one.to_json()
    assert (one.attributes or {})["error.type"] == "NotFound"
    assert not one.status.is_ok
