"""An agent with a workspace: facts by key and value, searched, recalled by category, and thought about."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.hit import Hit
from recollect.model.kinds import DEFAULT_KINDS
from recollect.model.values import dataclass
from recollect.rules.window.markdown import snippet
from recollect.text.terms import TermsPolicy
from recollect.tools.declare import Tool, tool
from recollect.tools.forms import conditions, saved, short

LONGEST_KEY = 80
MARKS = (": ", " - ", " — ")
CONFIDENCE = 0.9
FACTS = [kind for kind in DEFAULT_KINDS if kind != "document"]
Most = Annotated[int, Field(description="At most so many.", ge=1, le=50)]


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a fact was kept."""

    saved: bool
    saved_workspace: bool
    saved_db: bool
    content: str
    id: str
    message: str


@tool("Save a fact")
def memory_save(
    space: Space,
    content: Annotated[
        str, Field(description='What to remember, such as "user_timezone: PST"; or the value alone, beside a key.')
    ],
    key: Annotated[
        str, Field(description='What the value is of, such as "user_timezone"; "" reads it from content.')
    ] = "",
) -> Stored:
    """Save a fact that later sessions need: a preference, a decision, a fact, or context worth keeping.

    Use it as soon as you learn something lasting. A new value of the same key takes the place of the old one.
    """
    name, value = (key.strip(), content) if key.strip() else _split(content)
    receipt = space.remember(value, confidence=CONFIDENCE, key=name)
    # The log of the day and MEMORY.md are views of the store: what is kept there stands in them.
    return Stored(receipt.ok, receipt.ok, receipt.ok, content, receipt.id, saved(receipt).text())


def _split(content: str) -> tuple[str, str]:
    """Read a key and its value out of a text; a sentence that merely holds such a mark has no key."""
    for mark in MARKS:
        left, found, right = content.partition(mark)
        if found and left.strip() and right.strip() and len(left) <= LONGEST_KEY and len(left.split()) == 1:
            return left.strip(), right.strip()
    return "", content


@dataclass(frozen=True, slots=True)
class Result:
    """One fact found."""

    source: str
    id: str
    key: str
    content: str
    category: str
    score: float
    file: str = ""
    heading: str = ""
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """What was found, the best first."""

    results: tuple[Result, ...]
    count: int

    def text(self) -> str:
        """Give a line for each."""
        told = [f"- {_lead(one)}{one.snippet or short(one.content, 300)} [{one.source}]" for one in self.results]
        return "\n".join(told) or "Nothing found."


def _lead(one: Result) -> str:
    """Give what stands before a result: its file and heading, or its key."""
    if one.file:
        return f"{one.file}{f' § {one.heading}' if one.heading else ''}: "
    return f"{one.key}: " if one.key else ""


def _results(space: Space, query: str, hits: list[Hit]) -> Results:
    made = tuple(
        Result(
            "workspace" if hit.memory.kind == "document" else "memory_db",
            hit.memory.id,
            hit.memory.key,
            hit.memory.content,
            hit.memory.category,
            round(hit.score, 3),
            *_place(space, query, hit),
        )
        for hit in hits
    )
    return Results(made, len(made))


def _place(space: Space, query: str, hit: Hit) -> tuple[str, str, str]:
    """Give file, heading and the telling line of a section; nothing for what stands in no file."""
    file = hit.memory.attributes.get("file")
    if hit.memory.kind != "document" or not isinstance(file, str):
        return "", "", ""
    return file, str(hit.memory.attributes.get("heading", "")), snippet(hit.memory.content, query, TermsPolicy())


@tool("Search workspace and memory", reads=True)
def memory_search(
    space: Space,
    query: Annotated[str, Field(strict=True, description="What to look for.", min_length=1)],
    max_results: Most = 5,
) -> Results:
    """Search the workspace's files and the stored facts together.

    Use it when you need something that is not in the prompt.
    """
    return _results(space, query, space.recall(query, max_results))


@tool("Recall facts", reads=True)
def memory_recall(
    space: Space,
    query: Annotated[str, Field(strict=True, description="What to look for.", min_length=1)],
    category: Annotated[str, Field(description='Only of this category; "" for all.')] = "",
    max_results: Most = 5,
) -> Results:
    """Search the stored facts alone, all of them or those of one category."""
    wanted = [category.strip().casefold()] if category.strip() else []
    narrowed = conditions(space, {"kinds": FACTS, "categories": wanted})
    return _results(space, query, space.recall(query, max_results, **narrowed))


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an answer rests on."""

    number: int
    id: str
    content: str


@dataclass(frozen=True, slots=True)
class Thoughts:
    """An answer with its sources, or the evidence where no model has worded one."""

    answer: str
    unknown: str
    evidence: tuple[Evidence, ...]
    note: str = ""

    def text(self) -> str:
        """Give the answer and a last line with what is not known; without an answer, the evidence."""
        listed = "\n".join(f"[{one.number}] {short(one.content, 300)}" for one in self.evidence)
        last = f"Not in memory: {self.unknown}" if self.unknown else "Not in memory: nothing that was asked for."
        if self.answer:
            return f"{self.answer}\n{last}"
        if not self.evidence:
            return last
        return f"{listed}\n{last if self.unknown else f'This is the evidence alone: {self.note}.'}"


@tool("Think about a question", reads=True)
def memory_think(
    space: Space,
    query: Annotated[str, Field(strict=True, description="The question.", min_length=1)],
    max_facts: Annotated[int, Field(description="From at most so many facts.", ge=1, le=50)] = 8,
) -> Thoughts:
    """Answer a question from memory in fewer than 150 words, with [n] behind each sentence and what is not known last.

    Use it when an answer needs several memories. For one fact memory_search is quicker, and costs nothing.
    """
    if not query.strip():
        raise InvalidInput("query is empty: ask a question")
    made = space.think(query, max_facts)
    evidence = tuple(Evidence(at, hit.memory.id, hit.memory.content) for at, hit in enumerate(made.hits, 1))
    return Thoughts(made.answer, made.unknown, evidence, made.problem)


TOOLS: tuple[Tool, ...] = (memory_save, memory_search, memory_recall, memory_think)
