"""What other memories kept, read from their files: one file a format, and one frame that brings all of them in."""
