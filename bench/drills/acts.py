"""The writes of a drill: each can be tried again, and each leaves a word that only it has said."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect import Recollect
from recollect.model.receipt import Receipt
from recollect.serve.bench.corpus import Corpus

VERBS = {"observe": 50, "remember": 20, "slot": 10, "correct": 8, "forget": 6, "many": 6}
SHARED = "shared-"
"""How a key begins that several processes write to; nobody can foresee who is last."""


@dataclass(frozen=True, slots=True)
class Act:
    """One write with all it needs, so that it can be tried again as it was."""

    request: str
    owner: str
    verb: str
    nonces: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    target: str = ""
    key: str = ""
    session: str = ""

    @classmethod
    def read(cls, data: dict[str, Any]) -> Act:
        """Read back an act from its JSON form."""
        return cls(**{**data, "nonces": tuple(data["nonces"]), "contents": tuple(data["contents"])})

    @property
    def kind(self) -> str:
        """The kind of memory this act leaves behind."""
        return "episode" if self.verb == "observe" else "fact"


def carry_out(memory: Recollect, act: Act) -> list[Receipt]:
    """Do what the act says, through the same verbs everybody uses."""
    space = memory.space(act.owner, agent="drill", session=act.session or f"s-{act.owner}")
    if act.verb == "observe":
        return [space.observe("user", act.contents[0], request_id=act.request)]
    if act.verb == "many":
        return space.remember_many([{"content": text} for text in act.contents], request_id=act.request)
    if act.verb == "correct":
        return [space.correct(act.target, act.contents[0], request_id=act.request)]
    if act.verb == "forget":
        return [space.forget(act.target, request_id=act.request)]
    if act.key:
        return [space.remember(act.contents[0], key=act.key, request_id=act.request)]
    return [space.remember(act.contents[0], request_id=act.request)]


@dataclass(slots=True)
class Author:
    """Thinks of acts: mostly new texts, now and then a change to a fact of its own that still stands."""

    name: str
    line: str
    """The name its keys begin with: the same for every life of one writer."""
    owners: Sequence[str]
    shared: bool
    seed: int
    sessions: int = 0
    """How many acts a session has; 0 for one session that never ends."""
    facts: dict[str, str] = field(default_factory=dict)
    """The free facts that stand, with their owners."""
    said: list[tuple[str, str, str]] = field(default_factory=list)
    """(owner, kind, nonce) of what was acknowledged and never changes again, to be read back."""
    _count: int = 0
    _random: random.Random = field(init=False)
    _corpus: Corpus = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(f"{self.name}/{self.seed}")
        self._corpus = Corpus(self.seed)

    def next(self) -> Act:
        """Think of the next act."""
        verb = self._random.choices(list(VERBS), list(VERBS.values()))[0]
        if verb in ("correct", "forget") and not self.facts:
            verb = "remember"
        self._count += 1
        owner, target, key = self._random.choice(self.owners), "", ""
        if verb in ("correct", "forget"):
            target = self._random.choice(list(self.facts))
            owner = self.facts[target]
        if verb == "slot":
            begin = SHARED if self.shared and self._random.random() < 0.5 else f"{self.line}-"
            key = f"{begin}{self._random.randrange(3)}"
        many = {"many": self._random.randint(2, 5), "forget": 0}.get(verb, 1)
        nonces = tuple(f"{self.name}n{self._count}p{part}z" for part in range(many))
        contents = tuple(f"{self._corpus.message()} {nonce}" for nonce in nonces)
        session = f"s-{self.name}-{self._count // self.sessions}" if self.sessions else ""
        return Act(f"{self.name}-{self._count}", owner, verb, nonces, contents, target, key, session)

    def learn(self, act: Act, receipts: Sequence[Receipt]) -> None:
        """Take note of what became of an act."""
        if act.verb in ("correct", "forget"):
            self.facts.pop(act.target, None)
        for nonce, receipt in zip(act.nonces, receipts, strict=False):
            if act.verb in ("remember", "many", "correct") and receipt.outcome in ("stored", "superseded"):
                self.facts[receipt.id] = act.owner
            elif act.verb == "observe":
                self.said.append((act.owner, act.kind, nonce))

    def question(self) -> tuple[str, str, str] | None:
        """Choose something said before, to be found again: owner, kind, nonce."""
        return self._random.choice(self.said) if self.said else None

    def whim(self, share: float) -> bool:
        """Say yes in this share of cases."""
        return self._random.random() < share
