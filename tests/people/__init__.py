"""Tests of the room people."""
