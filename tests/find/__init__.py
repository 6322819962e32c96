"""Tests of the room find."""
