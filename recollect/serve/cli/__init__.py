"""The command line, `recollect`: one file per group of commands, `frame` around them all, `contents` lists them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import typer

from recollect.serve.cli.contents import CONTENTS
from recollect.serve.cli.exits import INTERRUPTED
from recollect.serve.cli.frame import app

__all__ = ["main", "whole"]


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        _load(sys.argv[1:])
    except KeyboardInterrupt:  # from here on the frame sees to it
        typer.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    app(prog_name="recollect")


def whole() -> typer.Typer:
    """Give the command line with every command loaded."""
    _declare([file for listed in CONTENTS for file in listed.files])
    return app


def _load(arguments: Sequence[str]) -> None:
    """Declare the command that is named, and only list the others: who looks for one needs no more."""
    named = next((one for one in arguments if not one.startswith("-")), "")
    for listed in CONTENTS:
        if listed.name == named:
            _declare(listed.files)
        else:
            app.command(listed.name, help=listed.text, rich_help_panel=listed.panel)(_listed)


def _declare(files: Sequence[str]) -> None:
    for file in dict.fromkeys(files):
        import_module(f"recollect.serve.cli.{file}")


def _listed() -> None:
    """Stand for a command that is listed and not run."""
