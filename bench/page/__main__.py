"""Walk the page: `python -m bench.page views|actions|hostile|keyboard|pictures|speed|weight|all [--out FOLDER]`."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.page import deeds, pictures, scale, scenes, strolls
from recollect import Recollect, Space
from recollect.testing.servers import Postgres
from tests.doors.serving import serving
from tests.web.browsing import browser

WHAT = ("views", "actions", "hostile", "keyboard", "pictures", "speed", "weight", "all")
ENGINES = ("sqlite", "postgresql")


@contextmanager
def stage(engine: str) -> Iterator[tuple[Recollect, str, str]]:
    """Serve an empty memory on an engine: itself, where it is served, and its URL."""
    server = Postgres() if engine == "postgresql" else None
    try:
        with tempfile.TemporaryDirectory(prefix="recollect-page-") as folder:
            url = server.url if server is not None else f"sqlite:///{folder}/page.db"
            with Recollect(url, embedder="none", record=scenes.KEPT) as memory, serving(memory, per_minute=0) as base:
                yield memory, base, url
    finally:
        if server is not None:
            server.stop()


@contextmanager
def small(engine: str) -> Iterator[tuple[Recollect, str, Space]]:
    """Serve a small life, in which models were asked too."""
    with stage(engine) as (memory, base, url):
        ana = scenes.small_life(memory, "ana")
        scenes.asked(url, "ana", [f"{role}: {text}" for role, text in scenes.TALK], scenes.LEARNT)
        yield memory, base, ana


def views(engine: str, folder: Path) -> list[str]:
    """Show every view in every dress."""
    with small(engine) as (_, base, ana), browser() as started:
        return strolls.shown(started, base, ana, "ana", folder)


def actions(engine: str, folder: Path) -> list[str]:
    """Do every action."""
    with small(engine) as (memory, base, ana), browser() as started:
        return strolls.acted(started, base, ana, "ana") + deeds.cared(started, base, memory, ana, "ana")


def hostile(engine: str, folder: Path) -> list[str]:
    """Show sixty hostile texts."""
    with stage(engine) as (memory, base, url), browser() as started:
        mallory = scenes.hostile_life(memory, "mallory")
        scenes.asked(url, "mallory", scenes.HOSTILE, "\n".join(scenes.HOSTILE))
        return strolls.hostile(started, base, mallory, "mallory")


def keyboard(engine: str, folder: Path) -> list[str]:
    """Reach everything without a mouse."""
    with small(engine) as (_, base, ana), browser() as started:
        return strolls.by_keyboard(started, base, ana, "ana")


def speed(engine: str, folder: Path, many: int, entities: int) -> list[str]:
    """Measure before a very large memory; what is slower than wanted is told, not failed: machines differ."""
    with stage(engine) as (memory, base, _), browser() as started:
        scenes.huge_life(memory, "ana", many, entities)
        for name, value in scale.timed(started, base, "ana").items():
            print(f"{engine}: {name:<32} {value:>8.1f} ms (wanted: {scale.WANTED[name]:g})")
    return []


def weight() -> list[str]:
    """Weigh the page as it travels."""
    parts = scale.weighed()
    total = sum(parts.values())
    for path, size in sorted(parts.items(), key=lambda one: -one[1]):
        print(f"{size:>8,} {path}")
    print(f"{total:>8,} bytes compressed in all, at most {scale.WEIGHT:,}")
    return [] if total <= scale.WEIGHT else [f"the page weighs {total:,} bytes"]


def main() -> None:
    """Walk, tell, and fail where something is wrong."""
    options = argparse.ArgumentParser(description="Walk the page in a real browser.")
    options.add_argument("what", choices=WHAT)
    options.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    options.add_argument("--out", type=Path, help="where pictures go")
    options.add_argument("--memories", type=int, default=100_000)
    options.add_argument("--entities", type=int, default=5_000)
    chosen = options.parse_args()
    steps: dict[str, Callable[[str, Path], list[str]]] = {
        "views": views, "actions": actions, "hostile": hostile, "keyboard": keyboard,
        "speed": lambda engine, folder: speed(engine, folder, chosen.memories, chosen.entities),
    }  # fmt: skip
    if chosen.what == "pictures":
        pictures.taken(chosen.out or pictures.PLACE)
    wrong = weight() if chosen.what in ("weight", "all") else []
    for name, step in steps.items():
        for engine in chosen.engines if chosen.what in (name, "all") else ():
            with tempfile.TemporaryDirectory(prefix="recollect-page-") as folder:
                place = chosen.out / engine if chosen.out else Path(folder)
                place.mkdir(parents=True, exist_ok=True)
                found = step(engine, place)
            print(f"{engine}: {name}: {len(found)} wrong")
            wrong += [f"{engine}: {one}" for one in found]
    print("\n".join(wrong))
    if wrong:
        raise SystemExit(f"{len(wrong)} things are wrong")


if __name__ == "__main__":
    main()
