"""Tests of the room admin."""
