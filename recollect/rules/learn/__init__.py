"""What is learnt from a conversation, and how much of it."""
