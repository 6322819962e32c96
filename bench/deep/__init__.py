"""Drills of the deep jobs: merging at night, and how owners would spread over many shards."""
