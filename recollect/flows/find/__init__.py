"""Queries and looks."""
