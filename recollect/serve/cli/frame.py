"""The frame around every command: how it is declared, how it fails, and what it exits with."""

from __future__ import annotations

import inspect
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperGroup

from recollect import __version__
from recollect.errors import InvalidInput, RecollectError
from recollect.serve.cli.contents import CARING, CONTENTS, KEEPING, LOOKING, PANELS, STARTING
from recollect.serve.cli.exits import INTERRUPTED, OK, PIPE, STORE, USAGE, code_of
from recollect.serve.cli.render import one_line

__all__ = ["CARING", "KEEPING", "LOOKING", "STARTING", "app", "command", "fail", "group"]

ORDER = {listed.name: at for at, listed in enumerate(CONTENTS)}
# Where this class lives differs between the versions of typer, but it is always the parent of that one.
UsageError: Any = typer.BadParameter.__base__


class Commands(TyperGroup):
    """The group of all commands: every error ends here, as one line and an exit code."""

    def main(self, *positional: Any, **extra: Any) -> Any:
        """Run a command line and exit with a code of `exits.EXIT_CODES`."""
        given = positional[0] if positional else extra.get("args")
        args: Sequence[str] = sys.argv[1:] if given is None else given
        as_json = "--json" in args
        if isinstance(sys.stdout, io.TextIOWrapper):
            # JSON and exports are UTF-8 whatever the terminal thinks; people get what their terminal can show.
            sys.stdout.reconfigure(encoding="utf-8" if as_json or "export" in args else None, errors="replace")
        sys.exit(self._ended(args, positional, {**extra, "standalone_mode": False}))

    def list_commands(self, context: Any) -> list[str]:
        """Give the names of the commands, panel by panel."""
        panels = {name: getattr(one, "rich_help_panel", "") for name, one in self.commands.items()}
        return sorted(self.commands, key=lambda name: (PANELS.index(panels[name]), ORDER.get(name, len(ORDER))))

    def _ended(self, args: Sequence[str], positional: Sequence[Any], extra: dict[str, Any]) -> int:
        as_json = "--json" in args
        try:
            result = super().main(*positional, **extra)
            if sys.stdout is not None:  # it is None when a script has closed it
                sys.stdout.flush()
        except RecollectError as error:
            fail(type(error).__name__, str(error), as_json)
            return code_of(error)
        except UsageError as error:
            fail("UsageError", _explained(error, args), as_json)
            return USAGE
        except BrokenPipeError:
            return _hang_up()
        except OSError as error:
            named = f" {error.filename}" if error.filename else ""
            fail("OSError", f"reading or writing{named} failed: {error.strerror or error}", as_json)
            _hang_up()
            return STORE
        except (typer.Abort, KeyboardInterrupt):
            result = INTERRUPTED
        if result == INTERRUPTED:
            typer.echo("interrupted", err=True)
        elif result == PIPE:
            _hang_up()
        return result if isinstance(result, int) else OK


def _hang_up() -> int:
    """Let what is still buffered run into nothing, so that the interpreter has no reason to complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return PIPE


def _explained(error: Any, args: Sequence[str]) -> str:
    """Say what is wrong with a command line, and where to look; options before the command are a habit of others."""
    where = error.ctx.command_path if error.ctx is not None else "recollect"
    early, name = getattr(error, "option_name", ""), next((one for one in args if one in ORDER), "")
    if early and name and error.ctx is not None and error.ctx.parent is None:
        return f"No such option before a command: {early} stands behind it, as in recollect {name} … {early}"
    return f"{error.format_message().rstrip('.')} (see {where} --help)"


def fail(kind: str, message: str, as_json: bool) -> None:
    """Say on stderr what went wrong, on one line."""
    if as_json:
        error = {"error": {"type": kind, "message": message}}
        typer.echo(json.dumps(error, ensure_ascii=False), err=True)
    else:
        typer.echo(f"error: {one_line(message)}", err=True)


app = typer.Typer(
    cls=Commands,
    help="Long-term memory for AI agents, on the command line.",
    epilog='Example: recollect remember "Ana lives in Lisbon." and then: recollect recall "where is Ana?"',
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"recollect {__version__}")
        raise typer.Exit


def _help_alone(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version this is.")
    ] = False,
) -> None:
    _help_alone(context)


Body = TypeVar("Body", bound=Callable[..., int | None])


def group(name: str, panel: str, text: str) -> typer.Typer:
    """Declare a command that has commands of its own; alone it shows its help."""
    made = typer.Typer(help=text, rich_markup_mode="rich")
    made.callback(invoke_without_command=True)(_help_alone)
    app.add_typer(made, name=name, rich_help_panel=panel)
    return made


def command(panel: str, example: str, name: str = "", within: typer.Typer = app) -> Callable[[Body], Body]:
    """Declare a function to be a command; a parameter that is a dataclass stands for all its fields as options."""

    def declare(body: Body) -> Body:
        within.command(name or body.__name__, epilog=f"Example: {example}".replace("[", r"\["), rich_help_panel=panel)(
            _flat(body)
        )
        return body

    return declare


def _flat(body: Callable[..., int | None]) -> Callable[..., int | None]:
    hints = get_type_hints(body, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters = [one for each in inspect.signature(body).parameters.values() for one in _parameters(each, hints)]
    options = {one.name: named for one in parameters if (named := _option(one.annotation))}

    def run(**values: Any) -> int | None:
        given = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        try:
            return body(**values, **given)
        except InvalidInput as error:  # it speaks of a keyword; here that is an option
            name, space, rest = str(error).partition(" ")
            raise InvalidInput(f"{options.get(name, name)}{space}{rest}") from error
        except BrokenPipeError:  # typer would take it for a plain failure
            raise typer.Exit(PIPE) from None

    run.__doc__ = body.__doc__
    run.__name__ = body.__name__
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _option(annotation: Any) -> str:
    """Give the option a parameter is given by; empty for an argument."""
    declared = [some for some in getattr(annotation, "__metadata__", ()) if hasattr(some, "param_decls")]
    # Beside Annotated the first name stands where the default would, until typer has looked at it.
    told = [one for some in declared for one in (some.default, *(some.param_decls or ()))]
    return next((one.partition("/")[0] for one in told if isinstance(one, str) and one.startswith("--")), "")


def _parameters(parameter: inspect.Parameter, hints: dict[str, Any]) -> Iterator[inspect.Parameter]:
    hint = hints[parameter.name]
    if not is_dataclass(hint):
        yield parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY)
        return
    inner = get_type_hints(hint, include_extras=True)
    for field in fields(hint):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=inner[field.name]
        )
