"""The drills of junk and of inventions, through screening and the gate: what is stored of each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bench.extraction import edits, load, parts
from recollect import Recollect, Space
from recollect.language.english.echo import Echo
from recollect.language.english.statements import statements
from recollect.language.values import StatementsPolicy
from recollect.model.candidate import Candidate
from recollect.testing import FixedClock
from tests.learning import learn, said

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def contents(space: Space) -> list[str]:
    """Give all that stands."""
    return [memory.content for memory in space.list(limit=1000)]


def test_junk(rc: Recollect) -> None:
    """Of two hundred turns that repeat memories, prompts, files and tool output, nothing is stored, whether a model
    proposes each of them word for word or the rules read them."""
    for part in ("tuned", "held"):
        rows = load("echoes")[part]
        space = rc.space(part)
        repeated = [*edits(rows["known"]), *rows["edited"]]
        turns = [said(text, AT + timedelta(minutes=at), at) for at, text in enumerate(repeated)]
        echo = Echo(rows["known"])
        offered = [Candidate(content=text, quote=text, turn=f"t{at}") for at, text in enumerate(repeated)]
        offered += statements([turn for turn in turns if not echo.repeats(turn.content)], StatementsPolicy(), "Ana")
        outcomes = {receipt.outcome for receipt in learn(space, offered, turns, rows["known"])}
        assert len(repeated) >= 90
        assert contents(space) == []
        assert outcomes <= {"rejected", "quarantined"}


def test_inventions(rc: Recollect, clock: FixedClock) -> None:
    """Nothing without a basis is stored, hardly a distortion is, the truth passes; what does not is in the inbox."""
    stored: dict[str, list[str]] = {"baseless": [], "distorted": [], "true": []}
    many = dict.fromkeys(stored, 0)
    for part in parts("grounds"):
        for sort, rows in load("grounds")[part].items():
            for at, row in enumerate(rows):
                space = rc.space("Ana", tenant=f"{part}{sort}{at}")
                candidate = Candidate(content=row["claim"], quote=row["quote"], turn="t1")
                (receipt,) = learn(space, [candidate], [said(row["said"], clock())])
                many[sort] += 1
                stored[sort] += contents(space)
                assert receipt.outcome in ("stored", "quarantined", "rejected")
                assert len(space.inbox()) == (receipt.outcome == "quarantined")
    assert many["baseless"] + many["distorted"] >= 100
    assert stored["baseless"] == []
    assert len(stored["distorted"]) <= 0.05 * many["distorted"], stored["distorted"]
    assert len(stored["true"]) >= 0.85 * many["true"]
