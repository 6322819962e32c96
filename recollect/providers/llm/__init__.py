"""Models that are asked in words: the port, and who there is. Their libraries are loaded with the first question."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

from recollect.config import Settings, llm_parts, secret
from recollect.errors import ConfigError
from recollect.model.asking import ROLES, Answer, Failed, Question
from recollect.providers.llm.llm import Llm
from recollect.providers.llm.target import Address, Target
from recollect.rules.agent.roles import RolePolicy

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

    from recollect.providers.llm.models import Models

__all__ = ["Llm", "build_model", "open_llm", "targets_of"]

URLS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
    "xai": "https://api.x.ai/v1",
    "ollama": "http://localhost:11434/v1",
}
KEYS: dict[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "xai": ("XAI_API_KEY",),
    "ollama": (),
}
"""The variables a provider's key is looked for in, the first that holds one."""


def open_llm(settings: Settings, complain: Callable[[str], None]) -> Llm | None:
    """Open the models that are set; None when there are none, or when no key is there for any of them.

    A missing key is told by `complain` and the model left out: without it the house runs on rules. Nobody is asked yet.
    """
    chosen = {role: targets_of(role, settings, complain) for role in ROLES}
    if not any(chosen.values()):
        return None
    if find_spec("pydantic_ai") is None:
        raise ConfigError("asking a model needs what is not installed: pip install 'recollect[llm]'")
    return _Lazy(chosen, settings)


class _Lazy(Llm):
    """The models as they are set, made with the first question: who never asks loads nothing."""

    def __init__(self, chosen: Mapping[str, Sequence[Target]], settings: Settings) -> None:
        self.roles = frozenset(role for role, targets in chosen.items() if targets)
        self._chosen = chosen
        self._settings = settings
        self._guard = threading.Lock()
        self._models: Models | None = None
        self._closed = False

    def ask(self, question: Question, most_tokens: int = 0) -> Answer:
        from recollect.providers.llm.models import Models

        with self._guard:
            if self._closed:
                return Failed("the models are closed")
            if self._models is None:
                self._models = Models(self._chosen, build_model, self._settings.models, self._settings.roles)
        return self._models.ask(question, most_tokens)

    def close(self) -> None:
        with self._guard:
            self._closed = True
            if self._models is not None:
                self._models.close()


def targets_of(role: str, settings: Settings, complain: Callable[[str], None]) -> list[Target]:
    """Give the models of a role, the fallbacks behind the first; those without a key are left out."""
    models = settings.models
    first = getattr(models, role) or settings.llm
    named = [(f"models.{role}" if getattr(models, role) else "llm", first)] if first else []
    named += [("models.fallback", spec) for spec in models.fallback] if first else []
    targets: list[Target] = []
    for name, spec in named:
        provider, model = llm_parts(name, spec)
        own = settings.roles.of(role) if name != "models.fallback" else RolePolicy()
        address = _address(provider, settings, own)
        if isinstance(address, str):
            complain(f"the model {spec} is not asked: {address}")
        elif Target(model, address) not in targets:
            targets.append(Target(model, address))
    return targets


def _address(provider: str, settings: Settings, role: RolePolicy) -> Address | str:
    """Give where a role's model is and its key, or say what is missing."""
    models = settings.models
    mine = provider == _main(settings)  # the address and the key set for all are for this provider alone
    url = (role.base_url or (models.base_url if mine else "")).rstrip("/") or URLS[provider]
    own = url == URLS[provider]
    variables = KEYS[provider] if own else ()
    if named := role.key_variable or ("" if role.base_url or not mine else models.key_variable):
        variables = (named,)
    key = next((found for name in variables if (found := secret(name))), "")
    if variables and not key:
        return f"put its key into the variable {variables[0]}, or name another one in models.key_variable"
    return Address(provider, url, key, models.timeout_seconds, own)


def _main(settings: Settings) -> str:
    """Name the provider of `llm`, or of the first role that has a model."""
    named = (settings.llm, *(getattr(settings.models, role) for role in ROLES))
    return next((spec.partition(":")[0] for spec in named if spec), "")


def build_model(target: Target, http: AsyncClient) -> Model:
    """Make a model that speaks by a client; its library is loaded now."""
    try:
        return _BUILDERS[target.address.provider](target, http)
    except ImportError as error:
        raise ConfigError(f"{target.name} needs what is not installed: pip install 'recollect[llm]'") from error


def _openai(target: Target, http: AsyncClient) -> Model:
    from recollect.providers.llm.openai import build

    return build(target.model, target.address, http)


def _anthropic(target: Target, http: AsyncClient) -> Model:
    from recollect.providers.llm.anthropic import build

    return build(target.model, target.address, http)


def _google(target: Target, http: AsyncClient) -> Model:
    from recollect.providers.llm.google import build

    return build(target.model, target.address, http)


_BUILDERS: dict[str, Callable[[Target, AsyncClient], Model]] = {
    "openai": _openai,
    "xai": _openai,
    "ollama": _openai,
    "anthropic": _anthropic,
    "google": _google,
}
