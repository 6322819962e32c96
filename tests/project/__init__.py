"""Tests of the room project."""
