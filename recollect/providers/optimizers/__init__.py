"""Optimizers of prompts: who finds better words, given examples and somebody to ask."""
