"""OpenAI, and whatever speaks its `/chat/completions`: xAI, Ollama, and any address that is named."""

from __future__ import annotations

import httpx2
from openai import AsyncOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from recollect.providers.llm.target import Address

NO_KEY = "none"
"""The library insists on a key, also where none is needed."""


def build(model: str, address: Address, http: httpx2.AsyncClient) -> Model:
    """Make a model at an address; at OpenAI's own it is known what each model can do."""
    speaker = AsyncOpenAI(
        api_key=address.key or NO_KEY,
        base_url=address.url,
        max_retries=0,  # we count them
        http_client=http,
    )
    if address.own and address.provider == "openai":
        return OpenAIChatModel(model, provider=OpenAIProvider(openai_client=speaker))
    return OpenAIChatModel(model, provider=OpenAICompatibleProvider(address.provider, openai_client=speaker))
