"""What every memory but a raw message passes."""
