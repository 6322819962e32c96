"""Reading answers: no text is too strange, and what is saved of a broken one was really in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from recollect.model.proposals import Consolidated, Judged, Proposal
from recollect.providers.llm.reading import item_field, json_schema, read, shaped

PIECES = st.sampled_from(
    ['{"facts": [', '{"content": "a \\"b\\"", "quote": "q", "turn": 1}', ",", "]", "}", "[", "{", '"', "\\",
     "```json\n", "```", "null", "prose ", '"summary": "s"', ":", "\u2028", "\ud800", "1e999", "NaN", "<think>"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(
        ["facts", "summary", "content", "quote", "turn", "kind", "importance", "confidence", "event_time", "entities"]
    ), inner, max_size=6),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=60))
def test_no_text_is_too_strange(text: str) -> None:
    """Any text is a value, nothing, or a problem in words; never two of them, never an error."""
    found = read(text, Consolidated)
    assert bool(found.problem) + found.empty + (found.value is not None) == 1


@settings(max_examples=200, deadline=None)
@given(JSON)
def test_no_json_is_too_strange(value: Any) -> None:
    """Any JSON is put into shape or refused; what gets through keeps to the limits."""
    found = shaped(value, Consolidated, max_items=2)
    if found.value is not None:
        assert len(found.value.facts) <= 2
        assert all(1 <= fact.importance <= 10 and 0 <= fact.confidence <= 1 for fact in found.value.facts)
        assert all(fact.content.strip() for fact in found.value.facts)


FACTS = [{"content": f'He said "{n}" }}], and left.', "quote": "\\", "turn": n} for n in range(5)]


@pytest.mark.parametrize("fence", ["", "```json\n", "Here: "])
def test_an_answer_cut_anywhere(fence: str) -> None:
    """Wherever an answer breaks off, the items that were whole are there, in order, and no half one is."""
    whole = json.dumps({"facts": FACTS, "summary": "s"})
    ends = [len(json.dumps({"facts": FACTS[: n + 1]})) - 2 for n in range(5)]
    for cut in range(1, len(whole)):
        found = read(fence + whole[:cut], Consolidated)
        complete = sum(end <= cut for end in ends)
        contents = [fact.content for fact in found.value.facts] if found.value else []
        assert contents == [fact["content"] for fact in FACTS[:complete]], cut
        assert found.mended == bool(complete)


def test_only_the_first_answer_counts() -> None:
    """Of several objects the first is read; a list inside prose is no answer when it holds no objects."""
    one, two = json.dumps({"facts": FACTS[:1]}), json.dumps({"facts": FACTS[1:]})
    assert read(f"{one}\n{two}", Consolidated).value.facts[0].turn == 0
    assert read("See [1] and [2].", Consolidated).problem == "answered in prose"


class Note(BaseModel):
    """A pydantic model serves as well as a dataclass."""

    title: str = ""
    lines: list[int]


def test_a_pydantic_model_will_do() -> None:
    """The items of a pydantic model are checked one by one as well, and its fields keep their names."""
    found = read('{"title": "t", "lines": [1, "x", 3]}', Note)
    assert (found.value, found.dropped) == (Note(title="t", lines=[1, 3]), 1)
    assert set(json_schema(Note)["properties"]) == {"title", "lines"}


def test_schemas_are_strict_and_short() -> None:
    """Every field is asked for and no other allowed; nothing in it is written for people."""
    for schema in (Consolidated, Judged, Note):
        text = json.dumps(json_schema(schema))
        assert '"default"' not in text
        assert '"description"' not in text
        assert text.count('"additionalProperties": false') == text.count('"properties"') == text.count('"required"')
    assert (item_field(Consolidated), item_field(Judged), item_field(Proposal)) == ("facts", "verdicts", "entities")
    assert len(json.dumps(json_schema(Consolidated))) < 1300
