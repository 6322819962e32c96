"""Tests of the room front."""
