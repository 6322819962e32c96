"""The doors people and programs come in by."""
