"""Consent over MCP: what waits for the user's word is asked of the user, by the client, and never of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import is_version_at_least

from recollect.errors import NotFound, RecollectError
from recollect.front.space import Space
from recollect.model.receipt import Receipt
from recollect.tools.declare import Answer, answer
from recollect.tools.forms import Saved, saved, short
from recollect.tools.toolbox import refusal

ASKS = "consent"
IN_RESULT = "2026-07-28"
"""From this version on a question travels in the result; before it, the server asks while the call waits."""
FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"agree": {"type": "boolean", "title": "Remember this", "description": "Yes keeps it, no drops it."}},
    "required": ["agree"],
}


async def asked(ctx: ServerRequestContext[Any, Any], space: Space, made: Answer) -> Answer | types.InputRequiredResult:
    """Ask the user about a proposal a call has left behind, where the client can; else it waits, and that is told."""
    if made.refused or made.data.get("outcome") != "queued" or not _can_ask(ctx):
        return made
    proposal = str(made.data["id"])
    message = f"May this be remembered? {short((await threaded(space.get, proposal)).content)}"
    if is_version_at_least(ctx.protocol_version, IN_RESULT):
        form = types.ElicitRequestFormParams(message=message, requested_schema=FORM)
        return types.InputRequiredResult(
            input_requests={ASKS: types.ElicitRequest(params=form)}, request_state=proposal
        )
    told = await ctx.session.elicit_form(message, FORM, related_request_id=ctx.request_id)
    settled: Answer = await threaded(_settled, space, proposal, told)
    return settled


async def threaded(verb: Callable[..., Any], *arguments: Any) -> Any:
    """Carry out what reads or writes the database without holding up everybody else."""
    return await anyio.to_thread.run_sync(lambda: verb(*arguments))


def answered(space: Space, proposal: str, responses: types.InputResponses | None) -> Answer:
    """Carry out what the user said about a proposal."""
    told = (responses or {}).get(ASKS)
    return _settled(space, proposal, told if isinstance(told, types.ElicitResult) else None)


def _settled(space: Space, proposal: str, told: types.ElicitResult | None) -> Answer:
    try:
        if told is None or told.action == "cancel":
            return answer(Saved("queued", proposal, reason="the user has not answered"))
        agreed = told.action == "accept" and bool((told.content or {}).get("agree"))
        return _kept(space.inbox.accept(proposal)) if agreed else _dropped(space, proposal)
    except RecollectError as error:
        return refusal(error)


def _kept(receipt: Receipt) -> Answer:
    return answer(saved(receipt))


def _dropped(space: Space, proposal: str) -> Answer:
    try:
        space.inbox.reject(proposal)
    except NotFound:  # it was answered elsewhere meanwhile
        return answer(Saved("rejected", proposal, reason="the user has answered elsewhere"))
    return answer(Saved("rejected", proposal, reason="the user does not want it remembered"))


def _can_ask(ctx: ServerRequestContext[Any, Any]) -> bool:
    return ctx.session.check_client_capability(types.ClientCapabilities(elicitation=types.ElicitationCapability()))
