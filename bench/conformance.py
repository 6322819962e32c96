"""The drill of the protocol: `python -m bench.conformance --modules FOLDER/node_modules`, with tools of MCP itself.

`npm install node@24 @modelcontextprotocol/conformance @modelcontextprotocol/inspector` into a folder brings them; they
are no dependency of this project. Every scenario that is not about a made-up server is run, then the inspector looks
at every profile's tools, strictly.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.doors import ENVIRONMENT, PROGRAM, started
from recollect.tools.toolbox import PROFILES

WANTED = (
    "server-initialize", "session-lifecycle", "stateless", "tools-list", "resources-list", "prompts-list",
    "resource-not-found", "dns-rebinding", "caching", "http-header-validation",
)  # fmt: skip
"""The scenarios that hold for any server, by a part of their names."""


def listed(node: str, program: Path) -> list[str]:
    """Give the names of the scenarios for servers that are wanted."""
    told = subprocess.run([node, program, "list"], capture_output=True, text=True, check=True).stdout
    servers = told.partition("Client scenarios")[0]
    names = [line.split()[1] for line in servers.splitlines() if line.strip().startswith("- ")]
    return [name for name in names if any(part in name for part in WANTED)]


def scenarios(node: str, program: Path, port: int) -> dict[str, int]:
    """Run the scenarios against a server, and give what each exits with."""
    codes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        server = started(f"sqlite:///{folder}/m.db", port)
        try:
            for name in listed(node, program):
                command = [node, str(program), "server", "--url", f"http://127.0.0.1:{port}/mcp", "--scenario", name]
                done = subprocess.run([*command, "--verbose"], capture_output=True, text=True, cwd=folder, check=False)
                failed, made_up = (done.stdout.count(words) for words in ('"status": "FAILURE"', '"untestable": true'))
                codes[name] = done.returncode if failed != made_up else 0
                told = f", but for {made_up} checks of made-up tools this server has not" if made_up else ""
                print(f"{name}: {'failed' if codes[name] else 'passed'}{told}")
                if codes[name]:
                    print((done.stdout + done.stderr)[-6000:])
        finally:
            server.terminate()
            server.wait()
    missing = [part for part in WANTED if not any(part in name for name in codes)]
    print(f"not in this version of the suite: {', '.join(missing) or 'none'}")
    return codes


def inspected(node: str, program: Path) -> dict[str, int]:
    """Let the inspector look at the tools of every profile over stdio, and give what each look exits with."""
    codes: dict[str, int] = {}
    for profile in PROFILES:
        with tempfile.TemporaryDirectory() as folder:
            served = [PROGRAM, "mcp", "--db", f"{folder}/m.db", "--profile", profile, "--no-worker"]
            command = [node, str(program), "--cli", *served, "--method", "tools/list", "--strict"]
            command += ["--connect-timeout", "120000"]
            done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        codes[profile] = done.returncode
        print(f"inspector, {profile}: exits with {done.returncode}")
        if done.stderr.strip():
            print(done.stderr[-2000:])
    return codes


def main() -> int:
    """Run both, and exit with the worst of what they found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--modules", type=Path, required=True)
    parser.add_argument("--port", type=int, default=7193)
    wish = parser.parse_args()
    node, programs = str(wish.modules.resolve() / "node" / "bin" / "node"), wish.modules.resolve() / ".bin"
    codes = scenarios(node, programs / "conformance", wish.port)
    codes |= inspected(node, programs / "mcp-inspector")
    return max(codes.values())


if __name__ == "__main__":
    sys.exit(main())
