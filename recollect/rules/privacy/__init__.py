"""What must never be stored."""
