"""The facet of prompts: what models are asked with, and finding better words on examples of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.errors import InvalidInput
from recollect.model.owner import owner_key
from recollect.rules.gate import checks
from recollect.runtime import Runtime
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect import prompts
    from recollect.flows.learn import tuning
else:
    (prompts,) = later("recollect", "prompts")
    (tuning,) = later("recollect.flows.learn", "tuning")


class Prompts:
    """The prompts in force: ours, and those of the user's own that take their place."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def __call__(self) -> list[prompts.Prompt]:
        """Give every prompt as it is asked, by name."""
        return [self._runtime.prompt(name) for name in prompts.names()]

    def sample(self, name: str) -> dict[str, Any]:
        """Give an example to begin a file of examples with: what the prompt is asked about, and what answers have."""
        return tuning.sample(self._runtime.prompt(checks.name("name", name)))

    def tune(
        self,
        name: str,
        examples: str | Path,
        *,
        candidate: str | Path | None = None,
        into: str | Path | None = None,
        dry: bool = False,
        owner: str = "",
    ) -> tuning.Tuned:
        """Seek a better wording on some of the examples, and take it if it wins on those held out.

        `candidate` is a wording of your own to try instead of seeking one. It is written into `into`, by default
        `models.prompts`; `dry` writes nothing. What models cost is on the bill of `owner`, by default the user that
        is set.
        """
        settings = self._runtime.settings
        folder = Path(into) if into else Path(settings.models.prompts) if settings.models.prompts else None
        return tuning.tune(
            self._runtime,
            owner or owner_key(settings.user, settings.tenant),
            _tunable(name),
            Path(examples),
            Path(candidate) if candidate else None,
            folder,
            dry=checks.flag("dry", dry),
        )

    def export(self, name: str, examples: str | Path, folder: str | Path) -> tuple[int, int]:
        """Write what GEPA is given into a folder, to run it elsewhere: how many examples, and how many stay here."""
        return tuning.export(self._runtime, _tunable(name), Path(examples), Path(folder))


def _tunable(name: str) -> str:
    if checks.name("name", name) == tuning.REWORD:
        raise InvalidInput(f"name is {name}, the prompt that words the others: name one of them")
    return name
