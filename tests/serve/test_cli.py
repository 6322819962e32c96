"""The command line, used as people and scripts use it."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from recollect import InvalidInput, Recollect, __version__
from recollect.serve.cli import whole
from recollect.serve.cli.contents import CONTENTS
from recollect.serve.cli.render import clean, one_line, shown
from tests.patience import PATIENCE

APP = whole()

Run = Callable[..., Result]
PROGRAM = [sys.executable, "-c", "from recollect.serve.cli import main; main()"]
# What a CI sets to have colours would change what these tests compare.
UNSET = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS", "PYTHONUNBUFFERED")
RUNNER = CliRunner(env={**dict.fromkeys(UNSET), "COLUMNS": "100"})
NASTY = "\x1b[31mred\x1b[0m [bold]not markup[/bold] [/] \u202eturned\u202c \x07bell\rback :smile:"


@pytest.fixture
def db(tmp_path: Path) -> str:
    """Give the path of a database that does not exist yet."""
    return str(tmp_path / "memory.db")


@pytest.fixture
def run(db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Give a function that runs a command on that database, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Recollect(db).close()

    def call(*args: str, given: str | bytes | None = None) -> Result:
        return RUNNER.invoke(APP, [args[0], "--db", db, *args[1:]], input=given, catch_exceptions=False)

    return call


def told(result: Result) -> Any:
    """Read the JSON answer of a command that worked."""
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def kept(run: Run, *args: str) -> str:
    """Remember something and give its id."""
    found: str = told(run("remember", *args, "--json"))["id"]
    return found


def words(line: str) -> list[str]:
    """Split a command line at its spaces."""
    return line.split()


def uncoloured(result: Result) -> str:
    """Give what a command printed without the colours of a help page."""
    return re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)


def start(*args: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start the real program."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # Unbuffered, Python itself overlooks a write that was cut short.
    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    return subprocess.Popen([*PROGRAM, *args], env=environment, **{**pipes, **options})


def test_alone_it_shows_help_in_panels() -> None:
    """Without a command the help is shown, commands grouped, and it is no error."""
    result = RUNNER.invoke(APP, [])
    assert result.exit_code == 0
    page = uncoloured(result)
    places = [page.index(f"─ {panel} ─") for panel in ("Start here", "Keep and change", "Look", "Care")]
    assert places == sorted(places)


def test_it_says_its_version() -> None:
    """`--version` names the version of the package."""
    assert RUNNER.invoke(APP, ["--version"]).stdout == f"recollect {__version__}\n"


def test_the_contents_list_every_command_as_it_is_declared() -> None:
    """What `recollect --help` shows without loading a command is what the commands say of themselves."""
    group: Any = typer.main.get_command(APP)
    declared = {
        name: (one.rich_help_panel, one.help.splitlines()[0], one.callback is not None)
        for name, one in group.commands.items()
    }
    assert {one.name: (one.panel, one.text, True) for one in CONTENTS} == declared
    assert len(CONTENTS) == len(declared)


def test_a_command_loads_its_own_file_alone() -> None:
    """Asking for help loads no command, and running one loads no other."""
    seen = (
        "print(*sorted(name[20:] for name in sys.modules if name.startswith('recollect.serve.cli.')), file=sys.stderr)"
    )
    code = f"import sys, atexit; atexit.register(lambda: {seen}); from recollect.serve.cli import main; main()"
    for words, loaded in ((["--help"], set[str]()), (["status", "--help"], {"look"})):
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
        assert set(done.stderr.split()) - {"contents", "exits", "frame", "options", "render"} == loaded


@pytest.mark.parametrize("name", [one.name for one in APP.registered_commands])
def test_every_command_explains_itself(name: str) -> None:
    """Each command's help has a summary first, an example, `--json` and `--db`."""
    result = RUNNER.invoke(APP, [name, "--help"])
    page = uncoloured(result)
    summary = next(one.text for one in CONTENTS if one.name == name)
    assert summary[:60] in page
    assert result.exit_code == 0
    assert summary[0].isupper()
    assert f"Example: recollect {name}" in page
    assert "--json" in page
    assert "--db" in page


def test_remember_takes_every_detail(run: Run) -> None:
    """Everything `remember` can be told arrives in the memory."""
    options = words(
        "--kind event --topic Home --category history --tag a --tag b --importance 7 --confidence 0 --pinned "
        "--source directive --actor ana --event-time 2026-05-01 --valid-until 2999-01-01T00:00:00+02:00 --agent helper "
        "--session s1 --private --key moved"
    )
    kept(run, "Ana moved to Lisbon.", *options, "--attributes", '{"häuser": 2}')
    (memory,) = told(run("list", "--json"))
    wanted = {
        "kind": "event", "topic": "Home", "category": "history", "tags": ["a", "b"], "importance": 7, "confidence": 0.0,
        "pinned": True, "source": "directive", "actor": "ana", "event_time": "2026-05-01T00:00:00.000Z",
        "valid_until": "2998-12-31T22:00:00.000Z", "agent": "helper", "session": "s1", "key": "moved",
        "attributes": {"häuser": 2},
    }  # fmt: skip
    assert {name: memory[name] for name in wanted} == wanted


def test_times_can_be_said_in_words(run: Run) -> None:
    """Wherever a command takes a time, it takes one in words too, and says what it understands."""
    kept(run, "Ana moved to Lisbon.", "--event-time", "7 May 2023", "--valid-until", "next year")
    kept(run, "Ana sold the car.", "--event-time", "2 days ago")
    found = told(run("list", "--json", "--event-after", "last week"))
    assert [one["content"] for one in found] == ["Ana sold the car."]
    found = told(run("list", "--json", "--event-before", "June 2023"))
    assert [one["event_time"] for one in found] == ["2023-05-07T00:00:00.000Z"]
    refused = run("observe", "user", "x", "--at", "before lunch")
    assert (refused.exit_code, "--at: 'before lunch' is not a time" in refused.stderr) == (2, True)


def test_a_dash_reads_standard_input(run: Run) -> None:
    """remember, observe and correct take their text from standard input, without its last newline."""
    first = told(run("remember", "-", "--json", given="Ana likes fado.\n"))["id"]
    run("observe", "user", "-", given="one\ntwo\n")
    run("correct", first, "-", given="Ana likes jazz.\n")
    assert [one["content"] for one in told(run("list", "--json"))] == ["Ana likes jazz."]
    assert [one["content"] for one in told(run("list", "--kind", "episode", "--json"))] == ["one\ntwo"]


def test_input_that_is_not_utf8_is_refused(run: Run) -> None:
    """Bytes that are no text are wrong usage, not a traceback."""
    result = run("remember", "-", given=b"\xff\xfe")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: the standard input is not UTF-8")


def test_a_repeat_is_a_success(run: Run) -> None:
    """Saving what is known exits with 0 and says duplicate."""
    first = kept(run, "Ana lives in Lisbon.")
    again = run("remember", "Ana lives in Lisbon.")
    assert (again.exit_code, again.stdout.split()[:2]) == (0, ["duplicate", f"{first}:"])


def test_a_request_is_carried_out_once(run: Run) -> None:
    """The same request id gives the same receipt and one memory."""
    receipts = [told(run("observe", "user", "hello", "--request-id", "r1", "--json")) for _ in range(2)]
    assert receipts[0] == receipts[1]
    assert len(told(run("list", "--kind", "episode", "--json"))) == 1


def test_a_rejected_write_exits_with_4(run: Run) -> None:
    """What policy refuses is reported with its reason and its own exit code."""
    result = run("remember", "I live here.", "--source", "agent")
    assert result.exit_code == 4
    assert "first person" in result.stdout


def test_the_life_of_a_memory(run: Run) -> None:
    """correct, confirm, pin, rate, forget, restore and history all speak to the same memory."""
    old = kept(run, "Ana lives in Berlin.", "--confidence", "0.5")
    new = told(run("correct", old, "Ana lives in Lisbon.", "--json"))["id"]
    for verb in (("confirm", new), ("pin", new), ("rate", new, "9")):
        assert run(*verb).exit_code == 0
    (memory,) = told(run("list", "--pinned", "--importance-min", "9", "--json"))
    assert (memory["confidence"], memory["content"]) == (1.0, "Ana lives in Lisbon.")
    assert run("pin", new, "--off").exit_code == 0
    assert told(run("list", "--pinned", "--json")) == []
    assert run("forget", new).stdout == f"deleted {new}\n"
    assert "it is forgotten already, since " in run("forget", new).stdout
    assert told(run("recall", "Lisbon", "--json")) == []
    assert run("restore", new).stdout == f"restored {new}\n"
    story = run("history", old).stdout
    assert all(part in story for part in ("Ana lives in Berlin.", f"by {new}", "Ana lives in Lisbon.", "restored"))
    assert set(told(run("history", old, "--json"))["memories"]) == {old, new}


def test_merging_makes_one_of_several(run: Run) -> None:
    """merge takes several ids and an own text."""
    ids = [kept(run, f"Ana likes {what}.") for what in ("fado music", "strong coffee")]
    receipt = told(run("merge", *ids, "--content", "Ana likes fado music and strong coffee.", "--json"))
    assert (receipt["outcome"], receipt["count"]) == ("merged", 2)
    assert [one["id"] for one in told(run("list", "--json"))] == [receipt["id"]]


FILTERS = [
    ("--kind event", "B"),
    ("--tier long", "C"),
    ("--state deleted", "D"),
    ("--category projects", "B"),
    ("--topic Code", "A"),
    ("--tag x --tag y", "A"),
    ("--tag x --tag z --any-tag", "AB"),
    ("--session s2", "B"),
    ("--exclude-session s1", "BC"),
    ("--agent helper", "A"),
    ("--actor bob", "C"),
    ("--key slot", "C"),
    ("--importance-min 8", "A"),
    ("--importance-max 4", "B"),
    ("--pinned", "B"),
    ("--not-pinned", "AC"),
    ("--event-after 2026-01-02 --event-before 2026-01-03T00:00:00Z", "B"),
    ("--created-after 2999-01-01", ""),
    ("--created-before 2999-01-01", "ABC"),
    ("--updated-after 2999-01-01", ""),
    ("--updated-before 2999-01-01", "ABC"),
    ("--as-of 2026-01-02T12:00", "AB"),
    ("--role user", ""),
    ("--limit 1", "C"),
]


def test_every_filter_narrows_list_and_recall(run: Run) -> None:
    """list and recall take the same filters, and each does what it says."""
    common = "--topic code --tag x --tag y --session s1 --agent helper --importance 9 --source agent"
    kept(run, *words(f"A-word {common} --event-time 2026-01-01"))
    kept(run, *words("B-word --kind event --category projects --tag z --session s2 --pinned --event-time 2026-01-02"))
    gone = kept(run, *words("D-word --session s1 --event-time 2026-01-02"))
    kept(run, *words("C-word --kind passage --actor bob --key slot --event-time 2026-02-03"))
    run("forget", gone)
    for options, wanted in FILTERS:
        listed = told(run("list", *words(options), "--json"))
        assert {one["content"][0] for one in listed} == set(wanted), options
        found = told(run("recall", "word", *words(options), "--json"))
        assert "limit" in options or {one["memory"]["content"][0] for one in found} == set(wanted), options
        assert len(found) == len(wanted), options


def test_a_list_has_order_and_pages(run: Run) -> None:
    """list sorts, leaves out and limits as asked."""
    for number in (3, 9, 5):
        kept(run, f"thing number {number}", "--importance", str(number))
    ordered = told(run("list", "--order", "importance", "--offset", "1", "--limit", "1", "--json"))
    assert [one["importance"] for one in ordered] == [5]


def test_why_draws_what_each_hit_was_found_by(run: Run) -> None:
    """`--why` shows each channel with a bar."""
    kept(run, "Ana lives in Lisbon.")
    kept(run, "Ana works in Lisbon's harbour and likes it there.")
    shown_why = run("recall", "lives Lisbon", "--why").stdout
    assert re.search(r"words +█+░*  \+\d\.\d+, rank 1, measured \d", shown_why)
    assert re.search(r"words +▒+░*  -\d\.\d+, rank 2, measured \d", shown_why)
    assert "█" not in run("recall", "Lisbon").stdout


def test_nothing_found_is_no_error(run: Run) -> None:
    """A recall without hits prints nothing on stdout and exits with 0."""
    result = run("recall", "zebra")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "nothing found\n")


def test_context_is_plain_text(run: Run) -> None:
    """context prints only what is meant for the prompt on stdout."""
    kept(run, "Ana lives in Lisbon.", "--topic", "home", "--importance", "8")
    result = run("context", "dinner")
    lines = result.stdout.splitlines()
    assert (lines[0], lines[2], lines[-1]) == ("<memory_context>", "## About the user", "</memory_context>")
    assert lines[3].startswith("- Ana lives in Lisbon. (")
    answer = told(run("context", "dinner", "--budget", "100", "--json"))
    assert answer["tokens"] <= 100
    assert answer["text"] == result.stdout.rstrip("\n")


def test_an_entity_is_shown_or_missing(run: Run) -> None:
    """entity shows what is known, and exits with 1 when nothing is."""
    kept(run, "Ana lives in Lisbon.")
    assert "Ana lives in Lisbon." in run("entity", "lisbon").stdout
    result = run("entity", "Atlantis", "--json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert json.loads(result.stderr)["error"]["type"] == "NotFound"


def test_end_turns_a_conversation_into_facts(run: Run) -> None:
    """end reports what became of the messages; sessions then shows the conversation as consolidated."""
    for text in ("Remember that my cat is called Miau.", "Remember that I love fado.", "So so.", "Bye."):
        run("observe", "user", text, "--session", "monday", "--actor", "Ana")
    assert "0%" in run("sessions").stdout
    result = run("end", "--session", "monday")
    assert result.exit_code == 0
    assert "Summarized 4 messages → 2 memories saved." in result.stdout
    assert "100%" in run("sessions").stdout
    (session,) = told(run("sessions", "--json"))
    assert (session["messages"], session["consolidated"]) == (4, 4)
    again = told(run("end", "--session", "monday", "--json"))
    assert (again["status"], again["changed"]) == ("ok", 0)
    nowhere = run("end", "--session", "nowhere", "--json")
    assert (json.loads(nowhere.stdout)["status"], nowhere.exit_code) == ("skipped", 1)
    assert run("end").exit_code == 2


def test_status_and_sessions_tell_where_and_whose(run: Run, db: str) -> None:
    """status names the file, the owners and the counts; sessions lists conversations."""
    run("observe", "user", "hello", "--session", "s1", "--agent", "helper", "--user", "ana", "--tenant", "acme")
    answer = told(run("status", "--user", "ana", "--tenant", "acme", "--json"))
    assert answer["database"]["url"] == f"sqlite:///{db}"
    assert (answer["owners"], answer["memory"]["kinds"], answer["memory"]["total"]) == (1, {"episode": 1}, 1)
    assert db in run("status").stdout
    (session,) = told(run("sessions", "-u", "ana", "--tenant", "acme", "--json"))
    assert (session["id"], session["agent"]) == ("s1", "helper")
    assert told(run("sessions", "--json")) == []


def test_jobs_are_listed_and_run(run: Run) -> None:
    """jobs lists what waits; `jobs run` runs it and prints reports."""
    run("observe", "user", "hello", "--session", "s1")
    assert [one["name"] for one in told(run("jobs", "--json"))] == ["age", "consolidate"]
    assert run("jobs", "run", "age").stdout.startswith("ok age of me: Aged 0 memories")
    assert [one["name"] for one in told(run("jobs", "--json"))] == ["consolidate"]
    assert [one["job"] for one in told(run("jobs", "run", "age", "--json"))] == ["age"]
    assert run("jobs", "run", "nonsense").exit_code == 2
    assert run("jobs", "run", "--user", "nobody").exit_code == 0


def test_a_run_is_rehearsed_named_and_undone(run: Run) -> None:
    """`--dry-run` changes nothing; a run has a name, `show` lists it, `undo` takes it back, once."""
    run("observe", "user", "Please remember that my locker is number 77.", "--session", "s1")
    dry = told(run("jobs", "run", "learn", "--dry-run", "--json"))
    assert told(run("list", "--json")) == []
    (done,) = told(run("jobs", "run", "learn", "--json", "--user", "me"))
    assert [{**done, "run": "", "dry": True}] == dry
    assert run("jobs", "run", "learn", "--dry-run").stdout.startswith("a dry run: nothing is changed")
    assert run("jobs", "list", "nosuch").exit_code == run("jobs", "show", "nosuch").exit_code == 2
    assert done["run"] in run("jobs", "show", "learn").stdout
    assert told(run("jobs", "show", "learn", "--json"))["runs"][0]["memory_id"] == done["run"]
    assert run("jobs", "undo", done["run"], "--user", "nobody").exit_code == 1
    undone = run("jobs", "undo", done["run"])
    assert (undone.exit_code, "by the run, gone" in undone.stdout, "number 77" in undone.stdout) == (
        0,
        True,
        False,
    )
    assert told(run("list", "--json")) == []
    again = run("jobs", "undo", done["run"], "--json")
    assert (again.exit_code, json.loads(again.stdout)["status"]) == (4, "skipped")


def test_jobs_are_paused_for_everybody(run: Run) -> None:
    """A paused job is shown as such and not run unless named; resumed, it runs; `--all` names the users."""
    run("observe", "user", "hello", "--session", "s1", "--user", "ana")
    assert run("jobs", "pause", "age").stdout == "paused for all users: age\n"
    assert "paused for all users" in run("jobs", "show", "age").stdout
    listed = [(one["name"], one["state"]) for one in told(run("jobs", "list", "--all", "--json"))]
    assert listed == [("age", "paused"), ("consolidate", "waiting")]
    assert "ana" in run("jobs", "list", "--all").stdout
    assert told(run("jobs", "run", "--json")) == []
    assert told(run("jobs", "resume", "age", "--json")) == {"paused": []}
    assert "waits" in run("jobs", "show", "scrub").stdout
    assert "due" in run("jobs", "show", "age", "--user", "ana").stdout
    assert len(told(run("jobs", "run", "--json"))) == 1
    assert (run("jobs", "retry").exit_code, told(run("jobs", "retry", "--json"))) == (0, [])


@pytest.mark.parametrize(
    "args",
    [
        ("pause",),
        ("undo",),
        ("undo", "a", "b"),
        ("show",),
        ("show", "dream"),
        ("pause", "dream"),
        ("list", "--dry-run"),
        ("run", "--all"),
        ("list", "--all", "--user", "ana"),
    ],
)
def test_jobs_say_what_they_need(run: Run, args: tuple[str, ...]) -> None:
    """Wrong usage of `jobs` is refused with one line that says what to write."""
    result = run("jobs", *args)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_a_worker_runs_until_nothing_is_due(run: Run) -> None:
    """`worker --once` tells of each run and ends with the totals; quiet, only of what failed."""
    run("observe", "user", "hello", "--session", "s1")
    result = run("worker", "--once")
    assert result.stdout.startswith("ok age of me: Aged 0 memories")
    assert result.stderr.endswith("1 runs, 0 changes, 0 skipped\n")
    run("observe", "user", "hello", "--session", "s2")
    quiet = run("worker", "--once", "--quiet", "--json")
    assert json.loads(quiet.stdout)["totals"]["runs"] == 2


def test_doctor_exits_with_1_until_it_has_mended(run: Run, db: str) -> None:
    """A damaged counter is found, mended with `--fix`, and gone."""
    kept(run, "Ana lives in Lisbon.")
    assert run("doctor").exit_code == 0
    connection = sqlite3.connect(db)
    connection.execute("UPDATE owners SET docs = 99")
    connection.commit()
    connection.close()
    sick = run("doctor")
    assert (sick.exit_code, "wrong counters: 1" in sick.stdout) == (1, True)
    assert told(run("doctor", "--fix", "--json"))["ok"] is True
    assert run("doctor").exit_code == 0


def test_an_export_comes_back_the_same(run: Run, tmp_path: Path) -> None:
    """What is exported, imported elsewhere and exported again is the same bytes."""
    for user in ("ana", "bob"):
        kept(run, f"{user} likes çà et là.", "-u", user)
    first, second, other = (str(tmp_path / name) for name in ("a.jsonl", "b.jsonl", "other.db"))
    assert told(run("export", first, "--all", "--json"))["owners"] == 2
    assert RUNNER.invoke(APP, ["import", first, "--db", other]).stdout.startswith("imported 2 memories of 2 users")
    assert RUNNER.invoke(APP, ["export", second, "--all", "--db", other]).exit_code == 0
    assert Path(first).read_bytes() == Path(second).read_bytes()
    assert "çà" in Path(first).read_text("utf-8")
    again = run("import", first)
    assert (again.exit_code, again.stderr.startswith("error: user 'ana' already has memories")) == (4, True)


def test_an_export_of_one_user_to_stdout(run: Run) -> None:
    """`export -` puts lines of one user on stdout and the summary on stderr."""
    for user in ("ana", "bob"):
        kept(run, f"{user} likes coffee.", "-u", user)
    result = run("export", "-", "-u", "ana")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["user"] for line in lines if line["type"] == "owner"] == ["ana"]
    assert "exported 1 memories" in result.stderr
    assert run("export", "-", "-u", "nobody").exit_code == 1
    assert run("export", "-", "-u", "ana", "--all").exit_code == 2


def test_a_failed_export_leaves_no_half_file(run: Run, db: str, tmp_path: Path) -> None:
    """When an export breaks off, the file that was there stays as it was and nothing lies beside it."""
    kept(run, "Ana lives in Lisbon.")
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "backup.jsonl"
    target.write_text("the last good one")
    connection = sqlite3.connect(db)
    connection.execute("DROP TABLE links")
    connection.commit()
    connection.close()
    result = run("export", str(target))
    assert (result.exit_code, result.stderr.startswith("error: ")) == (3, True)
    assert [one.name for one in folder.iterdir()] == ["backup.jsonl"]
    assert target.read_text() == "the last good one"
    assert run("export", str(folder)).exit_code == 2
    assert run("export", str(tmp_path / "missing" / "x.jsonl")).exit_code == 2


DAMAGE = [
    ("topic", 5),
    ("tags", [1]),
    ("created_at", "yesterday"),
    ("created_at", 10**30),
    ("importance", "high"),
    ("attributes", [1]),
    ("attributes", {"n": float("nan")}),
    ("id", None),
    ("pinned", "maybe"),
    ("trust", float("inf")),
    ("content", "\ud800"),
]


def test_a_damaged_export_changes_nothing(run: Run, tmp_path: Path) -> None:
    """A value its column cannot hold is refused with its line, before anything is written."""
    kept(run, "Ana lives in Lisbon.", "--tag", "t")
    good, bad, other = (tmp_path / part for part in ("good.jsonl", "bad.jsonl", "other.db"))
    run("export", str(good))
    lines = [json.loads(line) for line in good.read_text("utf-8").splitlines()]
    at = next(at for at, line in enumerate(lines) if line["type"] == "memory")
    with Recollect(str(other)) as memory:
        for name, value in DAMAGE:
            damaged = [*lines[:at], {**lines[at], name: value}, *lines[at + 1 :]]
            bad.write_text("".join(json.dumps(line) + "\n" for line in damaged))
            with pytest.raises(InvalidInput, match=f"^line {at + 1} of .* cannot be used: {name}"):
                memory.import_file(bad)
        assert memory.owners() == []


def test_erasing_needs_a_yes(run: Run) -> None:
    """Without a terminal erase refuses to guess; with `--yes` it erases one thing, and only one."""
    first = kept(run, "Ana lives in Lisbon.", "--session", "s1")
    refused = run("erase", first)
    assert (refused.exit_code, "add --yes" in refused.stderr) == (2, True)
    assert run("erase", "--yes").exit_code == 2
    assert run("erase", first, "--session", "s1", "--yes").exit_code == 2
    assert len(told(run("list", "--json"))) == 1
    assert told(run("erase", first, "--yes", "--json"))["scrub"] == "scrubbed"
    assert run("erase", first, "--yes").exit_code == 1


@pytest.mark.parametrize("target", [["--session", "s1"], ["--entity", "Lisbon"], ["--everything"]])
def test_erasing_a_session_an_entity_or_everything(run: Run, db: str, target: list[str]) -> None:
    """Whatever way it is named, the text is gone from the file."""
    kept(run, "Ana lives in Lisbon.", "--session", "s1")
    assert run("erase", *target, "--yes").stdout == "erased 1 memories; no text of them is left in the files\n"
    assert b"Lisbon" not in Path(db).read_bytes()


def test_erasing_says_when_a_reader_is_in_the_way(run: Run, db: str, tmp_path: Path) -> None:
    """While somebody reads an older state the files still hold the text, and the job that ends that is named."""
    settings = tmp_path / "hasty.toml"
    settings.write_text("[sqlite]\nscrub_seconds = 0.05\n")
    kept(run, "Ana lives in Lisbon.")
    reader = sqlite3.connect(db, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM memories").fetchone()
    result = run("erase", "--everything", "--yes", "--config", str(settings))
    reader.close()
    assert (result.exit_code, "recollect jobs run scrub" in result.stdout) == (0, True)
    assert run("jobs", "run", "scrub").stdout.startswith("ok scrub")
    assert b"Lisbon" not in Path(db).read_bytes()


def test_a_full_disk_under_the_output_is_told(db: str) -> None:
    """When the output cannot be written the program says so and exits with 3; without any output it just works."""
    Recollect(db).close()
    with open("/dev/full", "wb") as full, start("status", "--db", db, stdout=full) as program:
        assert program.stderr is not None
        assert b"No space left on device" in program.stderr.read()
    assert program.returncode == 3
    closed = [sys.executable, "-c", "import sys; sys.stdout = None; from recollect.serve.cli import main; main()"]
    assert subprocess.run([*closed, "status", "--db", db], check=False).returncode == 0


@pytest.mark.parametrize(("answer", "code", "left"), [(b"n\n", 4, 1), (b"y\n", 0, 0), (b"\x03", 130, 1)])
def test_erasing_asks_at_a_terminal(run: Run, db: str, answer: bytes, code: int, left: int) -> None:
    """At a terminal the question decides: yes erases, no does not, Ctrl-C neither."""
    kept(run, "Ana lives in Lisbon.")
    master, slave = pty.openpty()
    program = start("erase", "--everything", "--db", db, stdin=slave, start_new_session=True)
    os.close(slave)
    assert program.stderr is not None
    assert program.stderr.read(10) == b"Erase ever"
    if answer == b"\x03":
        program.send_signal(signal.SIGINT)
    else:
        os.write(master, answer)
    _, errors = program.communicate(timeout=PATIENCE)
    os.close(master)
    assert program.returncode == code
    assert (b"interrupted" in errors) == (code == 130)
    assert len(told(run("list", "--json"))) == left


WAITING = """
import io, select, sys
from recollect.serve.cli import main

class Told(io.RawIOBase):
    def readable(self):
        return True

    def readinto(self, room):
        print("ready", flush=True)
        while not select.select([0], [], [], 0.05)[0]:  # in short steps: no signal comes too early to be seen
            pass
        return 0

sys.stdin = io.TextIOWrapper(io.BufferedReader(Told()))
main()
"""
"""The program with a standard input that says when it is waited for."""


def test_an_interrupt_says_only_that(db: str) -> None:
    """Ctrl-C while a command waits prints `interrupted`, no traceback, and exits with 130."""
    program = subprocess.Popen(
        [sys.executable, "-c", WAITING, "remember", "-", "--db", db],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    program.send_signal(signal.SIGINT)
    out, errors = program.communicate(timeout=PATIENCE)
    assert (program.returncode, out, errors) == (130, b"", b"interrupted\n")


@pytest.mark.parametrize(
    "command", [["list", "--limit", "1000"], ["list", "--limit", "1000", "--json"], ["export", "-"]]
)
def test_a_reader_may_leave_early(db: str, command: list[str]) -> None:
    """When the reader of the output goes, the program ends quietly."""
    with Recollect(db) as memory:
        memory.space("me").remember_many([{"content": f"{n} " + "x" * 1000, "kind": "passage"} for n in range(300)])
    with start(*command, "--db", db) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.read(1)
        program.stdout.close()
        errors = program.stderr.read()
    assert (program.returncode, errors) == (141, b"")


def test_text_cannot_speak_to_the_terminal(run: Run) -> None:
    """Escapes, control characters, turned text and markup in a memory are shown as plain text."""
    first = kept(run, NASTY, "--topic", NASTY, "--tag", NASTY, "--session", NASTY, "--source", "directive")
    run("observe", "user", NASTY, "--session", NASTY)
    for command in (["recall", "markup"], ["list"], ["history", first], ["context", "markup"], ["sessions"]):
        output = run(*command).output
        assert "not markup" in output, command
        assert "[bold]not markup[/bold] [/]" in output, command
        assert ":smile:" in output, command
        assert not set(output) & set("\x1b\x07\r\u202e\u202c"), command
    assert told(run("list", "--json"))[0]["content"] == NASTY


def test_errors_cannot_speak_to_the_terminal(run: Run) -> None:
    """An error that quotes what was given is one clean line."""
    result = run("forget", "\x1b[31mred\nline")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: there is no memory [31mred line for this owner")
    assert result.stderr.count("\n") == 1


def test_cleaning_keeps_what_is_harmless() -> None:
    """Lines, tabs, emoji and letters of any script stay; a long text is cut with a note."""
    assert clean("a\tb\r\nc\u2028d 👩‍🚀 नमस्ते") == "a\tb\nc\nd 👩‍🚀 नमस्ते"
    assert one_line(" a\n\tb ") == "a b"
    assert shown("x" * 5000).endswith("… (4,400 more characters, all of them with --json)")


def test_json_is_utf8_and_alone_on_stdout(db: str) -> None:
    """`--json` writes unescaped UTF-8 whatever the locale says, and warnings go to stderr."""
    with Recollect(db) as memory:
        memory.space("me").remember("Ana mag Öl und 茶.")
    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    environment |= {"PYTHONIOENCODING": "ascii", "RECOLLECT_NONSENSE": "1"}
    command = [*PROGRAM, "list", "--db", db]
    for_programs = subprocess.run([*command, "--json"], env=environment, capture_output=True, check=True)
    assert "Öl und 茶" in for_programs.stdout.decode("utf-8")
    assert json.loads(for_programs.stdout)[0]["kind"] == "fact"
    assert for_programs.stderr == b"warning: the variable RECOLLECT_NONSENSE names no setting and is ignored\n"
    for_people = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert b"Ana mag ?l und ?." in for_people.stdout


WRONG = [
    (["recall", "--nonsense"], 2, "UsageError"),
    (["remember"], 2, "UsageError"),
    (["rate", "x", "much"], 2, "UsageError"),
    (["remember", " "], 2, "InvalidInput"),
    (["remember", "x", "--importance", "0"], 2, "InvalidInput"),
    (["remember", "x", "--attributes", "{"], 2, "InvalidInput"),
    (["remember", "x", "--attributes", "[]"], 2, "InvalidInput"),
    (["observe", "user", "x", "--at", "whenever"], 2, "InvalidInput"),
    (["recall", "x", "--event-after", "soon"], 2, "InvalidInput"),
    (["recall", "x", "--kind", "dream"], 2, "InvalidInput"),
    (["list", "--order", "magic"], 2, "InvalidInput"),
    (["list", "--user", ""], 2, "InvalidInput"),
    (["list", "--config", "missing.toml"], 2, "ConfigError"),
    (["import", "missing.jsonl"], 2, "InvalidInput"),
    (["forget", "fact_x"], 1, "NotFound"),
    (["history", "fact_x"], 1, "NotFound"),
]


@pytest.mark.parametrize(("args", "code", "kind"), WRONG)
def test_errors_are_one_line_and_a_code(run: Run, args: list[str], code: int, kind: str) -> None:
    """Each wrong call has its exit code, a line for people and an object for programs."""
    for_people, for_programs = run(*args), run(*args, "--json")
    assert (for_people.exit_code, for_programs.exit_code) == (code, code)
    assert for_people.stderr.startswith("error: ")
    assert for_people.stderr.count("\n") == 1
    assert json.loads(for_programs.stderr)["error"]["type"] == kind
    assert (for_people.stdout, for_programs.stdout) == ("", "")


def test_database_errors_exit_with_3(tmp_path: Path) -> None:
    """A missing folder and a file of something else are errors of the database."""
    other = tmp_path / "notes.txt"
    other.write_text("these are notes, not a database, and they are long enough to tell" * 20)
    for url in (str(tmp_path / "no" / "memory.db"), str(other)):
        result = RUNNER.invoke(APP, ["status", "--db", url])
        assert (result.exit_code, result.stderr.startswith("error: ")) == (3, True)
    assert other.read_text().startswith("these are notes")


def test_settings_name_the_user(run: Run, tmp_path: Path) -> None:
    """Without `--user` the settings say whose memory it is."""
    settings = tmp_path / "mine.toml"
    settings.write_text('user = "ana"\n')
    run("remember", "Ana lives in Lisbon.", "--config", str(settings))
    assert len(told(run("list", "--user", "ana", "--json"))) == 1
    assert told(run("list", "--json")) == []


def test_a_bar_shows_only_when_it_takes_long() -> None:
    """On a terminal a bar appears after a moment, and nothing does before."""
    code = (
        "from recollect.serve.cli import transfer\n"
        "now = 0.0; transfer.monotonic = lambda: now\n"
        "with transfer.progress('quick') as tick: tick(1); now += transfer.MOMENT / 2; tick(100)\n"
        "with transfer.progress('slow') as tick: tick(1); now += transfer.MOMENT; tick(2); tick(100)\n"
    )
    master, slave = pty.openpty()
    done = subprocess.run([sys.executable, "-c", code], stderr=slave, check=True, timeout=PATIENCE)
    os.close(slave)
    seen = os.read(master, 65536).decode()
    os.close(master)
    assert done.returncode == 0
    assert "slow" in seen
    assert "quick" not in seen


def test_the_library_does_not_load_the_command_line() -> None:
    """`import recollect` brings neither typer nor rich nor the doors."""
    code = "import recollect, sys; print([m for m in sys.modules if m.startswith(('typer', 'rich', 'recollect.ser'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_inbox_and_the_three_words(run: Run) -> None:
    """inbox lists what waits with its reason, and accept, reject and amend decide it."""
    by_session = ("--key", "city", "--source", "session")
    old = kept(run, "Ana lives in Lisbon.", "--key", "city")
    assert run("confirm", old).exit_code == 0
    assert run("inbox").stderr == "nothing waits\n"
    waits = run("remember", "Ana moved to Porto.", *by_session)
    assert (waits.exit_code, waits.stdout.startswith("queued fact_")) == (0, True)
    (one,) = told(run("inbox", "--json"))
    assert (one["memory"]["state"], one["replaces"], one["expires"][:10] > "2026") == ("proposed", [old], True)
    shown = run("inbox").stdout
    assert all(part in shown for part in ("Ana moved to Porto.", "consent", f"in the place of {old}", "until 2"))
    assert run("reject", one["memory"]["id"]).stdout == f"rejected {one['memory']['id']}\n"
    assert run("accept", one["memory"]["id"]).exit_code != 0
    (again,) = (told(run("remember", "Ana moved to Faro.", *by_session, "--json")),)
    amended = told(run("amend", again["id"], "Ana lives in Faro, by the sea.", "--json"))
    assert (amended["op"], amended["other"]) == ("amended", old)
    third = told(run("remember", "Ana's cat is called Tom.", "--key", "cat", "--json"))["id"]
    assert run("confirm", third).exit_code == 0
    queued = told(run("remember", "Ana's cat is called Kit.", "--key", "cat", "--source", "session", "--json"))
    assert queued["outcome"] == "queued"
    assert told(run("accept", queued["id"], "--json"))["outcome"] == "superseded"
