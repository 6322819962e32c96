"""Care for the whole database."""
