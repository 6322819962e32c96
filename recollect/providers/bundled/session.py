"""Weights that run in this process by onnxruntime: read, checked, opened."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as native

from recollect.errors import ConfigError

MOST_THREADS = 4
FAILURES = (
    native.Fail, native.RuntimeException, native.InvalidArgument, native.InvalidGraph, native.InvalidProtobuf,
    native.NotImplemented,
)  # fmt: skip
"""What onnxruntime raises when it cannot run a model."""


def read_weights(path: Path, sha256: str, mend: str) -> bytes:
    """Read weights and check that they are the expected ones, so that what is checked is what runs.

    `mend` is the command that brings the right ones.
    """
    try:
        weights = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"the model's weights {path.name} cannot be read ({error.strerror}): {mend}") from error
    if hashlib.sha256(weights).hexdigest() != sha256:
        raise ConfigError(f"the model's weights {path.name} are not the expected ones and were not loaded: {mend}")
    return weights


def open_session(weights: bytes, threads: int) -> onnxruntime.InferenceSession:
    """Open a model; 0 threads are as many as there are cores, at most 4."""
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or min(MOST_THREADS, _cores())
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that wait for the next text by spinning would cost more than the text.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    except FAILURES as error:
        raise ConfigError(
            f"this onnxruntime cannot run the model ({type(error).__name__}): pip install --upgrade onnxruntime"
        ) from error


def _cores() -> int:
    """Count the cores this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
