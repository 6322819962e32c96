"""Assertions for programs that remember: that a memory holds something, has forgotten it, or never tells it."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.front.space import Space

LIMIT = 10
KINDS = ("fact", "event", "insight", "lesson", "passage", "document", "episode", "summary", "procedure", "reflection")


def assert_remembers(space: Space, question: str, text: str, *, limit: int = LIMIT) -> None:
    """Fail unless one of the memories found for a question holds a text, whatever the case of its letters."""
    found = _found(space, question, limit)
    assert any(text.casefold() in one.casefold() for one in found), (
        f"nothing that holds {text!r} is found for {question!r}; found: {found or 'nothing'}"
    )


def assert_forgets(space: Space, question: str, text: str, *, limit: int = LIMIT) -> None:
    """Fail when a memory found for a question, or the context laid out for it, still holds a text."""
    held = [one for one in _found(space, question, limit) if text.casefold() in one.casefold()]
    assert not held, f"{text!r} is still found for {question!r}: {held}"
    assert text.casefold() not in str(space.context(question)).casefold(), (
        f"{text!r} still stands in the context for {question!r}"
    )


def assert_no_leak(space: Space, texts: Iterable[str], *, questions: Iterable[str] = ()) -> None:
    """Fail when texts of somebody else can be had from a space: by search, in a context, in lists or in its export."""
    secret = [one for one in texts if one.strip()]
    assert secret, "name at least one text that must not be told"
    for question in (*secret, *questions):
        seen = "\n".join((*_found(space, question, 100), str(space.context(question, 4000))))
        _hold(seen, secret, f"the question {question!r}")
    at = 0
    while page := space.list(kinds=KINDS, limit=1000, offset=at):
        _hold("\n".join(one.content for one in page), secret, "its list of memories")
        at += len(page)


def _hold(seen: str, secret: Iterable[str], where: str) -> None:
    told = [one for one in secret if one.casefold() in seen.casefold()]
    assert not told, f"{told[0]!r} is told by {where}"


def _found(space: Space, question: str, limit: int) -> list[str]:
    return [hit.memory.content for hit in space.recall(question, limit, kinds=KINDS)]
