"""The drills of junk and of inventions through the public verbs: a scripted model proposes what must not be stored."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.consolidation import opened
from bench.extraction import AT, edits, load, parts, turn
from bench.scripted import Figures, Model, Step, ill_written
from recollect import Recollect, Space
from recollect.flows.learn.admission import KINDS_LEARNT
from recollect.language import open_reader
from recollect.language.english.statements import statements
from recollect.language.values import StatementsPolicy
from recollect.rules.gate.writing import WritingPolicy, mended, tidy
from recollect.testing import FixedClock
from recollect.testing.conversations import FACTS, ordinary
from recollect.testing.llm import ScriptedLlm

ENGLISH = open_reader("english")

KEPT = ("active", "superseded", "merged", "proposed")
GENUINE = [fact for fact in FACTS if "peanuts" not in fact[0] and "Northwind" not in fact[0]]
"""What is new to both owners and changes nothing they know."""
FROM = {
    "system": re.compile(r"^(?:You (?:are|have)|Always|When a tool|Relevant|Do not mention|If the request|Summary)"),
    "tool": re.compile(r"^(?:Tool result|Search returned|Error|Command|Calendar)"),
    "file": re.compile(r"\.md\b|^The project|^Deployments"),
}
BADLY: dict[str, Callable[[str], str]] = {
    "with a long remark": lambda claim: f"{claim[:-1]}, which came up{' again and again' * 18}.",
    "in three sentences": lambda claim: f"{claim} The talk went on. Then it ended.",
    "in the first person": lambda claim: f"I hear that {claim}",
    "by a pronoun": lambda claim: f"It is so that {claim}",
    "to somebody": lambda claim: f"You should know that {claim}",
    "too long": lambda claim: f"{claim[:-1]}{' again and again' * 18}.",
}
MENDED, LOST = list(BADLY)[:2], list(BADLY)[2:]
"""The ways that trimming mends, and those that nothing does."""
FALSE = ("baseless", "distorted")
FATES = ("stored", "kept apart", "refused")


@dataclass(frozen=True, slots=True)
class Talk:
    """What the user says, the words the model quotes, and what it makes of them: claims, each with its sort."""

    said: str
    quote: str
    claims: tuple[tuple[str, str], ...]


def junk(folder: Path, asking: bool, step: Step, names: Sequence[str] = ("tuned", "held")) -> Figures:
    """Say back what came out of memory, prompts, boot files and tools; a model proposes every turn word for word."""
    model, out = Model(), Counter[str]()
    misses: list[str] = []
    ill: list[str] = []
    with ScriptedLlm(model) as server:
        for name in names:
            told, clock = load("echoes")[name], FixedClock()
            url, more = f"sqlite:///{folder}/junk{asking}{name}.db", _settings(clock)
            with opened(url, server, **more) if asking else Recollect(url, embedder="none", **more) as rc:
                mine = _known(rc, told["known"], clock)
                before = {one.id for one in mine.list(limit=1000)}
                said = [*edits(told["known"]), *told["edited"]]
                new = _said_back(mine, said, model, clock)
                report = mine.end()
                assert ("By rules" in report.text) is not asking, report.text
                out["dropped"] += report.numbers["dropped"]
                rc.run_jobs()
                made = [one for one in mine.list(kinds=KINDS_LEARNT, states=KEPT, limit=1000) if one.id not in before]
                wrong = [one.content for one in made if one.content not in new]
                out.update(
                    turns=len(said), stored=len(wrong), learnt=len({one.content for one in made} & new), wanted=len(new)
                )
                out["apart"] += sum(one.memory.state == "quarantined" for one in mine.inbox())
                misses += [f"stored: {text!r}" for text in wrong]
                ill += ill_written(mine)
            step(1)
    return {
        "turns that repeat": out["turns"],
        "proposed by the model": len(model.proposed) - out["dropped"],
        "stored as new": out["stored"],
        "kept apart": out["apart"],
        "genuine learnt": out["learnt"] / out["wanted"],
        "misses": misses,
        "proposed": model.proposed,
        "ill": ill,
    }


def _settings(clock: FixedClock) -> dict[str, Any]:
    """Let no cap hide what would be stored; one answer holds 40 facts."""
    uncapped = {"page_turns": 40, "facts_per_session": 10_000, "facts_per_day": 10_000}
    return {"clock": clock, "consolidation": uncapped}


def _known(rc: Recollect, known: Sequence[str], clock: FixedClock) -> Space:
    """Let texts be known by the ways they come: remembered and recalled, a boot file, a system prompt, tools."""
    by = {text: next((name for name, form in FROM.items() if form.search(text)), "memory") for text in known}
    mine = rc.space(known[0].split()[0], "helper", "s1")
    mine.remember_many([{"content": text} for text in known if by[text] == "memory"])
    mine.remember("# Boot\n" + "\n".join(text for text in known if by[text] == "file"), kind="block")
    clock.advance(days=1)
    for text in known:
        assert by[text] != "memory" or text in [hit.memory.content for hit in mine.recall(text)]
        if by[text] == "tool":
            mine.observe("tool", text)
    mine.observe("system", "\n".join(text for text in known if by[text] == "system"))
    return mine


def _said_back(mine: Space, said: Sequence[str], model: Model, clock: FixedClock) -> set[str]:
    """Observe what is said back, with something new in between, and give what that is as facts."""
    name = mine.owner.rpartition("/")[2]
    model.told = {spoken: [(fact.replace("Ana", name), spoken)] for spoken, fact in GENUINE}
    model.word_for_word(said)
    for at, text in enumerate(said):
        mine.observe("user", text, actor=name)
        clock.advance(minutes=1)
        if at % 15 == 5 and at // 15 < len(GENUINE):
            mine.observe("user", GENUINE[at // 15][0], actor=name)
    return {fact.replace("Ana", name) for _, fact in GENUINE[: (len(said) + 9) // 15]}


def talks() -> list[Talk]:
    """Give what the model proposes: claims without a basis, distorted, true, and true ones written badly.

    Of those of one talk only the first can be mended, so that each is known by its text.
    """
    every = [(sort, row) for part in parts("grounds") for sort, some in load("grounds")[part].items() for row in some]
    out = [Talk(row["said"], row["quote"], ((sort, row["claim"]),)) for sort, row in every]
    for at, row in enumerate([row for sort, row in every if sort == "true"][::2]):
        chosen = (MENDED[at % 2], *LOST)
        out.append(Talk(row["said"], row["quote"], tuple((sort, BADLY[sort](row["claim"])) for sort in chosen)))
    return out


def inventions(folder: Path, step: Step, some: Sequence[Talk]) -> Figures:
    """Let a model propose claims, each talk being an owner's only one, and look what became of each."""
    model, fates = Model(), Counter[tuple[str, str]]()
    misses: list[str] = []
    ill: list[str] = []
    with (
        ScriptedLlm(model) as server,
        opened(f"sqlite:///{folder}/inventions.db", server, clock=FixedClock(AT)) as memory,
    ):
        for at, talk in enumerate(some):
            mine = memory.space("Ana", "helper", "s1", tenant=f"t{at}")
            model.told = {talk.said: [(claim, talk.quote) for _, claim in talk.claims]}
            for role, text in (*ordinary(2), ("user", talk.said), ("assistant", "I see.")):
                mine.observe(role, text, actor="Ana" if role == "user" else "")
            report = mine.end()
            assert "By rules" not in report.text, report.text
            by_rules = {one.content for one in statements([turn(talk.said)], StatementsPolicy(), "Ana")}
            for sort, claim in talk.claims:
                fate, why = _fate(mine, sort, claim, by_rules)
                fates[sort, fate] += 1
                if (fate == "stored") != (sort == "true") or fate == "kept apart":
                    misses.append(f"{fate}, {sort}: {claim!r} of {talk.said!r}: {why or report.text}")
            ill += ill_written(mine)
            step(1)
    sorts = dict.fromkeys(sort for talk in some for sort, _ in talk.claims)
    many = {sort: sum(fates[sort, fate] for fate in FATES) for sort in sorts}
    out: Figures = {"proposed by the model": len(model.proposed)}
    out |= {f"{sort} stored": fates[sort, "stored"] / many[sort] for sort in sorts if sort not in BADLY}
    out |= {sort: ", ".join(f"{fates[sort, fate]} {fate}" for fate in FATES) for sort in sorts}
    out["badly written on purpose"] = sum(many[sort] for sort in sorts if sort in BADLY)
    return out | {"misses": misses, "proposed": model.proposed, "ill": ill}


def _fate(mine: Space, sort: str, claim: str, by_rules: Container[str]) -> tuple[str, str]:
    """Say what became of a claim, and why it was kept apart.

    It is told by its text as it is mended. Where it is false, all that was learnt of the talk counts as stored, in
    whatever words, but for what the rules take down beside the model.
    """
    form = tidy(mended(claim, WritingPolicy(), ENGLISH)[0], "semantic", ENGLISH)
    learnt = mine.list(kinds=KINDS_LEARNT, states=KEPT if sort in FALSE else "active")
    if any(one.content == form or (sort in FALSE and one.content not in by_rules) for one in learnt):
        return "stored", ""
    apart = [one.reason for one in mine.inbox() if one.memory.state == "quarantined" and one.memory.content == form]
    return ("kept apart", apart[0]) if apart else ("refused", "")
