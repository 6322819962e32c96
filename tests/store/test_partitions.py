"""What docs/scale.md says to run on a server: run as it stands there, and held against the tables there are."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

from recollect import Recollect
from recollect.testing import FixedClock
from tests.engines import apart
from tests.store.test_distribution import OWNED

PAGE = (Path(__file__).parent.parent.parent / "docs" / "scale.md").read_text("utf-8")


def statements(heading: str) -> str:
    """Give the SQL below a heading of the page."""
    part = PAGE.partition(f"### {heading}")[2]
    return part.partition("```sql\n")[2].partition("```")[0]


def test_hash_partitions(clock: FixedClock, tmp_path: Path) -> None:
    """Run on a new database as the page says, everything works on partitions: writing, finding, erasing, the doctor."""
    url = apart("postgresql", tmp_path)
    Recollect(url, clock=clock).close()
    with psycopg.connect(url) as connection:
        connection.execute(statements("Hash partitions").encode())
    with Recollect(url, clock=clock) as rc:
        for number in range(40):
            rc.space(f"u{number}", session="s").remember(f"Boat {number} lies in the harbour.")
        ana = rc.space("u7")
        assert [hit.memory.content for hit in ana.recall("harbour boat")] == ["Boat 7 lies in the harbour."]
        assert ana.erase(everything=True).count == 1
        assert all(finding.ok for finding in rc.doctor())
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT tableoid::regclass::text, count(*) FROM memories GROUP BY 1").fetchall()
    assert sum(many for _, many in found) == 39
    assert len(found) > 10
    assert all(re.fullmatch(r"memories_\d+", name) for name, _ in found)


def test_citus_is_told_of_every_table() -> None:
    """Each table of owners is distributed, and no other."""
    named = set(re.findall(r"'(\w+)'", statements("Citus").partition("create_distributed_table")[2])) - {"owner"}
    assert named & OWNED == OWNED
    assert "create_reference_table('meta')" in statements("Citus")


@pytest.mark.parametrize("heading", ["Hash partitions", "Citus", "CockroachDB"])
def test_the_page_has_statements(heading: str) -> None:
    """Every way to scale out comes with what to run, and with what changes and what does not."""
    assert statements(heading).strip()
    if heading != "Hash partitions":
        part = PAGE.partition(f"### {heading}")[2].partition("\n### ")[0]
        assert "| changes | does not |" in part
