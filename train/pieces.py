"""Word pieces in batches: texts alone, texts behind what stood before them, and pairs of texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

from train.texts import Judged, Shown

CLS, SEP = 101, 102
LONGEST, BEFORE = 256, 64
"""How many word pieces the encoder reads in all, and how many of what stood before a text."""
Ints = NDArray[np.int64]


class Pieces:
    """Turns texts into padded batches on a device."""

    def __init__(self, vocabulary: Path, device: str, longest: int = LONGEST) -> None:
        self._tokenizer = Tokenizer.from_file(str(vocabulary))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.device, self.longest = device, longest
        self._known: dict[str, list[int]] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Tokenise texts that will be asked for, many at once."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        for start in range(0, len(fresh), 4096):
            some = fresh[start : start + 4096]
            made = self._tokenizer.encode_batch([text[:8000] for text in some], add_special_tokens=False)
            self._known |= {text: one.ids[: self.longest] for text, one in zip(some, made, strict=True)}

    def _of(self, text: str) -> list[int]:
        if text not in self._known:
            self.prepare([text])
        return self._known[text]

    def texts(self, texts: Sequence[Shown], longest: int = 0) -> tuple[Tensor, Tensor]:
        """Give ids and mask of texts behind what stood before them; an empty one stands alone."""
        most = (longest or self.longest) - 2
        rows = []
        for before, text in texts:
            own = self._of(text)
            lead = self._of(before)[: min(BEFORE, max(0, most - len(own)))] if before else []
            rows.append([CLS, *lead, *own[: most - len(lead)], SEP])
        ids, mask = self._padded(rows)
        return ids, mask

    def pairs(self, pairs: Sequence[Judged]) -> tuple[Tensor, Tensor, Tensor]:
        """Give ids, mask and types of pairs of texts."""
        rows, firsts = [], []
        for pair in pairs:
            first, second = self._of(pair.first)[:110], self._of(pair.second)[:80]
            rows.append([CLS, *first, SEP, *second, SEP])
            firsts.append(len(first) + 2)
        ids, mask = self._padded(rows)
        places = torch.arange(ids.shape[1], device=self.device)[None]
        types = (places >= torch.tensor(firsts, device=self.device)[:, None]).long() * mask
        return ids, mask, types

    def _padded(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        longest = -(-max(map(len, rows)) // 8) * 8
        ids: Ints = np.zeros((len(rows), longest), np.int64)
        mask: Ints = np.zeros((len(rows), longest), np.int64)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
            mask[at, : len(row)] = 1
        return torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)
