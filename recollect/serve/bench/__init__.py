"""Benchmarks: how well memory finds what it should, measured on anybody's conversations."""
