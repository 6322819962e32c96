"""The page, walked whole in a real browser: every view and action, in every dress, on two engines, hostile and huge."""
