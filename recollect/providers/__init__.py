"""Ports to what can be swapped: entity extractors now, embedders, models and archives later."""
