"""The archive as a drive for an agent: files of memories that were moved out of the database, and the way back."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from recollect.errors import InvalidInput
from recollect.front.space import Space
from recollect.model.forecast import ArchiveFile
from recollect.tools.declare import Tool, tool

File = Annotated[str, Field(description="The name of a file, as drive_list gives it.", max_length=300)]


@tool("List the files of the archive", reads=True)
def drive_list(space: Space) -> str:
    """List the files of the archive, with how many memories have their text in each."""
    found = space.archive()
    return "\n".join(map(_line, found)) if found else "The archive holds no files."


@tool("Check the files of the archive", reads=True)
def drive_verify(space: Space) -> str:
    """Read every file of the archive and hold it against the memories; say what is wrong with it, if anything is."""
    found = space.archive.verify()
    return "\n".join(map(_line, found)) if found else "The archive holds no files."


@tool("Move old memories to the archive", repeats=True)
def drive_archive(
    space: Space,
    dry: Annotated[bool, Field(description="Only say what would be moved.")] = False,
) -> str:
    """Move the texts of what matters least out of the database into files.

    Use it when the user asks to clear out old memories. What is pinned or important stays. Nothing is lost: drive_load
    brings it back.
    """
    reports = space.archive.run(dry=dry)
    return "\n".join(report.text or report.skipped for report in reports) or "There was nothing to move."


@tool("Bring memories back from the archive", repeats=True)
def drive_load(
    space: Space,
    file: File = "",
    ids: Annotated[list[str], Field(description="The ids of single memories; an empty list for a whole file.")] = [],
) -> str:
    """Bring memories back from the archive into short-term memory, those of a file or single ones by their ids."""
    if not file and not ids:
        raise InvalidInput("name a file, as drive_list gives it, or the ids of memories")
    return space.archive.restore(ids, file=file).text


def _line(one: ArchiveFile) -> str:
    return f"{one.name}: {one.memories} memories{f', {one.problem}' if one.problem else ''}"


TOOLS: tuple[Tool, ...] = (drive_list, drive_load, drive_archive, drive_verify)
