"""Tests of the room gate."""
