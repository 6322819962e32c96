"""Live many days on a simulated clock and check every evening what must hold for every memory.

python -m bench.life --days 400 [--owners 10] [--seed 6] [--db URL] [--json]

Without --db it lives in a throwaway file. A rule that is broken ends it with the day and the memory.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from time import process_time

from rich.console import Console
from rich.progress import Progress

from recollect.testing.life import Lives


def main() -> int:
    """Live, and say what happened."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=400)
    parser.add_argument("--owners", type=int, default=10)
    parser.add_argument("--seed", type=int, default=6)
    parser.add_argument("--db", default="", help="an empty database; else a throwaway file")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recollect-life-") as folder:
        lives = Lives(chosen.db or f"sqlite:///{Path(folder) / 'life.db'}", chosen.owners, chosen.seed)
        began = process_time()
        with Progress(console=Console(stderr=True)) as progress:
            task = progress.add_task("days", total=chosen.days)
            for _ in range(chosen.days):
                try:
                    lives.day()
                except AssertionError as error:
                    print(f"broken on day {lives.days}: {error}", file=sys.stderr)
                    return 1
                progress.advance(task)
        result = {
            "days": lives.days,
            "cpu_seconds": round(process_time() - began, 1),
            "healthy": all(finding.ok for finding in lives.rc.doctor()),
            "export": hashlib.sha256(lives.export().encode()).hexdigest(),
            **dict(sorted(lives.counts.items())),
        }
        lives.close()
    if chosen.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:<20} {value}")
    return 0 if result["healthy"] else 1


if __name__ == "__main__":
    sys.exit(main())
