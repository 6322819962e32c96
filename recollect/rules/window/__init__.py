"""What fits into a prompt."""
