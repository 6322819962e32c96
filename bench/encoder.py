"""Measure the model that ships on annotated conversations: `python -m bench.encoder train/sealed [--embedder NAME]`.

Finding is by the embedder alone, without words and fusion; judging is by the bundled heads with their own threshold.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recollect.config import EmbeddingSettings
from recollect.providers.embedders import Embedded, Embedder, Told, Vector, open_embedder
from recollect.providers.judges import DURABLE, Judge, Sentence, open_judge
from recollect.serve.bench.metrics import ndcg
from train.conversations import TRAPS, Conversation, read

SURE = 0.8
"""From which certainty on a look-alike called the same counts as a confident mistake."""
FOUND = 5


def finding(embedder: Embedder, conversations: Sequence[Conversation]) -> dict[str, float]:
    """Give recall@5 and NDCG@10 of the embedder alone."""
    recalls, gains = [], []
    for one in conversations:
        texts = _stacked(embedder.embed_told(_told(one)))
        asked = _stacked(embedder.embed([question.text for question in one.questions]))
        for row, question in zip(asked @ texts.T, one.questions, strict=True):
            ranked = [str(at + 1) for at in np.argsort(-row)[:10]]
            gold = {str(number) for number in question.answers}
            recalls.append(len(gold & set(ranked[:FOUND])) / min(len(gold), FOUND))
            gains.append(ndcg(ranked, gold))
    return {"recall@5": float(np.mean(recalls)), "ndcg@10": float(np.mean(gains)), "questions": len(gains)}


def _stacked(made: Embedded) -> Vector:
    return np.stack([vector for vector in made.vectors if vector is not None])


def _told(one: Conversation) -> list[Told]:
    told, before = [], None
    for message in one.messages:
        same = before is not None and before.session == message.session
        last = f"{before.by}: {before.text}" if before is not None and same else ""
        told.append(Told(f"{message.by}: {message.text}", last))
        before = message
    return told


def keeping(judge: Judge, conversations: Sequence[Conversation]) -> dict[str, float]:
    """Say how well sentences worth keeping are told from others, and how many traps get through."""
    shown = [pair for one in conversations for pair in _sentences(one)]
    verdicts = judge.keep([sentence for sentence, _ in shown])
    right = np.array([kind in DURABLE for _, kind in shown])
    trap = np.array([kind in TRAPS for _, kind in shown])
    worth = np.array([one.worth for one in verdicts])
    named = [one.label == kind for one, (_, kind) in zip(verdicts, shown, strict=True) if one.worth and kind in DURABLE]
    return {
        "precision": float((worth & right).sum() / max(1, worth.sum())),
        "recall": float((worth & right).sum() / max(1, right.sum())),
        "class right": float(np.mean(named)),
        "traps": int(trap.sum()),
        "traps kept": int((worth & trap).sum()),
        "sentences": len(shown),
    }


def _sentences(one: Conversation) -> list[tuple[Sentence, str]]:
    found, before = [], None
    for message in one.messages:
        same = before is not None and before.session == message.session
        last = f"{before.by}: {before.text}" if before is not None and same else ""
        texts = [text for text, _ in message.sentences]
        for at, (text, kind) in enumerate(message.sentences):
            told, after = " ".join(texts[max(0, at - 2) : at]), "".join(texts[at + 1 : at + 2])
            found.append((Sentence(message.by, text, last, told, after), kind))
        before = message
    return found


def comparing(judge: Judge, conversations: Sequence[Conversation]) -> dict[str, float]:
    """Say how well two statements, and a quote and a claim, are judged."""
    pairs = [pair for one in conversations for pair in one.pairs]
    related = judge.relation([(older, newer) for _, older, newer in pairs])
    alike = [verdict for verdict, (name, _, _) in zip(related, pairs, strict=True) if name == "resembles"]
    claims = [(one.messages[claim[1] - 1].by, claim) for one in conversations for claim in one.claims]
    checked = judge.supports([(f"{by}: {quote}", text) for by, (_, _, quote, text) in claims])
    names = [claim[0] for _, claim in claims]
    return {
        "relation": float(np.mean([v.label == name for v, (name, _, _) in zip(related, pairs, strict=True)])),
        "pairs": len(pairs),
        "look-alikes called the same": float(np.mean([v.label == "same" and v.sure >= SURE for v in alike])),
        "supports": float(np.mean([v.label == name for v, name in zip(checked, names, strict=True)])),
        "supported or not": float(
            np.mean([(v.label == "supported") == (name == "supported") for v, name in zip(checked, names, strict=True)])
        ),
        "claims": len(claims),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.encoder", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", default="recollect-1")
    given = parser.parse_args()
    conversations = read(given.folder)
    embedder, judge = open_embedder(given.embedder, EmbeddingSettings()), open_judge(EmbeddingSettings())
    assert embedder is not None
    assert judge is not None
    found: dict[str, object] = {"embedder": given.embedder, "finding": finding(embedder, conversations)}
    if given.embedder == "recollect-1":
        found |= {"keep": keeping(judge, conversations), "compare": comparing(judge, conversations)}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
