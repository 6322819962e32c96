"""What consolidation costs and survives: calls and tokens, a spent budget, bad answers, and kill -9 on the way.

python -m bench.consolidation [--json] [--engine sqlite --engine postgresql --engine mariadb] [--kills 8]

The model is a scripted server on this machine that reads well and speaks HTTP like any other.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.engines import throwaway
from recollect import Recollect, Space
from recollect.rules.window.budget import estimate
from recollect.testing.conversations import as_json, good_model, ordinary, told_in
from recollect.testing.llm import Asked, Said, Saying, Script, ScriptedLlm

TURNS = 100
MOST_CALLS, MOST_TOKENS = 4, 120
"""The promise for a hundred ordinary turns: calls, and prompt tokens per turn beyond the turn's own text."""
Figures = dict[str, Any]

BAD: dict[str, Script] = {
    "prose": lambda asked: "I think Ana has a cat.",
    "code fence": lambda asked: f"```json\n{as_json(asked)}\n```",
    "half a JSON": lambda asked: as_json(asked)[:-60],
    "null": lambda asked: "null",
    "wrong types": lambda asked: {"facts": [{"content": 7, "turn": "x"}, "Ana", None], "summary": 3},
    "500 facts": lambda asked: {"facts": [_invented(n) for n in range(500)], "summary": "s"},
    "invented name": lambda asked: {"facts": [{**_invented(1), "content": "Bartholomew owns a yacht."}], "summary": ""},
    "429": lambda asked: 429,
    "500": lambda asked: 500,
    "hang": lambda asked: Said(content="{}", hang=3.0),
    "refusal": lambda asked: Said(refusal="I cannot help with that."),
}


def _invented(number: int) -> dict[str, Any]:
    return {"content": f"Ana owns {number} yachts.", "quote": "I own many yachts", "turn": 1}


def opened(url: str, server: ScriptedLlm | str, **more: Any) -> Recollect:
    """Open a memory that asks the scripted model."""
    address = server if isinstance(server, str) else server.url
    chosen = {"base_url": address, "timeout_seconds": 2.0, "retries": 0}
    return Recollect(url, embedder="none", llm="openai:scripted", models=chosen, **more)


def play(space: Space, turns: int = TURNS) -> list[tuple[str, str]]:
    """Observe an ordinary conversation and give it."""
    talk = ordinary(turns)
    for role, text in talk:
        space.observe(role, text, actor="Ana" if role == "user" else "")
    return talk


def known(space: Space) -> list[str]:
    """Give the facts that stand, each as often as it does."""
    return sorted(one.content for one in space.list(kinds=["fact", "event", "procedure"], limit=1000))


def cost(folder: Path) -> Figures:
    """Consolidate a hundred ordinary turns and count calls and tokens, as the server saw them."""
    with ScriptedLlm(good_model) as server, opened(f"sqlite:///{folder}/cost.db", server) as memory:
        mine = memory.space("ana", "helper", "s1")
        talk = play(mine)
        told = mine.end()
        memory.run_jobs()  # what is in doubt goes before the judge, and counts
        own = sum(estimate(text) for _, text in talk)
        return {
            "turns": len(talk),
            "own tokens a turn": round(own / len(talk), 1),
            "calls": len(server.requests),
            "prompt tokens a turn beyond its own": round((server.prompt_tokens - own) / len(talk), 1),
            "facts told": len(told_in(talk)),
            "facts known": len(known(mine)),
            "report": told.text,
        }


def spent(folder: Path) -> Figures:
    """Consolidate with a budget that is spent on the way."""
    with (
        ScriptedLlm(good_model) as server,
        opened(f"sqlite:///{folder}/spent.db", server, budget={"tokens_per_day": 9000}) as memory,
    ):
        mine = memory.space("ana", "helper", "s1")
        talk = play(mine, 180)
        told = mine.end()
        return {
            "calls": len(server.requests),
            "facts told": len(told_in(talk)),
            "facts known": len(known(mine)),
            "report": told.text,
        }


def bad(folder: Path) -> Figures:
    """Let the model answer badly in every way, and count what is stored that nobody said."""
    out: Figures = {}
    for number, (name, script) in enumerate(BAD.items()):
        with ScriptedLlm(script) as server, opened(f"sqlite:///{folder}/bad{number}.db", server) as memory:
            mine = memory.space("ana", "helper", "s1")
            talk = play(mine, 24)
            told = mine.end()
            right = set(told_in(talk))
            out[name] = {
                "status": told.status,
                "true": len(right & set(known(mine))),
                "false": len(set(known(mine)) - right),
                "closed": mine.is_session_consolidated(),
                "report": told.text,
            }
    return out


def killed(url: str, kills: int, seed: int = 7) -> Figures:
    """Kill a consolidating process again and again, at random points, then let one finish; look at what is there."""
    rolls = random.Random(seed)
    answered: list[float] = []

    def slowly(asked: Asked) -> Saying:
        answered.append(time.monotonic())
        time.sleep(0.02)
        return good_model(asked)

    with ScriptedLlm(slowly) as server:
        with opened(url, server) as memory:
            talk = play(memory.space("ana", "helper", "s1"), 400)
        begun, cut = time.monotonic(), 0
        for _ in range(kills):
            before = len(answered)
            process = _worker(url, server.url)
            while len(answered) == before and process.poll() is None:
                time.sleep(0.005)  # from its first question on it may die at any moment
            time.sleep(rolls.uniform(0.0, 0.25))
            cut += process.poll() is None
            process.kill()
            process.wait()
        last = _worker(url, server.url).wait(120)
        with opened(url, server) as memory:
            mine = memory.space("ana", "helper", "s1")
            return {
                "killed": cut,
                "last exit": last,
                "pages asked for": len(answered),
                "pages": -(-len(talk) // 60),
                "same facts once": known(mine) == sorted(told_in(talk)),
                "summaries": len(mine.list(kinds=["summary"])),
                "closed": mine.is_session_consolidated(),
                "sound": all(finding.ok for finding in memory.doctor()),
                "seconds": round(time.monotonic() - begun, 1),
            }


def _worker(url: str, llm: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "bench.consolidation", "--work", url, llm])


def main() -> None:
    """Run the drills and print what they gave."""
    parser = argparse.ArgumentParser(prog="python -m bench.consolidation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--engine", action="append", choices=("sqlite", "postgresql", "mariadb"), help="kill there too")
    parser.add_argument("--kills", type=int, default=8, help="how often the process is killed")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        with opened(*given.work) as memory:
            memory.space("ana", "helper", "s1").end()
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recollect-consolidation-")))
        figures: Figures = {"cost": cost(folder), "budget spent": spent(folder), "bad answers": bad(folder)}
        for engine in given.engine or ["sqlite"]:
            url = f"sqlite:///{folder}/killed.db"
            if engine != "sqlite":
                server = throwaway(engine)
                stack.callback(server.stop)
                url = server.url
            figures[f"killed on {engine}"] = killed(url, given.kills)
    if given.json:
        print(json.dumps(figures, indent=2))
    else:
        _show(figures)


def _show(figures: Figures) -> None:
    for name, found in figures.items():
        table = Table(title=name, title_justify="left", box=None, show_header=False)
        for key, value in found.items():
            told = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else str(value)
            table.add_row(key, told)
        Console().print(table)
    kept = figures["cost"]["calls"] <= MOST_CALLS
    kept = kept and figures["cost"]["prompt tokens a turn beyond its own"] <= MOST_TOKENS
    Console().print(f"≤ {MOST_CALLS} calls and ≤ {MOST_TOKENS} tokens a turn: {'kept' if kept else 'broken'}")


if __name__ == "__main__":
    main()
