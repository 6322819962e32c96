"""Tests of the rules, one file per module."""
