"""What the MCP server offers beside tools: resources to read and prompts to begin with, each described."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import unquote

import mcp_types as types

from recollect.errors import InvalidInput, NotFound
from recollect.front.space import Space
from recollect.model.values import plain
from recollect.rules.window.layout import flat

PLAIN, JSON = "text/plain", "application/json"
CONTEXT, STATUS, INBOX = "memory://context", "memory://status", "memory://inbox"
ONE, ABOUT = "memory://memories/", "memory://entities/"

RESOURCES = [
    types.Resource(
        name="context",
        title="What matters now",
        uri=CONTEXT,
        description="The most important memories of this user, laid out for a prompt in at most 1,200 tokens.",
        mime_type=PLAIN,
    ),
    types.Resource(
        name="status",
        title="State of the memory",
        uri=STATUS,
        description="How many memories of each kind there are, and when the latest was saved.",
        mime_type=JSON,
    ),
    types.Resource(
        name="inbox",
        title="What waits for your word",
        uri=INBOX,
        description="Proposals that become memories only when the user agrees, each with its reason.",
        mime_type=JSON,
    ),
]
TEMPLATES = [
    types.ResourceTemplate(
        name="memory",
        title="One memory",
        uri_template=f"{ONE}{{id}}",
        description="One memory, whole, by its id.",
        mime_type=JSON,
    ),
    types.ResourceTemplate(
        name="entity",
        title="A person, place or thing",
        uri_template=f"{ABOUT}{{name}}",
        description="What is known of a person, project, place or thing, and the memories that mention it.",
        mime_type=JSON,
    ),
]
PROMPTS = [
    types.Prompt(
        name="with_memory",
        title="Ask with memory",
        description="A question together with what is remembered about it.",
        arguments=[
            types.PromptArgument(name="question", description="What you would like to know or do.", required=True)
        ],
    ),
    types.Prompt(
        name="review_inbox",
        title="Go through the inbox",
        description="Goes through the proposals that wait for your word, one by one.",
        arguments=[],
    ),
]


def read(space: Space, uri: str) -> tuple[str, str]:
    """Give the text of a resource and its type; raises `NotFound` for one there is not."""
    if uri == CONTEXT:
        return str(space.context()) or "There is nothing in memory yet.", PLAIN
    if uri == STATUS:
        return _json(space.stats()), JSON
    if uri == INBOX:
        return _json(space.inbox()), JSON
    if uri.startswith(ONE):
        return _json(_known(space, unquote(uri.removeprefix(ONE)))), JSON
    if uri.startswith(ABOUT):
        profile = space.entity(unquote(uri.removeprefix(ABOUT)))
        if profile is not None:
            return _json(profile), JSON
    raise NotFound(f"there is no resource {uri}")


def _known(space: Space, memory_id: str) -> object:
    try:
        return space.get(memory_id)
    except InvalidInput as error:
        raise NotFound(f"there is no memory {memory_id}") from error


def _json(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False, indent=1)


def prompt(space: Space, name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """Give the messages of a prompt."""
    if name == "with_memory":
        question = arguments.get("question", "")
        if not question.strip():
            raise InvalidInput("the prompt with_memory needs a question")
        text = "\n\n".join(part for part in (str(space.context(question)), question) if part)
        return _spoken("A question with what is remembered about it.", text)
    if name == "review_inbox":
        waiting = [f"- {one.memory.id}: {flat(one.memory.content)} ({flat(one.reason)})" for one in space.inbox()]
        text = "These proposals wait for my word. Go through them with me one by one, and ask before you do anything:"
        return _spoken("The inbox.", "\n".join([text, *(waiting or ["(there are none)"])]))
    raise InvalidInput(f"there is no prompt {name!r}: use with_memory or review_inbox")


def _spoken(description: str, text: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(description=description, messages=[message])
