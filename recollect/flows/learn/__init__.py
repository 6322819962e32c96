"""From conversation to knowledge."""
