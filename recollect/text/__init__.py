"""From characters to terms and numbers, in any language."""
