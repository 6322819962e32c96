"""What may be kept, and what it is worth."""
