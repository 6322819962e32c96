"""Training the encoder that ships with Recollect: a corpus of our own, one GPU, minutes. Never part of the wheel."""
