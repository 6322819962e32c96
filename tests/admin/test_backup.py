"""Backups: everything of one moment in one file, while others write."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from recollect import InvalidInput, Recollect
from recollect.testing import FixedClock


def test_a_backup_is_whole_while_others_write(rc: Recollect, tmp_path: Path, clock: FixedClock) -> None:
    """What was there when it began is in it, in a file that can be used at once; what is half written is not."""
    ana = rc.space("ana", session="s1")
    for number in range(30):
        ana.remember(f"Ana owns boat number {number}.")
    over = threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set() and number < 500:
            rc.space("ben").remember(f"Ben counts to {number}.")
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        made = rc.backup(tmp_path / "backup")
    finally:
        over.set()
        writer.join()
    assert made.size > 0
    place = tmp_path / "backup"
    if made.form == "export":
        place = tmp_path / "again.db"
        with Recollect(place, clock=clock) as empty:
            empty.import_file(tmp_path / "backup")
    with Recollect(place, clock=clock) as again:
        assert len(again.space("ana").list(limit=100)) == 30
        assert again.space("ana").recall("boat number 7", limit=1)[0].memory.content == "Ana owns boat number 7."
        assert all(finding.ok for finding in again.doctor())
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith(".backup")) == []


def test_a_backup_never_writes_over_anything(rc: Recollect, tmp_path: Path) -> None:
    """A file that is there, and a folder that is not, are refused."""
    (tmp_path / "there").write_text("mine")
    with pytest.raises(InvalidInput, match="name a new file"):
        rc.backup(tmp_path / "there")
    with pytest.raises(InvalidInput, match="does not exist"):
        rc.backup(tmp_path / "nowhere" / "x")
    assert (tmp_path / "there").read_text() == "mine"
