"""The encoder: a BERT of six layers whose mean over word pieces is a text's vector, and three heads on top of it."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from train.conversations import CLASSES, RELATIONS, VERDICTS

WIDTH, HEADS, INNER, LAYERS, WORDS, PLACES = 384, 12, 1536, 6, 30522, 512
TASKS = {"keep": len(CLASSES), "relation": len(RELATIONS), "supports": len(VERDICTS)}
HIDDEN = 256


class Layer(nn.Module):
    """Attention and a wide inner layer, each added to what came in and normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.attended, self.widened = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.up, self.down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        many, long, _ = x.shape
        query, key, value = (
            part(x).view(many, long, HEADS, WIDTH // HEADS).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        x = self.attended(x + self.dropout(self.out(seen.transpose(1, 2).reshape(many, long, WIDTH))))
        return self.widened(x + self.dropout(self.down(functional.gelu(self.up(x)))))


class Encoder(nn.Module):
    """Word pieces to one vector a piece; a second segment is told apart by its type."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places, self.types = (nn.Embedding(n, WIDTH) for n in (WORDS, PLACES, 2))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.dropout = nn.Dropout(0.1)

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.dropout(self.norm(self.words(ids) + self.places(places) + self.types(types)))
        wide = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, wide)
        return x


class Memory(nn.Module):
    """The encoder with its heads."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.judge = Layer()
        """A layer of the heads' own, so that judging need not bend what finding uses."""
        self.heads = nn.ModuleDict(
            {
                task: nn.Sequential(nn.Linear(2 * WIDTH, HIDDEN), nn.Tanh(), nn.Dropout(0.1), nn.Linear(HIDDEN, many))
                for task, many in TASKS.items()
            }
        )

    def vectors(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Give the vector of each text, at length one."""
        hidden = self.encoder(ids, mask, torch.zeros_like(ids))
        return functional.normalize(_mean(hidden, mask), dim=-1)

    def judged(self, task: str, ids: Tensor, mask: Tensor, types: Tensor, through: float = 1.0) -> Tensor:
        """Give a head's scores for pairs of texts: read off the first piece and the mean of the second text.

        `through` is how much of what the heads learn reaches the encoder below.
        """
        hidden = self.encoder(ids, mask, types)
        hidden = hidden * through + hidden.detach() * (1 - through)
        hidden = self.judge(hidden, mask[:, None, None, :].bool())
        read = torch.cat([hidden[:, 0].float(), _mean(hidden, mask * types)], dim=-1)
        return self.heads[task](read.to(self.heads[task][0].weight.dtype)).float()


def _mean(hidden: Tensor, mask: Tensor) -> Tensor:
    weight = mask[:, :, None].float()
    return (hidden.float() * weight).sum(1) / weight.sum(1).clamp_min(1)


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
    model.encoder.load_state_dict(published(path))
    model.judge.load_state_dict(model.encoder.layers[-1].state_dict())
    model.encoder.words.weight.requires_grad_(False)  # less to forget, and no name is learnt
    return model
