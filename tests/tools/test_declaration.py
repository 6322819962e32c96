"""Declared once: every tool of every profile has a schema in each form, an executor, a description and a command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from recollect import InvalidInput, Space, Tools
from recollect.tools import schema
from recollect.tools.declare import Tool
from recollect.tools.toolbox import PROFILES, find_profile

ALL = [(name, one) for name in PROFILES for one in find_profile(name).tools.values()]
NAMES = [f"{name}-{one.name}" for name, one in ALL]
WORTH = ("object", "string", "integer", "number", "boolean", "array")


def nodes(made: Any) -> Iterator[dict[str, Any]]:
    """Give every schema inside a schema."""
    if isinstance(made, dict):
        if "type" in made or "properties" in made:
            yield made
        for inner in made.values():
            yield from nodes(inner)
    elif isinstance(made, list):
        for inner in made:
            yield from nodes(inner)


@pytest.mark.parametrize(("profile", "one"), ALL, ids=NAMES)
def test_the_schema_is_plain(profile: str, one: Tool) -> None:
    """No references, nothing nullable, every argument described; whoever leaves one out has said nothing wrong."""
    made = schema.parameters(one)
    assert "$ref" not in json.dumps(made)
    assert "null" not in json.dumps([node.get("type") for node in nodes(made)])
    assert all(node["type"] in WORTH for node in nodes(made) if "properties" not in node)
    assert all(inner.get("description") for inner in made["properties"].values())
    assert made["additionalProperties"] is False


@pytest.mark.parametrize(("profile", "one"), ALL, ids=NAMES)
def test_the_strict_form_requires_everything(profile: str, one: Tool) -> None:
    """OpenAI's strict mode: all properties required at every level, no keyword it does not know."""
    made = schema.openai(one)["function"]
    assert made["strict"] is True
    for node in nodes(made["parameters"]):
        assert not node.keys() & {"default", "title", "minLength", "maxLength", "format", "$defs"}
        if node.get("type") == "object":
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False


@pytest.mark.parametrize(("profile", "one"), ALL, ids=NAMES)
def test_the_model_is_told_what_it_is_for(profile: str, one: Tool) -> None:
    """000.63: whatever is advertised has a description, a title and a function that carries it out."""
    assert len(one.description) > 30
    assert one.title
    assert callable(one.run)
    assert one.output["type"] == "object"
    assert not (one.reads and one.destroys)


def test_every_advertised_tool_has_an_executor(ana: Space) -> None:
    """000.63, bug 1: no name a schema offers is answered by "no such tool", in any profile."""
    for profile in PROFILES:
        tools = Tools(ana, profile)
        offered = [one["function"]["name"] for one in tools.as_openai_tools()]
        assert offered == tools.names()
        assert [one["name"] for one in tools.as_anthropic_tools()] == tools.names()
        for name in offered:
            assert "there is no tool" not in tools.dispatch(name, {}).text


def test_the_profiles_have_the_tools_they_are_known_by() -> None:
    """000.20, 001.52-59, 002.36, 003.24, 004.22: each profile offers its seed's names."""
    known = {name: set(find_profile(name).tools) for name in PROFILES}
    assert list(find_profile("default").tools) == [
        "memory_save", "memory_search", "memory_get", "memory_update", "memory_forget", "memory_context",
        "memory_blocks", "memory_history", "memory_status",
    ]  # fmt: skip
    assert known["samaritan"] >= {"memory_save", "memory_recall", "memory_age", "memory_update", "recall_temporal"}
    assert known["orchestrator"] >= {
        "search_memory", "remember_fact", "correct_fact", "confirm_fact", "memory_stats", "get_entity_info",
        "weak_facts", "timeline",
    }  # fmt: skip
    assert known["consolidator"] == {
        "get_episodes_for_consolidation", "save_facts_batch", "detect_conflicts", "resolve_conflict",
        "mark_session_consolidated", "is_session_consolidated",
    }  # fmt: skip
    assert known["openlegion"] == {"memory_save", "memory_search", "memory_recall", "memory_think"}
    assert known["letta"] >= {
        "memory_replace", "memory_append", "memory_insert", "conversation_search", "archival_insert",
        "archival_search", "set_preference",
    }  # fmt: skip
    assert (known["single"], known["anthropic"]) == ({"memory_query"}, {"memory"})


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("memory_save", {}, "'content' argument required"),
        ("memory_save", {"content": 5}, "'content' must be text, in quotes"),
        ("memory_save", {"content": "word " * 300_000}, "at most 1,048,576 are allowed: split or shorten it"),
        ("memory_update", {"id": "x", "content": 5}, "'content' must be text, in quotes"),
        ("memory_save", {"content": "Tea.", "colour": 1}, "there is no argument 'colour'"),
        ("memory_save", {"content": "Tea.", "importance": 11}, "'importance'"),
        ("memory_search", {"query": 5}, "'query' must be text, in quotes"),
        ("memory_context", {"prompt": 5}, "'prompt' must be text, in quotes"),
        ("memory_search", {"query": "x", "limit": "many"}, "'limit'"),
        ("memory_search", {"query": "x", "after": "gibberish"}, "gibberish"),
        ("memory_get", {"id": "fact_unknown"}, "there is no memory fact_unknown"),
        ("memory_sing", {}, "memory_save, memory_search"),
    ],
)
def test_a_bad_call_is_answered_and_changes_nothing(
    ana: Space, name: str, arguments: dict[str, Any], told: str
) -> None:
    """004.34: what is wrong is said with what to do, never raised, and nothing is written."""
    rev = ana.stats().rev
    answer = Tools(ana).dispatch(name, arguments)
    assert answer.refused
    assert told in answer.text
    assert answer.data["error"]["message"] in answer.text
    assert ana.stats().rev == rev


def test_what_is_searched_for_is_text(ana: Space) -> None:
    """In every profile a number is no query, as it is no content."""
    asking = [(profile, one.name) for profile, one in ALL if "query" in schema.parameters(one)["properties"]]
    assert len(asking) >= 8
    for profile, name in asking:
        answer = Tools(ana, profile).dispatch(name, {"query": 5})
        assert answer.refused, (profile, name)
        assert "'query' must be text, in quotes" in answer.text


def test_in_python_errors_can_be_raised(ana: Space) -> None:
    """`call` is for programs: it raises what the verbs raise."""
    with pytest.raises(InvalidInput, match="no profile"):
        Tools(ana, "nonsense")
    with pytest.raises(InvalidInput, match="argument required"):
        Tools(ana).call("memory_save", {})


def test_the_model_never_says_whose_memory_it_is() -> None:
    """No tool takes an owner, a user or a tenant."""
    for _, one in ALL:
        assert not schema.parameters(one)["properties"].keys() & {"owner", "user", "user_id", "tenant", "tenant_id"}
