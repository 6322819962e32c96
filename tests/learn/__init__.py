"""Tests of the room learn."""
