"""Tests of the workspace: memory as files."""
