"""What memory told, said back: none of it may become a new fact.

python -m bench.echoes [--json]

Each of some facts comes back in every way an assistant, a tool, a prompt or the user himself may repeat it, and a
scripted model claims it anew, in other words, with those words as its quote. The exit code is 1 when one was stored.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from recollect import Recollect
from recollect.testing import FixedClock
from recollect.testing.llm import Asked, ScriptedLlm

FACTS = """
Ana lives in Porto.|You live in Porto.|Ana's home is in Porto.
Ana is allergic to walnuts.|You are allergic to walnuts.|Ana cannot eat walnuts.
Ana has two daughters.|You have two daughters.|Ana is the mother of two girls.
Ana works as a nurse.|You work as a nurse.|Ana is employed as a nurse.
Ana plays the cello.|You play the cello.|Ana is a cellist.
Ana's dog is called Rex.|Your dog is called Rex.|Ana owns a dog named Rex.
Ana prefers tea to coffee.|You prefer tea to coffee.|Ana would rather drink tea than coffee.
Ana was born in 1984.|You were born in 1984.|Ana's year of birth is 1984.
Ana's brother Tom lives in Oslo.|Your brother Tom lives in Oslo.|Tom, the brother of Ana, has his home in Oslo.
Ana drives a red van.|You drive a red van.|Ana's car is a red van.
Ana swims every Tuesday.|You swim every Tuesday.|Ana goes to the pool each Tuesday.
Ana has an exam on 12 June.|You have an exam on 12 June.|Ana sits an exam on 12 June.
Ana moved from Lisbon in 2019.|You moved from Lisbon in 2019.|Ana left Lisbon in 2019.
Ana is a vegetarian.|You are a vegetarian.|Ana does not eat meat.
Ana's landlord is Mr Silva.|Your landlord is Mr Silva.|Ana rents from Mr Silva.
Ana speaks Czech and Spanish.|You speak Czech and Spanish.|Ana knows Czech and Spanish.
Ana quit smoking in March.|You quit smoking in March.|Ana gave up smoking in March.
Ana is building an app called Tide.|You are building an app called Tide.|Ana develops the app Tide.
Ana is afraid of heights.|You are afraid of heights.|Ana has a fear of heights.
Ana's mother has diabetes.|Your mother has diabetes.|Ana's mother is diabetic.
Ana owns 24 hens.|You own 24 hens.|Ana keeps two dozen hens.
Ana wants short answers.|You want short answers.|Ana likes replies to be brief.
Ana got married in Rome.|You got married in Rome.|Ana's wedding was in Rome.
Ana's shoe size is 41.|Your shoe size is 41.|Ana wears shoes of size 41.
"""


@dataclass(frozen=True)
class Echo:
    """One way in which a fact comes back: who says what, what a model quotes of it, and as what it claims it."""

    role: str
    words: Callable[[str, str], str]
    quoted: bool = True
    kind: str = "fact"


SHAPES: dict[str, Echo] = {
    "assistant, to you": Echo("assistant", lambda fact, to_you: f"As you told me, {to_you[0].lower()}{to_you[1:]}"),
    "assistant, a list": Echo("assistant", lambda fact, to_you: f"Here is what I know:\n- {fact}"),
    "assistant, remembers": Echo("assistant", lambda fact, to_you: f"I remember that {fact}"),
    "assistant, asks": Echo("assistant", lambda fact, to_you: f"{to_you} Shall I keep that in mind?"),
    "assistant, no quote": Echo("assistant", lambda fact, to_you: to_you, quoted=False),
    "assistant, an event": Echo("assistant", lambda fact, to_you: to_you, kind="event"),
    "tool": Echo("tool", lambda fact, to_you: f'{{"memory": "{fact}"}}'),
    "system prompt": Echo("system", lambda fact, to_you: f"Known about the user: {fact}"),
    "user, pasted back": Echo("user", lambda fact, to_you: f"You wrote: {fact}"),
}


def said_back(rc: Recollect, user: str, fact: str, to_you: str, echo: Echo) -> int:
    """Let a fact come back in a talk, and count what is stored of it beside the fact itself."""
    space = rc.space(user, session="first")
    known = space.remember(fact)
    talk = rc.space(user, session="second")
    talk.observe("user", "Hello again.", actor="Ana")
    talk.observe(echo.role, echo.words(fact, to_you))
    talk.observe("user", "Ok, thanks.", actor="Ana")
    talk.end()
    return sum(one.id != known.id for one in talk.list(kinds=["fact", "event", "insight"], limit=50))


def drilled(folder: Path) -> dict[str, tuple[int, int]]:
    """Say every fact back in every way; give for each way how many were stored, of how many."""
    facts = [tuple(line.split("|")) for line in FACTS.strip().splitlines()]
    now: dict[str, str] = {}

    def claims(asked: Asked) -> dict[str, object]:
        return {"facts": [{**now, "turn": 2, "importance": 6, "confidence": 0.9}] if now else [], "summary": ""}

    stored: Counter[str] = Counter()
    with ScriptedLlm(claims) as server:
        chosen = {"base_url": server.url, "retries": 0}
        least = {"least_messages": 1}
        with Recollect(
            folder / "echo.db", clock=FixedClock(), llm="openai:scripted", models=chosen, consolidation=least
        ) as rc:
            for at, (fact, to_you, claim) in enumerate(facts):
                for number, (name, echo) in enumerate(SHAPES.items()):
                    quote = echo.words(fact, to_you).splitlines()[-1] if echo.quoted else ""
                    now.update(content=claim, quote=quote, kind=echo.kind)
                    stored[name] += said_back(rc, f"u{at}-{number}", fact, to_you, echo)
    return {name: (stored[name], len(facts)) for name in SHAPES}


def main() -> int:
    """Run the drill and print how many of the echoes were stored."""
    parser = argparse.ArgumentParser(prog="python -m bench.echoes", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = drilled(Path(folder))
    stored, total = (sum(numbers) for numbers in zip(*found.values(), strict=True))
    if given.json:
        print(json.dumps({"stored": stored, "echoes": total, "ways": {name: one[0] for name, one in found.items()}}))
    else:
        table = Table("way", "stored", "of")
        for name, (many, of) in found.items():
            table.add_row(name, str(many), str(of))
        Console().print(table, f"{stored} of {total} echoes were stored.")
    return 1 if stored else 0


if __name__ == "__main__":
    raise SystemExit(main())
