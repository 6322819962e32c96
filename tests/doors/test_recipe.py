"""The server's recipe: its files can be read, and say what the docs say."""

from __future__ import annotations

from pathlib import Path

import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"


def test_the_compose_file_is_the_recipe() -> None:
    """One serves without jobs, one works, PostgreSQL keeps; nothing listens beyond this machine by default."""
    made = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))["services"]
    assert made["serve"]["command"] == ["recollect", "serve", "--host", "0.0.0.0", "--no-worker"]
    assert made["work"]["command"][:2] == ["recollect", "worker"]
    assert made["serve"]["ports"] == ["127.0.0.1:7077:7077"]
    assert made["serve"]["environment"]["RECOLLECT_URL"].startswith("postgresql://")
    assert {one["build"]["dockerfile"] for one in made.values() if "build" in one} == {"deploy/Containerfile"}
    assert "POSTGRES_PASSWORD" in made["database"]["environment"]


def test_the_container_is_no_root() -> None:
    """The container runs as a user of its own and serves."""
    lines = (DEPLOY / "Containerfile").read_text("utf-8").splitlines()
    words = [line.split(maxsplit=1) for line in lines if line]
    assert ["USER", "recollect"] in words
    assert words[0][0] == "FROM"
    assert any(one[0] == "CMD" and "serve" in one[1] for one in words)
