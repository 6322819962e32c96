"""What two reviews found: evidence across a whole conversation, detail in near duplicates, corrections, agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import Recollect, Space
from recollect.language.english.claim_check import ONLY_MACHINE
from recollect.testing import FixedClock
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")


@pytest.fixture
def server() -> Iterator[ScriptedLlm]:
    """Give a model that says nothing but what it is told to."""
    with ScriptedLlm() as started:
        yield started


def opened(url: str, server: ScriptedLlm, clock: FixedClock) -> Recollect:
    """Open a memory with a model."""
    chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
    return Recollect(url, embedder="none", llm="openai:small", models=chosen, clock=clock)


def talk(space: Space, clock: FixedClock, *turns: tuple[str, str]) -> None:
    """Let a conversation take place."""
    for role, text in turns:
        space.observe(role, text)
        clock.advance(minutes=1)


def facts(*proposed: tuple[str, str, int]) -> dict[str, Any]:
    """Make a model's answer of claims, their quotes and turns."""
    return {
        "facts": [{"content": claim, "quote": quote, "turn": turn} for claim, quote, turn in proposed],
        "summary": "",
    }


def kept(space: Space) -> set[str]:
    """Give the facts that stand."""
    return {one.content for one in space.list(kinds=["fact"], limit=100)}


def test_who_says_his_name_keeps_his_facts(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """A name told in the chat is the user's own, on a later page of the session and in a later session too."""
    with opened(database, server, clock) as rc:
        first = rc.space("u_8812", session="s1")
        talk(
            first,
            clock,
            ("user", "Hi, I'm Ana and I live in Lisbon."),
            ("user", "So."),
            ("user", "Ok."),
            ("user", "Hm."),
        )
        server.say(facts(("Ana lives in Lisbon.", "I live in Lisbon", 1), ("The user's name is Ana.", "I'm Ana", 1)))
        first.end()
        assert kept(first) == {"Ana lives in Lisbon.", "The user's name is Ana."}
        for session, text, claim in (
            ("s1", "I have a cat called Miau.", "Ana has a cat called Miau."),
            ("s2", "I drive an old Fiat.", "Ana drives an old Fiat."),
        ):
            space = rc.space("u_8812", session=session)
            talk(space, clock, ("user", text), ("user", "So."), ("user", "Ok."), ("user", "Hm."))
            server.say(facts((claim, text, 1)))
            space.end()
            assert claim in kept(space)


def test_what_only_the_assistant_said_waits(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """A guess of the assistant is kept apart, with the reason."""
    with opened(database, server, clock) as rc:
        ana = rc.space("ana", session="s")
        talk(ana, clock, ("user", "What is the weather?"), ("assistant", "As you live in Berlin, it is cold."))
        talk(ana, clock, ("user", "A recipe please?"), ("assistant", "Since you are allergic to nuts, try soup."))
        server.say(
            facts(
                ("The user lives in Berlin.", "you live in Berlin", 2),
                ("The user is allergic to nuts.", "Since you are allergic to nuts", 4),
            )
        )
        ana.end()
        assert kept(ana) == set()
        assert {one.reason for one in ana.inbox()} == {ONLY_MACHINE}


def test_what_a_tool_said_on_an_earlier_page_is_an_echo(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """What a tool said is not learnt when it is said back after the session was worked through once."""
    said = "So my parcel lies in locker seven at Acme Depot"
    with opened(database, server, clock) as rc:
        ana = rc.space("ana", session="s")
        talk(ana, clock, ("user", "Where is it?"), ("tool", "Found: my parcel lies in locker seven at Acme Depot"))
        talk(ana, clock, ("user", "Ah."), ("user", "Oh."), ("user", "Hm."))
        server.say(facts())
        ana.end()
        talk(ana, clock, ("user", said), ("user", "Yes so."), ("user", "Fine."), ("user", "Bye."))
        server.say(facts(("Ana's parcel lies in locker seven at Acme Depot.", said, 1)))
        ana.end()
        assert kept(ana) == set()


def test_a_memory_said_back_in_many_ways_is_an_echo(database: str, server: ScriptedLlm, clock: FixedClock) -> None:
    """One echo of a memory, word for word, lets no other through; nor is a block or a slot learnt as a fact."""
    known = ("Ana lives in Lisbon with her two cats.", "Ana is allergic to peanuts and carries an inhaler.")
    block, slot = "The report is due every Friday at noon.", "Ana prefers to be called Annie by friends."
    said = [known[0], f"As you know: {known[0]}", f"- {known[0]}\n- {known[1]}", known[1], block, slot]
    with opened(database, server, clock) as rc:
        ana = rc.space("ana", session="s")
        ana.remember_many([{"content": text} for text in known])
        ana.remember(block, kind="block")
        ana.remember(slot, key="nickname")
        talk(ana, clock, *(("user", text) for text in said))
        server.say(facts(*((text, text, number) for number, text in enumerate(said, 1))))
        told = ana.end()
        assert kept(ana) == {*known, slot}
        assert [one.content for one in ana.list(kinds=["fact"])].count(slot) == 1
        assert (told.numbers["saved"], told.numbers["duplicates"], told.numbers["rejected"]) == (0, 2, 4)


def test_an_echo_is_known_among_many_words(tmp_path: Path, server: ScriptedLlm, clock: FixedClock) -> None:
    """However much else is said on the page, and however much is remembered beside it, a memory and a sentence of a
    long boot file are known when they are said back."""
    known, rule = "Ana lives in Lisbon with her two cats.", "Ana wants the release notes before lunch on Fridays."
    boot = "\n".join([*(f"Section {n}: tool{n} belongs to part{n}." for n in range(300)), rule])
    chatter = [f"The gadget{n} is in the box{n} of shop{n}." for n in range(30)]
    said = [*chatter, f"- {known}\n- {rule}", f"> {rule}", f"{known} {known}"]
    with opened(f"sqlite:///{tmp_path}/memory.db", server, clock) as rc:
        ana = rc.space("ana", session="s")
        ana.remember(boot, kind="block")
        ana.remember_many([{"content": f"Ana wants {n} boxes of tea{n} on Fridays."} for n in range(60)])
        ana.remember(known)
        before = kept(ana)
        talk(ana, clock, *(("user", text) for text in said))
        server.say(facts(*((text, text, len(chatter) + at) for at, text in enumerate(said[len(chatter) :], 1))))
        ana.end()
        assert kept(ana) == before


@pytest.mark.parametrize(
    ("old", "more"),
    [
        ("Ana works as a nurse in the old hospital by the river", "on weekends"),
        ("Ana drinks black coffee every morning before work", "slowly"),
    ],
)
def test_a_near_duplicate_that_says_more_is_kept(ana: Space, old: str, more: str) -> None:
    """Detail is not lost: the fuller text stands for both; said again, or only stressed, it is known."""
    first = ana.remember(f"{old}.", tags=["life"])
    second = ana.remember(f"{old} {more}.")
    assert (second.outcome, second.other, kept(ana)) == ("merged", first.id, {f"{old} {more}."})
    assert ana.get(second.id).tags == ("life",)
    assert ana.remember(f"{old}.").outcome == "duplicate"
    ana.pin(second.id)
    assert ana.remember(f"{old} {more} indeed.").outcome == "duplicate"


def test_a_correction_is_held_against_the_others(ana: Space, clock: FixedClock) -> None:
    """A corrected text takes the place of what it contradicts too, but not of what was confirmed."""
    rome, tea, car = (ana.remember(f"Ana {text}.").id for text in ("lives in Rome", "likes tea", "drives a Fiat"))
    clock.advance(minutes=1)
    ana.correct(tea, "Ana lives in Bonn.")
    assert kept(ana) == {"Ana lives in Bonn.", "Ana drives a Fiat."}
    assert ana.get(rome).state == "superseded"
    ana.confirm(ana.list(kinds=["fact"])[0].id)
    ana.confirm(car)
    fine = ana.remember("Ana likes soup.").id
    ana.correct(fine, "Ana drives a Volvo.")
    assert "Ana drives a Fiat." in kept(ana)


def test_an_agents_batch_answers_item_by_item(ana: Space) -> None:
    """Each fact is told by its number: what it replaced, why it was refused, and which messages are not there."""
    space = ana
    space.observe("user", "Hello.")
    old = space.remember("Ana lives in Rome.", source="agent").id
    answer = space.save_facts_batch(
        [
            {"content": "  "},
            {"content": "Ana lives in Bonn.", "source_ids": ["ep_none"]},
            {"content": "Ana owns a boat.", "pinned": True},
            {"content": "Ana likes tea.", "confidence": 7},
        ],
        session_id=space.list(kinds=["episode"])[0].session or "s",
    )
    assert [(one.index, one.supersedes) for one in answer.saved] == [(1, old)]
    assert [one.partition(":")[0] for one in answer.errors] == ["fact 2", "fact 3", "fact 1"]
    assert "only the user pins" in answer.errors[0]
    assert "no message ep_none in session" in answer.errors[2]


def test_an_agent_does_not_overwrite_an_important_slot(ana: Space) -> None:
    """What the user called important waits for the user's word."""
    slot = ana.remember("Ana's time zone is Europe/Lisbon.", key="timezone", importance=9).id
    ana.observe("user", "Hello.")
    new = {"content": "Ana's time zone is Asia/Tokyo.", "key": "timezone", "confidence": 0.95}
    ana.save_facts_batch([new], session_id="s")
    assert ana.get(slot).state == "active"
    assert [one.memory.content for one in ana.inbox()] == [new["content"]]
