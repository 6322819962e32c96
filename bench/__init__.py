"""Benchmarks and drills: run as modules, never part of the timed tests."""
