"""Train the encoder and its heads: `python -m train.fit --base … --vocabulary … --out DIR`, see docs/encoder.md.

One GPU and some minutes; on a CPU `--plans '[{"steps": 2, "batch": 8}]'` shows that it runs. Everything is seeded.
First several encoders learn to find, each in another order, and are averaged with each other and with the base model;
then, with the encoder as it is, its adapters and heads learn to judge.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional

from train.conversations import CORPUS, DURABLE, PAIRS, Conversation, read
from train.encoder import TASKS, Memory, adapter, asks, found_well, published, started
from train.lessons import WORTH, Lessons, Version, negatives
from train.measure import Haystack, cast, compared, embedded, finding, haystacks, kept, other, told_apart
from train.pieces import Pieces
from train.texts import Shown

SHARES = {"keep": 0.5, "relation": 0.5, "supports": 0.8, "asks": 0.6, "meant": 0.8}
"""How many pairs of each head are in a step, of the batch."""
BLENDS = (1.0, 0.85, 0.7)
"""Which shares of the training are tried: the rest is the base model."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How one model is trained."""

    steps: int = 450
    batch: int = 192
    rate: float = 3e-4
    hard: int = 3
    scale: float = 20.0
    keep_meaning: float = 2.0
    """How much it counts that plain texts stay where the base model has them."""
    runs: int = 1
    """How many encoders are trained and averaged."""
    judging: int = 1200
    """For how many steps the adapters and heads learn."""
    judging_rate: float = 1e-3
    drawn: int = 0
    """How many claims are drawn from each matter."""
    dev: float = 0.1
    seed: int = 1


def finding_loss(
    model: Memory, version: Version, batch: Sequence[int], plan: Plan, chance: random.Random, device: str
) -> Tensor:
    """Give the cross-entropy of each question's answer among all texts of the batch."""
    asked = [version.asked[at] for at in batch]
    places = [chance.choice(one.right) for one in asked]
    places += [at for one in asked for at in negatives(one, plan.hard, chance)]
    there = np.array(places)
    bad = np.zeros((len(batch), len(places)), bool)
    for row, one in enumerate(asked):
        bad[row] = np.isin(there, one.right)
        bad[row, row] = False
    asking = model.vectors(*version.questions.take(batch))
    answering = model.vectors(*version.rows.take(places))
    scores = (plan.scale * asking @ answering.T).float().masked_fill(torch.from_numpy(bad).to(device), -1e4)
    return functional.cross_entropy(scores, torch.arange(len(batch), device=device))


def learn_finding(lessons: Lessons, base: Path, pieces: Pieces, plan: Plan, seed: int) -> Memory:
    """Train one encoder to find."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    model = started(base).to(pieces.device)
    texts: list[Shown] = [("", text) for text in chance.sample(lessons.plain, min(6000, len(lessons.plain)))]
    pieces.prepare(text for _, text in texts)
    teacher = embedded(model, pieces, texts)
    tuned = [
        one
        for name, one in model.encoder.named_parameters()
        if one.requires_grad and not adapter(name) and not asks(name)
    ]
    optimiser = torch.optim.AdamW(tuned, lr=plan.rate, weight_decay=0.01, betas=(0.9, 0.98))
    begun, seen = time.time(), torch.zeros(2, device=pieces.device)
    for step, (version, batch) in zip(range(plan.steps), lessons.batches(plan.batch, chance), strict=False):
        model.train()
        optimiser.param_groups[0]["lr"] = plan.rate * min(1.0, (step + 1) / 60) * max(0.02, 1 - step / plan.steps)
        with cast(pieces.device):
            found = finding_loss(model, version, batch, plan, chance, pieces.device)
            some = chance.sample(range(len(texts)), min(plan.batch // 2, len(texts)))
            now = model.vectors(*pieces.texts([texts[at] for at in some], 64))
            meaning = (1 - (now * teacher[some]).sum(1)).mean()
        stepped(optimiser, found + plan.keep_meaning * meaning, tuned)
        seen = 0.97 * seen + 0.03 * torch.stack([found, meaning]).detach().float()
    say(f"  finding, seed {seed}, {time.time() - begun:.0f} s: loss {float(seen[0]):.3f}, meaning {float(seen[1]):.3f}")
    return model


def stepped(optimiser: torch.optim.Optimizer, loss: Tensor, tuned: Sequence[Tensor]) -> None:
    """Take one step."""
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(tuned, 1.0)
    optimiser.step()


@torch.no_grad()
def averaged(models: Sequence[Memory], base: Path, share: float) -> dict[str, Tensor]:
    """Give the encoder's weights between the base model's and the mean of those trained: less is forgotten."""
    states = [model.encoder.state_dict() for model in models]
    before = published(base)
    return {
        name: one
        if name not in before
        else share * torch.stack([state[name].float() for state in states]).mean(0)
        + (1 - share) * before[name].to(one.device)
        for name, one in states[0].items()
    }


def settle(
    models: Sequence[Memory], base: Path, pieces: Pieces, dev: Sequence[Conversation], others: dict[str, list[Haystack]]
) -> tuple[Memory, float]:
    """Settle the first encoder at the blend that finds best on what it was not trained on, and give its share."""
    stacks, best = {"dev": haystacks(dev), **others}, (-1.0, 1.0, {})
    blends = [averaged(models, base, share) for share in BLENDS]
    for share, weights in zip(BLENDS, blends, strict=True):
        models[0].encoder.load_state_dict(weights)
        found = {name: finding(models[0], pieces, some)["ndcg"] for name, some in stacks.items()}
        say(f"  {share:g} of it: " + ", ".join(f"{name} {one:.3f}" for name, one in found.items()))
        best = max(best, (float(np.mean(list(found.values()))), share, weights), key=lambda one: one[0])
    models[0].encoder.load_state_dict(best[2])
    return models[0], best[1]


def learn_judging(model: Memory, pieces: Pieces, lessons: Lessons, plan: Plan, dev: Sequence[Conversation]) -> None:
    """Train adapters and heads on the encoder as it is now, which stays as it is."""
    chance = random.Random(plan.seed + 1)
    sizes = {task: round(plan.batch * SHARES[task]) for task in TASKS}
    tuned = [one for name, one in model.named_parameters() if adapter(name) or name.startswith("heads")]
    optimiser = torch.optim.AdamW(tuned, lr=plan.judging_rate, weight_decay=0.05)
    begun = time.time()
    for step in range(plan.judging):
        model.train()
        rate = min(1.0, (step + 1) / 100) * max(0.02, 1 - step / plan.judging)
        optimiser.param_groups[0]["lr"] = plan.judging_rate * rate
        total = torch.zeros((), device=pieces.device)
        for task, size in sizes.items():
            rows, answers = lessons.drills[task].take(size, chance)
            with cast(pieces.device):
                scores = model.judged(task, *rows)
            total = total + judging_loss(task, scores, answers)
        stepped(optimiser, total, tuned)
        if step % 300 == 299:
            apart = told_apart(model, pieces, lessons.held_out)
            two = compared(model, pieces, dev)
            say(f"  judging, {step + 1}, {time.time() - begun:.0f} s: loss {float(total):.3f}, {apart}, {two}")


def judging_loss(task: str, scores: Tensor, answers: Tensor) -> Tensor:
    """Give the cross-entropy of the right answers; of a sentence of unknown class, that it is worth keeping at all."""
    known = answers != WORTH
    loss = functional.cross_entropy(scores[known], answers[known], label_smoothing=0.05, reduction="sum")
    if task == "keep" and not bool(known.all()):
        likely = scores[~known].log_softmax(-1)[:, : len(DURABLE)].logsumexp(-1)
        loss = loss - likely.clamp(max=-0.05).sum()
    return loss / len(answers)


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
    parser.add_argument("--weights", type=Path, help="judge only: finding and asking stay as in these weights")
    parser.add_argument("--plans", default="[{}]", help="a JSON list of plans: what differs from the usual one")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further plan after so many seconds")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    begun, best, results = time.time(), -1.0, []
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pieces = Pieces(given.vocabulary, device)
    others = other(given.others) if given.others else {}
    given.out.mkdir(parents=True, exist_ok=True)
    conversations = read(given.corpus)
    lessons: dict[tuple[float, int], Lessons] = {}
    for wanted in json.loads(given.plans):
        if time.time() - begun > given.seconds:
            say("no time for the rest")
            break
        plan = Plan(**wanted)
        train_on, dev = split(conversations, plan)
        dev = dev or split(conversations, Plan())[1]
        if (plan.dev, plan.drawn) not in lessons:
            lessons[plan.dev, plan.drawn] = Lessons(train_on, 7, given.pairs, pieces, plan.drawn)
        say(f"{device}, {time.time() - begun:.0f} s: {len(train_on)} conversations, {json.dumps(asdict(plan))}")
        taught = lessons[plan.dev, plan.drawn]
        if given.weights:
            model, share = found_well(given.base, given.weights).to(device), 1.0
        else:
            models = [learn_finding(taught, given.base, pieces, plan, plan.seed + at) for at in range(plan.runs)]
            model, share = settle(models, given.base, pieces, dev, others)
        if plan.judging:
            learn_judging(model, pieces, taught, plan, dev)
        found = {"share": share, **figures(model, pieces, dev, others)}
        found["loose"] = told_apart(model, pieces, taught.held_out)
        found["matters"] = told_apart(model, pieces, {"supports": taught.held_matters})
        results.append({"plan": asdict(plan), "figures": found})
        say(json.dumps(found))
        if (score := _score(found)) > best:
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
