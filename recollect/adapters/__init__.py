"""Others' houses: memory inside the clients, frameworks and interfaces people use; nothing below needs these."""
