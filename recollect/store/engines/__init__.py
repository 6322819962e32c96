"""One file an engine, and what they share."""
