"""The encoder: a BERT of six layers whose mean over word pieces is a text's vector; adapters let it ask and judge.

What is remembered runs through the six layers as they are. What is asked, and what is judged, runs through the same
layers, each bent a little by an adapter of few weights, so that what the one learns costs the others nothing.
"""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from train.conversations import ASKS, CLASSES, MEANT, RELATIONS, VERDICTS

WIDTH, HEADS, INNER, LAYERS, WORDS, PLACES = 384, 12, 1536, 6, 30522, 512
JUDGING, ASKING = 32, 16
"""How wide the adapters for judging and for asking are."""
TASKS = {
    "keep": len(CLASSES), "relation": len(RELATIONS), "supports": len(VERDICTS), "asks": len(ASKS), "meant": len(MEANT),
}  # fmt: skip
HIDDEN = 192


Bends = tuple[Tensor | None, Tensor | None]
"""How much judging and asking count, from 0 to 1; None is a quicker 0."""


class Adapted(nn.Linear):
    """A linear map, bent by an adapter of its own when judging or asking."""

    def __init__(self, given: int, made: int) -> None:
        super().__init__(given, made)
        self.narrow, self.wide = _adapter(given, JUDGING, made)
        self.ask_narrow, self.ask_wide = _adapter(given, ASKING, made)
        self.thin = nn.Dropout(0.1)

    def forward(self, x: Tensor, bends: Bends = (None, None)) -> Tensor:
        """Map, and add what the adapters make of it."""
        made, (judging, asking) = super().forward(x), bends
        if judging is not None:
            made = made + judging * self.wide(self.narrow(self.thin(x)))
        return made if asking is None else made + asking * self.ask_wide(self.ask_narrow(self.thin(x)))


def _adapter(given: int, rank: int, made: int) -> tuple[nn.Linear, nn.Linear]:
    narrow, wide = nn.Linear(given, rank, bias=False), nn.Linear(rank, made, bias=False)
    nn.init.normal_(narrow.weight, std=0.02)
    nn.init.zeros_(wide.weight)
    return narrow, wide


class Layer(nn.Module):
    """Attention and a wide inner layer, each added to what came in and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (Adapted(WIDTH, WIDTH) for _ in range(4))
        self.attended, self.widened = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.up, self.down = Adapted(WIDTH, INNER), Adapted(INNER, WIDTH)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor, mask: Tensor, bends: Bends) -> Tensor:
        many, long, _ = x.shape
        query, key, value = (
            part(x, bends).view(many, long, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        x = self.attended(x + self.dropout(self.out(seen.transpose(1, 2).reshape(many, long, WIDTH), bends)))
        return self.widened(x + self.dropout(self.down(functional.gelu(self.up(x, bends)), bends)))


class Encoder(nn.Module):
    """Word pieces to one vector a piece; a second text is told apart by its type."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.types = (nn.Embedding(n, WIDTH) for n in (WORDS, PLACES, 2))
        self.shared = nn.Embedding(2, WIDTH)
        """Added when judging: whether a piece also stands in the other text, as the same name or number would."""
        nn.init.zeros_(self.shared.weight)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.dropout = nn.Dropout(0.1)

    def forward(
        self, ids: Tensor, mask: Tensor, types: Tensor, judging: Tensor | None = None, asking: Tensor | None = None
    ) -> Tensor:
        """Give one vector a piece; `judging` and `asking` are numbers from 0 to 1, none of them is a quicker 0."""
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.words(ids) + self.places(places) + self.types(types)
        if judging is not None:
            x = x + judging * self.shared(in_both(ids, mask, types))
        x = self.dropout(self.norm(x))
        wide = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, wide, (judging, asking))
        return x


def in_both(ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
    """Tell for each piece whether it stands in the other text too."""
    equal = (ids[:, :, None] == ids[:, None, :]) & (types[:, :, None] != types[:, None, :])
    return (equal & (mask[:, None, :] > 0)).any(-1).long()


class Memory(nn.Module):
    """The encoder with its heads."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.heads = nn.ModuleDict(
            {
                task: nn.Sequential(nn.Linear(2 * WIDTH, HIDDEN), nn.Tanh(), nn.Dropout(0.1), nn.Linear(HIDDEN, many))
                for task, many in TASKS.items()
            }
        )

    def vectors(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Give the vector of each text, at length one."""
        return functional.normalize(mean(self.encoder(ids, mask, torch.zeros_like(ids)), mask), dim=-1)

    def asked(self, ids: Tensor, mask: Tensor, much: float = 1.0) -> Tensor:
        """Give the vector of each question or request, at length one."""
        asking = torch.full((), much, device=ids.device)
        return functional.normalize(mean(self.encoder(ids, mask, torch.zeros_like(ids), None, asking), mask), dim=-1)

    def judged(self, task: str, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """Give a head's scores for pairs of texts."""
        hidden = self.encoder(ids, mask, types, torch.ones((), device=ids.device))
        return self.heads[task](read(hidden, mask, types).to(self.heads[task][0].weight.dtype)).float()


def mean(hidden: Tensor, mask: Tensor) -> Tensor:
    """Give the mean over the pieces that are there."""
    weight = mask[:, :, None].float()
    return (hidden.float() * weight).sum(1) / weight.sum(1).clamp_min(1)


def read(hidden: Tensor, mask: Tensor, types: Tensor) -> Tensor:
    """Give what the heads look at: the first piece, and the mean of the second text."""
    return torch.cat([hidden[:, 0].float(), mean(hidden, mask * types)], dim=-1)


def adapter(name: str) -> bool:
    """Tell whether a weight belongs to an adapter for judging."""
    return ".narrow." in name or ".wide." in name or ".shared." in name


def asks(name: str) -> bool:
    """Tell whether a weight belongs to an adapter for asking."""
    return ".ask_" in name


def published(path: Path) -> dict[str, Tensor]:
    """Read the base weights under our names."""
    raw = load_file(str(path))
    names = {
        "words.weight": "embeddings.word_embeddings.weight",
        "places.weight": "embeddings.position_embeddings.weight",
        "types.weight": "embeddings.token_type_embeddings.weight",
    }
    inside = {
        "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
        "out": "attention.output.dense", "attended": "attention.output.LayerNorm", "up": "intermediate.dense",
        "down": "output.dense", "widened": "output.LayerNorm",
    }  # fmt: skip
    for end in ("weight", "bias"):
        names[f"norm.{end}"] = f"embeddings.LayerNorm.{end}"
        for at in range(LAYERS):
            names |= {f"layers.{at}.{a}.{end}": f"encoder.layer.{at}.{b}.{end}" for a, b in inside.items()}
    return {ours: raw[theirs].float() for ours, theirs in names.items()}


def started(path: Path) -> Memory:
    """Give the model as it is before training: the base weights, its word vectors kept as they are."""
    model = Memory()
    model.encoder.load_state_dict(published(path), strict=False)
    model.encoder.words.weight.requires_grad_(False)  # less to forget, and no name is learnt
    return model


def found_well(base: Path, folder: Path) -> Memory:
    """Read what a run learnt of finding and asking; adapters and heads for judging are as before training."""
    model = started(base)
    model.load_state_dict(
        {name: one for name, one in _weights(folder).items() if not adapter(name) and not name.startswith("heads")},
        strict=False,
    )
    return model


def _weights(folder: Path) -> dict[str, Tensor]:
    return {
        name: one.float()
        for part in sorted(folder.glob("weights-*.safetensors"))
        for name, one in load_file(str(part)).items()
    }


def trained(base: Path, folder: Path) -> Memory:
    """Read the weights a run wrote; word vectors are the base model's."""
    model = started(base)
    state = _weights(folder)
    missing, unknown = model.load_state_dict(state, strict=False)
    if unknown or [name for name in missing if "words" not in name and not asks(name)]:
        raise SystemExit(f"{folder} does not hold this model's weights")
    return model.eval()
