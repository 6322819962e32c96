"""Teach the encoder to ask: what a question or a request needs is looked for among vectors that stay as they are.

python -m train.asking --base … --vocabulary … --weights DIR --out DIR

Only the adapter for asking learns, so that nothing that is stored has to be embedded anew and the judges keep their
judgement. A request ("plan the children's party") shares no word with what it needs (an allergy, told in spring);
that is learnt from requests written for the conversations of the corpus and for the people of train/worlds, beside the
questions.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from train.conversations import CORPUS, Conversation, Message, Question, read, rows
from train.encoder import Memory, asks, trained
from train.fit import Plan, save, say, split, stepped
from train.lessons import VERSIONS, Version
from train.measure import Haystack, cast, embedded, finding, haystacks, other
from train.pieces import Pieces
from train.texts import Shown, statements
from train.texts import cast as named

WORLDS, KEPT_OUT = Path(__file__).parent / "worlds", ("v3", "v9")
"""What made-up people said, with requests of theirs, and the writers whose worlds are held out."""
MUCH = (0.0, 0.5, 0.7, 0.85, 1.0)
"""How much of the adapter is tried."""


class Place:
    """One version of the corpus with the vectors of all its texts, and where each conversation's texts are."""

    def __init__(
        self, conversations: Sequence[Conversation], people: Sequence[str], chance: random.Random, requests: int
    ) -> None:
        self.version = Version(conversations, people, chance)
        kinds = [kind for one in conversations for kind in _kinds(one)]
        self.order = [at for at, kind in enumerate(kinds) for _ in range(requests if kind == "request" else 1)]
        self.vectors = torch.zeros(0)

    def prepare(self, model: Memory, pieces: Pieces) -> None:
        """Embed the texts as they are stored, and put the questions on the device."""
        self.version.prepare(pieces)
        self.vectors = embedded(model, pieces, self.version.texts)


def _kinds(one: Conversation) -> list[str]:
    claims = [verdict for verdict, _, _, _ in one.claims if verdict == "supported"]
    return [question.kind for question in one.questions] + claims


def _some(texts: Sequence[str], chance: random.Random, many: int = 6000) -> list[str]:
    return chance.sample(texts, min(many, len(texts)))


def asking_loss(model: Memory, place: Place, batch: Sequence[int], scale: float) -> Tensor:
    """Give the cross-entropy of what each question needs, among the texts of its talk and among those of all."""
    some = [place.version.asked[at] for at in batch]
    device = place.vectors.device
    with cast(device.type):
        asked = model.asked(*place.version.questions.take(batch))
    scores = scale * asked.float() @ place.vectors.T
    right, wrong = (_marked(scores.shape, [getattr(one, name) for one in some], device) for name in ("right", "wrong"))
    near = scores.masked_fill(~wrong, -1e4).logsumexp(1, keepdim=True)
    far = scores.masked_fill(right, -1e4).logsumexp(1, keepdim=True)
    unlikely = torch.logaddexp(scores, near) + 0.5 * torch.logaddexp(scores, far) - 1.5 * scores
    return ((unlikely * right).sum(1) / right.sum(1)).mean()


def _marked(shape: torch.Size, places: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    rows = [row for row, some in enumerate(places) for _ in some]
    marked = torch.zeros(shape, dtype=torch.bool)
    marked[rows, [at for some in places for at in some]] = True
    return marked.to(device)


def learn(model: Memory, pieces: Pieces, conversations: Sequence[Conversation], plan: Plan) -> None:
    """Train the adapter for asking alone."""
    chance = random.Random(plan.seed)
    torch.manual_seed(plan.seed)
    places = [Place(conversations, named(chance) if number else (), chance, plan.hard) for number in range(VERSIONS)]
    for place in places:
        place.prepare(model, pieces)
    texts: list[Shown] = [("", text) for text in _some(statements(conversations), chance)]
    before = embedded(model, pieces, texts)
    tuned = [one for name, one in model.named_parameters() if asks(name)]
    optimiser = torch.optim.AdamW(tuned, lr=plan.rate, weight_decay=0.0)
    begun, seen = time.time(), torch.zeros(2, device=pieces.device)
    for step in range(plan.steps):
        model.train()
        optimiser.param_groups[0]["lr"] = plan.rate * min(1.0, (step + 1) / 60) * max(0.02, 1 - step / plan.steps)
        place = chance.choice(places)
        found = asking_loss(model, place, chance.sample(place.order, plan.batch), plan.scale)
        some = chance.sample(range(len(texts)), plan.batch // 2)
        with cast(pieces.device):
            now = model.asked(*pieces.texts([texts[at] for at in some], 64))
        meaning = (1 - (now.float() * before[some]).sum(1)).mean()
        stepped(optimiser, found + plan.keep_meaning * meaning, tuned)
        seen = 0.97 * seen + 0.03 * torch.stack([found, meaning]).detach().float()
    say(f"  asking, {time.time() - begun:.0f} s: loss {float(seen[0]):.3f}, meaning {float(seen[1]):.3f}")


def main() -> int:
    """Train, measure every strength, and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m train.asking", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--base", type=Path, required=True, help="the base weights, safetensors")
    parser.add_argument("--vocabulary", type=Path, required=True, help="its tokenizer.json")
    parser.add_argument("--weights", type=Path, required=True, help="what train.fit wrote")
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--others", type=Path, help="other people's conversations, for choosing between runs")
    parser.add_argument("--plans", default="[{}]", help="a JSON list of plans: what differs from the usual one")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pieces = Pieces(given.vocabulary, device)
    conversations = read(given.corpus)
    train_on, dev = split(conversations, Plan())
    people = worlds(WORLDS)
    kept_out = [one for one in people if one.writer in KEPT_OUT]
    train_on += [one for one in people if one.writer not in KEPT_OUT]
    stacks: dict[str, list[Haystack]] = {"dev": haystacks(dev), "requests": requests(dev), "worlds": requests(kept_out)}
    stacks |= other(given.others) if given.others else {}
    for number, wanted in enumerate(json.loads(given.plans)):
        plan = Plan(**{"steps": 900, "batch": 256, "rate": 1e-3, "keep_meaning": 1.0, "hard": 6} | wanted)
        say(f"{device}: {len(train_on)} conversations, {json.dumps(wanted)}")
        model = trained(given.base, given.weights).to(device)
        learn(model, pieces, train_on, plan)
        for much in MUCH:
            found = {name: finding(model, pieces, some, much) for name, some in stacks.items()}
            told = (f"{name} {one['ndcg']:.3f} {one['recall12']:.3f}" for name, one in found.items())
            say(f"  {much:g} of it: " + ", ".join(told))
        out = given.out / str(number)
        out.mkdir(parents=True, exist_ok=True)
        save(model, out)
    return 0


def worlds(folder: Path) -> list[Conversation]:
    """Read worlds as conversations of one message a session, with the requests that need something."""
    found = []
    for where, row in rows(folder):
        number = {one["id"]: at for at, one in enumerate(row["said"], 1)}
        said = tuple(Message(at, row["owner"], "user", at, one["text"], ()) for at, one in enumerate(row["said"], 1))
        asked = tuple(
            Question(one["text"], "request", _places(number, one["needs"]), _places(number, one["useful"]))
            for one in row["prompts"]
            if one["needs"]
        )
        name = where.replace(".jsonl:", "-")
        found.append(Conversation(name, row["language"], "requests", ((row["owner"], "user"),), said, asked, (), ()))
    return found


def _places(number: Mapping[int, int], ids: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(number[one] for one in ids))


def requests(conversations: Sequence[Conversation]) -> list[Haystack]:
    """Give the requests of some conversations over their messages."""
    found = []
    for one, stack in zip(conversations, haystacks(conversations), strict=True):
        kinds = [question.kind for question in one.questions]
        asked = [question for question, kind in zip(stack.questions, kinds, strict=True) if kind == "request"]
        found.append(Haystack(stack.name, stack.documents, asked))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
