"""No query is an error: five thousand of them, and endpoints that answer nonsense."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Report
from recollect.providers.bundled.encoder import NAME
from recollect.providers.embedders.answer import unit
from recollect.providers.embedders.embedder import Embedded, Embedder, readable
from recollect.testing import FixedClock
from recollect.testing.endpoint import Fault, ScriptedEndpoint, word_vector
from tests.engines import ENGINES, fresh
from tests.patience import PATIENCE
from tests.wide import many

MANY = {"sqlite": many(400, 4200), "postgresql": many(80, 400), "mariadb": many(80, 400)}
OPERATORS = (
    '"', "'", "''", '"""', "*", "NOT", "AND", "OR", "NEAR(", ")", "(", "^", ":", "-", "+", "~", "%", "_", "\\", ";--",
    "/*", "a:b", "{", "}", "[", "]", "|", "&", "<->", "<#>", "@@", "$1", "?", "?1", "%s", "%(x)s", "\\x00",
    "'; DROP TABLE memories;",
)  # fmt: skip
ODD = (
    "\0", "\ud800", "\udfff", "\ud83d", "\u202e", "\u200f", "\u200d", "\ufeff", "\u0301" * 9, "\x1b[31m", "\r\n",
    "\u2028", "\x7f", "👩‍👩‍👧‍👦", "🎉", "🇵🇹", "عربي", "עברית", "绿茶", "日本語", "ไทย", "\ufdfa", "ß", "İ",
    "ﬁ", "\U0010ffff", "\ue000", "𝔘", "Ω",
)  # fmt: skip
WORDS = (
    "tea", "Lisbon", "Ana", "zyxquark", "wvublimp", "yesterday", "last week", "in May 2023",
    "between 1 and 99999999999", "how many", "when", "now", "#tag", "@ana", "3 days ago",
    "99999999999999 years ago", "Bob's", "you said", "0", "-1", "1e309",
)  # fmt: skip
MARKS = {"ana": "zyxquark", "bob": "wvublimp"}
CONDITIONS: tuple[dict[str, Any], ...] = (
    {}, {}, {"kinds": []}, {"kinds": "episode"}, {"by": "session"}, {"states": [], "kinds": []}, {"limit": 1},
    {"budget_tokens": 30}, {"topic": "%"}, {"tags": ["tag"]}, {"min_similarity": 0.0, "kinds": []},
)  # fmt: skip


def query(dice: random.Random) -> str:
    """Make up a query: mostly short and foul, now and then very long."""
    shape = dice.random()
    if shape < 0.003:
        return dice.choice([*ODD, *WORDS, "a", "tea ", "?"]) * 200_000
    if shape < 0.006:
        return "".join(chr(dice.randrange(0x110000)) for _ in range(20_000))[:200_000]
    if shape < 0.2:
        return "".join(chr(dice.randrange(0x110000)) for _ in range(dice.randrange(1, 60)))
    pieces = [dice.choice(dice.choice((OPERATORS, ODD, WORDS, WORDS))) for _ in range(dice.randrange(1, 14))]
    return dice.choice(("", " ", " ", "\t")).join(pieces)[:200_000]


class Words(Embedder):
    """Turns texts into vectors by their words, at once."""

    name, dimensions, local, link_min, same_min = NAME, 32, True, 0.3, 0.85

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Give a vector for each text that has any."""
        return Embedded([unit(word_vector(readable(text), 32)) if text.strip() else None for text in texts])

    def close(self) -> None:
        """Have nothing to let go."""


def furnish(rc: Recollect) -> None:
    """Let two people say and save things that bear their marks."""
    for user, mark in MARKS.items():
        space = rc.space(user, session=f"s{mark}")
        for number, text in enumerate((*WORDS, *(odd for odd in ODD if odd.isprintable()))):
            space.observe("user", f"{mark} {text} {number}", actor=f"{user} {number % 3}")
            space.remember(f"{text} is known to {mark} as number {number}.", topic="%", tags=["tag"])
    rc.run_jobs(["embed"])


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine in MANY])
def test_no_query_is_an_error(engine: str, tmp_path: Path) -> None:
    """Whatever is asked, however long and in whatever script, is answered, and with the asker's memories alone."""
    dice = random.Random(engine)
    found = 0
    with Recollect(fresh(engine, tmp_path), clock=FixedClock(), embedder="minilm") as rc:
        rc._runtime._embedders[NAME] = Words()
        furnish(rc)
        for number in range(MANY[engine]):
            user = ("ana", "bob")[number % 2]
            space = rc.space(user)
            asked, conditions = query(dice), dice.choice(CONDITIONS)
            for hit in space.recall(asked, **conditions):
                found += 1
                assert hit.memory.owner == space.owner
                assert MARKS[user] in hit.memory.content
            if number % 100 == 0:
                anything = space.list(limit=1)[0].id
                assert space.explain(asked, anything).memory.id == anything
    assert found > MANY[engine]


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    """Give an endpoint that turns any text into a vector."""
    with ScriptedEndpoint() as server:
        yield server


def opened(path: Path, endpoint: ScriptedEndpoint) -> Recollect:
    """Open a memory that asks the endpoint, once."""
    embedding = {"base_url": endpoint.url, "retries": 0, "timeout_seconds": PATIENCE}
    return Recollect(path, clock=FixedClock(), embedder="openai:scripted", embedding=embedding)


def ran(rc: Recollect) -> Report:
    """Run the job that embeds, and give its report."""
    (report,) = rc.run_jobs(["embed"])
    return report


FAULTS: tuple[tuple[Fault, str], ...] = (
    ("longer", "vectors of 33 numbers where 32 were expected"),
    ("nan", "that cannot be used"),
    ("infinity", "that cannot be used"),
    ("zeros", "that cannot be used"),
    ("empty", "that cannot be used"),
    ("few", "vectors for"),
    ("garbage", "no list of embeddings"),
    ("deep", "no list of embeddings"),
    (500, "500"),
    ("drop", "broke off"),
)


@pytest.mark.parametrize(("fault", "told"), FAULTS, ids=[str(fault) for fault, _ in FAULTS])
def test_an_endpoint_that_answers_nonsense(fault: Fault, told: str, tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    """Bad vectors are not kept and the report says why; words still find, and the reasons say what was missing."""
    with opened(tmp_path / "memory.db", endpoint) as rc:
        ana = rc.space("ana")
        first = ana.remember("Ana lives in Lisbon.").id
        assert (ran(rc).status, ran(rc).changed) == ("ok", 0)
        second = ana.remember("The ferry leaves from the harbour.").id
        endpoint.script(fault)
        failed = ran(rc)
        assert failed.status == "failed"
        assert told in failed.text
        assert [hit.memory.id for hit in ana.recall("ferry")] == [second]
        with rc._runtime.store.view() as view:
            assert sum(view.embedded(ana.owner).values()) == 1
        endpoint.script(fault)
        hits = ana.recall("Lisbon")
        assert [hit.memory.id for hit in hits] == [first]
        assert "meaning" not in hits[0].why
        endpoint.script(fault, fault)
        text = ana.explain("Lisbon", first).text
        assert text.startswith("Returned as number 1")
        assert "Meaning was not compared" in text
        assert told in text or fault == "few"  # one of one is none
    with ScriptedEndpoint() as sound, opened(tmp_path / "memory.db", sound) as rc:
        assert (ran(rc).status, rc.space("ana").recall("ferry")[0].why["meaning"].score > 0) == ("ok", True)


def test_an_endpoint_that_changed_its_mind(tmp_path: Path, endpoint: ScriptedEndpoint) -> None:
    """A model that gives vectors of another size since yesterday breaks nothing: words find, old and new."""
    with opened(tmp_path / "memory.db", endpoint) as rc:
        rc.space("ana").remember("Ana lives in Lisbon.")
        rc.run_jobs(["embed"])
    endpoint.size = 80
    with opened(tmp_path / "memory.db", endpoint) as rc:
        ana = rc.space("ana")
        ana.remember("The ferry to Lisbon is late.")
        rc.run_jobs(["embed"])
        assert len(ana.recall("Lisbon")) == 2
        assert ana.recall("ferry")[0].memory.content == "The ferry to Lisbon is late."
