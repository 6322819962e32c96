"""What a model is trained on: the corpus under several sets of names, as word pieces that are ready on the device."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from train import matters
from train.conversations import CLASSES, RELATIONS, VERDICTS, Case, Conversation, loose
from train.encoder import TASKS
from train.pieces import Pieces
from train.texts import (
    Change,
    Judged,
    Shown,
    asking,
    asking_nothing,
    cast,
    claims,
    documents,
    meaning,
    names,
    plain_pairs,
    relations,
    renamed,
    sentences,
    statements,
    unchanged,
    varied,
    wanted,
)

VERSIONS = 8
"""In how many ways names and numbers of a conversation are put."""
LONGEST, LONGEST_QUESTION = 160, 48
"""How many word pieces of a text and of a question are trained on."""
LOOSE = {"keep": 3, "relation": 1, "supports": 1, "asks": 3, "meant": 2}
"""How often loose pairs count beside those of conversations; loose sentences hold most of the traps."""
WORTH = -1
"""The answer for a sentence that is worth keeping, of a class nobody noted."""
HELD_OUT = 10
"""One in so many foursomes of loose pairs, and of matters, is held out."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and by their places the texts that answer it, and texts of its conversation that do not."""

    text: str
    right: list[int]
    wrong: list[int]
    near: list[int]
    like: list[int]
    """Those that share most words with it."""


class Rows:
    """Texts as word pieces on the device, one a row."""

    def __init__(self, made: tuple[Tensor, ...]) -> None:
        self._ids, self._mask, *rest = (one.to(torch.int32) for one in made)
        self._types = rest[0] if rest else None
        self._long = self._mask.sum(1).cpu()

    def __len__(self) -> int:
        return len(self._long)

    def take(self, places: Sequence[int]) -> tuple[Tensor, ...]:
        """Give ids and mask of some rows, and types where there are any, no wider than they need be."""
        at = torch.tensor(places)
        wide = int(-(-int(self._long[at].max()) // 8) * 8)
        here = at.to(self._ids.device)
        parts = [self._ids, self._mask] + ([self._types] if self._types is not None else [])
        return tuple(one[here, :wide].long() for one in parts)


class Version:
    """The whole corpus under one set of names: texts, questions about them, and pairs for the heads."""

    def __init__(self, conversations: Sequence[Conversation], people: Sequence[str], chance: random.Random) -> None:
        self.texts: list[Shown] = []
        self.asked: list[Asked] = []
        self.pairs: dict[str, list[Judged]] = {task: [] for task in TASKS}
        for one in conversations:
            change = varied(one, people, chance) if people else unchanged
            self._take(one, change, chance.random() < 0.5)
            self.pairs["keep"] += _changed(sentences(one), change)
            self.pairs["relation"] += _changed(relations(one, chance), change)
            self.pairs["supports"] += _changed(claims(one, chance), change)
            nothing = asking_nothing(one)
            self.pairs["asks"] += _changed(chance.sample(nothing, len(nothing) // 4), change)
            self.pairs["meant"] += _changed(wanted(one, chance), change)

    def _take(self, one: Conversation, change: Change, named: bool) -> None:
        begin = len(self.texts)
        with_machine = any(role == "assistant" for _, role in one.people)
        texts = [(change(a), change(b)) for a, b in documents(one, named=named or not with_machine)]
        said = [set(text.lower().split()) for _, text in texts]
        self.texts += texts
        asked = [(question.text, question.answers, question.stale) for question in one.questions]
        asked += [(claim, (number,), ()) for verdict, number, _, claim in one.claims if verdict == "supported"]
        for text, answers, stale in asked:
            right = {number - 1 for number in answers}
            off = right | {number - 1 for number in stale}
            wrong = [at for at in range(len(texts)) if at not in off]
            near = [at + step for at in right for step in (-2, -1, 1, 2) if 0 <= at + step < len(texts)]
            words = set(change(text).lower().split())
            like = sorted(wrong, key=lambda at: -len(words & said[at]) / (8 + len(said[at])))[:10]
            places = (sorted(right), wrong, [at for at in near if at not in off], like)
            self.asked.append(Asked(change(text), *([at + begin for at in some] for some in places)))

    def prepare(self, pieces: Pieces) -> None:
        """Put texts and questions on the device."""
        pieces.prepare(text for pair in self.texts for text in pair)
        pieces.prepare(asked.text for asked in self.asked)
        self.rows = Rows(pieces.texts(self.texts, LONGEST))
        self.questions = Rows(pieces.texts([("", asked.text) for asked in self.asked], LONGEST_QUESTION))


@dataclass(frozen=True, slots=True)
class Drill:
    """Pairs for one head on the device, with their answers."""

    rows: Rows
    answers: Tensor

    def take(self, many: int, chance: random.Random) -> tuple[tuple[Tensor, ...], Tensor]:
        """Give some pairs and their answers."""
        places = [chance.randrange(len(self.rows)) for _ in range(many)]
        return self.rows.take(places), self.answers[torch.tensor(places).to(self.answers.device)]


class Lessons:
    """The corpus in versions, and pairs for each head; a tenth of the loose pairs is kept out."""

    def __init__(
        self, conversations: Sequence[Conversation], seed: int, folder: Path, pieces: Pieces, drawn: int = 0
    ) -> None:
        chance = random.Random(seed)
        self.versions = [Version(conversations, cast(chance) if number else (), chance) for number in range(VERSIONS)]
        for version in self.versions:
            version.prepare(pieces)
        told, self.held_out = _loose(folder)
        known, kept_out = _matters()
        apart = random.Random(seed)
        self.held_matters = matters.supports(kept_out, 40, apart)
        self.drills = {}
        for task in TASKS:
            pairs = [pair for one in self.versions for pair in one.pairs[task]]
            pairs += [renamed(pair, chance) for _ in range(VERSIONS * LOOSE[task]) for pair in told[task]]
            if task in ("relation", "supports"):
                pairs += plain_pairs(chance.sample(pairs, len(pairs) // 3), task, chance)
            if task == "supports":
                pairs += matters.supports(known, drawn, apart)
            pieces.prepare(text for pair in pairs for text in (pair.first, pair.second))
            answers = torch.tensor([pair.answer for pair in pairs], device=pieces.device)
            self.drills[task] = Drill(Rows(pieces.pairs(pairs)), answers)
        self.plain = statements(conversations)

    def batches(self, size: int, chance: random.Random) -> Iterator[tuple[Version, list[int]]]:
        """Give batches of questions without end, each of one version; every other round, a talk's stand together."""
        rounds = 0
        while True:
            order = list(range(len(self.versions[0].asked)))
            if rounds % 2:
                chance.shuffle(order)
            else:
                blocks = [order[at : at + 24] for at in range(0, len(order), 24)]
                chance.shuffle(blocks)
                order = [at for block in blocks for at in block]
            for start in range(0, max(1, len(order) - size // 2), size):
                yield chance.choice(self.versions), order[start : start + size]
            rounds += 1


def _loose(folder: Path) -> tuple[dict[str, list[Judged]], dict[str, list[Judged]]]:
    """Give the pairs that stand outside conversations: those to train on, and those held out."""
    more = loose(folder)
    told = {
        "relation": [Judged(f"compare: {a}", b, RELATIONS.index(one)) for one, a, b in more.pairs],
        "supports": [Judged(f"check: {a}", b, VERDICTS.index(one)) for one, a, b in more.claims],
        "keep": [Judged(f"keep: {c} /  / ", f"{b}: {d}", CLASSES.index(a)) for a, b, c, d in more.sentences],
    }
    firsts = {task: {first: at for at, first in enumerate(dict.fromkeys(p.first for p in told[task]))} for task in told}
    out = {task: [p for p in told[task] if firsts[task][p.first] % HELD_OUT == 3] for task in told}
    told = {task: [p for p in told[task] if firsts[task][p.first] % HELD_OUT != 3] for task in told}
    told |= _asked(more.cases, held_out=False)
    told["keep"] += _plain(more.cases)[::3]
    return told, out | _asked(more.cases, held_out=True)


def _matters() -> tuple[list[matters.Matter], list[matters.Matter]]:
    """Give the matters to train on, and those held out."""
    every = matters.matters()
    return (
        [one for at, one in enumerate(every) if at % HELD_OUT != 3],
        every[3::HELD_OUT],
    )


def _asked(cases: Sequence[Case], *, held_out: bool) -> dict[str, list[Judged]]:
    """Give what messages ask of the memory, and what they mean: the cases to train on, or those held out."""
    some = [(at, case) for at, case in enumerate(cases) if (at % HELD_OUT == 3) == held_out]
    by = names()
    return {
        "asks": [pair for at, case in some for pair in asking(case, by[at % len(by)] if at % 2 else "User")],
        "meant": [pair for _, case in some for pair in meaning(case)],
    }


def _plain(cases: Sequence[Case]) -> list[Judged]:
    """Give what is known in the cases as sentences worth keeping, of whatever class: most are plain statements."""
    by = names()
    return [
        Judged("keep:  /  / ", f"{by[at % len(by)] if at % 2 else 'User'}: {note}", WORTH)
        for at, case in enumerate(cases)
        if at % HELD_OUT != 3
        for note, _ in case.notes
    ]


def _changed(pairs: Sequence[Judged], change: Change) -> list[Judged]:
    return [Judged(change(pair.first), change(pair.second), pair.answer) for pair in pairs]


def negatives(asked: Asked, hard: int, chance: random.Random) -> list[int]:
    """Choose texts of the same conversation that do not answer: neighbours, those that share words, any."""
    found = []
    for _ in range(hard):
        dice = chance.random()
        some = asked.near if dice < 0.2 and asked.near else asked.like if dice < 0.7 and asked.like else asked.wrong
        found.append(chance.choice(some or asked.right))
    return found
