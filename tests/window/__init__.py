"""Tests of the room window."""
