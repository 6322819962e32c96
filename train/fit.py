"""Train the encoder and its heads: `python -m train.fit --base … --vocabulary … --out DIR`, see docs/encoder.md.

One GPU and some minutes; on a CPU `--steps 2 --batch 8` shows that it runs. Everything is seeded.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional

from train.conversations import CLASSES, CORPUS, PAIRS, RELATIONS, VERDICTS, Conversation, loose, read
from train.encoder import TASKS, Memory, published, started
from train.measure import Haystack, cast, compared, embedded, finding, haystacks, kept, other
from train.pieces import Pieces
from train.texts import Change, Judged, Shown, claims, documents, relations, sentences, statements, unchanged, varied
from train.texts import cast as cast_of

BLENDS = (1.0, 0.8, 0.6)
"""Which shares of the training are tried: the rest is the base model."""
LOSSES = ("finding", "meaning", "heads")
VERSIONS = 8
"""In how many ways names and numbers of a conversation are put."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one model is trained."""

    steps: int = 900
    batch: int = 192
    rate: float = 1.5e-4
    head_rate: float = 4e-4
    hard: int = 3
    scale: float = 20.0
    keep_meaning: float = 2.0
    """How much it counts that plain texts stay where the base model has them."""
    heads: float = 1.0
    """How much the heads count beside finding."""
    through: float = 0.3
    """How much of what the heads learn reaches the encoder they share."""
    longest: int = 160
    refit: int = 300
    """For how many steps the heads are trained again once the encoder is settled."""
    dev: float = 0.1
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and by their places the texts that answer it, and texts of its conversation that do not."""

    text: str
    right: list[int]
    wrong: list[int]
    near: list[int]
    like: list[int]
    """Those that share most words with it."""


class Version:
    """The whole corpus under one set of names: texts, and questions about them."""

    def __init__(self, conversations: Sequence[Conversation], people: Sequence[str], chance: random.Random) -> None:
        self.texts: list[Shown] = []
        self.asked: list[Asked] = []
        self.pairs: dict[str, list[Judged]] = {"keep": [], "relation": [], "supports": []}
        for one in conversations:
            change = varied(one, people, chance) if people else unchanged
            self._take(one, change, chance.random() < 0.5)
            self.pairs["keep"] += _changed(sentences(one), change)
            self.pairs["relation"] += _changed(relations(one, chance), change)
            self.pairs["supports"] += _changed(claims(one, chance), change)

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


class Lessons:
    """What a model is trained on: the corpus in versions, and pairs for each head."""

    def __init__(self, conversations: Sequence[Conversation], seed: int, folder: Path) -> None:
        chance = random.Random(seed)
        self.versions = [
            Version(conversations, cast_of(chance) if number else (), chance) for number in range(VERSIONS)
        ]
        self.pairs = {task: [pair for one in self.versions for pair in one.pairs[task]] for task in TASKS}
        more = loose(folder)
        told = {
            "relation": [Judged(f"compare: {a}", b, RELATIONS.index(one)) for one, a, b in more.pairs],
            "supports": [Judged(f"check: {a}", b, VERDICTS.index(one)) for one, a, b in more.claims],
            "keep": [Judged(f"keep: {c} /  / ", f"{b}: {d}", CLASSES.index(a)) for a, b, c, d in more.sentences],
        }
        for task, pairs in told.items():
            self.pairs[task] += pairs * VERSIONS
        self.plain = statements(conversations)

    def prepare(self, pieces: Pieces) -> None:
        """Tokenise everything once."""
        pieces.prepare(text for one in self.versions for pair in one.texts for text in pair)
        pieces.prepare(asked.text for one in self.versions for asked in one.asked)
        pieces.prepare(text for pairs in self.pairs.values() for pair in pairs for text in (pair.first, pair.second))
        pieces.prepare(self.plain)

    def questions(self, size: int, chance: random.Random) -> Iterator[tuple[Version, list[Asked]]]:
        """Give batches without end, each of one version; every other round, a conversation's stand together."""
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
                version = chance.choice(self.versions)
                yield version, [version.asked[at] for at in order[start : start + size]]
            rounds += 1


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


def finding_loss(
    model: Memory, pieces: Pieces, version: Version, batch: Sequence[Asked], plan: Plan, chance: random.Random
) -> Tensor:
    """Give the cross-entropy of each question's answer among all texts of the batch."""
    places = [chance.choice(asked.right) for asked in batch]
    places += [at for asked in batch for at in negatives(asked, plan.hard, chance)]
    there = np.array(places)
    bad = np.zeros((len(batch), len(places)), bool)
    for row, asked in enumerate(batch):
        bad[row] = np.isin(there, asked.right)
        bad[row, row] = False
    asking = model.vectors(*pieces.texts([("", asked.text) for asked in batch], 64))
    answering = model.vectors(*pieces.texts([version.texts[at] for at in places], plan.longest))
    scores = (plan.scale * asking @ answering.T).float().masked_fill(torch.from_numpy(bad).to(pieces.device), -1e4)
    return functional.cross_entropy(scores, torch.arange(len(batch), device=pieces.device))


def head_losses(model: Memory, pieces: Pieces, lessons: Lessons, plan: Plan, chance: random.Random) -> Tensor:
    """Give the sum of the heads' losses on a batch each."""
    sizes = {"keep": plan.batch * 2 // 3, "relation": plan.batch // 3, "supports": plan.batch // 3}
    total = torch.zeros((), device=pieces.device)
    for task, size in sizes.items():
        pairs = chance.sample(lessons.pairs[task], min(size, len(lessons.pairs[task])))
        scores = model.judged(task, *pieces.pairs(pairs), through=plan.through)
        answers = torch.tensor([pair.answer for pair in pairs], device=pieces.device)
        total = total + functional.cross_entropy(scores, answers, label_smoothing=0.05)
    return total


def train(lessons: Lessons, base: Path, pieces: Pieces, plan: Plan) -> Memory:
    """Train one model."""
    chance = random.Random(plan.seed)
    torch.manual_seed(plan.seed)
    model = started(base).to(pieces.device)
    texts: list[Shown] = [("", text) for text in chance.sample(lessons.plain, min(6000, len(lessons.plain)))]
    teacher = embedded(model, pieces, texts)
    tuned = [one for name, one in model.named_parameters() if one.requires_grad and name.startswith("encoder")]
    groups = [
        {"params": tuned, "lr": plan.rate},
        {"params": [*model.judge.parameters(), *model.heads.parameters()], "lr": plan.head_rate},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01, betas=(0.9, 0.98))
    rates = [plan.rate, plan.head_rate]
    begun, seen = time.time(), torch.zeros(3, device=pieces.device)
    for step, (version, batch) in zip(range(plan.steps), lessons.questions(plan.batch, chance), strict=False):
        model.train()
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * min(1.0, (step + 1) / 60) * max(0.02, 1 - step / plan.steps)
        with cast(pieces.device):
            found = finding_loss(model, pieces, version, batch, plan, chance)
            some = chance.sample(range(len(texts)), min(plan.batch, len(texts)))
            now = model.vectors(*pieces.texts([texts[at] for at in some], 96))
            meaning = (1 - (now * teacher[some]).sum(1)).mean()
            told = head_losses(model, pieces, lessons, plan, chance) if plan.heads else torch.zeros_like(found)
        optimiser.zero_grad(set_to_none=True)
        (found + plan.keep_meaning * meaning + plan.heads * told).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        seen = 0.97 * seen + 0.03 * torch.stack([found, meaning, told]).detach().float()
        if step % 150 == 149:
            losses = ", ".join(f"{name} {float(one):.3f}" for name, one in zip(LOSSES, seen, strict=True))
            say(f"  step {step + 1}, {time.time() - begun:.0f} s: {losses}")
    return model


@torch.no_grad()
def blended(model: Memory, base: Path, share: float) -> dict[str, Tensor]:
    """Give the encoder's weights between the base model's and the trained ones: less is forgotten, little is lost."""
    before = published(base)
    return {
        name: one if name == "words.weight" else (share * one.float() + (1 - share) * before[name].to(one.device))
        for name, one in model.encoder.state_dict().items()
    }


def settled(
    model: Memory, base: Path, pieces: Pieces, dev: Sequence[Conversation], others: dict[str, list[Haystack]]
) -> float:
    """Settle the encoder at the blend that finds best on what it was not trained on, and give its share."""
    trained = {name: one.clone() for name, one in model.encoder.state_dict().items()}
    stacks, best = {"dev": haystacks(dev), **others}, (-1.0, 1.0, trained)
    for share in BLENDS:
        model.encoder.load_state_dict(trained)
        weights = blended(model, base, share)
        model.encoder.load_state_dict(weights)
        found = {name: finding(model, pieces, some)["ndcg"] for name, some in stacks.items()}
        say(f"  {share:g} of it: " + ", ".join(f"{name} {one:.3f}" for name, one in found.items()))
        best = max(best, (float(np.mean(list(found.values()))), share, weights), key=lambda one: one[0])
    model.encoder.load_state_dict(best[2])
    return best[1]


def refit(model: Memory, pieces: Pieces, lessons: Lessons, plan: Plan) -> None:
    """Train the heads on the encoder as it is now, which stays as it is."""
    chance = random.Random(plan.seed + 1)
    tuned = [*model.judge.parameters(), *model.heads.parameters()]
    optimiser = torch.optim.AdamW(tuned, lr=plan.head_rate, weight_decay=0.01)
    for step in range(plan.refit):
        model.train()
        optimiser.param_groups[0]["lr"] = plan.head_rate * max(0.02, 1 - step / plan.refit)
        with cast(pieces.device):
            told = head_losses(model, pieces, lessons, replace(plan, through=0.0), chance)
        optimiser.zero_grad(set_to_none=True)
        told.backward()
        torch.nn.utils.clip_grad_norm_(tuned, 1.0)
        optimiser.step()


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def figures(
    model: Memory, pieces: Pieces, dev: Sequence[Conversation], others: dict[str, list[Haystack]]
) -> dict[str, object]:
    """Measure a model on the conversations held out, and on other people's."""
    found: dict[str, object] = {"dev": finding(model, pieces, haystacks(dev))}
    found |= {name: finding(model, pieces, stacks) for name, stacks in others.items()}
    return found | {"keep": kept(model, pieces, dev), "compared": compared(model, pieces, dev)}


def split(conversations: Sequence[Conversation], plan: Plan) -> tuple[list[Conversation], list[Conversation]]:
    """Hold some conversations of every writer out, for choosing and for the thresholds."""
    train_on, dev = [], []
    for number, one in enumerate(conversations):
        (dev if plan.dev and number % round(1 / plan.dev) == 2 else train_on).append(one)
    return train_on, dev


def save(model: Memory, out: Path) -> None:
    """Write what training changed, half as wide, in parts of less than 16 MB."""
    state = {name: one.half().cpu().contiguous() for name, one in model.state_dict().items() if "words" not in name}
    parts: list[dict[str, Tensor]] = [{}]
    for name, one in state.items():
        if sum(each.nbytes for each in parts[-1].values()) + one.nbytes > 15 * 2**20:
            parts.append({})
        parts[-1][name] = one
    for number, part in enumerate(parts):
        save_file(part, str(out / f"weights-{number}.safetensors"))


def main() -> int:
    """Train every plan, measure each, and write the best."""
    parser = argparse.ArgumentParser(prog="python -m train.fit", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--base", type=Path, required=True, help="the base weights, safetensors")
    parser.add_argument("--vocabulary", type=Path, required=True, help="its tokenizer.json")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--pairs", type=Path, default=PAIRS)
    parser.add_argument("--others", type=Path, help="other people's conversations, for choosing between runs")
    parser.add_argument("--plans", default="[{}]", help="a JSON list of plans: what differs from the usual one")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further plan after so many seconds")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    begun, best = time.time(), -1.0
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pieces = Pieces(given.vocabulary, device)
    others = other(given.others) if given.others else {}
    given.out.mkdir(parents=True, exist_ok=True)
    conversations, results = read(given.corpus), []
    lessons: dict[float, Lessons] = {}
    for wanted in json.loads(given.plans):
        if time.time() - begun > given.seconds:
            say("no time for the rest")
            break
        plan = Plan(**wanted)
        train_on, dev = split(conversations, plan)
        dev = dev or split(conversations, Plan())[1]
        if plan.dev not in lessons:
            lessons[plan.dev] = Lessons(train_on, 7, given.pairs)
            lessons[plan.dev].prepare(pieces)
        say(f"{device}: {len(train_on)} conversations, {json.dumps(asdict(plan))}")
        model = train(lessons[plan.dev], given.base, pieces, plan)
        share = settled(model, given.base, pieces, dev, others)
        if plan.heads and share < 1:
            refit(model, pieces, lessons[plan.dev], plan)
        found = {"share": share, **figures(model, pieces, dev, others)}
        results.append({"plan": asdict(plan), "figures": found})
        say(json.dumps(found))
        score = _score(found)
        say(f"  score {score:.4f} after {time.time() - begun:.0f} s")
        if score > best:
            best = score
            save(model, given.out)
            (given.out / "best.json").write_text(json.dumps(results[-1], indent=1))
        (given.out / "results.json").write_text(json.dumps(results, indent=1))
    return 0


def _score(found: dict[str, object]) -> float:
    """Weigh finding and judging into one number."""
    stacks = [value["ndcg"] for value in found.values() if isinstance(value, dict) and "ndcg" in value]
    keep, two = found["keep"], found["compared"]
    assert isinstance(keep, dict)
    assert isinstance(two, dict)
    return float(np.mean(stacks)) + 0.15 * (keep["recall"] + two["relation"] + two["supports"])


if __name__ == "__main__":
    sys.exit(main())
