"""Better words for a prompt, found by trying: failures are reflected on, and of the versions none is thrown away that
does best on some example (reflective prompt evolution with a Pareto front, known as GEPA)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from recollect.errors import ConfigError, InvalidInput
from recollect.flows.asking import ask
from recollect.front.space import Space
from recollect.model.asking import Answer, Nothing, Usage, Value
from recollect.model.values import dataclass, plain
from recollect.prompts import Prompt, load
from recollect.text.terms import fold

BATCH = 3
"""How many of the worst examples one reflection looks at."""
FENCE = "<data>"
"""What the words of a prompt must speak of: that what is inside it is no instruction."""
JOB = "tune"
LONGEST = 1500


@dataclass(frozen=True, slots=True)
class Example:
    """What a prompt is asked about, what its answer must hold, and what it must not."""

    data: dict[str, str]
    expect: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """One version of a prompt's words, and how it did on each example, from 0 to 1, with what was wrong."""

    instructions: str
    scores: tuple[float, ...]
    wrong: tuple[str, ...]

    @property
    def mean(self) -> float:
        """How it did on all of them."""
        return sum(self.scores) / len(self.scores)


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of it."""

    prompt: Prompt
    trials: tuple[Trial, ...]
    """Every version that was kept, the one that came along first."""
    tokens: int = 0
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Trial:
        """The version that did best; the earlier of two equal ones."""
        return max(self.trials, key=lambda one: one.mean)


def read_examples(path: str | Path, prompt: Prompt) -> list[Example]:
    """Read examples, one JSON object a line: `data`, `expect` and `never`."""
    found = []
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"the examples {path} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            found.append(_example(line, f"line {number} of {path}", prompt))
    if not found:
        raise InvalidInput(f"{path} holds no examples: write one JSON object a line")
    return found


def _example(line: str, where: str, prompt: Prompt) -> Example:
    try:
        made = json.loads(line)
        data = {str(name): str(text) for name, text in made["data"].items()}
        example = Example(data, tuple(map(str, made.get("expect", ()))), tuple(map(str, made.get("never", ()))))
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise InvalidInput(f'{where} is no {{"data": {{…}}, "expect": […], "never": […]}}') from error
    if set(example.data) != set(prompt.data):
        raise InvalidInput(f"{where}: the prompt {prompt.name} is about {', '.join(prompt.data)}")
    return example


def tune(space: Space, name: str, examples: Sequence[Example], rounds: int = 5) -> Tuned:
    """Look for better words for a prompt; every question is held to the owner's budget."""
    if space._runtime.llm is None:
        raise ConfigError("tuning asks models: name one in llm, and its key")
    return _Tuning(space, load(name), examples).run(rounds)


@dataclass(slots=True)
class _Tuning:
    space: Space
    prompt: Prompt
    examples: Sequence[Example]
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)

    def run(self, rounds: int) -> Tuned:
        trials = [self._tried(self.prompt.instructions)]
        for _ in range(rounds):
            parent = self._parent(trials)
            if parent is None:
                break
            child = self._child(parent)
            if child is not None:
                trials.append(child)
        return Tuned(self.prompt, tuple(trials), self.usage.tokens, tuple(self.notes))

    def _parent(self, trials: Sequence[Trial]) -> Trial | None:
        """Choose one that does best on some example, the likelier the more of them; None when all are solved."""
        front: list[Trial] = []
        for at in range(len(self.examples)):
            most = max(one.scores[at] for one in trials)
            front += [one for one in trials if one.scores[at] == most]
        open_ = [one for one in front if one.mean < 1]
        return open_[self.space._runtime.random(32) % len(open_)] if open_ and len(open_) == len(front) else None

    def _child(self, parent: Trial) -> Trial | None:
        """Have a model reflect on the worst examples; its words are kept where they do better on these."""
        worst = sorted(range(len(self.examples)), key=lambda at: parent.scores[at])[:BATCH]
        failures = "\n\n".join(self._told(at, parent) for at in worst if parent.scores[at] < 1)
        said = self._ask(load("reword").question(instructions=parent.instructions, failures=failures))
        if not isinstance(said, Value):
            self.notes.append("no better words were proposed")
            return None
        words = said.value.instructions.strip()
        if FENCE not in words:
            self.notes.append(f"words that do not speak of {FENCE} were left out")
            return None
        first = {at: self._score(words, self.examples[at]) for at in worst}
        if sum(score for score, _ in first.values()) <= sum(parent.scores[at] for at in worst):
            self.notes.append("words that did no better were left out")
            return None
        return self._tried(words, first)

    def _tried(self, words: str, known: dict[int, tuple[float, str]] | None = None) -> Trial:
        held = known or {}
        done = [held.get(at) or self._score(words, one) for at, one in enumerate(self.examples)]
        return Trial(words, tuple(score for score, _ in done), tuple(wrong for _, wrong in done))

    def _score(self, words: str, example: Example) -> tuple[float, str]:
        said = self._ask(replace(self.prompt, instructions=words).question(**example.data))
        if isinstance(said, Nothing):
            return (1.0, "") if not example.expect else (0.0, "it gave nothing")
        if not isinstance(said, Value):
            return 0.0, said.reason
        given = json.dumps(plain(said.value), ensure_ascii=False)
        absent = [one for one in example.expect if fold(one) not in fold(given)]
        stray = [one for one in example.never if fold(one) in fold(given)]
        told = [*(f"{one!r} is missing" for one in absent), *(f"{one!r} must not be there" for one in stray)]
        share = 1 - len(absent) / len(example.expect) if example.expect else 1.0
        return 0.0 if stray else share, f"it gave {given[:LONGEST]}: {', '.join(told)}" if told else ""

    def _told(self, at: int, trial: Trial) -> str:
        shown = "\n".join(f"{name}: {text[:LONGEST]}" for name, text in self.examples[at].data.items())
        wanted = ", ".join(self.examples[at].expect) or "nothing"
        return f"Shown:\n{shown}\nWanted: {wanted}\nWrong: {trial.wrong[at]}"

    def _ask(self, question: Any) -> Answer:
        said = ask(self.space._runtime, self.space.owner, question, job=JOB, session=self.space._scope.session)
        self.usage += said.usage
        return said
