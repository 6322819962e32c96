"""Tests of the room providers."""
