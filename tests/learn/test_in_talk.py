"""What people say of their memory in plain talk: to forget what was only said, to put right, to keep nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import Recollect, Space
from recollect.testing import FixedClock
from recollect.testing.judge import PlainJudge
from recollect.testing.llm import ScriptedLlm
from tests.patience import PATIENCE

pytestmark = pytest.mark.usefixtures("forgetful")


@pytest.fixture
def rc(tmp_path: Path, clock: FixedClock) -> Iterator[Recollect]:
    """Give a memory in a file, with a judge that needs no model."""
    with Recollect(tmp_path / "m.db", embedder="none", clock=clock) as opened:
        opened._runtime.own_judge = PlainJudge()
        yield opened


def say(rc: Recollect, session: str, *texts: str) -> tuple[Space, str]:
    """Say something in a session, let it be read, and give what the last run told of it."""
    space, told = rc.space("u1", session=session), ""
    for text in texts:
        space.observe("user", text)
        rc._runtime.clock.advance(minutes=1)  # type: ignore[attr-defined]
        told = " ".join(one.text for one in rc.run_jobs() if one.job == "learn")
    return space, told


def facts(space: Space) -> list[str]:
    """Give the facts that stand."""
    return sorted(one.content for one in space.list(kinds=["fact"], limit=50))


def messages(space: Space, state: str = "active") -> list[str]:
    """Give the messages in a state, the oldest first."""
    return [one.content for one in space.list("oldest", 50, kinds=["episode"], states=[state])]


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("By the way, the garage code of my sister is 7731.", "Forget that the garage code of my sister is 7731."),
        ("Übrigens wohnt Petra in Hamburg.", "Vergiss, dass Petra in Hamburg wohnt."),
        ("Au fait, Petra habite à Lyon.", "Oublie que Petra habite à Lyon."),
    ],
)
def test_what_was_said_and_never_noted_goes_out_of_sight(
    database: str, clock: FixedClock, said: str, asked: str
) -> None:
    """The message that says it and the request go out of sight on every engine, are told of, and can be restored."""
    with Recollect(database, embedder="none", clock=clock) as rc:
        say(rc, "s", "I like the sea.", said)
        space, told = say(rc, "t", asked)
        assert "2 message(s) put out of sight" in told
        assert messages(space) == ["I like the sea."]
        gone, request = space.list("oldest", kinds=["episode"], states=["deleted"])
        assert (gone.content, request.content) == (said, asked)
        assert space.history(gone.id)[-1].op == "put out of sight"
        space.end()
        assert facts(space) == []
        assert space.restore(gone.id).ok
        assert said in messages(space)


def test_a_message_that_says_more_is_asked_about(rc: Recollect) -> None:
    """Where a message says a lot beside it the inbox asks; accepted, it goes."""
    long = "My plan for summer: a week of hiking in Norway with Ole, then painting the kitchen, and Petra is pregnant."
    say(rc, "s", long)
    space, told = say(rc, "t", "Forget that Petra is pregnant.")
    assert "1 wait(s) for consent." in told
    assert long in messages(space)
    (asked,) = space.inbox()
    assert asked.memory.content.startswith("Forget this?")
    space.inbox.accept(asked.memory.id)
    assert long not in messages(space)


CORRECTIONS = [
    ("My birthday is on 4 May.", "That's wrong, my birthday is not on 4 May, it is 11 April.", "11 April"),
    ("My appointment is in March.", "Actually it's not March, it's April.", "April"),
    ("My flight goes to Lisbon.", "No, I meant Porto.", "Porto"),
    ("My flight goes to Lisbon.", "I said Lisbon but it's Porto.", "Porto"),
    ("My birthday is on May 4.", "It isn't on 4 May, it's on 11 April.", "11 April"),
    ("Mein Geburtstag ist am 4. Mai.", "Das stimmt nicht, er ist nicht am 4. Mai, sondern am 11. April.", "11. April"),
    ("Mon anniversaire est le 4 mai.", "Mon anniversaire n'est pas le 4 mai, c'est le 11 avril.", "11 avril"),
    ("Mi cumpleaños es el 4 de mayo.", "Mi cumpleaños no es el 4 de mayo, es el 11 de abril.", "11 de abril"),
    ("O meu aniversário é a 4 de maio.", "O meu aniversário não é a 4 de maio, é a 11 de abril.", "11 de abril"),
    ("Il mio compleanno è il 4 maggio.", "Il mio compleanno non è il 4 maggio, è l'11 aprile.", "11 aprile"),
    ("Mijn verjaardag is op 4 mei.", "Mijn verjaardag is niet op 4 mei, maar op 11 april.", "11 april"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "correction", "right"), CORRECTIONS)
def test_what_is_put_right_in_talk_stands(rc: Recollect, said: str, correction: str, right: str) -> None:
    """The new value is what recall gives, before the session's end and after; the wrong one stands in no fact."""
    space, told = say(rc, "s", said, correction)
    assert "1 put right in the speaker's words." in told
    for _ in range(2):
        hits = [hit.memory.content for hit in space.recall(said, kinds=["fact"])]
        assert right in hits[0], hits
        assert said not in facts(space)
        space.end()


@pytest.mark.parametrize("late", [False, True])
def test_forgetting_a_correction_removes_both_values(rc: Recollect, late: bool) -> None:
    """`Forget that` after a correction brings the wrong value back nowhere, whether it was noted already or not."""
    said, correction = "My birthday is on 4 May.", "That's wrong, my birthday is not on 4 May, it is 11 April."
    space, _ = say(rc, "s", said)
    if late:
        space.end()
    space, _ = say(rc, "s", correction)
    if late:
        space.end()
    space, _ = say(rc, "s", "Forget that.")
    space.end()
    assert (facts(space), messages(space)) == ([], ["Forget that."])


def test_a_sentence_that_only_sounds_like_a_correction_is_noted(rc: Recollect) -> None:
    """Nothing is known of the old value: the words stand as they were said."""
    space, told = say(rc, "s", "My sister is not a nurse, she is a doctor.")
    space.end()
    assert facts(space) == ["My sister is not a nurse, she is a doctor."]
    assert "rejected" not in told


@pytest.mark.parametrize(
    "text",
    [
        "Please don't remember this, but I'm looking for a new job.",
        "I'm looking for a new job, but please don't remember this.",
        "Off the record: I hate my boss.",
        "Merk dir das bitte nicht: ich suche eine neue Stelle.",
        "I have a new job. Don't save this.",
    ],
)
def test_what_is_off_the_record_is_not_kept(rc: Recollect, text: str) -> None:
    """It becomes no note, goes out of sight, and the report says so."""
    space, told = say(rc, "s", "I like the sea.", text)
    assert "1 message(s) put out of sight: the speaker asked not to keep them." in told
    space.end()
    assert (facts(space), text in messages(space)) == (["I like the sea."], False)


def test_a_model_keeps_nothing_that_is_off_the_record(tmp_path: Path, clock: FixedClock) -> None:
    """A claim that rests on such words is refused, though the message was not yet put out of sight."""
    fact = {"content": "The user hates her boss.", "quote": "I hate my boss", "turn": 1}
    with ScriptedLlm(lambda asked: {"facts": [fact], "summary": ""}) as server:
        chosen = {"base_url": server.url, "timeout_seconds": PATIENCE, "retries": 0}
        with Recollect(tmp_path / "o.db", embedder="none", clock=clock, llm="openai:small", models=chosen) as rc:
            space = rc.space("u1", session="s")
            for text in ("Off the record: I hate my boss.", "Hm.", "So.", "Bye."):
                space.observe("user", text)
            report = space.end()
            assert "the speaker asked not to keep it" in report.text
            assert facts(space) == []


@pytest.mark.parametrize(
    "text", ["Remember that my password is hunter2!", "Merk dir, dass mein Passwort geheim123 ist."]
)
def test_a_secret_that_was_taken_out_is_no_wish(rc: Recollect, text: str) -> None:
    """Nothing is left to keep, and the report says why."""
    space, told = say(rc, "s", text)
    assert "nothing is left of it without the secret" in told
    space.end()
    assert facts(space) == []


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("Remember that I live in Cologne.", "I live in Cologne."),
        ("Merk dir, dass ich in Köln wohne.", "Merk dir, dass ich in Köln wohne."),
        ("Merk dir: ich wohne in Köln.", "Ich wohne in Köln."),
        ("Retiens que j'habite à Lyon.", "J'habite à Lyon."),
        ("Recuerda que vivo en Madrid.", "Vivo en Madrid."),
        ("Lembra-te que eu moro em Faro.", "Eu moro em Faro."),
        ("Ricorda che vivo a Roma.", "Vivo a Roma."),
        ("Onthoud dat ik in Utrecht woon.", "Onthoud dat ik in Utrecht woon."),
    ],
)
def test_a_wish_is_kept_in_words_that_stand_alone(rc: Recollect, asked: str, kept: str) -> None:
    """A clause whose words stand in another order is kept as the sentence that was said."""
    space, _ = say(rc, "s", asked)
    assert facts(space) == [kept]


def test_unknown_roles_are_named(rc: Recollect) -> None:
    """Usual names for the owner count as his; of others receipt and report say that nothing is learnt from them."""
    space = rc.space("u1", session="s")
    assert space.observe("customer", "I live in Rome.").warnings == ()
    assert space.observe("function", "I live in a shell.").warnings == ()
    warned = space.observe("zork", "I live in Oz.")
    assert "nothing is learnt from the role 'zork'" in warned.warnings[0]
    assert "Nothing is learnt from the role 'zork'" in space.end().text
    assert facts(space) == ["I live in Rome."]


def test_a_summary_names_whose_value_it_tells(rc: Recollect) -> None:
    """Values of slots stand with what they are of, each as a sentence."""
    space, _ = say(rc, "s", "Call me Mati.", "I live in Rome.", "Hm.", "So.")
    space.end()
    (summary,) = space.list(kinds=["summary"])
    assert "preferred name: Mati." in summary.content


@pytest.mark.parametrize("text", ["No worries, Jon!", "No problem, Maria.", "I mean it.", "It is what it is."])
def test_a_turn_of_phrase_puts_nothing_right(rc: Recollect, text: str) -> None:
    """A name does not stand for a word, nor a small word for anything."""
    assert rc._runtime.reader.commands(text) == []
