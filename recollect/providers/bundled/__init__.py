"""The model that comes with the library: word pieces, weights that are checked before they run, and the encoder."""
