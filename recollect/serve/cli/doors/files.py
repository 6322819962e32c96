"""Memory as files: the workspace, and the lessons that stand in it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.window import Clash, Standing, Synced
from recollect.serve.cli.exits import OK
from recollect.serve.cli.frame import KEEPING, LOOKING, command
from recollect.serve.cli.options import Place, Speaker, space
from recollect.serve.cli.render import emit, note, one_line, say, show_receipt, shown, warn, when
from recollect.serve.cli.transfer import progress


class WorkspaceAction(StrEnum):
    """What to do with a workspace."""

    init = "init"
    sync = "sync"
    watch = "watch"
    status = "status"
    adopt = "adopt"
    import_ = "import"
    search = "search"
    log = "log"


_SYNCS = {WorkspaceAction.sync: "sync", WorkspaceAction.init: "init", WorkspaceAction.adopt: "adopt"}
_SYNCS[WorkspaceAction.import_] = "sync"


@command(KEEPING, "recollect workspace init notes/")
def workspace(
    place: Place,
    speaker: Speaker,
    action: Annotated[
        WorkspaceAction,
        typer.Argument(
            help="Begin a folder, bring it into step, watch it, adopt one that is there, or look; search finds "
            "sections of files alone, `recollect recall` all memories."
        ),
    ],
    folder: Annotated[str, typer.Argument(help="The folder; for search and log, the words.")],
    author: Annotated[
        str, typer.Option("--author", help="Who edited the files; else the owner of each file, by name.")
    ] = "",
    full: Annotated[bool, typer.Option("--full", help="Look at every file, not only at those that changed.")] = False,
    limit: Annotated[int, typer.Option("--limit", help="search: at most so many sections.")] = 5,
) -> int:
    """Keep memory as a folder of Markdown: begin it, bring it into step, watch it, or take a folder in."""
    with space(place, speaker) as mine:
        if action is WorkspaceAction.search:
            return _search(mine, folder, limit, place.as_json)
        if action is WorkspaceAction.log:
            return show_receipt(mine.workspace.log(folder), place.as_json)
        if action is WorkspaceAction.status:
            return _status(mine.workspace.status(folder), place.as_json)
        if action is WorkspaceAction.watch:
            note(f"watching {folder}; Ctrl-C ends it")
            mine.workspace.watch(folder, lambda done: _told(done, place.as_json), author=author)
            return OK
        if action is WorkspaceAction.import_ and not Path(folder).expanduser().is_dir():
            raise InvalidInput(f"there is no folder {folder} to import: check the name")
        options = {"full": full} if _SYNCS[action] == "sync" else {}
        many = 0
        with progress("reading files", lambda: many) as tick:

            def heard(done: int, of: int) -> None:
                nonlocal many
                many = of
                tick(done)

            done = getattr(mine.workspace, _SYNCS[action])(folder, author, progress=heard, **options)
        _told(done, place.as_json)
        return OK


def _told(done: Synced, as_json: bool) -> None:
    if as_json:
        emit(done)
        return
    for word, paths in (("read", done.read), ("written", done.written), ("removed", done.removed)):
        for path in paths:
            say(f"{word:8} {one_line(path)}")
    _clashes(done.clashes)
    for path in done.waiting:
        note(f"{path} is being written: it is read the next time")
    for problem in done.problems:
        warn(one_line(problem))
    if not done.changed:
        say("in step: nothing to do")


def _clashes(clashes: tuple[Clash, ...]) -> None:
    for one in clashes:
        beside = f", {one.other} is kept" if one.other else ""
        say(f"clash    {one_line(one.path)}: {one.reason} ({one.kept} stands{beside})")
        for word, told in (("stands", one.kept_text), ("aside", one.other_text)):
            if told:
                say(f"         {word}: {shown(told)}", "dim")


def _status(told: Standing, as_json: bool) -> int:
    if as_json:
        emit(told)
        return OK
    how = "adopted" if told.adopted else "workspace" if told.known else "not synced yet"
    say(f"{told.folder}  ({how}, {told.files:,} files, {told.passages:,} passages)", "bold")
    for word, paths in (("edited", told.edited), ("behind", told.behind)):
        for path in paths:
            say(f"{word:8} {one_line(path)}")
    _clashes(told.clashes)
    for problem in told.problems:
        warn(one_line(problem))
    return OK


def _search(mine: Space, query: str, limit: int, as_json: bool) -> int:
    found = mine.workspace.search(query, limit)
    if as_json:
        emit(found)
        return OK
    for one in found:
        say(f"{one_line(one.file)}  {one_line(one.heading)}  ({one.score})", "bold")
        say(f"  {one_line(one.snippet)}")
    if not found:
        note("nothing found in files: `recollect recall` searches all memories")
    return OK


@command(LOOKING, "recollect lessons --sort error")
def lessons(
    place: Place,
    speaker: Speaker,
    sort: Annotated[str, typer.Option("--sort", help="error, correction or win; all of them by default.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Those archived and retired, too.")] = False,
    retire: Annotated[str, typer.Option("--retire", metavar="ID", help="Let this lesson go.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why it is let go.")] = "",
    limit: Annotated[int, typer.Option("--limit", help="At most so many.")] = 20,
) -> int:
    """Show what was learnt from failed tools, corrections and praise."""
    with space(place, speaker) as mine:
        if retire:
            return show_receipt(mine.lessons.retire(retire, reason), place.as_json)
        found = mine.lessons(sort, limit, everything=everything)
    if place.as_json:
        emit(found)
        return OK
    for one in found:
        often = f", {one.count} times" if one.count > 1 else ""
        say(f"{one.id}  {one.sort}, {one.state}{often}, {when(one.last)}", "bold")
        say("\n".join(f"  {one_line(line)}" for line in one.text.splitlines()))
    if not found:
        note("no lessons")
    return OK
