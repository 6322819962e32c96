"""Who speaks and who is named."""
