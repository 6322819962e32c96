"""Recall: by meaning, words, names and times at once; what lifts a hit, what folds it, and why it was found."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import Hit, InvalidInput, NotFound, Recollect, Space
from recollect.flows.find.recall import Wish, find
from recollect.model.change import Connect, Write
from recollect.model.filter import Filter
from recollect.rules.find.fusion import SIGNALS
from recollect.rules.window.budget import estimate
from recollect.testing import FixedClock
from tests.corpus import fill, queries
from tests.engines import apart
from tests.patience import PATIENCE

FLAT = "Ana moved into a flat by the Tagus river."
TICKET = "The backup ticket is XK-4471."
CELLO = "Mara plays the cello on Sundays."
FACTS = (
    FLAT,
    TICKET,
    CELLO,
    "The printer on the second floor is broken.",
    "Ben drives a red tractor to work.",
    "Lunch is served at noon in the canteen.",
)
ALONE = """
    import sys

    def refuse(event, args):
        if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
            raise OSError("there is no network here")

    sys.addaudithook(refuse)
    from recollect import Recollect

    with Recollect(sys.argv[1]) as rc:
        ana = rc.space("ana")
        for fact in ("The fence is green.", "Ana lives in Lisbon.", "Tea is served at four.", "Ben fears spiders."):
            ana.remember(fact)
        print(ana.recall("Which city is her home?")[0].memory.content)
"""


def texts(hits: list[Hit]) -> list[str]:
    """Give what the hits say."""
    return [hit.memory.content for hit in hits]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recollect]:
    """Give a memory with the bundled model; each test speaks for a user of its own."""
    with Recollect(tmp_path_factory.mktemp("recall") / "memory.db", clock=FixedClock(), embedder="minilm") as rc:
        for fact in FACTS:
            rc.space("ana", session="s0").remember(fact)
        yield rc


@pytest.fixture
def ana(home: Recollect) -> Space:
    """Give the space of one who has saved six facts."""
    return home.space("ana")


def talk(rc: Recollect, user: str, *said: str, session: str = "s1", actor: str = "") -> list[str]:
    """Let somebody say something; give the ids."""
    return [rc.space(user, session=session).observe("user", text, actor=actor).id for text in said]


# What finds


def test_from_nothing_and_without_a_network(tmp_path: Path) -> None:
    """A new installation finds a fact by a question that shares no word with it, asks nobody, and leaves no traces."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ALONE), str(tmp_path / "memory.db")],
        env=environment | {"HOME": str(tmp_path)}, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.stdout.strip(), done.stderr) == ("Ana lives in Lisbon.", "")
    assert {file.name.partition("-")[0] for file in tmp_path.iterdir()} == {"memory.db"}


@pytest.mark.parametrize(
    ("query", "wanted", "by", "not_by"),
    [
        ("Where does she live?", FLAT, "meaning", "words"),
        ("which musical instrument", CELLO, "meaning", "words"),
        ("xk-4471", TICKET, "words", "names"),
        ("What do we know of Mara?", CELLO, "names", ""),
    ],
)
def test_each_channel_finds(ana: Space, query: str, wanted: str, by: str, not_by: str) -> None:
    """What only meaning, a word or a name can find comes first, and the reasons say what found it."""
    first = ana.recall(query)[0]
    assert first.memory.content == wanted
    assert first.why[by].score > 0
    assert first.why[by].boost > 0
    assert first.why[by].rank == 1
    assert not_by not in first.why or first.why[not_by].score == 0


def test_nothing_in_common_is_no_hit(ana: Space) -> None:
    """A query about something else altogether finds nothing, however few memories there are."""
    assert ana.recall("quantum chromodynamics on a lattice") == []


def test_times(home: Recollect) -> None:
    """A question about last week finds what was said then before what was said at other times."""
    for days, text in (
        (30, "I painted the fence."),
        (6, "I went sailing with my cousin."),
        (5, "I repaired the bicycle."),
        (20, "I baked bread with rye flour."),
        (45, "I visited the zoo."),
    ):
        at = home._runtime.now() - timedelta(days=days)
        home.space("tim", session=f"s{days}").observe("user", text, at=at)
    home.run_jobs(["embed"])
    hits = home.space("tim").recall("What did I do last week?", kinds="episode")
    assert set(texts(hits[:2])) == {"I went sailing with my cousin.", "I repaired the bicycle."}
    assert hits[0].why["date"].boost > 0 > hits[-1].why["date"].boost
    assert "date" not in home.space("tim").recall("What did I repair?", kinds="episode")[0].why


def test_who_said_it(home: Recollect) -> None:
    """Of two who spoke of the same thing, the one who is named is meant."""
    for actor, text in (("Ana", "The garden needs water every day."), ("Bob", "The garden needs water twice a week.")):
        talk(home, "garden", text, "I like football.", actor=actor)
    home.run_jobs(["embed"])
    for actor in ("Ana", "Bob"):
        hits = home.space("garden").recall(f"What did {actor} say about the garden?", kinds="episode")
        assert (hits[0].memory.actor, "garden" in hits[0].memory.content) == (actor, True)
        assert hits[0].why["speaker"].boost > 0


# How much is given


def test_by_session(home: Recollect) -> None:
    """Each session is given once, by its best message; facts are none, and the limit counts sessions."""
    talk(home, "sam", "The kettle is broken.", "A new kettle for tea costs thirty euros.", session="s1")
    talk(home, "sam", "We drank tea with my aunt.", "The bus was late.", session="s2")
    talk(home, "sam", "The bus was late again.", session="s3")
    home.space("sam", session="s4").remember("Sam likes a new kettle for tea.")
    sam = home.space("sam")
    hits = sam.recall("a new kettle for tea", by="session")
    assert [hit.memory.session for hit in hits] == ["s1", "s2"]
    assert hits[0].memory.content == "A new kettle for tea costs thirty euros."
    assert [hit.memory.session for hit in sam.recall("a new kettle for tea", 1, by="session")] == ["s1"]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_nothing_asked_by_session(home: Recollect) -> None:
    """An empty query by session lists the last message of each, what was stored last first."""
    for n in range(450):
        talk(home, "zoe", f"Note {n}", session=f"s{n % 3}")
    talk(home, "zoe", "Alone", session="s9")
    zoe = home.space("zoe")
    assert texts(zoe.recall("", by="session")) == ["Alone", "Note 449", "Note 448", "Note 447"]
    assert texts(zoe.recall("", 2, by="session")) == ["Alone", "Note 449"]
    first = zoe.list(kinds=["episode"], order="oldest")[0]
    assert "the newest are listed, and 10 were asked for" in zoe.explain("", first.id, kinds=["episode"]).text


def test_among_few_the_words_decide(home: Recollect) -> None:
    """In a short talk an assistant's words that hold what was asked for come before a person's that do not."""
    mia = home.space("mia", session="s1")
    for role, text in (
        ("user", "I moved to Lisbon in May, near the river Tejo."),
        ("assistant", "Great! Lisbon is lovely. Do you like fado music?"),
        ("user", "Carlos is my boss at Northwind."),
        ("user", "The cat sleeps all day."),
        ("assistant", "Cats do that."),
        ("user", "Dinner was pasta with pesto."),
    ):
        mia.observe(role, text)
    assert [("Lisbon" in text) for text in texts(mia.recall("Lisbon", kinds=["episode"]))[:3]] == [True, True, False]
    home.run_jobs(["embed"])
    assert [("Lisbon" in text) for text in texts(mia.recall("Lisbon", kinds=["episode"]))[:3]] == [True, True, False]


def test_budget(home: Recollect) -> None:
    """No more is given than fits the budget; what is too long is passed over for what is shorter."""
    bea = home.space("bea")
    long = "The telescope shows the rings of Saturn " + "and yet another moon behind them " * 20
    for text in (long, "The telescope is in the attic.", "The telescope was a gift from Uncle Joe."):
        bea.remember(text)
    whole = bea.recall("telescope")
    assert len(whole) == 3
    budget = sum(estimate(hit.memory.content) for hit in whole) - estimate(long)
    assert texts(bea.recall("telescope", budget_tokens=budget)) == [text for text in texts(whole) if text != long]
    assert bea.recall("telescope", budget_tokens=1) == []
    assert len(bea.recall("", budget_tokens=budget)) == 2


def test_least_similarity(ana: Space) -> None:
    """With a least similarity only meaning lets in: nothing below it, however many words it shares."""
    hits = ana.recall("Where does she live?", min_similarity=0.2)
    assert texts(hits)[0] == FLAT
    assert all(hit.why["meaning"].score >= 0.2 for hit in hits)
    reached = hits[0].why["meaning"].score
    assert texts(ana.recall("Where does she live?", min_similarity=round(reached - 0.01, 3))) == [FLAT]
    assert ana.recall("Where does she live?", min_similarity=min(1.0, round(reached + 0.01, 3))) == []
    assert ana.recall("the printer", min_similarity=0.99) == []
    assert texts(ana.recall(FLAT, min_similarity=1)) == [FLAT]  # nothing is nearer


def test_least_similarity_of_what_nobody_compares(
    home: Recollect, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Asked without a query or an embedder it is refused; where vectors are missing, the log says so."""
    with pytest.raises(InvalidInput, match="the query is empty"):
        home.space("ana").recall(" ", min_similarity=0.5)
    with Recollect(tmp_path / "m.db", embedder="none") as rc, pytest.raises(InvalidInput, match="no embedder is set"):
        rc.space("ana").recall("tea", min_similarity=0.0)
    talk(home, "wanda", "I moved to Lisbon.")
    assert home.space("wanda").recall("I moved to Lisbon.", kinds=["episode"], min_similarity=0.5) == []
    assert "have no vector yet" in caplog.text


def test_what_is_said_again_is_folded(home: Recollect) -> None:
    """The same words of the same person stand once and name the others; of another person they stand by themselves."""
    first, again = talk(home, "eve", "See you at the harbour.", "see  you at the HARBOUR.", actor="Eve")
    (other,) = talk(home, "eve", "See you at the harbour.", actor="Bob")
    hits = home.space("eve").recall("harbour", kinds="episode")
    assert {frozenset((hit.memory.id, *hit.folded)) for hit in hits} == {frozenset((first, again)), frozenset((other,))}


def test_what_was_replaced_leads_to_what_is(home: Recollect) -> None:
    """A query for the old word gives the newest of the line and none of those before; `as_of` gives the old."""
    liv = home.space("liv")
    ids = [liv.remember("Liv works at the bakery in Gdansk.").id]
    for text in ("Liv is employed by a shipyard.", "Liv became a harbour pilot."):
        ids.append(liv.correct(ids[-1], text).id)
    liv.remember("The weather was mild on Monday.")
    for query in ("bakery", "Gdansk", "shipyard"):
        hits = liv.recall(query)
        assert texts(hits)[0] == "Liv became a harbour pilot."
        assert not {hit.memory.id for hit in hits} & set(ids[:2])
        assert hits[0].why["words"].score > 0
    liv.forget(ids[-1])
    assert liv.recall("bakery") == []


# What lifts a hit


def boosted(path: Path, clock: FixedClock, query: str, **settings: Any) -> list[str]:
    """Ask a memory, opened with these settings, and give what the hits say."""
    with Recollect(path, clock=clock, **settings) as rc:
        return texts(rc.space("ana").recall(query))


@pytest.mark.parametrize("boost", ["importance", "pinned"])
def test_worth(tmp_path: Path, clock: FixedClock, boost: str) -> None:
    """Of two that fit alike, the more important or pinned one goes first; without that boost the newer one."""
    path = tmp_path / "memory.db"
    with Recollect(path, clock=clock) as rc:
        weighty = boost == "importance"
        rc.space("ana").remember("Tea grows in Assam.", importance=9 if weighty else 5, pinned=not weighty)
        rc.space("ana").remember("Tea grows in Ceylon.", importance=2 if weighty else 5)
    wanted = ["Tea grows in Assam.", "Tea grows in Ceylon."]
    others = {"salience": 0.0}  # pins and importance make salient too
    assert boosted(path, clock, "tea", boosts=others) == wanted
    assert boosted(path, clock, "tea", boosts=others | {boost: 0.0}) == wanted[::-1]


def test_relations(tmp_path: Path, clock: FixedClock) -> None:
    """Of two that fit alike, the one linked to a better hit goes first; without that boost the newer one."""
    path = tmp_path / "memory.db"
    with Recollect(path, clock=clock) as rc:
        ana = rc.space("ana")
        names = ("Assam", "Ceylon")
        best = ana.remember("Tea, tea and tea again.").id
        ids = [ana.remember(f"Tea grows in {name} beside the old railway line.").id for name in names]
        link = Connect(ids[0], best, "related_to", 0.9)
        rc._runtime.store.commit(Write(owner=ana.owner, at=clock.moment, node="test", changes=(link,)))
        hits = ana.recall("tea")
        assert (hits[0].memory.id, hits[1].memory.id) == (best, ids[0])
        assert hits[1].why["relations"].boost > 0
        assert "relations" not in hits[2].why
    assert boosted(path, clock, "tea", boosts={"relations": 0.0}) == [texts(hits)[at] for at in (0, 2, 1)]


def test_how_things_are_now(home: Recollect) -> None:
    """Asked how things are, the newer of two that say the same goes first; asked how they were, it is not lifted."""
    talk(home, "now", "My phone number is 555-0134.", "The fence is green.", session="s1")
    talk(home, "now", "I changed my phone number, it is 555-0178 now.", session="s2")
    home.run_jobs(["embed"])
    hits = home.space("now").recall("What is my phone number?", kinds="episode")
    assert "555-0178" in hits[0].memory.content
    assert "newer" in hits[0].why
    assert "newer" not in home.space("now").recall("What was my phone number before?", kinds="episode")[0].why


# Fusion


def test_fusion_by_rank(tmp_path: Path, clock: FixedClock) -> None:
    """By rank, a hit's score is what its places in the channels are worth, and nothing else."""
    with Recollect(tmp_path / "memory.db", clock=clock, fusion={"method": "rank"}, boosts={"recency": 0.0}) as rc:
        ana = rc.space("ana")
        for text in ("Tea with @mara.", "Tea and tea and more tea.", "Coffee with @mara in town today."):
            ana.observe("user", text)
        hits = ana.recall("tea with mara", kinds=[])
        assert len(hits) == 3
        assert set(hits[0].why) == {"words", "names"}
        assert texts(hits)[0] == "Tea with @mara."
        for hit in hits:
            assert hit.score == pytest.approx(sum(1 / (60 + one.rank) for one in hit.why.values() if one.score > 0))


def test_each_signal_can_be_left_out(home: Recollect, clock: FixedClock) -> None:
    """Each signal speaks for a hit, and with its name in `fusion.off` it is silent."""
    query = "Where in Faro does Zoe keep the boat these days, and what did she say of it last week?"
    now = home._runtime.now() - timedelta(days=5)
    for actor, text in (
        ("Zoe", "I keep the boat in Porto."),
        ("Tom", "Zoe moved the boat to @faro now."),
        ("Zoe", "Hm?"),
    ):
        home.space("zoe", session="z").observe("user", text, actor=actor, at=now)
    home.run_jobs(["embed"])
    question = "Where does Zoe keep the boat now?"
    everything = set(home.space("zoe").recall(query, kinds=[])[0].why)
    everything |= set(home.space("zoe").recall(question, kinds=[])[0].why)
    assert everything == set(SIGNALS)
    url = home.describe()["url"]
    for signal in SIGNALS:
        with Recollect(url, clock=home._runtime.clock, embedder="minilm", fusion={"off": (signal,)}) as rc:
            rc._runtime._embedders.update(home._runtime._embedders)  # the model is loaded once
            for asked in (query, question):
                for hit in rc.space("zoe").recall(asked, kinds=[]):
                    assert signal not in hit.why
            rc._runtime._embedders.clear()


def test_meaning_left_out(home: Recollect) -> None:
    """Without meaning, what shares no word is not found; without words it still is."""
    url = home.describe()["url"]
    for off, found in (("meaning", []), ("words", [FLAT])):
        with Recollect(url, clock=home._runtime.clock, embedder="minilm", fusion={"off": (off,)}) as rc:
            assert texts(rc.space("ana").recall("Where does she live?"))[:1] == found


# Why


def explained(space: Space, query: str, id: str, **conditions: Any) -> str:
    """Ask why a memory was not found, and give the answer in words."""
    told = space.explain(query, id, **conditions)
    assert not told.returned
    return told.text


def test_why_it_was_returned(ana: Space) -> None:
    """A returned memory is explained by its place and by the very reasons of the hit."""
    hit = ana.recall("Where does she live?")[0]
    told = ana.explain("Where does she live?", hit.memory.id)
    assert (told.returned, told.rank, told.score) == (True, 1, hit.score)
    assert dict(told.why) == dict(hit.why)
    assert told.excluded_by == ()
    assert told.text.startswith("Returned as number 1 of ")


def test_why_a_filter_held_it_back(home: Recollect) -> None:
    """Every condition a memory does not meet is named, and none that it meets."""
    fay = home.space("fay", session="s1")
    kept = fay.remember("Fay grows tomatoes.", importance=3, tags=["garden"]).id
    conditions: dict[str, Any] = {
        "kinds": "event", "sessions": ["s2"], "importance_min": 5, "tags": ["house"], "pinned": True, "topic": "roof",
    }  # fmt: skip
    for name, value in conditions.items():
        told = fay.explain("tomatoes", kept, **{name: value})
        assert [one.partition(" = ")[0] for one in told.excluded_by] == [name]
        assert f"does not pass the filter ({name} = " in told.text
        assert told.why["words"].score > 0
    told = fay.explain("tomatoes", kept, importance_min=2, tags=["house"], pinned=True)
    assert {one.partition(" = ")[0] for one in told.excluded_by} == {"tags", "pinned"}
    fay.forget(kept)
    assert explained(fay, "tomatoes", kept) == "Not returned: it does not pass the filter (states = active)."


def test_why_it_was_folded(home: Recollect) -> None:
    """A folded memory names the one that stands for it."""
    ids = talk(home, "fox", "The lighthouse is open.", "The lighthouse is open.")
    (hit,) = home.space("fox").recall("lighthouse", kinds="episode")
    (folded,) = set(ids) - {hit.memory.id}
    assert hit.memory.id in explained(home.space("fox"), "lighthouse", folded, kinds="episode")


def test_why_it_missed_the_limit(home: Recollect) -> None:
    """A memory below the limit is told its place."""
    gus = home.space("gus")
    for number in range(14):
        gus.remember(f"Ferry number {number} leaves at {number} o'clock.")
    last = gus.recall("ferry", limit=14)[-1].memory.id
    assert explained(gus, "ferry", last, limit=3) == (
        "Not returned: it ranks 14 of 14 candidates, and 3 were asked for."
    )


def test_why_it_was_no_candidate(ana: Space) -> None:
    """A memory that nothing speaks for is told so, with the similarity it would have needed."""
    ticket = next(hit.memory.id for hit in ana.recall("backup ticket") if hit.memory.content == TICKET)
    told = ana.explain("Where does she live?", ticket)
    assert (told.returned, told.rank) == (False, 0)
    assert told.why["meaning"].score < 0.2
    assert "no word or name of the query" in told.text
    assert "below 0.2" in told.text


def test_why_of_nothing(ana: Space) -> None:
    """There is no explanation for a memory that is not there."""
    with pytest.raises(NotFound):
        ana.explain("tea", "fact_unknown")


# Engines


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Space]]:
    """Give the space of one user on each engine, with vectors of the bundled model."""
    folder, clock = tmp_path_factory.mktemp("engines"), FixedClock()
    with ExitStack() as stack:
        source = stack.enter_context(Recollect(apart("sqlite", folder), clock=clock))
        fill(source, clock, 90)
        engines = [
            stack.enter_context(Recollect(apart(engine, folder), clock=clock, embedder="minilm"))
            for engine in ("sqlite", "mariadb", "postgresql")
        ]
        for rc in engines:  # all get their vectors in one go: a model's last digit hangs on what is beside a text
            source.copy_to(rc)
            rc.run_jobs(["embed"])
        yield [rc.space("ana", agent="helper", session="s0") for rc in engines]


def scored(space: Space, query: str, conditions: dict[str, Any]) -> list[tuple[str, float]]:
    """Ask one engine; what was used so far is written first, as it counts."""
    space._runtime.store.flush()
    return [(hit.memory.id, hit.score) for hit in space.recall(query, limit=10, **conditions)]


def test_engines_agree_on_meaning(spaces: list[Space]) -> None:
    """Sixty questions give the same memories in the same order with the same scores on every engine.

    Where meaning is compared by whole numbers, scores are equal to six digits; where pgvector compares, to two, and
    only what is nearer to each other than that may change places.
    """
    near = 0
    for query, conditions in queries()[::4][:60]:
        first, second, exact = (scored(space, query, conditions) for space in spaces)
        assert [(id, round(score, 6)) for id, score in second] == [(id, round(score, 6)) for id, score in first], query
        assert [score for _, score in exact] == pytest.approx([score for _, score in first], abs=0.03), query
        known = dict(first)
        for id, score in exact:
            assert known.get(id, first[-1][1] if first else 0.0) == pytest.approx(score, abs=0.03), query
        near += bool(first)
    assert near > 40


def test_few_cells_or_many(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clock: FixedClock) -> None:
    """Whether counts are laid out whole or only where they are looked at, the ranking is the same."""
    with Recollect(f"sqlite:///{tmp_path}/memory.db", clock=clock) as rc:
        ana = rc.space("ana")
        for number in range(60):
            talk = rc.space("ana", session=f"s{number // 12}")
            talk.observe(
                "user", f"note {number} about {'tea' if number % 3 else 'coffee'} and {number % 7} cups of milk"
            )
        query = "coffee with milk in cups"
        whole = [(hit.memory.id, hit.score) for hit in ana.recall(query, kinds=["episode"])]
        monkeypatch.setattr("recollect.rules.find.words.DENSE", 0)
        assert [(hit.memory.id, hit.score) for hit in ana.recall(query, kinds=["episode"])] == whole
        assert len(whole) == 10


def test_what_is_said_again_stands_once(tmp_path: Path, clock: FixedClock) -> None:
    """Of a sentence said three times the newest is found, and names the others."""
    with Recollect(f"sqlite:///{tmp_path}/memory.db", clock=clock) as rc:
        ana = rc.space("ana", session="s1")
        ids = [ana.observe("user", "The boiler was repaired.").id for _ in range(3)]
        (hit,) = ana.recall("boiler", limit=1, kinds=["episode"])
        assert sorted((hit.memory.id, *hit.folded)) == sorted(ids)


@pytest.mark.parametrize("word", ["war", "hat", "bin", "son", "war memoir"])
def test_a_common_word_of_another_language_finds_what_it_tells(ana: Space, word: str) -> None:
    """A word that is common elsewhere may be all that is asked here."""
    ana.remember(f"The {word} stands on the third shelf.")
    assert ana.recall(word)[0].memory.content == f"The {word} stands on the third shelf."


def test_a_brief_search_finds_the_same(tmp_path: Path, clock: FixedClock) -> None:
    """Who does not ask which repeats were folded gets the same hits with the same scores, and reads less."""
    with Recollect(f"sqlite:///{tmp_path}/memory.db", clock=clock) as rc:
        ana = rc.space("ana", session="s1")
        for number in range(80):
            ana.observe("user", f"The boiler was repaired, time {number // 3}.")
            if number % 4 == 0:
                ana.remember(f"Boiler number {number} is old.", importance=number % 10 + 1)
        where = Filter(owner=ana.owner, now=clock.moment, kinds=("fact", "episode"))
        for limit in (1, 5, 20, 60):
            whole, brief = (
                find(rc._runtime, "old boiler repaired", where, Wish(limit, brief=it)) for it in (False, True)
            )
            assert [(hit.memory, hit.score) for hit in brief] == [(hit.memory, hit.score) for hit in whole]
            assert len(brief) == min(limit, 47)
