"""The heartbeat: what an agent looks after when nobody asks. It costs nothing while there is nothing to do."""

from __future__ import annotations

from recollect.front.space import Space
from recollect.rules.window.files import HEARTBEAT, SCAFFOLDS

QUIET = "HEARTBEAT_OK"
"""What an agent answers when all is well: then nobody is told."""
HEAD = (
    "This is a heartbeat: nobody has asked anything. Look after what HEARTBEAT.md lists and after the findings below. "
    f"If nothing needs doing or telling, answer {QUIET} and nothing else; otherwise do it, and say in a few sentences "
    "what the user should know."
)


def findings(space: Space) -> list[str]:
    """Look, without a model, at what may need somebody: proposals, failed jobs, and facts that are hardly sure."""
    found = []
    if waiting := space.inbox():
        found.append(f"{len(waiting)} proposals wait for the user's word")  # what they say comes from strangers
    for job in space.jobs():
        if job.state == "dead":
            found.append(f"the job {job.name} has failed for good")
    return found


def asked_by_heartbeat(space: Space) -> str:
    """Give what a heartbeat asks of an agent; empty where HEARTBEAT.md lists nothing and nothing was found."""
    listed = _listed(space.workspace.heartbeat())
    found = findings(space)
    if not listed and not found:
        return ""
    parts = [HEAD]
    parts += [f"{HEARTBEAT}:\n{listed}"] if listed else []
    parts += ["Findings:\n" + "\n".join(f"- {one}" for one in found)] if found else []
    return "\n\n".join(parts)


def _listed(text: str) -> str:
    """Give what was written into the file; its headings and what it began with list nothing."""
    begun = {line.strip() for line in SCAFFOLDS.get(HEARTBEAT, "").splitlines()}
    lines = [line for line in text.splitlines() if line.strip() and line.strip() not in begun]
    return "\n".join(lines) if any(not line.lstrip().startswith("#") for line in lines) else ""
