"""Erasing: afterwards no byte of what was erased is in any file, and nothing of anybody else is missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from recollect import NotFound, Receipt, Recollect, Space
from recollect.model.change import Connect, Write
from recollect.model.kinds import STATES
from recollect.testing.contract import together
from recollect.text.terms import stem
from tests.patience import PATIENCE

NONCES = {
    "content": "Zorblaxings",
    "topic": "Quuxnatories",
    "tag": "Frobnicators",
    "attribute": "Wibblewobbling",
    "attribute key": "Snarkattributes",
    "session": "Blorptimisation",
    "actor": "Grumbleduking",
    "correction": "Flimflammings",
    "derived": "Thingumajigged",
    "name": "Vexatron",
    "key": "Kwyjibotics",
    "role": "Yadayadaring",
    "category": "Hornswoggling",
    "request": "Razzmatazzing",
}
"""One word for each place where text may stand."""

READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("BEGIN")
connection.execute("SELECT COUNT(*) FROM memories").fetchone()
print("reading", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
connection.close()
"""


def forms(word: str) -> set[bytes]:
    """Give the forms a word may be stored in."""
    folded = word.casefold()
    return {form.encode() for form in (word, folded, stem(folded, "english"), word.upper())}


def traces(folder: Path, words: dict[str, str] = NONCES) -> set[str]:
    """Say which of the nonce words stand in any file of a folder."""
    whole = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    return {place for place, word in words.items() if any(form in whole for form in forms(word))}


@contextmanager
def reader(path: Path) -> Iterator[None]:
    """Let another process hold a read transaction."""
    command = [sys.executable, "-c", READER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "reading\n"
        try:
            yield
        finally:
            process.stdin.write("\n")
            process.stdin.close()
            process.wait(timeout=PATIENCE)


@pytest.fixture(params=[True, False], ids=["secure_delete", "no secure_delete"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Recollect]:
    """Open a memory that does, or does not, overwrite deleted rows by itself."""
    waits = 0.2 if "reader" in request.node.name else PATIENCE  # where nobody is in the way, nobody is given up on
    settings = {"secure_delete": request.param, "scrub_seconds": waits}
    with Recollect(f"sqlite:///{tmp_path}/memory.db", sqlite=settings) as rc:
        yield rc


def plant(rc: Recollect) -> tuple[Space, str]:
    """Put every nonce word into one owner's memory, among many plain ones, and give the fact's id."""
    n = NONCES
    for user in ("bob", "Ana", "ana "):
        rc.space(user).remember(f"{user} keeps a parrot called Polly.", topic="pets")
    space = rc.space("ana", session=n["session"])
    for number in range(30):
        rc.space("ana", session="plain").observe("user", f"Plain message {number} about the weather and the garden.")
    space.observe(n["role"], f"I saw {n['content']} with @{n['name']}.", actor=n["actor"], request_id=n["request"])
    fact = space.remember(
        f"They say {n['content']} sing to @{n['name']}.",
        topic=n["topic"],
        tags=[n["tag"]],
        attributes={n["attribute key"]: ["x", {"deep": f"line\n{n['attribute']} by {n['name']}"}]},
        actor=n["actor"],
        category=n["category"],
        request_id=f"{n['request']} 2",
    )
    corrected = space.correct(
        fact.id, f"They say {n['correction']} sing to @{n['name']}.", request_id=f"{n['request']}3"
    )
    space.pin(corrected.id)
    space.remember(f"A slot about {n['name']}", key=n["key"], private=True, actor=n["actor"])
    derived = space.remember(f"All {n['derived']} follow from that.", kind="summary")
    link = Connect(derived.id, corrected.id, "derived_from")
    runtime = rc._runtime
    runtime.store.commit(Write(owner=space.owner, at=runtime.now(), node="test", changes=(link,)))
    rc.space("ana", session=n["session"]).recall(n["content"])
    return space, fact.id


def others_are_whole(rc: Recollect) -> None:
    """Hold what the other owners have against what was planted, and the whole against itself."""
    for user in ("bob", "Ana", "ana "):
        assert [memory.content for memory in rc.space(user).list()] == [f"{user} keeps a parrot called Polly."]
    assert all(finding.ok for finding in rc.doctor())


def test_planting_is_seen(house: Recollect, tmp_path: Path) -> None:
    """Before anything is erased every planted word but those never stored is found in the files."""
    plant(house)
    assert set(NONCES) - traces(tmp_path) == {"request", "category"}


def memory(space: Space, fact: str) -> Receipt:
    """Erase one memory."""
    return space.erase(fact)


def session(space: Space, fact: str) -> Receipt:
    """Erase a session."""
    return space.erase(session=NONCES["session"])


def entity(space: Space, fact: str) -> Receipt:
    """Erase an entity."""
    return space.erase(entity=f"@{NONCES['name'].upper()}")


def everything(space: Space, fact: str) -> Receipt:
    """Erase an owner."""
    return space.erase(everything=True)


KEPT: dict[Callable[[Space, str], Receipt], set[str]] = {
    memory: {"content", "session", "actor", "role", "name", "key"},  # the message and the slot still say so
    session: set(),
    entity: {"session"},  # the session itself stays known
    everything: set(),
}


@pytest.mark.parametrize("wish", KEPT, ids=lambda wish: wish.__name__)
def test_erased_words_are_in_no_file(house: Recollect, tmp_path: Path, wish: Callable[[Space, str], Receipt]) -> None:
    """With nobody reading, every trace is gone when the receipt says scrubbed."""
    space, fact = plant(house)
    receipt = wish(space, fact)
    assert (receipt.outcome, receipt.op, receipt.scrub) == ("stored", "erased", "scrubbed")
    assert traces(tmp_path) <= KEPT[wish]
    others_are_whole(house)
    house.close()
    assert traces(tmp_path) <= KEPT[wish]


@pytest.mark.parametrize("wish", [memory, everything], ids=lambda wish: wish.__name__)
def test_a_reader_delays_the_scrub(house: Recollect, tmp_path: Path, wish: Callable[[Space, str], Receipt]) -> None:
    """While another process reads, the receipt says pending; the job finishes once the reader has ended."""
    space, fact = plant(house)
    with reader(tmp_path / "memory.db"):
        receipt = wish(space, fact)
        assert receipt.scrub == "pending"
        (report,) = house.run_jobs(["scrub"])
        assert report.status == "skipped"
        with pytest.raises(NotFound):
            space.get(fact)
    (report,) = house.run_jobs(["scrub"])
    assert (report.status, report.changed) == ("ok", 1)
    assert traces(tmp_path) <= KEPT[wish]
    others_are_whole(house)
    assert [report for report in house.run_jobs() if report.job == "scrub"] == []


def test_a_lone_memory_leaves_nothing(house: Recollect, tmp_path: Path) -> None:
    """Who saved it, in which session and under which request goes with the memory; an opened session stays."""
    n = NONCES
    plain = {"topic": n["topic"], "tags": [n["tag"]], "attributes": {n["attribute key"]: n["attribute"]}}
    space = house.space("ana", session=n["session"])
    (saved,) = space.remember_many(
        [{"content": n["content"], "actor": n["actor"], "category": n["category"], **plain}], request_id=n["request"]
    )
    space.rate(saved.id, 9, request_id=f"{n['request']} 2")
    space.erase(saved.id)
    assert traces(tmp_path) == set()
    said = space.observe(n["role"], n["content"], actor=n["actor"], request_id=n["request"] + "3")
    space.erase(said.id)
    assert traces(tmp_path) == {"session"}
    space.erase(session=n["session"])
    assert traces(tmp_path) == set()


def test_a_session_known_only_by_its_facts(house: Recollect, tmp_path: Path) -> None:
    """A session in which facts were saved but nothing was said can be erased too, with its pins on other facts."""
    other = house.space("ana").remember("Ana likes tea.")
    space = house.space("ana", session=NONCES["session"])
    space.remember("Ana has a cat.")
    space.pin(other.id, request_id="r")
    assert space.erase(session=NONCES["session"]).count == 1
    assert traces(tmp_path) == set()
    assert [memory.id for memory in space.list()] == [other.id]


def test_no_room_to_scrub(tmp_path: Path) -> None:
    """When the disk has no room for scrubbing, the rows are gone, the receipt says pending, and a job will do it."""
    code = """
import resource, signal, sys
from recollect import Recollect
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
rc = Recollect(sys.argv[1])
ana = rc.space("ana")
for n in range(60):
    ana.observe("user", f"{n} " + "plain talk " * 2000)
secret = ana.observe("user", "A word about Zorblaxings.").id
rc.close()
rc = Recollect(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, resource.RLIM_INFINITY))
ana = rc.space("ana")
print(ana.erase(secret).scrub)
print([report.status for report in rc.run_jobs(["scrub"])])
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print([report.status for report in rc.run_jobs(["scrub"])], ana.stats().total)
"""
    command = [sys.executable, "-c", code, f"sqlite:///{tmp_path}/memory.db"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.splitlines() == ["pending", "['failed']", "['ok'] 60"], done.stderr
    assert traces(tmp_path) == set()


def test_a_memory_goes_with_its_story(house: Recollect) -> None:
    """Whichever link of a chain is erased, what it replaced, what replaced it and what was derived go too."""
    space, fact = plant(house)
    (current,) = [one for one in space.list() if NONCES["correction"] in one.content]
    receipt = space.erase(current.id)
    assert receipt.count == 3
    for gone in (fact, current.id):
        with pytest.raises(NotFound):
            space.get(gone)
        told = [entry for entry in space.history(gone) if entry.before or entry.meta or entry.actor]
        assert [(entry.op, sorted(entry.meta or {})) for entry in told] == [("erased", ["doc"])]
    with pytest.raises(NotFound):
        space.erase(fact)
    others_are_whole(house)


def test_what_was_derived_goes_with_what_tells_it_on(house: Recollect) -> None:
    """A summary that goes on with another's words, and what was merged of a part, go with what they were made of."""
    ana, runtime = house.space("ana", session="s"), house._runtime
    first, second = ana.observe("user", "It rains.").id, ana.observe("user", "It snows.").id
    old, new = (ana.remember(text, kind="summary").id for text in ("It rained.", "It rained, then it snowed."))
    part, other = (ana.remember(text).id for text in ("The Zorblaxings are wet.", "The harbour is in the south."))
    links = [Connect(old, first, "derived_from"), Connect(new, second, "derived_from"), Connect(new, old, "supersedes")]
    links += [Connect(part, first, "derived_from")]
    runtime.store.commit(Write(owner=ana.owner, at=runtime.now(), node="test", changes=tuple(links)))
    ana.merge([part, other])
    kept = ana.remember("The sails are white.").id
    assert ana.erase(first).count == 6
    assert {one.id for one in ana.list(kinds=["episode", "summary", "fact"], states=STATES)} == {second, kept}


def test_a_retry_after_erasing_tells_no_text(house: Recollect) -> None:
    """The receipt of an erased memory's request is still answered, and the memory is not stored again."""
    space, fact = plant(house)
    space.erase(fact)
    again = space.remember("Whatever it was.", request_id=f"{NONCES['request']} 2")
    assert again.id == fact
    with pytest.raises(NotFound):
        space.get(fact)


def test_an_entity_goes_where_it_was_not_recognised(house: Recollect) -> None:
    """A name in lower case, in a tag or deep in attributes is erased with the entity; a longer name is not."""
    ana = house.space("ana")
    ana.remember("We met @Vexatron again.")
    for details in (
        {"content": "a word on vexatron, in passing"},
        {"content": "Tagged.", "tags": ["vexatron"]},
        {"content": "With attributes.", "attributes": {"a": [{"b": "first\nVEXATRON"}]}},
        {"content": "With a key in attributes.", "attributes": {"Vexatron": 1}},
        {"content": "By somebody.", "actor": "vexatron"},
    ):
        assert ana.remember_many([details])[0].outcome == "stored"
    kept = ana.remember("The vexatrons are a band.").id
    assert ana.erase(entity="vexatron").count == 6
    assert [memory.id for memory in ana.list()] == [kept]
    assert ana.entity("vexatron") is None


def test_erasing_everything_forgets_the_owner(house: Recollect) -> None:
    """An erased owner is not even a name, and can start over."""
    space, _ = plant(house)
    assert space.erase(everything=True).count == 35
    assert ("", "ana") not in house.owners()
    assert (space.journal(), space.sessions(), space.jobs(), space.stats().rev) == ([], [], [], 0)
    with pytest.raises(NotFound):
        space.erase(everything=True)
    assert space.remember("A new start.").rev == 1


def test_writing_goes_on_while_erasing(house: Recollect) -> None:
    """Others write during an erase; nobody's words are lost and no erased one comes back."""
    space, fact = plant(house)
    bob = house.space("bob")
    jobs: list[Callable[[], Any]] = [lambda: space.erase(fact)]
    jobs += [partial(bob.remember, f"Bob wrote note number {n}.") for n in range(6)]
    answers = together(jobs)
    assert answers[0].op == "erased"
    assert {one.outcome for one in answers[1:]} == {"stored"}
    assert bob.stats().total == 7
    assert all(finding.ok for finding in house.doctor())
