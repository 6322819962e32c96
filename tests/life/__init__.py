"""Tests of the room life."""
