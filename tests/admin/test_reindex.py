"""Another embedder: everything embedded anew while the old vectors serve, whatever happens meanwhile."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from recollect import Recollect, Report
from recollect.flows.admin.reindex import PROBE, SAMPLE, Estimate, Reindexed, _Sum
from recollect.flows.find import meaning, neighbours
from recollect.flows.find.neighbours import Joined
from recollect.jobs import embed as embedding
from recollect.model.change import Adopt, Committed, Write
from recollect.model.filter import Filter
from recollect.model.owner import owner_key
from recollect.serve.cli import reindex as command
from recollect.serve.cli import whole
from recollect.testing import FixedClock
from recollect.testing.endpoint import ScriptedEndpoint, word_vector
from tests.engines import apart

APP = whole()

FIRST, SECOND = "openai:first", "openai:second"
TWO = ("ana", "bob")
WORDS = ("tea", "rain", "jazz", "bread", "chess", "snow", "opera", "salt", "tango", "maps")


class Stop(Exception):
    """Somebody pulled the plug."""


@pytest.fixture
def server() -> Iterator[ScriptedEndpoint]:
    """Give an endpoint that knows every model."""
    with ScriptedEndpoint() as endpoint:
        yield endpoint


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make batches small, so that few memories are many batches."""
    monkeypatch.setattr(meaning, "BATCH", 4)


def settings(server: ScriptedEndpoint, **more: Any) -> dict[str, Any]:
    """Give the settings of an endpoint's embedders that do not wait."""
    return {"embedding": {"base_url": server.url, "retries": 0, **more}}


def opened(url: str, server: ScriptedEndpoint, model: str = FIRST, **more: Any) -> Recollect:
    """Open a database with one of the endpoint's models."""
    return Recollect(url, clock=FixedClock(), embedder=model, **settings(server, **more))


def fill(rc: Recollect, users: tuple[str, ...] = TWO) -> None:
    """Give each user ten messages with their vectors."""
    for user in users:
        for word in WORDS:
            rc.space(user, session="s1").observe("user", f"{user} spoke of {word}")
    rc.run_jobs(["embed"])


def vectors(rc: Recollect, user: str = "ana") -> tuple[str, dict[str, int]]:
    """Give the model that serves a user, and how many vectors there are of each."""
    with rc._runtime.store.view() as view:
        return view.counters(owner_key(user)).model, dict(view.embedded(owner_key(user)))


def asked(server: ScriptedEndpoint, model: str = SECOND) -> list[str]:
    """Give every text the endpoint was asked for by a model."""
    name = model.partition(":")[2]
    return [text for one in server.requests if one.body["model"] == name for text in one.body["input"]]


def found(rc: Recollect, query: str, user: str = "ana") -> list[str]:
    """Give what is found by meaning, however few words it shares with the query."""
    hits = rc.space(user).recall(query, 20, kinds=["episode", "fact"])
    return [hit.memory.content for hit in hits if "meaning" in hit.why and hit.why["meaning"].score > 0]


def ran(rc: Recollect, user: str) -> Report:
    """Run the job and give its report about one user."""
    return next(report for report in rc.run_jobs(["embed"]) if report.owner == owner_key(user))


def nearest(rc: Recollect) -> list[int]:
    """Give the documents of Ana's nearest to a vector, as many as there are."""
    where = Filter(owner=owner_key("ana"), now=FixedClock()())
    vector = np.asarray(word_vector("jazz", 32), dtype=np.float32)
    with rc._runtime.store.view() as view:
        return sorted(view.nearest(where, FIRST, vector, 100).docs.tolist())


def stop_at(count: int) -> Callable[[int], None]:
    """Give a progress that breaks off when so many are embedded."""

    def progress(done: int) -> None:
        if done >= count:
            raise Stop

    return progress


def sound(rc: Recollect) -> None:
    """Let the doctor look."""
    assert [finding for finding in rc.doctor() if not finding.ok] == []


def test_the_old_vectors_serve_until_the_new_ones_are_there(database: str, server: ScriptedEndpoint) -> None:
    """With another embedder set the old one is asked until the swap, then the new one, whose the vectors are."""
    with opened(database, server) as rc:
        fill(rc)
        before = found(rc, "ana spoke of jazz")
    with opened(database, server, SECOND) as rc:
        seen = []

        def watch(done: int) -> None:
            seen.append((done, vectors(rc)[0], found(rc, "ana spoke of jazz")))

        assert rc.reindex(watch) == Reindexed(SECOND, owners=2, memories=20)
        assert seen[:3] == [(done, FIRST, before) for done in (4, 8, 10)]
        assert len(before) == 10
        assert [vectors(rc, user) for user in TWO] == [(SECOND, {SECOND: 10})] * 2
        count = len(asked(server, FIRST))
        assert found(rc, "ana spoke of jazz") == before
        assert len(asked(server, FIRST)) == count
        assert rc.reindex() == Reindexed(SECOND)
        sound(rc)


def test_an_estimate_comes_first(database: str, server: ScriptedEndpoint) -> None:
    """It says how many memories and users of how many, how long their texts are, and from which model to which."""
    with opened(database, server) as rc:
        fill(rc)
    with opened(database, server, SECOND) as rc:
        rc.space("carl").observe("user", "Carl was just here.")
        texts = [f"{user} spoke of {word}" for user in TWO for word in WORDS] + ["Carl was just here."]
        tokens = sum(-(-len(text) // 4) for text in texts)
        requests = len(server.requests)
        wanted = Estimate(SECOND, {FIRST: 2, "": 1}, 3, 3, 21, 21, sum(map(len, texts)), tokens, None)
        assert rc.reindex_estimate() == wanted
        assert len(server.requests) == requests
        rc.reindex()
        assert rc.reindex_estimate() == Estimate(SECOND, {}, 0, 3, 0, 21, 0, 0, None)


def test_a_sample_is_spread_over_all_texts() -> None:
    """However many texts are counted, the sample holds some of the beginning, the middle and the end."""
    total = _Sum()
    for number in range(10_000):
        total.add(f"{number}")
    chosen = [int(text) for text in total.sample]
    assert SAMPLE <= len(chosen) < 2 * SAMPLE
    assert chosen == list(range(0, 10_000, chosen[1]))
    assert (total.texts, total.characters) == (10_000, 38_890)


def test_interrupted_it_goes_on(database: str, server: ScriptedEndpoint) -> None:
    """What an interrupted run embedded is not asked for again, and the old vectors serve until the next is through."""
    with opened(database, server) as rc:
        fill(rc)
    with opened(database, server, SECOND) as rc:
        for count in (4, 4):
            with pytest.raises(Stop):
                rc.reindex(stop_at(count))
        assert vectors(rc) == (FIRST, {FIRST: 10, SECOND: 8})
        assert rc.reindex_estimate().memories == 12
        assert rc.reindex() == Reindexed(SECOND, owners=2, memories=12)
        texts = asked(server)
        assert len(texts) - texts.count(PROBE) == len(set(texts) - {PROBE}) == 20
        assert vectors(rc) == (SECOND, {SECOND: 10})


@pytest.mark.parametrize("how", ["sqlite 503", "postgresql garbage", "mariadb nan", "sqlite zeros"])
def test_a_failing_endpoint(tmp_path: Path, server: ScriptedEndpoint, how: str) -> None:
    """It stops with what was done and why, the old vectors serve on, and the next run does the rest."""
    engine, name = how.split()
    database, fault = apart(engine, tmp_path), int(name) if name.isdecimal() else name
    with opened(database, server) as rc:
        fill(rc)
        before = found(rc, "ana spoke of jazz")
    with opened(database, server, SECOND) as rc:
        server.script("", "", *[fault] * 20)
        stopped = rc.reindex()
        assert (stopped.memories, stopped.owners, server.url.removesuffix("/v1") in stopped.problem) == (4, 0, True)
        server._faults.clear()
        assert vectors(rc) == (FIRST, {FIRST: 10, SECOND: 4})
        assert found(rc, "ana spoke of jazz") == before
    with opened(database, server, SECOND) as rc:
        assert rc.reindex() == Reindexed(SECOND, owners=2, memories=16)


def test_a_short_failure_is_no_failure(database: str, server: ScriptedEndpoint) -> None:
    """What one request failed to bring is asked for once more before anything is given up."""
    with opened(database, server) as rc:
        fill(rc)
    with opened(database, server, SECOND) as rc:
        server.script("", "", 503, "", "first-nan")
        assert rc.reindex() == Reindexed(SECOND, owners=2, memories=20)


def test_a_text_the_model_refuses(database: str, server: ScriptedEndpoint) -> None:
    """One text the model takes never does not keep the others from the swap; it is found by its words."""
    with opened(database, server) as rc:
        fill(rc)
    with opened(database, server, SECOND) as rc:
        server.refused = "jazz"
        assert rc.reindex() == Reindexed(SECOND, owners=2, memories=18, left=2)
        server.refused = ""
        assert vectors(rc) == (SECOND, {SECOND: 9})
        assert rc.space("ana").recall("jazz", kinds=["episode"])[0].memory.content == "ana spoke of jazz"
        assert rc.space("ana").coverage().waiting == 1
        assert rc.reindex() == Reindexed(SECOND, owners=2, memories=2)


def test_a_model_that_refuses_most(database: str, server: ScriptedEndpoint) -> None:
    """Where the new model has no vector for most memories, the old ones are not given up for it."""
    with opened(database, server) as rc:
        fill(rc)
    with opened(database, server, SECOND) as rc:
        server.refused = "spoke"
        rc.space("bob").remember_many([{"content": f"Bob keeps {word} number {n}."} for n, word in enumerate(WORDS)])
        assert rc.reindex() == Reindexed(SECOND, owners=1, memories=10, kept=1, left=10)
        assert vectors(rc) == (FIRST, {FIRST: 10})
        assert vectors(rc, "bob") == (SECOND, {SECOND: 10})


def test_others_write_meanwhile(database: str, server: ScriptedEndpoint) -> None:
    """New memories get vectors of the model that serves, and none is left without one of the new when it takes over."""
    with opened(database, server) as old, opened(database, server, SECOND) as rc:
        fill(old)
        steps: list[Any] = []

        def write(done: int) -> None:
            if len(steps) < 6:
                old.space("ana").remember(f"Ana keeps {WORDS[len(steps)]} number {len(steps)} in a box.")
                steps.append(ran(old, "ana").text)

        assert rc.reindex(write).memories == 26
        assert steps[0] == f"Embedded 1 memories with {FIRST}. Gave 1 facts their class."
        assert vectors(rc) == (SECOND, {SECOND: 16})
        assert rc.space("ana").coverage().waiting == 0
        sound(rc)


def test_what_comes_in_the_moment_of_the_swap(
    database: str, server: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A memory written between the last look and the swap gets its vector too, and a job looks once more later."""
    with opened(database, server) as old, opened(database, server, SECOND) as rc:
        fill(old, ("ana",))
        store = rc._runtime.store
        commit = store.commit

        def slow(write: Write) -> Committed:
            if any(isinstance(change, Adopt) for change in write.changes):
                old.space("ana").observe("user", "ana came in the last moment")
                old.run_jobs(["embed"])
            return commit(write)

        monkeypatch.setattr(store, "commit", slow)
        assert rc.reindex() == Reindexed(SECOND, owners=1, memories=11)
        assert vectors(rc) == (SECOND, {SECOND: 11})
        assert [job.name for job in rc.space("ana").jobs() if job.name == "embed"] == ["embed"]


def test_an_owner_erased_meanwhile_does_not_come_back(database: str, server: ScriptedEndpoint) -> None:
    """Vectors on their way to somebody who was erased bring nothing of them back, not even the name."""
    with opened(database, server) as old, opened(database, server, SECOND) as rc:
        fill(old)

        def erase(done: int) -> None:
            if ("", "ana") in old.owners():
                old.space("ana").erase(everything=True)

        assert rc.reindex(erase) == Reindexed(SECOND, owners=1, memories=14)
        assert rc.owners() == [("", "bob")]
        assert vectors(rc) == ("", {})


def test_two_runs_at_once(database: str, server: ScriptedEndpoint) -> None:
    """A run that another one overtakes finds nothing left to do and breaks nothing."""
    with opened(database, server) as old, opened(database, server, SECOND) as rc:
        fill(old)
        with opened(database, server, SECOND) as other:
            overtaken: list[Reindexed] = []

            def overtake(done: int) -> None:
                if not overtaken:
                    overtaken.append(other.reindex())

            rc.reindex(overtake)
        assert overtaken == [Reindexed(SECOND, owners=2, memories=16)]
        assert [vectors(rc, user) for user in TWO] == [(SECOND, {SECOND: 10})] * 2
        sound(rc)


def test_without_an_embedder_there_is_nothing_to_do(database: str, server: ScriptedEndpoint) -> None:
    """Set to none, the vectors stay unless they are dropped; then there are none, and words find all the same."""
    with opened(database, server) as rc:
        fill(rc)
    with opened(database, server, "none") as rc:
        assert rc.reindex_estimate() == Estimate("", {}, 0, 2, 0, 20, 0, 0, None)
        assert rc.reindex() == Reindexed("")
        assert vectors(rc) == (FIRST, {FIRST: 10})
        assert rc.reindex(drop=True) == Reindexed("", owners=2, memories=20)
        assert vectors(rc) == ("", {})
        assert rc.reindex(drop=True) == Reindexed("")
        assert rc.space("ana").recall("jazz", kinds=["episode"])[0].memory.content == "ana spoke of jazz"
        sound(rc)


def test_a_change_of_mind(database: str, server: ScriptedEndpoint) -> None:
    """Set back to the old model half way, what was made for the other goes, and no memory is embedded again."""
    with opened(database, server) as rc:
        fill(rc)
    with opened(database, server, SECOND) as rc, pytest.raises(Stop):
        rc.reindex(stop_at(8))
    with opened(database, server) as rc:
        before = asked(server, FIRST)
        assert rc.reindex() == Reindexed(FIRST, owners=1)
        assert (vectors(rc), asked(server, FIRST)) == ((FIRST, {FIRST: 10}), [*before, PROBE])


def test_who_looked_before_follows(database: str, server: ScriptedEndpoint) -> None:
    """Somebody who has the vectors in memory finds each memory once after a model came back, by its vector of now."""
    with opened(database, server) as reader:
        for _ in range(4):
            fill(reader, ("ana",))
        before = nearest(reader)
        for model in (SECOND, FIRST):
            with opened(database, server, model) as rc:
                rc.reindex()
        assert nearest(reader) == before
        assert len(before) == 40


def test_a_memory_forgotten_meanwhile(database: str, server: ScriptedEndpoint) -> None:
    """What was out of sight during a reindex gets its vector when it is restored."""
    with opened(database, server) as rc:
        kept = rc.space("ana").remember("Ana collects old maps.")
        rc.run_jobs(["embed"])
        rc.space("ana").forget(kept.id)
        fill(rc, ("ana",))
    with opened(database, server, SECOND) as rc:
        assert rc.reindex().memories == 10
        rc.space("ana").restore(kept.id)
        rc.run_jobs()
        assert vectors(rc) == (SECOND, {SECOND: 11})


def test_the_bundled_model(tmp_path: Path, server: ScriptedEndpoint) -> None:
    """To the model in the process an estimate says how long it takes, and meaning is found afterwards."""
    url = apart("sqlite", tmp_path)
    with opened(url, server) as rc:
        fill(rc, ("ana",))
    with Recollect(url, clock=FixedClock(), embedder="minilm") as rc:
        cost = rc.reindex_estimate()
        assert (cost.memories, cost.problem) == (10, "")
        assert cost.seconds is not None
        assert cost.seconds > 0
        assert rc.reindex() == Reindexed("minilm-l6-v2", owners=1, memories=10)
        assert found(rc, "music")[0] in ("ana spoke of jazz", "ana spoke of opera", "ana spoke of tango")


# The job's second half


def told(rc: Recollect) -> tuple[Mapping[str, int], str]:
    """Run the job and give its numbers and its text."""
    report = ran(rc, "ana")
    return report.numbers, report.text


def related(rc: Recollect, memory_id: str) -> dict[str, float]:
    """Give what a memory is linked to as related, with the strength."""
    links = rc.space("ana").links(memory_id)
    return {link.to_id: link.strength for link in links if link.type == "related_to" and link.from_id == memory_id}


def test_the_job_links_what_the_gate_could_not(
    database: str, server: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memories embedded later are linked to the nearest, stored or of the same batch, with their vectors."""
    monkeypatch.setattr(meaning, "BATCH", 128)
    with opened(database, server) as rc:
        ana = rc.space("ana", session="s1")
        one = ana.remember("Ana drinks green tea at breakfast.").id
        text = f"Embedded 1 memories with {FIRST}. Gave 1 facts their class."
        assert told(rc) == ({"links": 0, "repeated": 0, "classed": 1}, text)
        two = ana.remember("Ana drinks green tea at work too.").id
        far = ana.remember("Submarines rust below Murmansk.").id
        said = ana.observe("user", "Ana drinks green tea at breakfast.").id
        slot = ana.remember("Ana drinks green tea at breakfast here.", key="drink").id
        three = ana.remember("Ana drinks green tea at night and at work.").id
        rev = ana.stats().rev
        numbers, text = told(rc)
        assert numbers == {"links": 4, "repeated": 0, "classed": 3}
        assert (
            text == f"Embedded 5 memories with {FIRST}. Linked them 4 times to what is near. Gave 3 facts their class."
        )
        assert ana.stats().rev == rev + 2  # links, and classes
        assert related(rc, two).keys() == {one}
        assert related(rc, three).keys() == {one, two, slot}
        assert all(0.5 <= strength <= 1 for strength in related(rc, three).values())
        assert [related(rc, other) for other in (one, far, said, slot)] == [{}, {}, {}, {}]
        assert {entry.actor for entry in ana.journal(rev)} == {"embed"}
        sound(rc)


def test_no_more_than_the_five_nearest(database: str, server: ScriptedEndpoint) -> None:
    """However many are near, a memory is linked to the five nearest of them."""
    with opened(database, server) as rc:
        for number in range(9):
            rc.space("ana").remember(f"Ana keeps the old brown jar {number} of plum jam on shelf {number}.")
        last = rc.space("ana").remember("Ana keeps the old brown jar 12 of plum jam on shelf 12.").id
        told(rc)
        strengths = related(rc, last)
        assert len(strengths) == 5
        assert min(strengths.values()) > 0.5


@pytest.mark.parametrize("times", [1, 5])
def test_a_neighbour_that_goes_meanwhile(
    database: str, server: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """A neighbour forgotten or changed on and on while the job looks is not linked; the endpoint is asked once."""
    with opened(database, server) as rc:
        ana = rc.space("ana")
        gone = ana.remember("Ana drinks green tea at breakfast.").id
        told(rc)
        stays = ana.remember("Ana drinks green tea at work too.").id
        look, left = neighbours.joined, [times]

        def slow(*args: Any) -> Joined:
            result = look(*args)
            if left[0]:
                left[0] -= 1
                if times == 1:
                    ana.forget(gone)
                else:
                    ana.rate(gone, left[0] + 1)
            return result

        monkeypatch.setattr(embedding, "joined", slow)
        requests = len(server.requests)
        assert told(rc)[0] == {"links": 0, "repeated": 0, "classed": 1}
        assert len(server.requests) == requests + 1
        assert related(rc, stays) == {}
        assert vectors(rc) == (FIRST, {FIRST: 2})
        sound(rc)


# Copies and imports


@pytest.mark.parametrize("pair", ["sqlite postgresql", "postgresql mariadb", "mariadb sqlite"])
def test_a_copy_carries_vectors(tmp_path: Path, server: ScriptedEndpoint, pair: str) -> None:
    """Between any two engines vectors arrive with their memories, even half way to another model; nobody is asked."""
    source, target = (apart(engine, tmp_path) for engine in pair.split())
    with opened(source, server) as rc:
        fill(rc)
        rc.space("ana").erase(rc.space("ana").list(kinds=["episode"], order="oldest")[2].id)
    with opened(source, server, SECOND) as rc, pytest.raises(Stop):
        rc.reindex(stop_at(8))
    with opened(source, server) as one, opened(target, server) as other:
        requests = len(server.requests)
        copied = one.copy_to(other)
        assert len(server.requests) == requests
        assert vectors(other) == vectors(one) == (FIRST, {FIRST: 8, SECOND: 8})  # the one behind it waits for a new one
        assert one.copy_to(other).checksum == copied.checksum
        hits = [
            [(hit.memory.id, round(hit.score, 3)) for hit in rc.space("ana").recall("jazz", kinds=["episode"])]
            for rc in (one, other)
        ]
        assert hits[0] == hits[1]
        assert found(other, "ana spoke of jazz") == found(one, "ana spoke of jazz")
        sound(other)


def test_a_copy_cut_off_between_vectors(
    database: str, tmp_path: Path, server: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut off among the vectors, the next run brings the rest, and what has arrived stays."""
    monkeypatch.setattr("recollect.flows.admin.copy.VECTORS", 4)
    with opened(apart("sqlite", tmp_path), server) as one, opened(database, server) as other:
        fill(one, ("ana",))
        commit, left = other._runtime.store.commit, [2]

        def cut(write: Write) -> Committed:
            if any(type(change).__name__ == "Embed" for change in write.changes):
                left[0] -= 1
                if left[0] < 0:
                    raise Stop
            return commit(write)

        monkeypatch.setattr(other._runtime.store, "commit", cut)
        with pytest.raises(Stop):
            one.copy_to(other)
        assert vectors(other) == (FIRST, {FIRST: 8})
        left[0] = 99
        one.copy_to(other)
        assert vectors(other) == (FIRST, {FIRST: 10})
        sound(other)


def test_an_import_is_embedded_by_a_job(database: str, tmp_path: Path, server: ScriptedEndpoint) -> None:
    """After an import the job is due, makes the vectors, and adds no link that was not there."""
    with opened(apart("sqlite", tmp_path), server) as one, (tmp_path / "all.jsonl").open("w") as out:
        fill(one)
        ana = one.space("ana")
        first = ana.remember("Ana keeps the old brown jar of plums on the shelf.").id
        ana.forget(first)
        second = ana.remember("Ana keeps the old brown jar of salt on the shelf.").id
        ran(one, "ana")
        ana.restore(first)  # embedded last, so it is the first that is linked to the second
        ran(one, "ana")
        assert related(one, first).keys() == {second}
        one.export(out)
    with opened(database, server) as rc:
        rc.import_file(tmp_path / "all.jsonl")
        before = exported(rc)
        assert [[job.name for job in rc.space(user).jobs() if job.name == "embed"] for user in TWO] == [["embed"]] * 2
        rc.run_jobs()
        assert [vectors(rc, user)[1] for user in TWO] == [{FIRST: 12}, {FIRST: 10}]
        assert exported(rc) == before


def exported(rc: Recollect) -> list[str]:
    """Give the lines of an export but the jobs and the end, which counts them."""
    out = io.StringIO()
    rc.export(out)
    lines = out.getvalue().splitlines()
    return [line for line in lines if json.loads(line)["type"] not in ("job", "end")]


# At the command line


@pytest.fixture
def run(tmp_path: Path, server: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Give a function that runs a command with the second model set, over a file filled by the first."""
    database = apart("sqlite", tmp_path)
    with opened(database, server) as rc:
        fill(rc)
    for name, value in (("EMBEDDER", SECOND), ("EMBEDDING__BASE_URL", server.url), ("EMBEDDING__RETRIES", "0")):
        monkeypatch.setenv(f"RECOLLECT_{name}", value)

    def invoke(*args: str, **more: Any) -> Any:
        return CliRunner().invoke(APP, [*args, "--db", database], catch_exceptions=False, **more)

    return invoke


def test_the_command(run: Callable[..., Any]) -> None:
    """It estimates, embeds, and says that nothing is left; status and doctor say what stands in between."""
    told = run("status", "--user", "ana")
    assert f"10 vectors of {FIRST}, 0 memories wait" in told.stdout
    assert f"warning: the embedder that is set is {SECOND}, but the vectors are {FIRST}'s: run recollect reindex" in (
        told.stderr
    )
    sick = run("doctor")
    assert sick.exit_code == 1
    assert f"wrong vectors: 2 users not served by {SECOND}, the embedder that is set (20 vectors of" in sick.stdout
    assert "recollect reindex" in sick.stdout
    cost = run("reindex", "--estimate")
    assert f"from {FIRST} to {SECOND}: 20 of 20 memories, 2 of 2 users; " in cost.stdout
    assert run("status", "--user", "ana", "--json").stdout == run("status", "--user", "ana", "--json").stdout
    done = run("reindex", "--yes")
    assert (done.exit_code, done.stdout) == (0, f"embedded 20 memories with {SECOND}; 2 users are done\n")
    assert run("reindex").stdout == f"all 20 memories of 2 users have their vector of {SECOND}\n"
    well = run("doctor")
    assert (well.exit_code, f"ok    vectors: 20 vectors of {SECOND}, 0 memories wait" in well.stdout) == (0, True)


def test_the_command_in_json(run: Callable[..., Any], server: ScriptedEndpoint) -> None:
    """Its estimate, what it did and what went wrong are plain data; a failure has its exit code."""
    assert json.loads(run("reindex", "--estimate", "--json").stdout)["serving"] == {FIRST: 2}
    server.script(*[503] * 9)
    failed = run("reindex", "--json")
    assert (failed.exit_code, json.loads(failed.stdout)["memories"]) == (4, 0)
    assert "503" in json.loads(failed.stdout)["problem"]
    server._faults.clear()
    assert json.loads(run("reindex", "--json").stdout)["owners"] == 2
    assert json.loads(run("reindex", "--json").stdout)["owners"] == 0
    answer = json.loads(run("status", "--user", "ana", "--json").stdout)["meaning"]
    assert answer == {"model": SECOND, "wanted": SECOND, "embedded": 10, "waiting": 0, "problem": ""}


def test_the_command_asks(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal it asks first, and a no changes nothing; dropping is never done without being asked for."""
    assert run("reindex", "--drop").exit_code == 2
    assert run("reindex", "--drop", "--estimate").exit_code == 2
    monkeypatch.setattr(command, "at_terminal", lambda: True)
    for args in (["reindex"], ["reindex", "--drop"]):
        assert run(*args, input="n\n").exit_code == 4
    assert f"10 vectors of {FIRST}" in run("status", "--user", "ana").stdout
    assert run("reindex", input="y\n").exit_code == 0
    assert f"10 vectors of {SECOND}" in run("status", "--user", "ana").stdout
    dropped = run("reindex", "--drop", input="y\n")
    assert dropped.stdout.endswith("took 20 vectors of 2 users away; what is there is found by its words\n")
    assert f"0 vectors of {SECOND}, 10 memories wait" in run("status", "--user", "ana").stdout


def test_without_an_embedder_the_command_says_so(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Set to none there is nothing to do, and status says that the vectors are not used."""
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    assert "nothing to do" in run("reindex").stdout
    assert "not used: no embedder is set" in run("status", "--user", "ana").stdout
    assert run("doctor").exit_code == 0
