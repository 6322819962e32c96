"""Rows of the seeds that were built otherwise than promised, each by its number, and what was mended beside them."""

from __future__ import annotations

import ast
import ctypes
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import ConfigError, InvalidInput, NotFound, Recollect, Space, Unavailable
from recollect.model.change import Reach, Write
from recollect.model.entity import Mention
from recollect.rules.privacy.secrets import redacted
from recollect.testing import FixedClock
from recollect.testing.contract import make, put

WORKED = Path(__file__).parents[2] / "recollect"
KEY, SECRET = "AKIA" + "IOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"


# The rows


def test_001_10_a_new_session_makes_all_earlier_ones_due(rc: Recollect, clock: FixedClock) -> None:
    """However many are open and whosever they are, all but the new one are due at once."""
    for number in range(25):
        rc.space("ana", "planner" if number % 2 else "executor", f"s{number}").observe(
            "user", f"Step {number} is done."
        )
    rc.space("ben", "planner", "b1").observe("user", "I am somebody else.")
    rc.run_jobs()
    for number in range(25):
        rc.space("ana", "planner" if number % 2 else "executor", f"s{number}").observe("user", "One word more.")
    clock.advance(minutes=1)
    rc.space("ana", "critic", "new").observe("user", "Where are we?")
    due = {job.key for job in rc.space("ana").jobs() if job.name == "consolidate" and job.due_at <= clock()}
    assert due == {f"s{number}" for number in range(25)}
    assert [job.key for job in rc.space("ben").jobs() if job.name == "consolidate" and job.due_at <= clock()] == []


class Plants:
    """A reader of names of one's own: it knows two plants."""

    def find(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Give the plants each text names."""
        return [
            [Mention(found[0].lower(), "plant", *found.span()) for found in re.finditer("(?i)fern|monstera", text)]
            for text in texts
        ]


class Broken:
    """A reader of names that fails."""

    def find(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Fail."""
        raise RuntimeError("out of ink")


def test_001_27_a_reader_of_names_of_ones_own(tmp_path: Path, clock: FixedClock) -> None:
    """Beside patterns, spaCy and a model stands whatever one brings, as it is written or at night; one that fails
    is passed over, one that is not there is told at once."""
    own = f"{__name__}:Plants"
    with Recollect(tmp_path / "fast.db", entities={"fast": ("regex", own)}) as rc:
        rc.space("ana").remember("Ana waters the Monstera.")
        found = rc.space("ana").entity("monstera")
        assert found is not None
        assert found.entity.type == "plant"
    with Recollect(tmp_path / "night.db", clock=clock, entities={"accurate": (own, f"{__name__}:Broken")}) as rc:
        rc.space("ana").remember("Ana bought a fern.")
        assert rc.space("ana").entity("fern") is None
        (report,) = rc.run_jobs(["enrich"])
        assert "RuntimeError: out of ink" in report.text
        assert rc.space("ana").entity("fern") is not None
    for wrong in ("nowhere.at_all:Plants", f"{__name__}:Missing", f"{__name__}:WORKED"):
        with pytest.raises(ConfigError, match="reader of names"):
            Recollect(tmp_path / "wrong.db", entities={"fast": (wrong,)})
    with pytest.raises(ConfigError, match=r"package\.module:name"):
        Recollect(tmp_path / "wrong.db", entities={"fast": ("patterns",)})


def test_002_28_a_slot_is_found_and_shown_by_its_key(ana: Space, rc: Recollect) -> None:
    """What was saved as user_timezone is found by these words in a later session, and shown with its name, once."""
    ana.remember("PST", key="user_timezone")
    later = rc.space("ana", session="s2")
    for query in ("user timezone", "user_timezone", "timezone"):
        assert [hit.memory.content for hit in later.recall(query)] == ["PST"]
    shown = str(later.context("What is the user timezone?"))
    assert shown.count("user_timezone: PST") == 1
    assert shown.count("PST") == 1


def test_003_29_below_three_of_five_a_memory_expires(tmp_path: Path, clock: FixedClock) -> None:
    """With seed 003's preset a fact of the usual importance expires after sixty days without use, a weightier stays."""
    with Recollect(tmp_path / "m.db", clock=clock, retention={"preset": "expiring"}) as rc:
        ana = rc.space("ana")
        plain, weighty = ana.remember("Ana had toast.").id, ana.remember("Ana sold the bakery.", importance=6).id
        clock.advance(days=61)
        rc.run_jobs(["ttl"])
        assert (ana.get(plain).state, ana.get(weighty).state) == ("deleted", "active")
        assert ana.get(plain).purge_at == clock() + timedelta(days=30)


def test_003_40_what_shows_nothing_is_empty(ana: Space) -> None:
    """Characters without a look of their own are no content, at either door."""
    for nothing in ("\u200b", " \u200d\ufeff ", "\u2060\n\u00ad", "\ufe0f"):
        with pytest.raises(InvalidInput, match="content is empty"):
            ana.remember(nothing)
        with pytest.raises(InvalidInput, match="content is empty"):
            ana.observe("user", nothing)
    assert ana.remember("👍🏽\u200d").outcome == "stored"


def test_003_45_two_sessions_bear_a_slot_out(rc: Recollect) -> None:
    """An agent's facts of two sessions, each resting on a message there, agree; twice on the same they do not."""
    spaces = [rc.space("ana", "reader", session) for session in ("s1", "s2")]
    said = [space.observe("user", "Keep it formal, please.").id for space in spaces]
    fact = {"content": "formal", "key": "tone", "confidence": 0.6}
    for space, turn in ((spaces[0], said[0]), (spaces[0], said[0])):
        space.save_facts_batch([{**fact, "source_ids": [turn]}])
    assert rc.space("ana").list(key="tone") == []
    spaces[1].save_facts_batch([{**fact, "source_ids": [said[1]]}])
    assert [one.content for one in rc.space("ana").list(key="tone")] == ["formal"]


def test_003_48_slots_are_held_to_stricter_bands(rc: Recollect) -> None:
    """Nearly the same words are the same value; what would pass for the same among free facts is another one here."""
    space = rc.space("ana", "reader", "s1")
    turns = [space.observe("user", f"Message {number}.").id for number in range(4)]
    value = "Ana wants short answers with examples and links to the sources at the end"
    told = {"key": "tone", "confidence": 0.6}
    space.save_facts_batch([{**told, "content": value, "source_ids": [turns[0]]}])
    space.save_facts_batch([{**told, "content": f"{value}!", "source_ids": [turns[1]]}])
    assert [one.content for one in space.list(key="tone")] == [f"{value}!"]
    again = space.save_facts_batch([{**told, "content": f"{value}.", "source_ids": [turns[2]]}])
    assert [one.duplicate for one in again.saved] == [True]
    space.save_facts_batch([{**told, "content": value.replace("short", "long"), "source_ids": [turns[3]]}])
    assert [one.content for one in space.list(key="tone")] == [f"{value}!"]
    assert [one.memory.content for one in space.inbox()] == [value.replace("short", "long")]


# What was mended beside them


def test_the_summary_of_an_ended_session_is_embedded_and_can_be_undone(tmp_path: Path) -> None:
    """Ending a session names its run; the summary is found by meaning, and undoing takes all of it back."""
    with Recollect(tmp_path / "m.db", embedder="minilm") as rc:
        ana = rc.space("ana", session="s1")
        for number in range(6):
            ana.observe("user", f"Please remember that locker {number} belongs to Ben.")
        told = ana.end()
        (summary,) = ana.list(kinds=["summary"])
        assert ana.coverage().waiting == len(ana.list(kinds=["episode"]))
        assert [hit.memory.id for hit in ana.recall("what was talked about", kinds=["summary"])] == [summary.id]
        (run,) = ana.jobs.runs()
        assert run.memory_id == told.run
        assert ana.jobs.undo(run).status == "ok"
        assert ana.list(kinds=["summary"]) == []


def test_undo_never_brings_back_what_was_erased(rc: Recollect, clock: FixedClock) -> None:
    """A session of which something learnt was erased is not read again when the reading is undone."""
    ana = rc.space("ana", session="s1")
    ana.observe("user", "The safe opens with my birthday.")
    learnt = [put(make(f"fact_{n}", f"Ana told secret {n}.", owner=ana.owner, session="s1")) for n in (1, 2)]
    read = Write(owner=ana.owner, at=clock(), node="consolidate", changes=(*learnt, Reach("s1", 1)), run="run_1")
    rc._runtime.store.commit(read)
    ana.erase("fact_1")
    (run,) = ana.jobs.runs()
    told = ana.jobs.undo(run)
    assert (told.numbers["removed"], told.numbers["left"]) == (1, 2)
    assert "session s1: left, read again, it would bring back what is gone by now" in told.steps
    assert [(one.id, one.consolidated_upto) for one in ana.sessions()] == [("s1", 1)]


def test_correct_names_the_last_successor(ana: Space) -> None:
    """Who corrects what was corrected twice is told what stands now, and where that is gone, that."""
    one = ana.remember("Ana lives in Rome.").id
    two = ana.correct(one, "Ana lives in Oslo.").id
    three = ana.correct(two, "Ana lives in Bern.").id
    with pytest.raises(NotFound, match=f"{one} is superseded: {three} stands in its place$"):
        ana.correct(one, "Ana lives in Ulm.")
    ana.forget(three)
    with pytest.raises(NotFound, match=f"{three} stands in its place, and is deleted itself: restore it first"):
        ana.correct(one, "Ana lives in Ulm.")


def test_forgetting_twice_says_since_when(ana: Space, clock: FixedClock) -> None:
    """What is forgotten already stays as it is: the receipt says since when and how it comes back."""
    gone = ana.remember("Ana likes tea.").id
    clock.advance(hours=1)
    ana.forget(gone)
    since, before = clock(), ana.get(gone)
    clock.advance(days=2)
    told = ana.forget(gone)
    assert (told.outcome, told.op, told.id, told.ok) == ("duplicate", "none", gone, True)
    at = f"{since:%Y-%m-%d %H:%M}"
    assert told.reason == f"it is forgotten already, since {at} UTC; nothing changed, restore brings it back"
    assert ana.get(gone) == before
    assert ana.restore(gone).op == "restored"
    assert ana.forget(gone).op == "deleted"
    with pytest.raises(NotFound, match="restore it first"):
        ana.confirm(gone)


def test_a_slot_is_kept_once(ana: Space) -> None:
    """The same words as a free fact and as a slot are one memory, whichever came first."""
    free = ana.remember("Ana's time zone is PST.", importance=7)
    slot = ana.remember("Ana's time zone is PST.", key="timezone")
    assert (slot.outcome, slot.other) == ("superseded", free.id)
    assert ana.get(slot.id).importance == 7
    assert ana.remember("Ana's time zone is PST.").outcome == "duplicate"
    both = ana.remember_many([{"content": "Ana speaks Dutch.", "key": "language"}, {"content": "Ana speaks Dutch."}])
    assert [part.outcome for part in both] == ["stored", "duplicate"]
    assert str(ana.context("Which time zone?")).count("PST") == 1


def test_another_language_of_words_is_refused(database: str) -> None:
    """A database indexed in one language is not opened in another, and the way out is named; an empty one takes any."""
    with Recollect(database, terms={"language": "german"}) as rc:
        rc.space("ana").remember("Ana läuft durch die Wälder.")
        kept = io.StringIO()
        rc.export(kept)
    for language in ("english", "french"):
        with pytest.raises(ConfigError, match="indexed as 'german': set it back, or export"):
            Recollect(database, terms={"language": language})
    with Recollect(database, terms={"language": "german"}) as rc:
        assert [hit.memory.content for hit in rc.space("ana").recall("Wald")] == ["Ana läuft durch die Wälder."]


def test_options_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    """A negative cache, options of a URL nobody knows, and a value in the place of a section."""
    with pytest.raises(ConfigError, match="cache_mb is -1"):
        Recollect(tmp_path / "m.db", cache_mb=-1)
    for url in (f"sqlite:///{tmp_path}/m.db?mode=ro", "postgresql://localhost/x?foo=1", "mariadb://localhost/x?foo=1"):
        with pytest.raises(InvalidInput, match="options"):
            Recollect(url)
    with pytest.raises(ConfigError, match="'terms' is a section, not a value: give it a table of language"):
        Recollect(tmp_path / "m.db", terms="german")
    assert list(tmp_path.iterdir()) == []


READING = """
import sys
from recollect import Recollect, Unavailable
with Recollect(sys.argv[1], embedder="none") as rc:
    ana = rc.space("ana")
    print([hit.memory.content for hit in ana.recall("tea")], "tea" in str(ana.context("tea")), ana.stats().total)
    try:
        ana.remember("Ana likes cake.")
    except Unavailable as error:
        print(error)
"""


def _bound() -> None:
    """Give up the right to write where the file says no, which the first user of a system has."""
    if os.geteuid() == 0:
        for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            ctypes.CDLL(None).prctl(24, right, 0, 0, 0)


@pytest.mark.parametrize("folder", [0o555, 0o755])
def test_a_read_only_database_can_be_read(tmp_path: Path, folder: int) -> None:
    """Where nothing can be written, everything can be read, and writing says why not."""
    home = tmp_path / "home"
    home.mkdir()
    with Recollect(home / "m.db") as rc:
        rc.space("ana").remember("Ana likes tea.")
    (home / "m.db").chmod(0o444)
    home.chmod(folder)
    told = subprocess.run(
        [sys.executable, "-c", READING, str(home / "m.db")],
        preexec_fn=_bound,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    home.chmod(0o755)
    assert told[0] == "['Ana likes tea.'] True 1"
    assert told[1].endswith("can only be read: check the rights of the file and its folder")
    assert {one.name for one in home.iterdir()} - {"m.db-shm", "m.db-wal"} == {"m.db"}


def test_a_removed_file_is_noticed(tmp_path: Path) -> None:
    """What was written into a file nobody can see any more would be lost: reading and writing both say so."""
    path = tmp_path / "m.db"
    for replaced in (False, True):
        with Recollect(path) as rc:
            ana = rc.space("ana")
            ana.remember("Ana likes tea.")
            path.rename(tmp_path / "aside.db")
            if replaced:
                path.write_bytes((tmp_path / "aside.db").read_bytes())
            with pytest.raises(Unavailable, match="was removed or replaced"):
                ana.remember("Ana likes cake.")
            with pytest.raises(Unavailable, match="was removed or replaced"):
                ana.recall("tea")
        path.unlink(missing_ok=True)


@pytest.mark.parametrize(
    "text", ["{} / {}", "{}:{}", "the keys are {} and {}.", "{}\n{}", "id {}, secret access key {}", "{1} / {0}"]
)
def test_both_halves_of_a_key_pair_are_taken_out(text: str) -> None:
    """The secret beside a key has no beginning of its own, and goes with it."""
    kept, kinds = redacted(text.format(KEY, SECRET))
    assert kinds == ("key",)
    assert (KEY in kept, SECRET in kept, kept.count("[redacted: key]")) == (False, False, 2)
    assert redacted(f"The key {KEY} was rotated by the whole platform team.")[0].endswith("by the whole platform team.")


def test_the_cost_of_a_session_does_not_grow(tmp_path: Path, clock: FixedClock) -> None:
    """What a session makes SQLite go through is the same with six hundred sessions before it as with sixty."""
    with Recollect(tmp_path / "m.db", clock=clock) as rc:
        steps = [0]

        def stepped() -> int:
            steps[0] += 1
            return 0

        def live(number: int) -> None:
            rc.space("ana", "helper", f"s{number}").observe("user", f"I drove to town {number} today.")
            clock.advance(minutes=7)
            rc.run_jobs()

        store = rc._runtime.store
        for number in range(600):
            if number in (60, 590):
                with store.view():
                    pass
                for connection in (store._write, *store._pool):  # type: ignore[attr-defined]
                    connection.set_progress_handler(stepped, 100)
                steps[0] = 0
            live(number)
            if number == 69:
                early = steps[0]
                for connection in (store._write, *store._pool):  # type: ignore[attr-defined]
                    connection.set_progress_handler(None, 0)
        assert early > 10
        assert steps[0] < 1.5 * early


def _messages(tree: ast.AST) -> list[str]:
    """Give the texts of what is raised."""
    raised = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    texts = [text for node in raised for text in ast.walk(node) if isinstance(text, ast.Constant)]
    return [text.value for text in texts if isinstance(text.value, str)]


def test_errors_speak_of_no_door() -> None:
    """What is raised below the doors is read at all of them: no call and no keyword of Python stands in it."""
    python = re.compile(r"[a-z_]\((?!s\))[^)]*\)|\b[a-z_]+=(?:\W|[A-Z…]|$)")
    spoken = {
        f"{path.relative_to(WORKED)}: {text}"
        for path in WORKED.rglob("*.py")
        if not {"testing", "serve", "adapters"} & set(path.parts)
        for text in _messages(ast.parse(path.read_text("utf-8")))
        if python.search(text)
    }
    assert spoken == set()


def test_the_command_line_speaks_of_commands(tmp_path: Path, run: Callable[..., tuple[int, str]]) -> None:
    """Options are named as they are given, and one before the command is told where it belongs."""
    assert run("context", "--budget", "0") == (2, "error: --budget is 0: use a whole number from 1 to 10,000,000\n")
    assert run("remember", "Tea.", "--importance", "99")[1].startswith("error: --importance is 99")
    assert "list and recall give the ids" in run("correct", "fact_x", "Tea.")[1]
    early = run("--json", "recall", "tea")
    assert early[0] == 2
    assert "--json stands behind it, as in recollect recall … --json" in early[1]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Give a function that runs the command line and gives its exit code and what it complained of."""

    def call(*args: str) -> tuple[int, str]:
        settings = {"RECOLLECT_URL": f"sqlite:///{tmp_path}/m.db", "RECOLLECT_EMBEDDER": "none"}
        program = [sys.executable, "-c", "from recollect.serve.cli import main; main()", *args]
        done = subprocess.run(program, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    return call
