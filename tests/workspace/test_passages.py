"""Markdown as passages: nothing of a text is lost, what is the same is known again, and order can always be told."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.window.files import WorkspacePolicy, day_of, unsafe, view_of
from recollect.rules.window.markdown import (
    Form,
    entry,
    lesson_entry,
    passages,
    sections,
    snippet,
    timed_entry,
    unpacked,
)
from recollect.rules.window.threeway import Entry, between, edited
from recollect.text.terms import TermsPolicy

LINES = st.sampled_from(
    [
        "# A",
        "## B",
        "### C ##",
        "text",
        "",
        "  ",
        "```",
        "~~~",
        "# not ```",
        "- item",
        "- [10:00] x",
        "\ufeff",
        "a\rb",
        "x " * 200,
    ]
)


@given(st.lists(LINES, max_size=30), st.booleans())
def test_the_passages_of_a_text_are_the_text(lines: list[str], ends: bool) -> None:
    """Cut at its headings and put together again it is the same to the letter, whatever it holds."""
    text = "\n".join(lines) + ("\n" if ends else "")
    found = sections(text, 300)
    assert "".join(one.text for one in found) == (text if text.strip() else "")
    assert all(one.text.strip() for one in found)


@given(st.text(max_size=300))
def test_any_text_is_cut_without_loss(text: str) -> None:
    """Whatever the characters."""
    found = sections(text, 200)
    assert "".join(one.text for one in found) == (text if found else "")
    assert bool(found) == bool(text.strip())


@given(st.text(max_size=100).filter(lambda text: "\r" not in text), st.booleans(), st.booleans())
def test_bytes_come_back(text: str, bom: bool, crlf: bool) -> None:
    """A mark at the beginning and Windows line ends are told from the text, and put back."""
    text = text.lstrip("\ufeff")
    data = Form(bom, crlf and "\n" in text).packed(text)
    read, form = unpacked(data)
    assert form.packed(read) == data
    assert read == text


def test_headings_above_belong_to_a_section() -> None:
    """A heading without words of its own goes with the next; one in code is none."""
    text = "intro\n\n# A\n\n## B\n\none\n\n```\n# code\n```\n\n## C\n\ntwo\n\n# D\n"
    assert [(one.heading, one.text.split("\n")[0]) for one in sections(text, 4000)] == [
        ("", "intro"),
        ("A > B", "# A"),
        ("A > C", "## C"),
        ("D", "# D"),
    ]


@pytest.mark.parametrize(
    "content", ["plain", "two\nlines", "two\n\n  lines", "**a**: b", "\\odd", "- dash", "[10:00] x"]
)
def test_entries_are_read_as_they_were_written(content: str) -> None:
    """Facts, entries of a day and lessons come back as they were, with key, day and time."""
    log = f"<!-- recollect:log -->\n## 2026-01-05\n{entry(content)}{entry(content, 'the key')}"
    free, keyed = passages(log, "memory", 4000)
    assert (free.content, free.key, free.at and free.at.date()) == (content, "", date(2026, 1, 5))
    assert (keyed.content, keyed.key) == (content, "the key")
    at = datetime(2026, 1, 5, 9, 7, tzinfo=UTC)
    (told,) = passages(timed_entry(content, at), "log", 4000, at.date())
    assert (told.content, told.at, told.kind) == (content, at, "event")
    (lesson,) = passages(lesson_entry("**Tool:** t\n**Lesson:** l", at, 3, at), "lessons", 4000)
    assert (lesson.content, lesson.count, lesson.at) == ("**Tool:** t\n**Lesson:** l", 3, at)


@given(st.lists(st.one_of(st.none(), st.floats(-100, 100)), max_size=30))
def test_places_always_rise(places: list[float | None]) -> None:
    """Whatever places passages had, those they get are in order; those that rose already keep theirs."""
    found = between(places)
    assert all(one < other for one, other in pairwise(found))
    if all(one is not None for one in places) and places == sorted({one for one in places if one is not None}):
        assert found == places


def test_what_a_hand_did_is_told() -> None:
    """Changed in its place, moved, added, deleted: by text, then by heading, then by order; never across kinds."""
    old = sections("# A\n\n1\n\n# B\n\n2\n\n# C\n\n3\n", 999)
    base = [Entry(f"doc_{one.heading}", one.hash, one.hash) for one in old]
    labels = {"doc_A": "A", "doc_B": "B", "doc_C": "C"}
    new = sections("# C\n\n3\n\n# X\n\nnew\n\n# B\n\nchanged\n", 999)
    told = edited(base, new, labels)
    assert [(one.heading, was.id if was else "") for one, was in told.passages] == [
        ("C", "doc_C"),
        ("X", ""),
        ("B", "doc_B"),
    ]
    assert [one.id for one in told.gone] == ["doc_A"]
    other = edited(base, sections("# A\n\n1\n\n# New\n\nx\n\n# C\n\n3\n", 999), labels)
    assert [was.id if was else "" for _, was in other.passages] == ["doc_A", "doc_B", "doc_C"]
    facts = [Entry("fact_1", "x", "x")]
    assert edited(facts, new, {}).gone == (facts[0],)


@pytest.mark.parametrize("path", ["a.md", "a/b c.md", "Ünïcode/日本.md", "memory/2026-01-05.md"])
def test_plain_paths_are_safe(path: str) -> None:
    """Any name people give their notes."""
    assert unsafe(path) == ""


def test_the_caps_are_those_of_the_seed() -> None:
    """8,000, 4,000, 4,000, 16,000 and 40,000 characters in a prompt, 200,000 of a file."""
    policy = WorkspacePolicy()
    caps = (policy.agents_characters, policy.soul_characters, policy.user_characters, policy.memory_characters)
    assert (*caps, policy.total_characters, policy.file_characters) == (8000, 4000, 4000, 16_000, 40_000, 200_000)
    assert (view_of("SOUL.md"), view_of("SOUL.md", adopted=True)) == ("block", "sections")
    assert (day_of("memory/2026-02-30.md"), day_of("memory/2026-02-28.md")) == (None, date(2026, 2, 28))


def test_the_snippet_is_the_line_that_says_most() -> None:
    """The first of equals, cut at 300 characters."""
    text = "# Title\n\nnothing here\nthe queue is stopped\nqueue stopped again\n" + "queue " * 100
    assert snippet(text, "stop the queue", TermsPolicy()) == "the queue is stopped"
    assert len(snippet("word " * 200, "word", TermsPolicy())) == 300
