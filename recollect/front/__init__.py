"""The front door: Recollect, Space and the async face."""
