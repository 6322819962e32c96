"""What time brings, and taking it back."""
