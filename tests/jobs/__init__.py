"""Tests of the room jobs."""
