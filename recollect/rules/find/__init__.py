"""How what is found is ranked."""
