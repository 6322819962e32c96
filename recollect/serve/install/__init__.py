"""Telling other programs about this memory: their own settings, changed with care and changed back."""
