"""What time does to a memory."""
