"""Tests of the tools for models."""
