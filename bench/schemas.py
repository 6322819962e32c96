"""The drill of the schema: `python -m bench.schemas --program st` lets schemathesis try the server, with all checks.

A second round comes with the keys of two tenants: no byte of one may be in an answer to the other. Schemathesis is no
dependency of this project: install it anywhere, and name its program.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import httpx

from bench.doors import started
from recollect import Recollect

TENANTS = {"red": "cinnabarquartz", "blue": "indigolapis"}
"""Two tenants, and a word only the one may ever read."""
HOOKS = """
import os
import schemathesis

WORD = os.environ["OTHERS_WORD"]


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    return value.encode() if isinstance(value, str) else str(value).encode()


@schemathesis.check
def nothing_of_another(ctx, response, case):
    assert WORD not in response.text, "a word of the other tenant"
    assert WORD not in str(response.headers), "a word of the other tenant"
"""


SETTINGS = """
[checks.positive_data_acceptance]
# What no schema can say, such as that a hunk of a patch must fit the text as it stands, is told by a documented 422.
expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "412", "422", "429"]

[[operations]]
# Forgetting puts a memory out of sight: until it is purged it can be looked at and restored, and so can its history.
include-path-regex = "/memor(y|ies)/"
checks.use_after_free.enabled = false
"""


def filled(database: str) -> dict[str, str]:
    """Give each tenant a memory with its word in it, and give its key; `admin` has one for everything."""
    with Recollect(database, embedder="none") as memory:
        keys = {"admin": memory.keys.create("admin", admin=True)[1]}
        for tenant, word in TENANTS.items():
            for user in ("ana", "me", "0", "a"):
                space = memory.space(user, tenant=tenant, session="s1")
                space.remember(f"The secret of {user} is {word}.", topic=word, tags=[word])
                space.observe("user", f"We met {word.title()} at the harbour of {word}.")
                space.blocks.rethink("persona", f"I am {word}.")
                space.checkpoints.save({"word": word})
            keys[tenant] = memory.keys.create(tenant, tenant=tenant)[1]
    return keys


def tried(wish: argparse.Namespace, key: str, folder: str, word: str = "") -> int:
    """Let schemathesis try every operation with a key, and give what it exits with."""
    hooks = Path(folder) / "hooks_of_schemathesis.py"
    hooks.write_text(HOOKS)
    (Path(folder) / "schemathesis.toml").write_text(SETTINGS)
    environment = {**os.environ, "OTHERS_WORD": word or "there is no such word", "PYTHONPATH": folder}
    environment["SCHEMATHESIS_HOOKS"] = hooks.stem
    command = [
        wish.program, "run", f"http://127.0.0.1:{wish.port}/openapi.json", "--checks", "all",
        "--max-examples", str(wish.examples), "--phases", wish.phases, "--max-time", str(wish.seconds),
        "--header", f"Authorization: Bearer {key}", "--continue-on-failure", "--no-color", "--seed", "7",
        "--exclude-path-regex", "stream$", "--request-timeout", "60", "--max-response-time", "60",
        "--generation-database", "none",
    ]  # fmt: skip
    httpx.get(command[2], headers={"Authorization": f"Bearer {key}"}, timeout=300).raise_for_status()
    return subprocess.run(command, env=environment, cwd=folder, check=False).returncode


def main() -> int:
    """Run the drill; everything that was found is printed by schemathesis itself."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="st")
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--phases", default="examples,coverage,fuzzing,stateful")
    parser.add_argument("--seconds", type=int, default=3600, help="How long schemathesis may take with each key.")
    parser.add_argument("--port", type=int, default=7192)
    parser.add_argument("--keys", nargs="*", default=["admin", *TENANTS])
    wish = parser.parse_args()
    codes = {}
    for name in wish.keys:
        with tempfile.TemporaryDirectory() as folder:
            database = f"sqlite:///{folder}/m.db"
            keys = filled(database)
            server = started(database, wish.port)
            try:
                others = next((word for tenant, word in TENANTS.items() if tenant != name), "")
                word = others if name in TENANTS else ""
                codes[name] = tried(wish, keys[name], folder, word)
                alive = server.poll() is None
            finally:
                server.terminate()
                server.wait()
        print(f"key {name}: schemathesis exits with {codes[name]}, the server is {'alive' if alive else 'dead'}")
    return max(codes.values())


if __name__ == "__main__":
    sys.exit(main())
