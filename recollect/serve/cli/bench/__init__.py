"""Benchmarks: the command that has them all."""

from __future__ import annotations

from recollect.serve.cli.frame import CARING, group

bench = group("bench", CARING, "Measure how fast memory is, and how well it finds.")
