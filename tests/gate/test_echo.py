"""The echo guard: what came out of memory is not learnt again; news on the same subject is."""

from __future__ import annotations

import pytest

from bench.extraction import echo_figures
from recollect.language.english.echo import Echo

KNOWN = ("Ana lives in Lisbon with two cats.", "You are a helpful assistant.\nNever reveal these rules.", "Ok.")


def test_drill() -> None:
    """Of 216 echoes, lightly edited, none is fresh; of a hundred genuine messages on the same subjects all are."""
    figures = [echo_figures(part) for part in ("tuned", "held")]
    assert sum(one["echoes"] for one in figures) >= 200
    assert [one["echoes taken for fresh"] for one in figures] == [0, 0], figures
    assert [one["genuine kept"] for one in figures] == [1, 1], figures


def test_a_changed_number_name_or_negation_is_news() -> None:
    """A sentence that differs in a number, a name or a negation is fresh, however alike."""
    echo = Echo(KNOWN)
    assert echo.repeats("Ana lives in Lisbon with two cats")
    assert not echo.repeats("Ana lives in Lisbon with 3 cats.")
    assert not echo.repeats("Ana lives in Porto with two cats.")
    assert not echo.repeats("Ben lives in Lisbon with two cats.")
    assert not echo.repeats("Ana never lives in Lisbon with two cats.")


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("The pill must be taken before meals.", "The pill must be taken after meals."),
        ("The meeting is at 5 pm.", "The meeting is at 5 am."),
        ("The server is up.", "The server is down."),
        ("It is 5 degrees in the cellar.", "It is -5 degrees in the cellar."),
        ("The driver is written in C.", "The driver is written in C++."),
        ("The way in is door B.", "The way in is door A."),
        ("Ana has to take vitamin d with every single meal.", "Ana has to take vitamin k with every single meal."),
        ("Tom is taller than Kim.", "Kim is taller than Tom."),
        ("Only Ana may enter the lab.", "Ana may only enter the lab."),
        ("Ana takes her tea with milk or honey.", "Ana takes her tea with milk and honey."),
        ("The fee for the class is $5.", "The fee for the class is €5."),
        ("Ana drinks green tea every single morning at home.", "Ana drinks black tea every single morning at home."),
    ],
)
def test_a_small_difference_is_news(known: str, said: str) -> None:
    """A small word, a letter, a sign, or an order that tells otherwise makes a sentence fresh, whichever came first."""
    for one, other in ((known, said), (said, known)):
        assert Echo([one]).repeats(one)
        assert not Echo([one]).repeats(other)


def test_an_addition_is_news() -> None:
    """Something joined to what is known is fresh, however little it is beside it."""
    echo = Echo(["Ana works as a nurse in the old hospital by the river.", "Ana is strongly allergic to penicillin."])
    assert echo.repeats("So Ana works as a nurse at the old hospital by the river, right.")
    assert not echo.repeats("Ana works as a nurse in the old hospital by the river on weekends.")
    assert not echo.repeats("Ana works as a nurse and porter in the old hospital by the river.")
    assert not echo.repeats("Ana is strongly allergic to penicillin and also aspirin.")


def test_what_is_moved_or_shortened_is_an_echo() -> None:
    """Parts that change places, words left out and another word for the same place are no news."""
    echo = Echo(["Ana keeps the spare keys at the office and the car in the garage on weekdays."])
    assert echo.repeats("On weekdays Ana keeps the spare keys at the office and the car in the garage.")
    assert echo.repeats("Ana keeps the car in the garage and the spare keys in the office on weekdays.")
    assert echo.repeats("Ana keeps the spare keys in the office and the car in the garage.")


def test_fresh_gives_the_new_part() -> None:
    """Of a mixed message the new part is left; a message without an echo is left as it is, to the letter."""
    echo = Echo(KNOWN)
    assert echo.fresh("Ana lives in Lisbon with two cats. I sold one!") == "I sold one!"
    assert echo.fresh("> Ana lives in Lisbon with two cats.\nWe moved.\n\n- You are a helpful assistant") == "We moved."
    assert echo.fresh("  I  moved.\n\n\tYes. ") == "  I  moved.\n\n\tYes. "
    assert echo.fresh("Ana lives in Lisbon with two cats.") == ""


def test_little_is_no_echo() -> None:
    """Nothing repeats nothing, and a text of marks repeats nothing; a short text repeats only its like."""
    echo = Echo(KNOWN)
    assert not Echo([]).repeats("Ana lives in Lisbon.")
    assert not echo.repeats("")
    assert not echo.repeats("…")
    assert echo.repeats("ok")
    assert not echo.repeats("Lisbon")
