"""The drill of changed facts through the public verbs: remembered, judged by a scripted model, or said in two talks."""

from __future__ import annotations

from collections.abc import Sequence

from bench.consolidation import opened
from bench.extraction import load, parts
from bench.scripted import Figures, Model, Step, ill_written
from recollect import Recollect, Space
from recollect.language import open_reader
from recollect.rules.gate.writing import tidy
from recollect.testing import FixedClock
from recollect.testing.conversations import ordinary
from recollect.testing.llm import ScriptedLlm

ENGLISH = open_reader("english")

ASIDE = (
    "Ana has a cousin in Oslo.",
    "Ana collects stamps from Chile.",
    "Ana plays chess on the train.",
    "Ana's neighbour keeps bees.",
    "Tim lives in Antwerp.",
    "Tim works at Initrode.",
    "The library closes for the summer.",
    "Ana once met a famous pianist.",
)
"""What else is known of everybody in the drill."""
Row = dict[str, str]


def rows(sort: str) -> list[Row]:
    """Give the pairs that are `changed`, or those that stand `apart` and only look like it."""
    return [row for part in parts("changes") for row in load("changes")[part][sort]]


def remembered(rc: Recollect, clock: FixedClock, user: str, row: Row) -> Space:
    """Remember an old fact among others, and a day later the new one."""
    space = rc.space("Ana", "helper", "s1", tenant=user)
    space.remember_many([{"content": text} for text in (*ASIDE, row["old"])])
    clock.advance(days=1)
    space.remember(row["new"])
    return space


def said(rc: Recollect, clock: FixedClock, user: str, row: Row) -> Space:
    """Say an old fact in one talk, and the new one in another a day later; both are worked through."""
    space = rc.space("Ana", "helper", "s1", tenant=user)
    space.remember_many([{"content": text} for text in ASIDE])
    for session, fact in (("s1", row["old"]), ("s2", row["new"])):
        space = rc.space("Ana", "helper", session, tenant=user)
        for role, text in (*ordinary(2), ("user", fact), ("assistant", "I see.")):
            space.observe(role, text, actor="Ana" if role == "user" else "")
        space.end()
        clock.advance(days=1)
    return space


def outcome(space: Space, row: Row) -> dict[str, bool]:
    """Look at what became of a pair: whether the old gave way, and where the new stands when the old is asked for."""
    gone = {_form(one.content) for one in space.list(states="superseded", limit=100)}
    stands = {_form(one.content) for one in space.list(limit=100)}
    hits = [_form(hit.memory.content) for hit in space.recall(row["old"], limit=5)]
    old, new = (_form(row[name]) for name in ("old", "new"))
    place = {text: at for at, text in enumerate(hits)}
    return {
        "learnt": new in stands and old in stands | gone,
        "seen": old in gone and new in stands,
        "wrong": bool(gone - {old}),
        "ahead": place.get(new, 99) < place.get(old, 99),
        "first": place.get(new) == 0,
    }


def _form(text: str) -> str:
    """Give a text as it is stored when it was read out of a talk: without `now`."""
    return tidy(text, "semantic", ENGLISH)


def figures(url: str, way: str, step: Step, changed: Sequence[Row], apart: Sequence[Row]) -> Figures:
    """Tell pairs in one way, each to an owner of its own, and measure supersession and what is recalled first."""
    clock, model = FixedClock(), Model({(row["old"], row["new"]) for row in changed})
    model.word_for_word(text for row in (*changed, *apart) for text in row.values())
    tell = said if "talks" in way else remembered
    found: dict[str, list[dict[str, bool]]] = {}
    misses: list[str] = []
    ill: list[str] = []
    with ScriptedLlm(model) as server:
        asking = "judge" in way
        embedder = "minilm" if "minilm" in way else "none"
        opens = opened(url, server, clock=clock) if asking else Recollect(url, embedder=embedder, clock=clock)
        with opens as rc:
            for sort, pairs in (("changed", changed), ("apart", apart)):
                for at, row in enumerate(pairs):
                    space = tell(rc, clock, f"{sort}{at}", row)
                    if asking:
                        rc.run_jobs(["judge"], owner=space.owner)
                    one = outcome(space, row)
                    found.setdefault(sort, []).append(one)
                    ill += ill_written(space)
                    misses += [f"{sort}: {row['old']!r} {row['new']!r}: {told}" for told in _missed(sort, one)]
                    step(1)
    return _shares(found, misses) | {"proposed": model.proposed, "ill": ill}


def _missed(sort: str, one: dict[str, bool]) -> list[str]:
    """Say what went wrong with a pair."""
    wanted = {"learnt": True, "wrong": False, "seen": sort == "changed"}
    wanted |= {"ahead": True} if sort == "changed" else {}
    return [f"not {name}" if want else name for name, want in wanted.items() if one[name] is not want]


def _shares(found: dict[str, list[dict[str, bool]]], misses: list[str]) -> Figures:
    changed, apart = found["changed"], found.get("apart", [])
    right = sum(one["seen"] for one in changed)
    wrong = sum(one["wrong"] for one in (*changed, *apart)) + sum(one["seen"] for one in apart)
    return {
        "pairs": f"{len(changed)} changed, {len(apart)} apart",
        "both facts learnt": sum(one["learnt"] for one in (*changed, *apart)) / (len(changed) + len(apart)),
        "precision": right / max(1, right + wrong),
        "recall": right / len(changed),
        "new before old": sum(one["ahead"] for one in changed) / len(changed),
        "new first of all": sum(one["first"] for one in changed) / len(changed),
        "misses": misses,
    }
