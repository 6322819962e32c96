"""How far an owner can be found by meaning: whose vectors serve, how many there are, and how many are still to come."""

from __future__ import annotations

from recollect.model.values import dataclass
from recollect.runtime import Runtime
from recollect.store.base import Administration

PAGE = 10_000


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far one owner can be found by meaning."""

    model: str
    """The embedder whose vectors serve; empty while there are none."""
    wanted: str
    """The embedder that is set; empty for none."""
    embedded: int
    """How many memories have a vector that serves."""
    waiting: int
    """How many have none yet."""
    problem: str = ""
    """What is to be done about it, in words."""

    @property
    def text(self) -> str:
        """All of it in a few words."""
        if not self.model and not self.wanted:
            return "no embedder is set"
        unused = "" if self.wanted else ", not used: no embedder is set"
        return f"{self.embedded:,} vectors of {self.model or self.wanted}, {self.waiting:,} memories wait{unused}"


def coverage(runtime: Runtime, view: Administration, owner: str) -> Coverage:
    """Say how far an owner can be found by meaning, and what to do when another embedder is set."""
    model, wanted = view.counters(owner).model, runtime.model
    problem = ""
    if model and wanted and model != wanted:
        problem = f"the embedder that is set is {wanted}, but the vectors are {model}'s: run recollect reindex"
    asked = model or wanted
    left = waiting(view, owner, asked) if asked else 0
    if left and wanted and not problem and not any(job.name == "embed" for job in view.jobs(owner)):
        problem = f"{left:,} memories have no vector and no job is due: run recollect reindex"
    return Coverage(
        model=model,
        wanted=wanted,
        embedded=view.embedded(owner).get(asked, 0) if asked else 0,
        waiting=left,
        problem=problem,
    )


def waits(runtime: Runtime, view: Administration, owner: str) -> str:
    """Say how many memories are found by words only until they have a vector, and what to do; nothing for none."""
    if not any(job.name == "embed" for job in view.jobs(owner)):
        return ""
    many = coverage(runtime, view, owner).waiting
    wait = "1 memory waits for its vector and is" if many == 1 else f"{many:,} memories wait for their vectors and are"
    return f"{wait} found by words only until then: recollect jobs run embed" if many else ""


def waiting(view: Administration, owner: str, model: str) -> int:
    """Count the memories that have no vector of a model."""
    count = after = 0
    while page := view.pending(owner, model, after, PAGE):
        count += len(page)
        after = page[-1][0]
    return count
