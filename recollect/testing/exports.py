"""Exports of accounts as ChatGPT writes them, made up: for tests of importing, and for measuring it."""

from __future__ import annotations

from random import Random
from typing import Any

BEGUN = 1_450_000_000.0
STEP = 90.0
WORDS = (
    "copper kettle harbour lantern pepper violin meadow ladder saffron bicycle marble orchard pigeon ribbon cellar "
    "thunder walnut anchor blanket candle dragon engine feather garden hammer island jacket kitchen lemon mirror"
).split()


def chatgpt_export(messages: int, each: int = 20, seed: int = 7, **more: Any) -> list[dict[str, Any]]:
    """Give conversations of ten years, the oldest first, so many messages in all."""
    chance = Random(seed)
    talks = (messages + each - 1) // each
    pause = 10 * 365 * 86_400 / max(1, talks)
    return [
        chatgpt_talk(number, min(each, messages - number * each), BEGUN + number * pause, chance, **more)
        for number in range(talks)
    ]


def chatgpt_talk(
    number: int, messages: int, begun: float, chance: Random, branch: bool = False, words: int = 60
) -> dict[str, Any]:
    """Give one conversation: a tree of nodes, of which the one named last is the end that was shown."""
    nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent = "root"
    for at in range(messages):
        role = "user" if at % 2 == 0 else "assistant"
        text = f"{' '.join(chance.choices(WORDS, k=words))} number {number}-{at}."
        parent = node(nodes, parent, f"m{number}-{at}", role, text, begun + at * STEP)
    if branch and messages > 1:
        node(nodes, f"m{number}-0", f"left{number}", "assistant", "an answer nobody went on with", begun + 1)
    return {
        "id": f"c{number}",
        "conversation_id": f"c{number}",
        "title": f"Talk {number}",
        "create_time": begun,
        "update_time": begun + messages * STEP,
        "mapping": nodes,
        "current_node": parent,
    }


def node(nodes: dict[str, Any], parent: str, id: str, role: str, text: str, at: float, **more: Any) -> str:
    """Add a message to a conversation, and give its id."""
    message = {
        "id": id,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": "text", "parts": [text]},
        "metadata": {"model_slug": "gpt-5"} if role == "assistant" else {},
        "recipient": "all",
        **more,
    }
    nodes[id] = {"id": id, "message": message, "parent": parent, "children": []}
    nodes[parent]["children"].append(id)
    return id
