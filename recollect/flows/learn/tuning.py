"""Tuning: another wording of a prompt is sought on some of the user's examples, and taken if it wins on the others."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from recollect.errors import ConfigError, InvalidInput, Unavailable
from recollect.flows.asking import absent, ask
from recollect.model.asking import Failed, Nothing, OverBudget, Refused, Usage, Value
from recollect.model.values import dataclass, plain
from recollect.prompts import Prompt, parse
from recollect.rules.learn.tuning import is_held_out, score, wins
from recollect.runtime import Runtime
from recollect.text.extras import installing
from recollect.text.later import later

if TYPE_CHECKING:
    from recollect.providers.optimizers import gepa
else:
    (gepa,) = later("recollect.providers.optimizers", "gepa")

JOB = "tune"
REWORD = "reword"
"""The prompt that words the others anew."""
SHOWN = 6000
"""How many characters of what went wrong a model is shown of each example."""
ROOM = 400
"""How many characters a wording may grow by in any case."""
MARK = "<data"
STAYS = "no other wording did better on the examples it was sought on"


@dataclass(frozen=True, slots=True)
class Example:
    """What a prompt is asked about, and the right answer; of it only what is named counts."""

    data: Mapping[str, str]
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of tuning: how both wordings did on the examples held out, and whether the new one was taken."""

    prompt: str
    examples: int
    held_out: int
    before: float
    after: float
    won: bool
    """Whether the new wording did better on the examples held out."""
    taken: bool
    reason: str
    version: str = ""
    """The version of the new wording; empty where none was found."""
    path: str = ""
    """Where the new wording was written; empty where it was not taken."""
    wording: str = ""
    usage: Usage = field(default_factory=Usage)


@dataclass(slots=True)
class _Trials:
    """Asks a model with some wording of a prompt, on behalf of an owner, and counts what it costs."""

    runtime: Runtime
    owner: str
    prompt: Prompt
    usage: Usage = field(default_factory=Usage)
    problem: str = ""
    """Why the last question brought no answer."""

    def __call__(self, wording: str, examples: Sequence[Example]) -> list[gepa.Trial]:
        """Say how a wording does on each example, with what went in, came out and would have been right."""
        prompt = self.prompt.reworded(wording, _version(self.prompt, wording))
        return [self._trial(prompt, one) for one in examples]

    def scores(self, wording: str, examples: Sequence[Example]) -> list[float]:
        """Say how a wording does on each example; raises when there is nobody to ask."""
        self.problem = ""
        found = [one for one, _ in self(wording, examples)]
        if self.problem:  # a wording is not worse because nobody answered
            raise Unavailable(f"no answer could be had: {self.problem}")
        return found

    def _trial(self, prompt: Prompt, example: Example) -> gepa.Trial:
        answer = self._asked(prompt, dict(example.data))
        given = plain(answer.value) if isinstance(answer, Value) else None
        if isinstance(answer, Failed | Refused):
            self.problem = answer.reason
        if isinstance(answer, Nothing):
            given = {one.name: [] for one in fields(prompt.schema)}
        right = score(example.answer, given)
        told = given if given is not None else f"no answer: {getattr(answer, 'reason', '')}"
        return right, {"asked": dict(example.data), "answered": told, "right": example.answer, "score": right}

    def reword(self, wording: str, wrong: Sequence[Mapping[str, Any]]) -> str:
        """Let a model put the instructions better; what cannot be used leaves them as they are."""
        shown = "\n\n".join(json.dumps(one, ensure_ascii=False)[:SHOWN] for one in wrong)
        answer = self._asked(self.runtime.prompt(REWORD), {"instructions": wording, "examples": shown})
        if not isinstance(answer, Value) or unfit(self.runtime, self.prompt, answer.value.instructions):
            return wording
        return str(answer.value.instructions).strip()

    def _asked(self, prompt: Prompt, data: dict[str, str]) -> Value | Nothing | Failed | Refused:
        answer = ask(self.runtime, self.owner, prompt.question(**data), job=JOB)
        self.usage = self.usage + answer.usage
        if isinstance(answer, OverBudget):
            raise ConfigError(f"tuning stopped, and nothing was taken: {answer.reason}")
        return answer


def examples_of(path: Path, prompt: Prompt) -> list[Example]:
    """Read a file of examples, one JSON object a line; raises `InvalidInput` that names the line."""
    try:
        lines = path.expanduser().read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"examples cannot be read from {path}: {error}") from error
    found: dict[str, Example] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            one = _example(line, prompt, f"line {number} of {path}")
            found[json.dumps(one.data, sort_keys=True)] = one  # the later label of the same question counts
    return list(found.values())


def _example(line: str, prompt: Prompt, where: str) -> Example:
    try:
        made = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"examples must be JSON, one a line; {where} is not: {error}") from error
    if not isinstance(made, dict) or set(made) != {"data", "answer"}:
        raise InvalidInput(f"examples have `data` and `answer` each: look at {where}; --sample shows one")
    data, answer = made["data"], made["answer"]
    if (
        not isinstance(data, dict)
        or set(data) != set(prompt.data)
        or not all(isinstance(v, str) for v in data.values())
    ):
        raise InvalidInput(
            f"examples of {prompt.name} have texts for {', '.join(prompt.data)} in `data`: look at {where}"
        )
    if odd := _unknown(prompt.schema, answer):
        raise InvalidInput(f"examples of {prompt.name} have answers as --sample shows them: look at {odd} in {where}")
    return Example(data, answer)


def _unknown(kind: Any, answer: Any) -> str:
    """Give the first name in an answer that its shape does not have; empty when all of it fits."""
    if get_origin(kind) is list:
        if not isinstance(answer, list):
            return "a list that is none"
        return next(filter(None, (_unknown(get_args(kind)[0], one) for one in answer)), "")
    if not is_dataclass(kind):
        return ""
    if not isinstance(answer, dict) or not answer:
        return "an object that is none, or empty"
    hints = get_type_hints(kind)
    return next((name if name not in hints else bad for name, one in answer.items()
                 if name not in hints or (bad := _unknown(hints[name], one))), "")  # fmt: skip


def sample(prompt: Prompt) -> dict[str, Any]:
    """Give an example to begin with: the texts it is asked about, and every field an answer has."""
    return {"data": dict.fromkeys(prompt.data, "…"), "answer": _blank(prompt.schema)}


def _blank(kind: Any) -> Any:
    if get_origin(kind) is list:
        return [_blank(get_args(kind)[0])]
    if get_origin(kind) is Literal:
        return " | ".join(filter(None, get_args(kind)))
    if is_dataclass(kind):
        return {name: _blank(one) for name, one in get_type_hints(kind).items()}
    return {bool: False, int: 1, float: 0.5}.get(kind, "…")


def unfit(runtime: Runtime, prompt: Prompt, wording: str) -> str:
    """Say why a wording cannot be used; empty when it can."""
    most = max(len(prompt.wording) * runtime.settings.tuning.longer, len(prompt.wording) + ROOM)
    if len(wording) > most:
        return f"it has {len(wording):,} characters, and {most:,.0f} are allowed (tuning.longer)"
    if MARK in wording.casefold() or not wording.strip():
        return "it is empty, or holds the marks of quoted data"
    return ""


def _version(prompt: Prompt, wording: str) -> str:
    """Name a wording by what it says, so that the journal tells which one an answer came of."""
    if wording.strip() == prompt.wording.strip():
        return prompt.version
    return f"{prompt.version.partition('-')[0]}-{hashlib.sha256(wording.strip().encode()).hexdigest()[:8]}"


def tune(
    runtime: Runtime, owner: str, name: str, file: Path, candidate: Path | None, into: Path | None, *, dry: bool
) -> Tuned:
    """Seek a better wording of a prompt, or try the one in a file, and take it if it wins on what is held out."""
    prompt = runtime.prompt(name)
    if into is None and not dry:
        raise ConfigError("there is no folder for prompts of your own: set models.prompts, or say --into FOLDER")
    _answerable(runtime, prompt)
    held, rest = parted(runtime, examples_of(file, prompt))
    trials = _Trials(runtime, owner, prompt)
    before = trials.scores(prompt.wording, held)
    wording = _given(candidate, prompt) if candidate else _sought(trials, rest)
    version = _version(prompt, wording)
    found = Tuned(
        name, len(held) + len(rest), len(held), _mean(before), _mean(before), won=False, taken=False, reason=STAYS
    )
    if version == prompt.version:
        return replace(found, usage=trials.usage)
    if why := unfit(runtime, prompt, wording):
        raise InvalidInput(f"candidate cannot be used: {why}")
    after = trials.scores(wording, held)
    won = wins(before, after)
    path = "" if dry or not won or into is None else _written(prompt, prompt.reworded(wording, version), into)
    return replace(
        found, after=_mean(after), won=won, taken=bool(path), reason=_reason(won, dry), version=version, path=path,
        wording=wording, usage=trials.usage,
    )  # fmt: skip


def _mean(scores: Sequence[float]) -> float:
    return sum(scores) / len(scores)


def _reason(won: bool, dry: bool) -> str:
    if not won:
        return "the other wording does not win on the examples held out"
    return "it would be taken" if dry else "it wins on the examples held out"


def _answerable(runtime: Runtime, prompt: Prompt) -> None:
    """Refuse to begin where nobody can be asked."""
    if runtime.llm is None:
        raise ConfigError(f"{absent(runtime)}: name one in llm, and its key")
    if prompt.role not in runtime.llm.roles:
        raise ConfigError(f"no model is set for the role {prompt.role}: name one in models.{prompt.role}, or in llm")


def parted(runtime: Runtime, examples: Sequence[Example]) -> tuple[list[Example], list[Example]]:
    """Part examples into those held out and those a better wording is sought on."""
    policy = runtime.settings.tuning
    held = [one for one in examples if is_held_out(one.data, policy.held_out)]
    rest = [one for one in examples if not is_held_out(one.data, policy.held_out)]
    if min(len(held), len(rest)) < policy.least:
        raise InvalidInput(
            f"examples are too few: {len(held)} of {len(examples)} would be held out and {len(rest)} used, and "
            f"{policy.least} are needed on each side (which one goes where depends on its text): label some more"
        )
    return held, rest


def _given(path: Path, prompt: Prompt) -> str:
    """Read a wording from a file: a whole prompt file, or its words alone."""
    try:
        text = path.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"candidate cannot be read from {path}: {error}") from error
    if text.lstrip().startswith("---"):
        text = parse(text).instructions
    return text.strip().removeprefix(prompt.guard).strip()


def _sought(trials: _Trials, examples: Sequence[Example]) -> str:
    """Let the optimizer seek a better wording."""
    try:
        improved = gepa.improved
    except ImportError as error:
        raise ConfigError(
            f"seeking a better wording needs GEPA: {installing('tune')}; or name a --candidate"
        ) from error
    calls = trials.runtime.settings.tuning.calls
    return improved(trials.prompt.wording, examples, trials, trials.reword, calls)


def _written(old: Prompt, new: Prompt, folder: Path) -> str:
    """Write a prompt into a folder, whole or not at all; the one it replaces is kept beside it under its version."""
    folder = folder.expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    _whole(folder / f"{old.name}@{old.version}.md", old.text())
    return str(_whole(folder / f"{new.name}.md", new.text()))


def _whole(target: Path, text: str) -> Path:
    part = target.with_suffix(".part")
    part.write_text(text, "utf-8")
    os.replace(part, target)
    return target


def export(runtime: Runtime, name: str, file: Path, folder: Path) -> tuple[int, int]:
    """Write what GEPA is given into a folder, to run it elsewhere; what is held out stays here."""
    prompt = runtime.prompt(name)
    held, rest = parted(runtime, examples_of(file, prompt))
    folder = folder.expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    _whole(folder / "seed_candidate.json", json.dumps({"instructions": prompt.wording}, ensure_ascii=False, indent=1))
    _whole(folder / "trainset.jsonl", "".join(json.dumps(plain(one), ensure_ascii=False) + "\n" for one in rest))
    _whole(folder / f"{name}.md", prompt.text())
    return len(rest), len(held)
