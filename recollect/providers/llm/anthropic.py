"""Anthropic's models."""

from __future__ import annotations

import httpx2
from anthropic import AsyncAnthropic
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from recollect.providers.llm.target import Address


def build(model: str, address: Address, http: httpx2.AsyncClient) -> Model:
    """Make a model at an address."""
    speaker = AsyncAnthropic(
        api_key=address.key,
        base_url=address.url,
        max_retries=0,  # we count them
        http_client=http,
    )
    return AnthropicModel(model, provider=AnthropicProvider(anthropic_client=speaker))
