"""What is written by hand or word of mouth."""
