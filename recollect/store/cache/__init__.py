"""What a search keeps in memory."""
