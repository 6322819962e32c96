"""The portable body all engines share."""
