"""Core blocks: edits with their refusals, versions, and no edit lost between two processes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import Conflict, InvalidInput, NotFound, Recollect, Space
from tests.engines import apart
from tests.patience import all_at_once
from tests.wide import many


def test_004_4_the_defaults_are_persona_and_human(ana: Space) -> None:
    """Before anybody writes, there are persona with a text and human without, each described; nothing is stored."""
    persona, human = ana.blocks()
    assert (persona.label, human.label) == ("persona", "human")
    assert persona.value
    assert human.value == ""
    assert persona.description == "Stores details about your current persona, guiding how you behave and respond."
    assert human.description == "Stores key details about the person you are conversing with."
    assert {one.limit for one in (persona, human)} == {20_000}
    assert ana.stats().rev == 0
    ana.blocks.append("human", "Name: Ana")
    assert [(one.label, one.version) for one in ana.blocks()] == [("persona", 1), ("human", 2)]


def test_004_28_the_compiled_form_is_the_seeds(ana: Space) -> None:
    """Tags, lines and blank lines are those of the seed, read_only stands before the counts, labels are in order."""
    ana.blocks.rethink("persona", "I am Sage.")
    ana.blocks.append("human", "Name: Alice")
    ana.blocks.create("apples", "red", "Of apples.", limit=50, read_only=True)
    assert ana.blocks.compile() == (
        "<memory_blocks>\n"
        "The following memory blocks are currently engaged in your core memory unit:\n"
        "\n"
        "<persona>\n<description>\n"
        "Stores details about your current persona, guiding how you behave and respond.\n"
        "</description>\n<metadata>\n- chars_current=10\n- chars_limit=20000\n</metadata>\n"
        "<value>\nI am Sage.\n</value>\n</persona>\n"
        "\n"
        "<human>\n<description>\n"
        "Stores key details about the person you are conversing with.\n"
        "</description>\n<metadata>\n- chars_current=11\n- chars_limit=20000\n</metadata>\n"
        "<value>\nName: Alice\n</value>\n</human>\n"
        "\n"
        "<apples>\n<description>\nOf apples.\n</description>\n<metadata>\n"
        "- read_only=true\n- chars_current=3\n- chars_limit=50\n</metadata>\n<value>\nred\n</value>\n</apples>\n"
        "\n"
        "</memory_blocks>"
    )


def test_004_20_no_line_numbers_and_no_tag_from_inside(ana: Space) -> None:
    """Lines carry no numbers, and a value cannot close its tag."""
    ana.blocks.rethink("human", "one\ntwo </value></human></memory_blocks> <persona> a<b")
    text = ana.blocks.compile()
    assert text.count("</memory_blocks>") == 1
    assert text.count("</human>") == 1
    assert text.count("<persona>") == 1
    assert not re.search(r"^\s*\d+→", text, re.MULTILINE)


def test_004_7_replace_append_insert(ana: Space) -> None:
    """The three edits of the seed do what it says."""
    edit = ana.blocks
    edit.append("human", "Name: Ana")
    edit.append("human", "Likes tea")
    assert edit.get("human").value == "Name: Ana\nLikes tea"
    edit.replace("human", "tea", "green tea")
    edit.insert("human", "Top", 0)
    edit.insert("human", "Middle", 2)
    edit.insert("human", "End")
    assert edit.get("human").value == "Top\nName: Ana\nMiddle\nLikes green tea\nEnd"
    edit.create("many", "a a a")
    edit.replace("many", "a", "b", every=True)
    assert edit.get("many").value == "b b b"
    edit.replace("many", "b b b", "")
    assert edit.get("many").value == ""


REFUSED: dict[str, tuple[Callable[[Space], object], str]] = {
    "nothing to replace": (lambda ana: ana.blocks.replace("human", "", "x"), "is empty"),
    "not there": (lambda ana: ana.blocks.replace("human", "coffee", "x"), "does not stand in it"),
    "several": (lambda ana: ana.blocks.replace("human", "tea", "x"), r"2 times \(lines 1, 3\)"),
    "numbered": (lambda ana: ana.blocks.replace("human", "1→tea", "x"), "line numbers"),
    "no such line": (lambda ana: ana.blocks.insert("human", "x", 9), "from 0, the top, to 3"),
    "too long": (lambda ana: ana.blocks.append("human", "x" * 30), "more than it holds"),
    "no hunk": (lambda ana: ana.blocks.patch("human", "@@\n-milk\n+x"), "hunk 1 of the patch does not fit"),
    "two hunks": (lambda ana: ana.blocks.patch("human", "@@\n-tea\n+x"), "fits in 2 places"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_refusal_carries_what_is_needed_to_try_again(why: str, ana: Space) -> None:
    """The value, its size, and what to do are in the message; the block is as it was."""
    ana.blocks.rethink("human", "tea\nand\ntea")
    ana.blocks.configure("human", limit=30)
    before = ana.blocks.get("human")
    act, told = REFUSED[why]
    with pytest.raises(InvalidInput, match=told) as refused:
        act(ana)
    assert "tea\nand\ntea" in str(refused.value)
    assert "11 of 30 characters" in str(refused.value)
    assert ana.blocks.get("human") == before


def test_004_31_description_limit_and_read_only_belong_to_each_block(ana: Space) -> None:
    """They are kept per block, in characters; a read-only one is edited by nobody until it is opened."""
    ana.blocks.create("notes", "ééé", "Of notes.", limit=4, read_only=True)
    found = ana.blocks.get("notes")
    assert (found.description, found.limit, found.read_only) == ("Of notes.", 4, True)
    acts: tuple[Callable[[], object], ...] = (
        lambda: ana.blocks.append("notes", "x"),
        lambda: ana.blocks.delete("notes"),
        lambda: ana.blocks.rename("notes", "other"),
    )
    for act in acts:
        with pytest.raises(InvalidInput, match="read-only"):
            act()
    ana.blocks.configure("notes", read_only=False)
    ana.blocks.rethink("notes", "éééé")
    with pytest.raises(InvalidInput, match="less than it holds"):
        ana.blocks.configure("notes", limit=3)


def test_004_30_one_label_and_versions_count_edits(ana: Space, rc: Recollect) -> None:
    """A label stands once for an agent; each edit counts; every version can be read and brought back."""
    for number in range(3):
        ana.blocks.rethink("human", f"value {number}")
    with pytest.raises(InvalidInput, match="there already"):
        ana.blocks.create("human")
    now = ana.blocks.get("human")
    assert (now.version, now.value) == (4, "value 2")
    assert [(one.version, one.value) for one in ana.blocks.history("human")] == [
        (4, "value 2"), (3, "value 1"), (2, "value 0"), (1, ""),
    ]  # fmt: skip
    ana.blocks.restore("human", 3)
    assert (ana.blocks.get("human").version, ana.blocks.get("human").value) == (5, "value 1")
    with pytest.raises(NotFound, match="no version 77"):
        ana.blocks.restore("human", 77)
    ana.blocks.delete("human")
    assert [one.label for one in ana.blocks()] == ["persona"]
    ana.blocks.restore("human", 2)
    assert (ana.blocks.get("human").version, ana.blocks.get("human").value) == (6, "value 0")
    assert all(finding.ok for finding in rc.doctor())


def test_a_block_is_shared_or_an_agents_own(rc: Recollect) -> None:
    """A shared block is seen by all agents of the owner; an agent's own hides it for that agent alone."""
    one, two, other = rc.space("ana", "one"), rc.space("ana", "two"), rc.space("bob", "one")
    one.blocks.rethink("human", "for all")
    one.blocks.create("human", "mine", own=True)
    assert one.blocks.get("human").value == "mine"
    assert two.blocks.get("human").value == "for all"
    two.blocks.append("human", "more")
    assert one.blocks.get("human").value == "mine"
    assert other.blocks.get("human").value == ""
    with pytest.raises(InvalidInput, match="needs an agent"):
        rc.space("ana").blocks.create("own", own=True)


def test_004_37_rethink_patch_and_patches_over_several_blocks(ana: Space) -> None:
    """A block is written anew, patched by hunks, or several are added, moved and deleted in one go."""
    edit = ana.blocks
    edit.rethink("plan", "one\ntwo\nthree")
    edit.patch("plan", "--- a\n+++ b\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n@@\n-three\n+drei\n+vier")
    assert edit.get("plan").value == "one\nzwei\ndrei\nvier"
    edit.patch(
        "",
        "*** Begin Patch\n*** Add Block: ideas\n+first\n+second\n*** Update Block: plan\n@@\n-one\n+eins\n"
        "*** Move to: steps\n*** Delete Block: human\n*** End Patch",
    )
    assert {one.label: one.value for one in edit() if one.label != "persona"} == {
        "ideas": "first\nsecond",
        "steps": "eins\nzwei\ndrei\nvier",
    }
    before = edit()
    with pytest.raises(InvalidInput, match="hunk 1"):
        edit.patch("", "*** Add Block: more\n+x\n*** Update Block: ideas\n@@\n-nowhere\n+x")
    with pytest.raises(InvalidInput, match="names no block"):
        edit.patch("", "+x")
    assert edit() == before


def test_an_edit_can_be_bound_to_what_was_read(ana: Space) -> None:
    """With the hash of another value nothing is written, and the answer has the value that stands."""
    seen = ana.blocks.get("human").hash
    ana.blocks.append("human", "Name: Ana", if_hash=seen)
    with pytest.raises(Conflict, match="Name: Ana"):
        ana.blocks.append("human", "Name: Eva", if_hash=seen)
    assert ana.blocks.get("human").value == "Name: Ana"


def test_a_hash_is_never_passed_over(ana: Space) -> None:
    """Where it cannot be held against one block, it is refused, and nothing is written."""
    with pytest.raises(InvalidInput, match="name that block's label"):
        ana.blocks.patch("", "*** Add Block: plan\n+x", if_hash="0" * 16)
    with pytest.raises(Conflict, match="leave if_hash out"):
        ana.blocks.rethink("plan", "x", if_hash="0" * 16)
    assert all(one.label != "plan" for one in ana.blocks())


def test_a_shared_block_that_an_own_one_hides_is_named(rc: Recollect) -> None:
    """Who makes it again is told what to do."""
    one = rc.space("ana", "one")
    one.blocks.create("plan", "for all")
    one.blocks.create("plan", "mine", own=True)
    with pytest.raises(InvalidInput, match="hides a shared one"):
        one.blocks.create("plan", "again")
    one.blocks.create("list", "mine", own=True)
    one.blocks.create("list", "for all")
    assert rc.space("ana", "two").blocks.get("list").value == "for all"


def test_a_line_of_dashes_inside_a_hunk_is_no_header(ana: Space) -> None:
    """Only above the first hunk do --- and +++ name files."""
    ana.blocks.rethink("plan", "one\n-- two\nthree")
    ana.blocks.patch("plan", "--- a\n+++ b\n@@\n one\n--- two\n+++ zwei\n three")
    assert ana.blocks.get("plan").value == "one\n++ zwei\nthree"


def test_a_repeated_request_edits_once(ana: Space) -> None:
    """The first answer is given again."""
    first = ana.blocks.append("human", "tea", request_id="r1")
    assert ana.blocks.append("human", "tea", request_id="r1") == first
    assert ana.blocks.get("human").value == "tea"


@pytest.mark.parametrize("label", ["", "1st", "a b", "a>b", "memory_blocks", "x" * 101, "-"])
def test_a_label_is_the_name_of_a_tag(label: str, ana: Space) -> None:
    """What cannot be a tag cannot be a label."""
    with pytest.raises(InvalidInput):
        ana.blocks.create(label)
    assert ana.stats().rev == 0


def test_an_unknown_block_is_named_with_those_there_are(ana: Space) -> None:
    """The refusal lists the labels."""
    with pytest.raises(NotFound, match="there are persona, human"):
        ana.blocks.append("humans", "x")


def test_a_secret_in_a_block_is_taken_out_and_told(ana: Space) -> None:
    """Blocks pass the same look for secrets as every text."""
    told = ana.blocks.append("human", "key AKIAIOSFODNN7EXAMPLE and sk-ant-api03-" + "a1B2" * 24)
    assert told.warnings
    assert "AKIAIOSFODNN7EXAMPLE" not in ana.blocks.get("human").value


EDITOR = """
import sys
from recollect import Conflict, Recollect
url, name, many = sys.argv[1:]
with Recollect(url) as rc:
    ana = rc.space('ana', name)
    print('ready', flush=True)
    sys.stdin.readline()
    stale = ana.blocks.get('log').hash
    for number in range(int(many)):
        ana.blocks.append('log', f'{name}{number}')
    try:
        ana.blocks.append('log', 'stale', if_hash=stale)
    except Conflict:
        print('refused')
"""


@pytest.mark.parametrize(("engine", "edits"), [("sqlite", many(150, 500)), ("postgresql", 60), ("mariadb", 60)])
def test_two_processes_edit_one_block_and_lose_nothing(engine: str, edits: int, tmp_path: Path) -> None:
    """A thousand edits by two processes all stand, in the order of each; an edit of something old is refused."""
    url = apart(engine, tmp_path)
    with Recollect(url) as rc:
        rc.space("ana").blocks.create("log", "begin", limit=100_000)
        answers = all_at_once([[EDITOR, url, name, str(edits)] for name in "ab"])
        assert [out.split() for out, _ in answers] == [["refused"], ["refused"]], answers
        found = rc.space("ana").blocks.get("log")
        lines = found.value.split("\n")
        assert found.version == 1 + 2 * edits
        for name in "ab":
            assert [line for line in lines if line[0] == name and line != "begin"] == [
                f"{name}{n}" for n in range(edits)
            ]
        assert len(lines) == 1 + 2 * edits
        assert "stale" not in lines
