"""The walks: one file is one verb, from the front door to the store and back."""
