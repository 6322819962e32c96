"""Tests of the room serve."""
