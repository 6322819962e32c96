"""The echo guard: what came out of memory is not learnt again; news on the same subject is."""

from __future__ import annotations

from bench.extraction import echo_figures
from recollect.rules.echo import Echo

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
