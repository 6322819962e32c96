"""How good a model is: finding messages, keeping sentences, comparing statements, checking claims."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from train.conversations import CLASSES, DURABLE, RELATIONS, TRAPS, Conversation
from train.encoder import Memory
from train.pieces import Pieces
from train.texts import Judged, Shown, claims, documents, relations, sentences

PRECISION, TRAPPED = 0.9, 0.045
"""The precision at which the threshold of `keep` is set, and how many of the traps it may let through."""


@dataclass(frozen=True, slots=True)
class Haystack:
    """Messages of one conversation as they are embedded, and questions with the places of their answers."""

    name: str
    documents: list[Shown]
    questions: list[tuple[str, list[int]]]


def haystacks(conversations: Sequence[Conversation]) -> list[Haystack]:
    """Give the corpus as questions over messages."""
    return [
        Haystack(one.id, documents(one), [(q.text, [number - 1 for number in q.answers]) for q in one.questions])
        for one in conversations
    ]


def other(path: Path) -> dict[str, list[Haystack]]:
    """Read other people's conversations, for choosing between runs: {set: [{name, documents, questions}]}."""
    return {
        name: [
            Haystack(one["name"], [(a, b) for a, b in one["documents"]], [(q, gold) for q, gold in one["questions"]])
            for one in some
        ]
        for name, some in json.loads(path.read_text("utf-8")).items()
    }


def cast(device: str) -> AbstractContextManager[object]:
    """Compute in bfloat16 on a GPU, in full on a CPU."""
    return torch.autocast(device, torch.bfloat16, enabled=device == "cuda")


@torch.no_grad()
def embedded(model: Memory, pieces: Pieces, texts: Sequence[Shown], batch: int = 512, asking: float = 0.0) -> Tensor:
    """Give the vectors of texts, in order, as stored or as asked; those of like length are computed together."""
    model.eval()
    order = sorted(range(len(texts)), key=lambda at: -len(texts[at][0]) - len(texts[at][1]))
    made: dict[int, Tensor] = {}
    for start in range(0, len(order), batch):
        some = order[start : start + batch]
        with cast(pieces.device):
            rows = pieces.texts([texts[at] for at in some])
            found = (model.asked(*rows, asking) if asking else model.vectors(*rows)).float()
        made.update(zip(some, found, strict=True))
    return torch.stack([made[at] for at in range(len(texts))])


def finding(model: Memory, pieces: Pieces, stacks: Sequence[Haystack], asking: float = 0.0) -> dict[str, float]:
    """Give NDCG@10, recall@5 and recall@12 of the encoder alone."""
    gains, found, more = [], [], []
    for stack in stacks:
        if not stack.questions:
            continue
        texts = embedded(model, pieces, stack.documents)
        asked = embedded(model, pieces, [("", question) for question, _ in stack.questions], asking=asking)
        ranked = (asked @ texts.T).argsort(dim=1, descending=True)[:, :12].cpu().tolist()
        for row, (_, gold) in zip(ranked, stack.questions, strict=True):
            gains.append(ndcg(row, gold))
            found.append(len(set(row[:5]) & set(gold)) / min(len(set(gold)), 5))
            more.append(len(set(row) & set(gold)) / min(len(set(gold)), 12))
    figures = {"ndcg": gains, "recall5": found, "recall12": more}
    return {name: float(np.mean(some)) if some else 0.0 for name, some in figures.items()}


def ndcg(ranked: Sequence[int], gold: Sequence[int]) -> float:
    """Give NDCG@10 of one ranking."""
    right = set(gold)
    best = sum(1 / math.log2(at + 2) for at in range(min(len(right), 10)))
    return sum((one in right) / math.log2(at + 2) for at, one in enumerate(ranked[:10])) / best


@torch.no_grad()
def judged(model: Memory, pieces: Pieces, task: str, pairs: Sequence[Judged]) -> np.ndarray:
    """Give a head's probabilities for pairs of texts."""
    model.eval()
    found = []
    for start in range(0, len(pairs), 512):
        with cast(pieces.device):
            found.append(model.judged(task, *pieces.pairs(pairs[start : start + 512])).softmax(-1).cpu().numpy())
    return np.concatenate(found)


def kept(
    model: Memory, pieces: Pieces, conversations: Sequence[Conversation], threshold: float = 0.0
) -> dict[str, float]:
    """Say how well sentences worth keeping are told from others; the threshold is the one given, or is looked for."""
    pairs = [pair for one in conversations for pair in sentences(one)]
    durable = judged(model, pieces, "keep", pairs)[:, : len(DURABLE)]
    chance = durable.sum(1)
    answers = np.array([pair.answer for pair in pairs])
    right = answers < len(DURABLE)
    traps = np.isin(answers, [CLASSES.index(name) for name in TRAPS])
    threshold = threshold or lowest(chance, right, traps)
    taken = chance >= threshold
    both = taken & right
    return {
        "threshold": float(threshold),
        "precision": float(both.sum() / max(1, taken.sum())),
        "recall": float(both.sum() / right.sum()),
        "class": float((durable.argmax(1) == answers)[both].mean()) if both.any() else 0.0,
        "traps": int(traps.sum()),
        "traps kept": int((taken & traps).sum()),
        "sentences": len(pairs),
    }


def lowest(chance: np.ndarray, right: np.ndarray, traps: np.ndarray) -> float:
    """Give the lowest threshold that keeps the precision and lets few traps through."""
    order = np.argsort(-chance)
    precision = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    trapped = np.cumsum(traps[order]) / max(1, traps.sum())
    enough = np.nonzero((precision >= PRECISION) & (trapped <= TRAPPED))[0]
    return float(chance[order[enough[-1]]]) if len(enough) else 1.0


def compared(model: Memory, pieces: Pieces, conversations: Sequence[Conversation]) -> dict[str, float]:
    """Say how well the relation of two statements and the support of a claim are told."""
    found: dict[str, float] = {}
    for task, made in (("relation", relations), ("supports", claims)):
        pairs = [pair for one in conversations for pair in made(one)]
        chances = judged(model, pieces, task, pairs)
        answers = np.array([pair.answer for pair in pairs])
        found[task] = float((chances.argmax(1) == answers).mean())
        if task == "relation":
            alike = answers == RELATIONS.index("resembles")
            found["look-alikes called the same"] = float((chances[alike, 0] >= 0.8).mean())
        else:
            found["supported or not"] = float(((chances.argmax(1) == 0) == (answers == 0)).mean())
    return found


def told_apart(model: Memory, pieces: Pieces, pairs: dict[str, list[Judged]]) -> dict[str, float]:
    """Give the share of right answers on pairs held out, head by head."""
    found = {}
    for task, some in pairs.items():
        answers = np.array([pair.answer for pair in some])
        found[task] = round(float((judged(model, pieces, task, some).argmax(1) == answers).mean()), 3) if some else 0.0
    return found
