"""How to get libraries that are not installed, in words that work where this runs."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path


def installing(extra: str) -> str:
    """Give the command that adds an extra to this very installation: from its source, and with a pip that is there."""
    root = Path(__file__).resolve().parents[2]
    wanted = f"-e {shlex.quote(f'{root}[{extra}]')}" if (root / "pyproject.toml").is_file() else f"'recollect[{extra}]'"
    if find_spec("pip") is not None:
        return f"{shlex.quote(sys.executable)} -m pip install {wanted}"
    # In an environment without pip `python3` is that environment's own: the one it was made with has pip.
    base = shlex.quote(getattr(sys, "_base_executable", "") or "python3")
    return f"{base} -m pip --python {shlex.quote(sys.executable)} install {wanted}"
