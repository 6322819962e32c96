"""One person, one subject: facts under any of the user's names are the same person's, whatever was known first."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")


def facts(space: Space) -> list[str]:
    """Give the facts that stand."""
    return sorted(one.content for one in space.list(kinds=["fact"], limit=50))


def test_a_told_name(rc: Recollect) -> None:
    """A fact saved under the user's name gives way to what he says of himself."""
    first = rc.space("u7", session="1")
    first.observe("user", "Hi, I'm Ana.")
    first.end()
    first.remember("Ana lives in Lisbon.")
    later = rc.space("u7", session="2")
    later.observe("user", "I moved to Porto.")
    later.end()
    assert facts(later) == ["The user moved to Porto.", "The user's name is Ana."]


def test_the_owner_and_the_actor(rc: Recollect) -> None:
    """The owner's own name, and that of the one who speaks, are the user's."""
    ana = rc.space("ana", session="1")
    ana.remember("Ana lives in Porto.")
    ana.observe("user", "I moved to Lisbon in May.")
    ana.end()
    assert len(facts(ana)) == 1
    assert "Lisbon" in facts(ana)[0]
    bea = rc.space("u8", session="1")
    bea.observe("user", "I live in Rome.")
    bea.end()
    bea.observe("user", "I live in Oslo now.", actor="Bea")
    bea.end()
    assert facts(bea) == ["Bea lives in Oslo."]


def test_a_preferred_name(rc: Recollect) -> None:
    """What was learnt before somebody said how to call him is his as well, duplicates included."""
    space = rc.space("u9", session="1")
    space.observe("user", "I live in Rome. I have a cat called Miau.")
    space.end()
    space.observe("user", "Call me Sasha.")
    rc.run_jobs()
    space.observe("user", "I live in Oslo now. I have a cat called Miau.")
    space.end()
    cats = [one for one in facts(space) if "Miau" in one]
    assert len(cats) == 1
    assert [one for one in facts(space) if "lives" in one] == ["Sasha lives in Oslo."]


def test_several_people_stay_apart(rc: Recollect) -> None:
    """In a talk of several people nobody's home is another's."""
    team = rc.space("team", session="1")
    for actor, said in (
        ("Ana", "I'm Ana."),
        ("Bob", "I'm Bob."),
        ("Ana", "I live in Lisbon."),
        ("Bob", "I live in Berlin."),
    ):
        team.observe("user", said, actor=actor)
    team.end()
    assert {"Ana lives in Lisbon.", "Bob lives in Berlin."} <= set(facts(team))


def test_a_correction_supersedes_what_was_overheard(rc: Recollect) -> None:
    """An allergy that was only overheard gives way to its speaker's correction, one he confirmed does not."""
    space = rc.space("u10", session="1")
    for said in ("I'm allergic to nuts.", "I was wrong: I'm allergic to shellfish, not nuts."):
        space.observe("user", said)
        space.end()
    assert facts(space) == ["The user is allergic to shellfish, not nuts."]
    kept = rc.space("u11", session="1")
    kept.confirm(kept.remember("The user is allergic to nuts.", importance=10).id)
    kept.observe("user", "Turns out I'm not allergic to nuts.")
    kept.end()
    assert facts(kept) == ["The user is allergic to nuts."]
    assert [one.memory.content for one in kept.inbox()] == ["The user is not allergic to nuts."]


def test_the_report_says_that_rules_read_english(rc: Recollect) -> None:
    """Where nothing was read because the talk is in another language, the report says so."""
    space = rc.space("u12", session="1")
    for said in ("Ich wohne in Hamburg.", "Schön!", "Ich arbeite als Lehrer an einer Schule.", "Gut."):
        space.observe("user", said)
    assert "the rules read English, and this talk seems to be in another language" in space.end().text


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(("user", "actor"), [("ana", "Ana"), ("ana", ""), ("ana.silva", "Ana Silva"), ("u7", "Ana")])
def test_a_guest_changes_nothing_of_the_owner(rc: Recollect, user: str, actor: str, order: int) -> None:
    """What somebody else says of himself takes the place of nothing the owner told, whoever came first."""
    talk = [(actor, "I live in Lisbon. I work at Acme."), ("Bob", "I'm Bob. I live in Berlin. I work at Globex.")]
    for at, (who, said) in enumerate(talk[::order]):
        space = rc.space(user, session=f"s{at}")
        space.observe("user", said, actor=who)
        space.end()
    name = actor or "The user"
    assert {f"{name} lives in Lisbon.", f"{name} works at Acme."} <= set(facts(space))
    assert {"Bob lives in Berlin.", "Bob works at Globex."} <= set(facts(space))


def test_a_guests_name_is_his(rc: Recollect) -> None:
    """Who introduces himself does not rename the user."""
    space = rc.space("ana", session="1")
    space.observe("user", "I'm Ana.", actor="Ana")
    space.observe("user", "I'm Bob.", actor="Bob")
    space.end()
    assert facts(space) == ["Bob's name is Bob.", "The user's name is Ana."]


def test_a_model_tells_nothing_of_a_guest_as_the_users(tmp_path: Path) -> None:
    """What somebody else said of himself is his, also where a model calls him the user."""
    told = [
        ("The user lives in Lisbon.", "I live in Lisbon.", 1),
        ("The user lives in Berlin.", "I live in Berlin.", 2),
    ]
    proposed = [{"content": content, "quote": quote, "turn": turn} for content, quote, turn in told]
    with ScriptedLlm(lambda asked: {"facts": proposed, "summary": ""}) as server:
        chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
        with Recollect(tmp_path / "m.db", embedder="none", llm="openai:small", models=chosen) as opened:
            space = opened.space("ana", session="1")
            for actor, said in (("", "I live in Lisbon."), ("Bob", "I live in Berlin."), ("", "Hm."), ("", "Bye.")):
                space.observe("user", said, actor=actor)
            space.end()
            assert facts(space) == ["Bob lives in Berlin.", "The user lives in Lisbon."]
