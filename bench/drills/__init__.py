"""Drills: crews of processes that write, die and are undone, and the ledgers their work is held against."""
