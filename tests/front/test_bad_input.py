"""Bad input: a typed error that says what to do, and not a byte of the database changed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import ConfigError, Hit, InvalidInput, NotFound, Recollect, RecollectError, Space

HALF = "half \ud800 of a pair"
NUL = "nul \0 inside"
DEEP: Any = {}
for _ in range(500):
    DEEP = {"a": DEEP}
CYCLE: list[Any] = []
CYCLE.append(CYCLE)

CONTENTS: list[Any] = ["", " \n\t ", "\u2003", "x" * 1_048_577, "é" * 600_000, NUL, HALF, None, 5, b"bytes", ["text"]]
NAMES: list[Any] = [NUL, HALF, "x" * 201, "é" * 101, 5, None, b"x", ["x"]]
TIMES: list[Any] = [
    datetime(2026, 1, 5),  # noqa: DTZ001
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(9999, 12, 31, tzinfo=UTC),
    "2026-01-05T09:00:00Z",
    1_767_600_000,
    "yesterday",
]
DETAILS: dict[str, list[Any]] = {
    "kind": ["opinion", "", "Fact", None, 5, [], "episode"],
    "source": ["gossip", "", None, 5],
    "importance": [0, 11, -1, "high", True, 5.0, None, [], float("nan")],
    "confidence": [-0.1, 1.1, "sure", True, None, float("nan"), float("inf")],
    "pinned": [1, 0, "yes", None],
    "private": [1, "no"],
    "topic": [NUL, HALF, "x" * 1100, 5, None],
    "category": NAMES,
    "key": NAMES,
    "actor": NAMES,
    "tags": [[NUL], [HALF], ["x" * 201], [5], 5, None, [""], [None], [str(n) for n in range(65)]],
    "event_time": TIMES,
    "valid_until": TIMES,
    "attributes": [
        None,
        5,
        "text",
        [1],
        {1: 2},
        {"a": {1, 2}},
        {"a": object()},
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": NUL},
        {"a": HALF},
        {HALF: 1},
        {"a": b"x"},
        {"a": "x" * 70_000},
        DEEP,
        {"a": CYCLE},
    ],
    "colour": ["brown"],
    "owner": ["/bob"],
    "state": ["active"],
}
CONDITIONS: dict[str, list[Any]] = {
    "kinds": ["opinion", 5, [5], [""], {"fact": 1}],
    "tiers": ["middle", [None], 5],
    "states": ["alive", 5],
    "categories": [5, [NUL], [""]],
    "sessions": [5, [HALF], [""], [str(n) for n in range(100_000)]],
    "tags": [5, [NUL], [""], "#", ["#", " # "]],
    "topic": [NUL, HALF, 5],
    "agent": [NUL, HALF, 5, "x" * 201],
    "exclude_session": [NUL, 5],
    "role": [NUL, 5],
    "actor": [NUL, 5],
    "key": [NUL, 5],
    "any_tag": ["yes", 1],
    "pinned": ["yes", 1],
    "importance_min": [0, 11, "high", True, 5.0],
    "importance_max": [0, 11, "high", True, 5.0],
    "event_after": TIMES,
    "event_before": TIMES,
    "created_after": TIMES,
    "created_before": TIMES,
    "updated_after": TIMES,
    "updated_before": TIMES,
    "as_of": TIMES,
    "limit": [0, -1, 1001, "ten", True, 5.0, None],
    "offset": [-1, "ten", True, 10**10],
    "order": ["best", None, 5, []],
    "colour": ["brown"],
    "owner": ["/bob"],
}


def ids(hits: list[Hit]) -> list[str]:
    """Give the ids of hits."""
    return [hit.memory.id for hit in hits]


def cases(table: dict[str, list[Any]]) -> list[Any]:
    """Give a parameter for each value of each keyword."""
    return [
        pytest.param(name, value, id=f"{name}-{n}") for name, given in table.items() for n, value in enumerate(given)
    ]


@pytest.fixture
def unchanged(ana: Space, dump: Callable[[], str]) -> Any:
    """Store something first, and hold the export against it afterwards."""
    ana.observe("user", "I had tea with @bob.")
    ana.remember("Ana likes tea.", key="drink")
    before = dump()
    yield ana
    assert dump() == before


@pytest.mark.parametrize("content", CONTENTS, ids=range(len(CONTENTS)))
def test_content(unchanged: Space, content: Any) -> None:
    """No verb stores an unusable text."""
    (memory,) = unchanged.list()
    verbs: list[Callable[[], Any]] = [
        lambda: unchanged.observe("user", content),
        lambda: unchanged.remember(content),
        lambda: unchanged.remember(content, key="other"),
        lambda: unchanged.correct(memory.id, content),
    ]
    for verb in verbs:
        with pytest.raises(InvalidInput):
            verb()
    (receipt,) = unchanged.remember_many([{"content": content}])
    assert receipt.outcome == "rejected"


def test_the_longest_content(ana: Space) -> None:
    """Exactly one mebibyte is stored and comes back whole."""
    text = "x" * 1_048_576
    assert ana.get(ana.observe("user", text).id).content == text


@pytest.mark.parametrize(("name", "value"), cases(DETAILS))
def test_details(unchanged: Space, name: str, value: Any) -> None:
    """Every keyword of remember refuses what it cannot use, alone and in a batch."""
    details: Any = {name: value}
    if value is None and name in ("event_time", "valid_until"):
        pytest.skip("None means not given")
    with pytest.raises(InvalidInput):
        unchanged.remember("Ana has a cat.", **details)
    (receipt,) = unchanged.remember_many([{"content": "Ana has a cat.", **details}])
    assert (receipt.outcome, receipt.id) == ("rejected", "")
    assert receipt.reason


@pytest.mark.parametrize(("name", "value"), cases(CONDITIONS))
def test_conditions(unchanged: Space, name: str, value: Any) -> None:
    """Every condition of recall and list refuses what it cannot use."""
    conditions: Any = {name: value}
    if name not in ("offset", "order"):
        with pytest.raises(InvalidInput):
            unchanged.recall("tea", **conditions)
    with pytest.raises(InvalidInput):
        unchanged.list(**conditions)


@pytest.mark.parametrize("value", [0, 11, -1, "high", True, 5.0, None])
def test_importance(unchanged: Space, value: Any) -> None:
    """Importance is a whole number from one to ten and nothing that looks like one."""
    with pytest.raises(InvalidInput, match="importance"):
        unchanged.rate(unchanged.list()[0].id, value)


@pytest.mark.parametrize("field", ["role", "actor", "request_id"])
@pytest.mark.parametrize("value", NAMES, ids=range(len(NAMES)))
def test_names_of_a_message(unchanged: Space, field: str, value: Any) -> None:
    """Role, actor and request id are short valid texts."""
    given: Any = {"role": "user", "content": "hello", field: value}
    with pytest.raises(InvalidInput):
        unchanged.observe(**given)


@pytest.mark.parametrize("value", TIMES, ids=range(len(TIMES)))
def test_time_of_a_message(unchanged: Space, value: Any) -> None:
    """A message's time is an aware datetime of a sensible year."""
    with pytest.raises(InvalidInput):
        unchanged.observe("user", "hello", at=value)


@pytest.mark.parametrize("value", [[], 0, "", False, [1], {1: 2}, {"a": float("nan")}, DEEP])
def test_attributes_of_a_message(unchanged: Space, value: Any) -> None:
    """A message's attributes are a mapping or not given."""
    with pytest.raises(InvalidInput):
        unchanged.observe("user", "hello", attributes=value)


@pytest.mark.parametrize("names", ["dream", ["dream"], [["age"]], 5, [5], [None], {"age": 1}])
def test_jobs_there_are_not(unchanged: Space, rc: Recollect, names: Any) -> None:
    """Only jobs that exist can be named."""
    with pytest.raises(InvalidInput):
        rc.run_jobs(names)


def test_an_empty_role(unchanged: Space) -> None:
    """A message is said by somebody."""
    for role in ("", " "):
        with pytest.raises(InvalidInput):
            unchanged.observe(role, "hello")


@pytest.mark.parametrize("user", ["", " ", "\n", NUL, HALF, "x" * 10_000, "é" * 60, None, 5, b"ana", ["ana"]])
def test_unusable_owners(rc: Recollect, user: Any) -> None:
    """An owner needs a name that is valid text and not too long."""
    with pytest.raises(InvalidInput):
        rc.space(user)
    if user not in ("", " ", "\n"):
        with pytest.raises(InvalidInput):
            rc.space("ana", tenant=user)
    assert rc.owners() == []


@pytest.mark.parametrize("value", NAMES, ids=range(len(NAMES)))
def test_unusable_agents_and_sessions(rc: Recollect, value: Any) -> None:
    """Agent and session are short valid texts."""
    with pytest.raises(InvalidInput):
        rc.space("ana", agent=value)
    with pytest.raises(InvalidInput):
        rc.space("ana", session=value)


def test_odd_owners_are_distinct(rc: Recollect) -> None:
    """Names that look alike are different people, and every one of them works."""
    names = [
        "a/b",
        "ana",
        "ana ",
        " ana",
        "Ana",
        "ÁNA",
        "ána",
        "a\u0301na",
        "😀",
        "😁",
        "a%2Fb",
        "%",
        "..",
        "ａｎａ",
        "ana\n",
    ]
    people = [("", name) for name in names] + [("a", "b"), ("b", "a"), ("a/", "b"), ("a", "/b")]
    for number, (tenant, user) in enumerate(people):
        rc.space(user, tenant=tenant).remember(f"Number {number} likes tea.")
    for number, (tenant, user) in enumerate(people):
        found = [memory.content for memory in rc.space(user, tenant=tenant).list()]
        assert found == [f"Number {number} likes tea."]
    assert sorted(rc.owners()) == sorted(people)


QUERIES: list[str] = [
    'NOT AND "*',
    "NEAR(tea, 5) OR *",
    "'; DROP TABLE memories; --",
    " ".join(f"word{n}" for n in range(10_000)),
    "tea " * 10_000,
    "x" * 200_000,
    "我喜欢喝茶",
    "أحب الشاي",
    "🎉🎊 ☕",
    "\0",
    "\0\0\0 \0",
    "\ud800",
    "\udfff\ud800 tea \ud83d",
    "%_%_ !! \\",
    "#",
    "#" * 5000,
    "@",
    "tea\u0000cup",
    "\u202e\u200b\ufeff",
    "\U0010ffff\uffff",
    "a'b''c\"",
    "İıſß",
]


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_no_query_is_an_error(ana: Space, query: str) -> None:
    """Whatever is asked, recall and context answer, and nothing but the use of a memory is noted."""
    one = ana.remember("Ana likes tea.").id
    assert ids(ana.recall(query)) in ([one], [])
    assert ana.context(query, budget_tokens=50).tokens <= 50
    assert ana.stats().rev == 1


def test_queries_that_are_no_text(unchanged: Space) -> None:
    """Only a text can be asked."""
    for wrong in (None, 5, b"tea", ["tea"]):
        with pytest.raises(InvalidInput):
            unchanged.recall(wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput):
            unchanged.context(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("budget", [0, -1, "many", True, 1.5, None, 10**9])
def test_budgets(unchanged: Space, budget: Any) -> None:
    """A budget is a whole number of tokens."""
    with pytest.raises(InvalidInput):
        unchanged.context("tea", budget_tokens=budget)


@pytest.mark.parametrize("value", [-1, "x", True, 2**63])
def test_journal_bounds(unchanged: Space, value: Any) -> None:
    """The journal's bounds are whole numbers in range."""
    with pytest.raises(InvalidInput):
        unchanged.journal(since=value)
    with pytest.raises(InvalidInput):
        unchanged.journal(limit=value)


def by_id(space: Space) -> list[Callable[[Any], Any]]:
    """Give every verb that names one memory."""
    return [
        lambda one: space.get(one),
        lambda one: space.history(one),
        lambda one: space.correct(one, "Ana likes coffee."),
        lambda one: space.confirm(one),
        lambda one: space.pin(one),
        lambda one: space.rate(one, 9),
        lambda one: space.forget(one),
        lambda one: space.restore(one),
        lambda one: space.merge([one, "fact_other"]),
        lambda one: space.erase(one),
    ]


@pytest.mark.parametrize("unknown", ["fact_unknown", "x", "'", "%", "😀"])
def test_unknown_ids(unchanged: Space, unknown: str) -> None:
    """A memory that is not there is `NotFound` for every verb."""
    for verb in by_id(unchanged):
        with pytest.raises(NotFound):
            verb(unknown)
    assert unchanged.links(unknown) == []


@pytest.mark.parametrize("wrong", ["", NUL, HALF, 5, None, b"x", "x" * 201, ["fact_1"]], ids=range(8))
def test_unusable_ids(unchanged: Space, wrong: Any) -> None:
    """What cannot be an id is refused as such."""
    for verb in by_id(unchanged):
        with pytest.raises(InvalidInput):
            verb(wrong)


def test_ids_of_another_owner(unchanged: Space, rc: Recollect) -> None:
    """Another owner's id is as unknown as any other, and its memory stays untouched."""
    (memory,) = unchanged.list()
    for name in ("bob", "Ana", "ana "):
        stranger = rc.space(name)
        for verb in by_id(stranger):
            with pytest.raises(NotFound):
                verb(memory.id)
        assert stranger.links(memory.id) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"session": "s1", "everything": True},
        {"entity": "bob", "session": "s1"},
        {"entity": " "},
        {"entity": NUL},
        {"entity": HALF},
        {"session": HALF},
        {"everything": "no"},
        {"everything": 1},
        {"entity": 5},
        {"session": 5},
    ],
    ids=range(11),
)
def test_erase_needs_one_clear_wish(unchanged: Space, wrong: Any) -> None:
    """Erasing wants exactly one thing, and blanks or guesses are not taken for everything."""
    with pytest.raises(InvalidInput):
        unchanged.erase(**wrong)


@pytest.mark.parametrize("wrong", [{"session": "unknown"}, {"entity": "nobody"}, {"entity": "@"}])
def test_erase_of_nothing(unchanged: Space, wrong: Any) -> None:
    """What is not there cannot be erased."""
    with pytest.raises(NotFound):
        unchanged.erase(**wrong)


def test_entity_names(unchanged: Space) -> None:
    """A name to look up is a short valid text."""
    for wrong in ("", " ", NUL, HALF, 5, None):
        with pytest.raises(InvalidInput):
            unchanged.entity(wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        unchanged.entity("bob", limit=0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"colour": "brown"},
        {"sqlite": {"colour": "brown"}},
        {"terms": {"language": "klingon"}},
        {"terms": {"k1": "much"}},
        {"embedder": "magic"},
        {"llm": "some-model"},
        {"sqlite": 5},
        {"config": "no-such-file.toml"},
    ],
    ids=range(8),
)
def test_settings(tmp_path: Any, wrong: Any) -> None:
    """An unknown or unusable setting is named."""
    with pytest.raises(ConfigError):
        Recollect(f"sqlite:///{tmp_path}/x.db", **wrong)
    assert list(tmp_path.iterdir()) == []


def test_attributes_as_deep_as_allowed(ana: Space) -> None:
    """What can be stored can be read from anywhere, deep inside a program too."""
    nested: Any = 1
    for _ in range(60):
        nested = [nested] if isinstance(nested, dict) else {"a": nested}
    one = ana.remember("Ana likes tea.", attributes={"deep": nested}).id

    def far(depth: int) -> Any:
        return ana.get(one) if not depth else far(depth - 1)

    assert far(500).attributes == {"deep": nested}


def test_errors_are_ours(unchanged: Space) -> None:
    """Typed errors can be caught as one, and as what Python would raise."""
    with pytest.raises(RecollectError):
        unchanged.get("fact_x")
    with pytest.raises(ValueError, match="content"):
        unchanged.remember("")
    with pytest.raises(LookupError):
        unchanged.get("fact_x")


def test_a_condition_that_names_nothing(unchanged: Space) -> None:
    """A list that came out empty would let everything through: it is refused; all kinds and states can be meant."""
    empty: list[Any] = [{"sessions": []}, {"categories": ()}, {"tags": []}]
    for given in empty:
        with pytest.raises(InvalidInput, match="name none: pass at least one"):
            unchanged.recall("tea", **given)
    assert unchanged.recall("zebra", kinds=[], states=[]) == []


def test_an_export_needs_a_file(unchanged: Space, tmp_path: Path) -> None:
    """Where an export cannot be written, the answer says what to name; a database is never written over."""
    with pytest.raises(InvalidInput, match="name its path"):
        unchanged.export(7)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="folder"):
        unchanged.export(tmp_path)
    with pytest.raises(InvalidInput, match="does not exist"):
        unchanged.export(tmp_path / "missing" / "memory.jsonl")
    (tmp_path / "other.db").write_bytes(b"SQLite format 3\0 and more")
    with pytest.raises(InvalidInput, match="is a database"):
        unchanged.export(str(tmp_path / "other.db"))
