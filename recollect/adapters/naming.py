"""Short names for long ones: what another program calls a thing, as a key of ours."""

from __future__ import annotations

import hashlib
import json


def hashed(*parts: str) -> str:
    """Give 40 characters that stand for some names, in this order and exactly as they are written."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:40]
