"""Ports to what can be swapped: entity extractors and embedders now, models and archives later."""
