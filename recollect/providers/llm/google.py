"""Google's models, by the Gemini API."""

from __future__ import annotations

import httpx2
from pydantic_ai.models import Model
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider

from recollect.providers.llm.target import Address


def build(model: str, address: Address, http: httpx2.AsyncClient) -> Model:
    """Make a model at an address; the library tries nothing again unless told to, and it is not."""
    return GoogleModel(model, provider=GoogleProvider(api_key=address.key, base_url=address.url, http_client=http))
