"""Lessons from work: failures counted by kind, corrections and praise, what is shown, rotated and let go."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from recollect import InvalidInput, NotFound, Recollect, Space
from recollect.language import open_reader
from recollect.language.lexicon import lexicons
from recollect.rules.learn.lessons import failed, fields_of, kind_of, written
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, Saying, ScriptedLlm

DENIED = "Permission denied: /etc/passwd"


def worked(rc: Recollect) -> None:
    """Let the job that learns from work run."""
    rc.run_jobs(["lessons"])


def test_002_31_a_failed_call_becomes_a_lesson_with_its_fields(ana: Space) -> None:
    """002.31, 002.33: Tool, Error, Context and Lesson stand in the lesson, as the seed writes them."""
    done = ana.tool_failed(
        "exec_command",
        {"path": "/etc/passwd"},
        DENIED,
        context="Tried to read system file outside /data",
        lesson="File operations are scoped to /data volume",
    )
    assert (done.outcome, done.op) == ("stored", "created")
    (lesson,) = ana.lessons()
    assert lesson.text == (
        "**Tool:** exec_command\n**Error:** Permission denied: /etc/passwd\n"
        "**Context:** Tried to read system file outside /data\n"
        "**Lesson:** File operations are scoped to /data volume"
    )
    assert (lesson.sort, lesson.tool, lesson.count, lesson.state) == ("error", "exec_command", 1, "active")
    assert ana.recall("permission denied")[0].memory.id == done.id


def test_failures_of_one_kind_are_one_lesson_with_a_count(ana: Space, clock: FixedClock) -> None:
    """Paths, numbers and what is quoted do not make another kind; another error or tool does."""
    first = ana.tool_failed("exec", {"n": 1}, "Permission denied: /etc/passwd (code 13)")
    clock.advance(hours=1)
    second = ana.tool_failed("exec", {"n": 2}, "Permission denied: /var/log/syslog (code 7)")
    assert (second.outcome, second.op, second.id) == ("merged", "repeated", first.id)
    ana.tool_failed("exec", {"n": 1}, "No space left on device")
    ana.tool_failed("read", {"n": 1}, "Permission denied: /etc/passwd (code 13)")
    counts = {(one.tool, one.count) for one in ana.lessons()}
    assert counts == {("exec", 2), ("exec", 1), ("read", 1)}


def test_002_38_the_last_50_outcomes_of_each_tool_are_kept(ana: Space, clock: FixedClock) -> None:
    """002.38: by tool, digest of the arguments and success, the newest first; no more than 50 a tool."""
    for number in range(55):
        ana.tool_succeeded("ls", {"path": "/", "n": number})
        clock.advance(seconds=1)
    ana.tool_failed("exec", {"b": 1, "a": 2}, DENIED)
    kept = ana.outcomes("ls")
    assert len(kept) == 50
    assert all(one.success for one in kept)
    assert kept[0].at > kept[-1].at
    assert [one.arguments for one in ana.outcomes("ls", {"n": 54, "path": "/"})] == [kept[0].arguments]
    assert ana.outcomes("ls", {"n": 0, "path": "/"}) == []
    (bad,) = ana.outcomes("exec", {"a": 2, "b": 1}, success=False)
    assert (bad.tool, bad.success, len(bad.arguments), bad.session) == ("exec", False, 16, "s1")
    assert ana.outcomes("exec", success=True) == []
    assert len(ana.outcomes(limit=1000)) == 51


def test_a_lesson_is_let_go_when_the_tool_has_succeeded_since(ana: Space, clock: FixedClock) -> None:
    """The same call is enough at once, others after three; another failure of the kind brings it back, counted on."""
    ana.tool_failed("exec", {"n": 1}, DENIED)
    ana.tool_failed("exec", {"n": 2}, "No space left")
    clock.advance(minutes=1)
    assert ana.tool_succeeded("exec", {"n": 1}).count == 1
    assert [one.lesson for one in ana.lessons()] == ["No space left"]
    assert ana.tool_succeeded("other", {"n": 2}).count == 0
    assert ana.tool_succeeded("exec", {"n": 5}).count == 0
    assert ana.tool_succeeded("exec", {"n": 6}).count == 1
    assert ana.lessons() == []
    gone = ana.lessons(everything=True)
    assert {(one.state, one.reason) for one in gone} == {("retired", "the tool has succeeded since")}
    clock.advance(minutes=1)
    ana.tool_failed("exec", {"n": 1}, DENIED)
    assert [(one.lesson, one.count) for one in ana.lessons()] == [(DENIED, 2)]


def test_a_lesson_can_be_retired_by_hand(ana: Space) -> None:
    """It says why, is not found any more, and a second time nothing happens; an unknown one is told."""
    done = ana.tool_failed("exec", {}, DENIED)
    assert ana.lessons.retire(done.id, "The rights were mended.").op == "retired"
    assert ana.lessons.retire(done.id).outcome == "duplicate"
    assert ana.recall("permission denied") == []
    assert [one.reason for one in ana.lessons(everything=True)] == ["The rights were mended."]
    with pytest.raises(NotFound, match=r"the list of lessons"):
        ana.lessons.retire("les_unknown")


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ('{"error": {"message": "quota exceeded"}}', "quota exceeded"),
        ('{"success": false, "error": "no route"}', "no route"),
        ('{"exit_code": 2, "stderr": "bad flag", "stdout": ""}', "bad flag"),
        ('{"ok": false}', '{"ok": false}'),
        ('{"success": true, "error": ""}', None),
        ('{"exit_code": 0, "stderr": "warning: old"}', None),
        ('{"errors": []}', None),
        ("plain text", None),
        ('{"half": ', None),
    ],
)
def test_failures_are_told_without_words(content: str, error: str | None) -> None:
    """A result in JSON says by its fields whether the call failed."""
    assert failed(content, {}) == error


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (
            "Traceback (most recent call last):\n  File x\nPermissionError: [Errno 13] no",
            "PermissionError: [Errno 13] no",
        ),
        ("Error: no such table", "Error: no such table"),
        ("sh: run: command not found", "sh: run: command not found"),
        ("Fehler: Datei fehlt", "Fehler: Datei fehlt"),
        ("All 3 errors were fixed.", ""),
        ("", ""),
    ],
)
def test_failures_are_told_by_words(content: str, line: str) -> None:
    """The first or the last line of a tool's message says so, in any of the languages."""
    assert open_reader("words").failure(content) == line


def test_observed_results_of_tools_are_outcomes(rc: Recollect, ana: Space) -> None:
    """A result names its tool by the call it answers; a failure becomes a lesson, a success lets it go."""
    call = {"id": "c1", "type": "function", "function": {"name": "exec", "arguments": json.dumps({"a": 1})}}
    ana.messages.append("assistant", "", tool_calls=[call])
    ana.messages.append("tool", f"Error: {DENIED}", tool_call_id="c1")
    worked(rc)
    (lesson,) = ana.lessons()
    assert (lesson.tool, lesson.count) == ("exec", 1)
    assert [(one.tool, one.success) for one in ana.outcomes()] == [("exec", False)]
    ana.messages.append("assistant", "", tool_calls=[{**call, "id": "c2"}])
    ana.messages.append("tool", "root:x:0:0", tool_call_id="c2")
    worked(rc)
    assert ana.lessons() == []
    ana.observe("tool", "boom", attributes={"tool": "fetch", "args": {"u": 1}, "is_error": True})
    worked(rc)
    worked(rc)
    assert [(one.tool, one.count) for one in ana.lessons()] == [("fetch", 1)]


def test_002_32_a_correction_becomes_a_lesson(rc: Recollect, ana: Space) -> None:
    """002.32: what the user said, what came before, and the lesson; without a model that is the exchange itself."""
    ana.observe("assistant", "Was writing tests with unittest framework")
    ana.observe("user", "No, use pytest not unittest")
    worked(rc)
    (lesson,) = ana.lessons("correction")
    assert lesson.text == (
        '**User said:** "No, use pytest not unittest"\n**Context:** Was writing tests with unittest framework\n'
        "**Lesson:** No, use pytest not unittest"
    )


def test_a_newer_correction_of_the_same_matter_takes_the_place(rc: Recollect, ana: Space) -> None:
    """Who says the contrary later is believed; the same again is counted; another matter stands beside it."""
    for text in (
        "No, use pytest not unittest",
        "No, use pytest not unittest",
        "Actually, use unittest not pytest",
        "Instead, answer in German",
    ):
        ana.observe("assistant", "Done.")
        ana.observe("user", text)
        worked(rc)
    told = {one.lesson: one.count for one in ana.lessons("correction")}
    assert told == {"Actually, use unittest not pytest": 1, "Instead, answer in German": 1}


def test_what_is_no_correction_teaches_nothing(rc: Recollect, ana: Space) -> None:
    """Without an agent before it, as the answer to a question, or as a bare no, it is none."""
    ana.observe("user", "No, use pytest not unittest")
    ana.observe("assistant", "Shall I use unittest?")
    ana.observe("user", "No, use pytest please")
    ana.observe("assistant", "Anything else to do.")
    ana.observe("user", "no, thanks")
    ana.observe("user", "Notes are fine.")
    worked(rc)
    assert ana.lessons() == []


def test_002_40_praise_becomes_a_win(rc: Recollect, ana: Space) -> None:
    """002.40: what was praised is kept with the words of praise."""
    ana.observe("assistant", "I split the report into three pages.")
    ana.observe("user", "Perfect, exactly what I needed!")
    worked(rc)
    (win,) = ana.lessons("win")
    assert fields_of(win.text)["Context"] == "I split the report into three pages."


def test_002_35_english_has_nineteen_signals_of_a_correction() -> None:
    """002.35: they are data; every language has some, and some of praise and failure."""
    english, *others = lexicons()
    assert len(english.phrases("corrects")) == 19
    for one in (english, *others):
        assert all(len(one.phrases(group)) > 4 for group in ("corrects", "praises", "fails"))


def test_002_34_lessons_stand_in_the_first_context_of_every_session(rc: Recollect, clock: FixedClock) -> None:
    """002.34: errors before corrections before wins, the newest first, with a count; not in the second context."""
    one = rc.space("ana", "helper", "s1")
    one.tool_failed("exec", {"n": 1}, DENIED)
    clock.advance(hours=1)
    one.tool_failed("fetch", {}, "timeout")
    one.tool_failed("fetch", {}, "timeout")
    one.observe("assistant", "I used tabs.")
    one.observe("user", "No, use spaces")
    worked(rc)
    for session in ("s2", "s3"):
        again = rc.space("ana", "helper", session)
        text = str(again.context("Let us go on.", 4000, profile="openlegion"))
        head, _, told = text.partition("## Learnings from Past Sessions\n")
        assert head == ""
        lines = told.split("\n\n")[0].splitlines()
        assert [line.split(" (")[0] for line in lines] == [
            "- fetch: timeout",
            f"- exec: {DENIED}",
            '- "No, use spaces"',
        ]
        assert "2 times, last" in lines[0]
        assert "fetch: timeout" not in str(again.context("Go on.", 4000, profile="openlegion"))


def test_002_35_at_most_20_lines_and_3000_characters_are_shown(rc: Recollect, clock: FixedClock) -> None:
    """002.35: of each sort the newest 20, of all of them 3,000 characters."""
    ana = rc.space("ana", "helper", "s1")
    for number in range(30):
        ana.tool_failed(f"tool{chr(97 + number % 26)}{'x' * (number // 26)}", {}, "short")
        clock.advance(minutes=1)
    text = str(rc.space("ana", "helper", "s2").context(profile="openlegion", budget_tokens=8000))
    assert text.count("\n- tool") == 20
    assert "toolxd" not in text
    assert "- tooldx" in text
    assert "- toola:" not in text
    for number in range(20):
        ana.tool_failed(f"long{chr(97 + number)}", {}, "y" * 450)
    text = str(rc.space("ana", "helper", "s3").context(profile="openlegion", budget_tokens=8000))
    learnings = text.partition("## Learnings from Past Sessions\n")[2].split("\n\n")[0]
    assert 2000 < len(learnings) <= 3000 + 100


def test_002_35_the_older_half_rotates_into_the_archive(rc: Recollect, clock: FixedClock) -> None:
    """002.35: from 50,000 bytes on; nothing is lost, and another sort is left alone."""
    ana = rc.space("ana", "helper", "s1")
    many = 60
    for number in range(many):
        ana.tool_failed(f"tool{chr(97 + number % 26) * (1 + number // 26)}", {}, "é" * 450, lesson="ü" * 200)
        clock.advance(seconds=1)
    living, every = ana.lessons(limit=1000), ana.lessons(limit=1000, everything=True)
    assert sum(len(one.text.encode()) for one in living) <= 50_000
    assert len(every) == many
    archived = [one for one in every if one.state == "archived"]
    assert len(archived) + len(living) == many
    assert max(one.last for one in archived) < min(one.last for one in living)
    assert ana.recall("toola", kinds="lesson", tiers="archive")


def test_lessons_of_a_project_stay_there(rc: Recollect) -> None:
    """What was learnt in one project is not shown in another; what was learnt in none is shown in all."""
    rc.space("ana", project="boats").tool_failed("exec", {}, "boats fail")
    rc.space("ana").tool_failed("exec", {}, "all fail")
    assert [one.lesson for one in rc.space("ana", project="cars").lessons()] == ["all fail"]
    assert {one.lesson for one in rc.space("ana", project="boats").lessons()} == {"boats fail", "all fail"}
    assert rc.space("bob").lessons() == []
    assert rc.space("bob").outcomes() == []


def test_many_at_once_count_right(rc: Recollect) -> None:
    """Eight threads that fail in the same way make one lesson that counts eight."""
    threads = [
        threading.Thread(target=lambda n=n: rc.space("ana").tool_failed("exec", {"n": n}, DENIED)) for n in range(8)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [one.count for one in rc.space("ana").lessons()] == [8]


def test_a_repeated_request_counts_once(ana: Space) -> None:
    """A retry gets the first answer, and secrets do not get into a lesson."""
    one = ana.tool_failed("exec", {}, "bad key sk-ant-api03-" + "a" * 80, request_id="r1")
    assert ana.tool_failed("exec", {}, "bad key sk-ant-api03-" + "a" * 80, request_id="r1") == one
    (lesson,) = ana.lessons()
    assert lesson.count == 1
    assert "sk-ant" not in lesson.text
    assert one.warnings


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("", {}, "x"), "tool"),
        (("exec", {}, ""), "error"),
        ((3, {}, "x"), "tool"),
    ],
)
def test_bad_input_is_told(ana: Space, args: tuple[Any, ...], told: str) -> None:
    """Without a tool or an error nothing is kept."""
    with pytest.raises(InvalidInput, match=told):
        ana.tool_failed(*args)
    assert ana.outcomes() == []


def test_fields_are_read_back() -> None:
    """What is written is read, lines that go on included."""
    fields = {"Tool": "t", "Error": "e: f", "Context": "", "Lesson": "l"}
    text = written(fields, "error")
    assert fields_of(text) == {"Tool": "t", "Error": "e: f", "Lesson": "l"}
    assert fields_of("**Error:** a\nb\n\n**Lesson:** c") == {"Error": "a b", "Lesson": "c"}
    assert kind_of("t", "line 3 of 'x'") == kind_of("t", "line 99 of 'yy'")


@pytest.mark.usefixtures("forgetful")
def test_with_a_model_the_lesson_is_put_into_words(database: str, clock: FixedClock) -> None:
    """The model words what to do, and says which older lessons cannot hold any more; over real HTTP."""

    def wise(asked: Asked) -> Saying:
        return {"lesson": "Files outside /data cannot be read.", "contradicts": [1] if "[1]" in asked.user else []}

    with ScriptedLlm(wise) as server:
        models = {"base_url": server.url, "timeout_seconds": 5.0, "retries": 0}
        with Recollect(database, clock=clock, llm="openai:small", models=models) as rc:
            ana = rc.space("ana", session="s1")
            ana.tool_failed("exec", {}, DENIED)
            assert [one.lesson for one in ana.lessons()] == [DENIED]
            rc.run_jobs(["lessons"])
            assert [one.lesson for one in ana.lessons()] == ["Files outside /data cannot be read."]
            ana.tool_failed("exec", {}, DENIED)
            assert [(one.count) for one in ana.lessons()] == [2]
            ana.tool_failed("exec", {}, "disk full")
            rc.run_jobs(["lessons"])
            assert len(ana.lessons()) == 1
            assert {one.reason for one in ana.lessons(everything=True)} == {"", "a newer lesson contradicts it"}


def test_the_drill_three_failures_over_three_sessions(rc: Recollect, clock: FixedClock) -> None:
    """An agent fails in the same way in three sessions; the fourth knows, and the one after it was mended does not."""
    for session in ("s1", "s2", "s3"):
        agent = rc.space("ana", "helper", session)
        agent.context()
        call = {"id": "c", "type": "function", "function": {"name": "exec_command", "arguments": '{"p": "/etc"}'}}
        agent.messages.append("user", "Read the file.")
        agent.messages.append("assistant", "", tool_calls=[call])
        agent.messages.append("tool", f"Error: {DENIED}", tool_call_id="c")
        worked(rc)
        clock.advance(days=1)
    fourth = rc.space("ana", "helper", "s4")
    for profile in ("default", "openlegion"):
        text = str(rc.space("ana", "helper", f"s4 {profile}").context("Read the file again.", profile=profile))
        assert f"exec_command: Error: {DENIED} (3 times" in text
    fourth.messages.append("assistant", "", tool_calls=[call])
    fourth.messages.append("tool", "root:x:0:0", tool_call_id="c")
    worked(rc)
    assert "exec_command" not in str(rc.space("ana", "helper", "s5").context("Read it.", profile="openlegion"))


def test_a_lesson_is_found_by_meaning(tmp_path: Path, clock: FixedClock) -> None:
    """Whoever makes a memory, it gets its vector without being asked for: nothing waits once the jobs have run."""
    with Recollect(tmp_path / "m.db", embedder="recollect-1", clock=clock) as rc:
        ana = rc.space("ana", session="s1")
        for role, text in (
            ("user", "I moved to Lisbon in May."),
            ("assistant", "Nice!"),
            ("user", "no, I meant Porto"),
        ):
            ana.observe(role, text)
            clock.advance(seconds=30)
        ana.end()
        while rc.run_jobs():
            pass
        assert ana.list(kinds=["lesson"])
        assert ana.coverage().waiting == 0
        assert all(one.ok for one in rc.doctor())
