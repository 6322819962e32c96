"""Settings: defaults, one TOML file, the environment, keywords. The only reader of files and environment.

Later wins: a built-in default, then `recollect.toml`, then `RECOLLECT_…` variables, then keywords. A
variable names a setting by its path, levels joined by two underscores: `RECOLLECT_TERMS__LANGUAGE=german`.
"""

from __future__ import annotations

import dataclasses
import os
import warnings
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from recollect.errors import ConfigError
from recollect.language import READERS
from recollect.model.asking import ROLES
from recollect.model.values import bounded, dataclass
from recollect.rules.agent.looping import AgentPolicy
from recollect.rules.agent.roles import RolesPolicy
from recollect.rules.find.boosts import BoostPolicy
from recollect.rules.find.fusion import SIGNALS, FusionPolicy
from recollect.rules.gate.categories import CategoriesPolicy
from recollect.rules.gate.consent import ConsentPolicy
from recollect.rules.gate.similarity import BandPolicy, SimilarityPolicy
from recollect.rules.gate.writing import WritingPolicy
from recollect.rules.learn.learning import LearningPolicy
from recollect.rules.learn.lessons import LessonsPolicy
from recollect.rules.learn.merging import MergingPolicy
from recollect.rules.learn.notes import NotesPolicy
from recollect.rules.learn.paging import ConsolidationPolicy
from recollect.rules.learn.reflecting import InsightPolicy, ReflectionPolicy
from recollect.rules.learn.tuning import TuningPolicy
from recollect.rules.life.archiving import ArchivePolicy
from recollect.rules.life.lifecycle import LifecyclePolicy
from recollect.rules.life.lifecycle import problem as lifecycle_problem
from recollect.rules.life.record import RecordPolicy
from recollect.rules.life.retention import RetentionPolicy, RetentionRule
from recollect.rules.life.retention import problem as retention_problem
from recollect.rules.life.salience import SaliencePolicy
from recollect.rules.life.schedule import JobsPolicy
from recollect.rules.life.schedule import problem as timing_problem
from recollect.rules.people.mentions import EntitiesPolicy
from recollect.rules.people.mentions import problem as reading_problem
from recollect.rules.people.portraits import PortraitPolicy
from recollect.rules.privacy.spans import TelemetrySettings
from recollect.rules.window.budget import BudgetPolicy
from recollect.rules.window.compaction import WindowPolicy
from recollect.rules.window.edits import BlocksPolicy
from recollect.rules.window.files import WorkspacePolicy
from recollect.rules.window.layout import ContextPolicy
from recollect.text.terms import TermsPolicy, languages

if TYPE_CHECKING:
    from pydantic import TypeAdapter

PREFIX = "RECOLLECT_"
FILE_NAME = "recollect.toml"
PROVIDERS = ("openai", "anthropic", "google", "xai", "ollama")
"""Who has models to ask; any address that speaks OpenAI's language is `openai` with `models.base_url`."""


@dataclass(frozen=True, slots=True)
class SqliteSettings:
    """How the embedded database waits and cleans up."""

    busy_seconds: float = 10.0
    """How long one try for the write lock may take; a write is tried six times."""
    scrub_seconds: float = 2.0
    """How long erasing waits for other readers before it answers `scrub pending`."""
    secure_delete: bool = True
    """Overwrite deleted rows at once. Erasing always does, whatever this says."""
    readers: int = bounded(8)
    """How many idle read connections are kept."""
    key_variable: str = ""
    """The variable that holds the key of an encrypted file; empty means it is not. Needs `recollect[encryption]`."""


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """How the embedder is reached and asked; the first five settings are for endpoints only."""

    base_url: str = ""
    """Where `/embeddings` is; empty means OpenAI's own address, or `http://localhost:11434/v1` for Ollama."""
    key_variable: str = ""
    """The variable that holds the key; empty means `OPENAI_API_KEY` for OpenAI itself, and no key for any other."""
    batch: int = 64
    """How many texts go into one request."""
    timeout_seconds: float = 10.0
    """How long one request may take."""
    retries: int = bounded(2)
    """How often a request is made again when the endpoint is busy, fails or is late."""
    dimensions: int = bounded(0, most=16_384)
    """How many numbers a vector shall have, for models that can be cut; 0 leaves it to the model."""
    threads: int = bounded(0, most=256)
    """How many threads the bundled model uses; 0 means as many as there are cores, at most 4."""
    at_once: bool = False
    """Give messages their vector in `observe` itself, with a local model; otherwise the job `embed` does it later."""
    link_min: float = 0.0
    """The similarity from which two memories are linked; 0 takes what suits the embedder."""
    same_min: float = 0.0
    """The similarity from which two texts may say the same; 0 takes what suits the embedder."""


@dataclass(frozen=True, slots=True)
class ModelsSettings:
    """Which model is asked for what, and how; see [models](models.md). Nothing here matters while no model is set."""

    reasoning: str = ""
    """For thinking things through, as `PROVIDER:MODEL`; empty means `llm`, here and below."""
    execution: str = ""
    """For carrying out a task."""
    summarizer: str = ""
    """For summaries."""
    extractor: str = ""
    """For reading facts out of conversations."""
    judge: str = ""
    """For saying how two memories stand to each other."""
    fallback: tuple[str, ...] = ()
    """Who is asked when the first does not answer, in this order."""
    base_url: str = ""
    """Where the models of the provider of `llm` are; empty means the provider's own address. Others have their own."""
    key_variable: str = ""
    """The variable that holds that provider's key; empty means its usual one, and no key for another address."""
    temperature: float | None = bounded(None, most=2)
    """How freely a model words its answers; not set leaves it to the model, as some insist."""
    top_p: float | None = bounded(None, most=1)
    """From how much of the likely words a model chooses; not set leaves it to the model."""
    max_tokens: int = 4000
    """How long an answer may be, unless the question says."""
    timeout_seconds: float = 60.0
    """How long one request may take."""
    retries: int = bounded(2)
    """How often a model is asked again when it is busy, fails or is late."""
    prompts: str = ""
    """A folder with prompt files of your own, each in the place of ours of that name; see `recollect tune`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, nested by the rule it tunes."""

    url: str = ""
    """The database; empty means a file in the user's data folder."""
    user: str = "me"
    """Whose memory the command line speaks to when `--user` is not given."""
    tenant: str = ""
    """The tenant the command line speaks to when `--tenant` is not given."""
    embedder: str = "recollect-1"
    """How meaning is compared: `recollect-1`, `minilm`, `openai:MODEL`, `ollama:MODEL`, or `none` (words only)."""
    cache_mb: int = bounded(1024)
    """How much memory searching may keep for all users; a thousand memories with vectors take about half."""
    llm: str | None = None
    """Which model may be asked, as `PROVIDER:MODEL`; none by default, and never on the way of a message or a query."""
    reader: str = "words"
    """Who reads what people ask of the memory: `words` knows seven languages, `none` hears no wish and no answer."""
    terms: TermsPolicy = field(default_factory=TermsPolicy)
    writing: WritingPolicy = field(default_factory=WritingPolicy)
    similarity: SimilarityPolicy = field(default_factory=SimilarityPolicy)
    bands: BandPolicy = field(default_factory=BandPolicy)
    consent: ConsentPolicy = field(default_factory=ConsentPolicy)
    salience: SaliencePolicy = field(default_factory=SaliencePolicy)
    lifecycle: LifecyclePolicy = field(default_factory=LifecyclePolicy)
    retention: RetentionPolicy = field(default_factory=RetentionPolicy)
    archive: ArchivePolicy = field(default_factory=ArchivePolicy)
    jobs: JobsPolicy = field(default_factory=JobsPolicy)
    record: RecordPolicy = field(default_factory=RecordPolicy)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    fusion: FusionPolicy = field(default_factory=FusionPolicy)
    boosts: BoostPolicy = field(default_factory=BoostPolicy)
    context: ContextPolicy = field(default_factory=ContextPolicy)
    blocks: BlocksPolicy = field(default_factory=BlocksPolicy)
    window: WindowPolicy = field(default_factory=WindowPolicy)
    workspace: WorkspacePolicy = field(default_factory=WorkspacePolicy)
    categories: CategoriesPolicy = field(default_factory=CategoriesPolicy)
    entities: EntitiesPolicy = field(default_factory=EntitiesPolicy)
    learning: LearningPolicy = field(default_factory=LearningPolicy)
    lessons: LessonsPolicy = field(default_factory=LessonsPolicy)
    consolidation: ConsolidationPolicy = field(default_factory=ConsolidationPolicy)
    notes: NotesPolicy = field(default_factory=NotesPolicy)
    merging: MergingPolicy = field(default_factory=MergingPolicy)
    reflection: ReflectionPolicy = field(default_factory=ReflectionPolicy)
    portraits: PortraitPolicy = field(default_factory=PortraitPolicy)
    insight: InsightPolicy = field(default_factory=InsightPolicy)
    tuning: TuningPolicy = field(default_factory=TuningPolicy)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    models: ModelsSettings = field(default_factory=ModelsSettings)
    roles: RolesPolicy = field(default_factory=RolesPolicy)
    agent: AgentPolicy = field(default_factory=AgentPolicy)
    budget: BudgetPolicy = field(default_factory=BudgetPolicy)
    sqlite: SqliteSettings = field(default_factory=SqliteSettings)


def load(config: str | Path | None = None, given: Mapping[str, Any] | None = None) -> Settings:
    """Read the settings from file, environment and keywords, checked, later ones winning."""
    layers: dict[str, Any] = {}
    for layer in (_file(config), _environment(), dict(given or {})):
        _merge(layers, layer)
    settings = _checked(layers) if layers else Settings()
    _within_bounds(settings)
    if settings.terms.language not in languages():
        raise ConfigError(f"terms.language is {settings.terms.language!r}: use one of {', '.join(languages())}")
    if settings.reader not in READERS:
        raise ConfigError(f"reader is {settings.reader!r}: use one of {', '.join(READERS)}")
    if unknown := set(settings.fusion.off) - set(SIGNALS):
        raise ConfigError(f"fusion.off names {', '.join(sorted(unknown))}: the signals are {', '.join(SIGNALS)}")
    wrong = lifecycle_problem(settings.lifecycle) or retention_problem(settings.retention, settings.categories.names)
    wrong = wrong or (timing_problem(settings.jobs) if settings.jobs != JobsPolicy() else "")
    if wrong := wrong or reading_problem(settings.entities):
        raise ConfigError(wrong)
    embedder_parts(settings.embedder)
    _check_embedding(settings.embedding)
    _check_models(settings)
    return settings


def origins(config: str | Path | None, given: Mapping[str, Any]) -> dict[str, str]:
    """Say of every setting that is not at its default where its value is from: a file, a variable or a keyword."""
    found = {path: str(config or FILE_NAME) for path in _paths(_file(config))}
    found |= {path: PREFIX + path.upper().replace(".", "__") for path in _paths(_environment())}
    return found | dict.fromkeys(_paths(given), "given at the start")


def _paths(layer: Mapping[str, Any], where: str = "") -> list[str]:
    nested = ((f"{where}{name}", value) for name, value in layer.items())
    return [
        one for path, value in nested for one in (_paths(value, f"{path}.") if isinstance(value, Mapping) else [path])
    ]


def embedder_parts(spec: str) -> tuple[str, str]:
    """Split what names an embedder into its kind and its model, or say which kinds there are."""
    kind, _, model = spec.partition(":")
    if spec in ("none", "recollect-1", "minilm"):
        return kind, ""
    if kind in ("openai", "ollama") and model.strip() == model and 0 < len(model) <= 150 and model.isprintable():
        return kind, model
    raise ConfigError(f"embedder is {spec[:200]!r}: use none, recollect-1, minilm, openai:MODEL or ollama:MODEL")


def llm_parts(name: str, spec: str) -> tuple[str, str]:
    """Split what names a model into its provider and the model, or say which providers there are."""
    provider, _, model = spec.partition(":")
    if provider in PROVIDERS and model.strip() == model and 0 < len(model) <= 150 and model.isprintable():
        return provider, model
    raise ConfigError(f"{name} is {spec[:200]!r}: write PROVIDER:MODEL, with {', '.join(PROVIDERS)} as provider")


def secret(variable: str) -> str:
    """Give the key a variable of the environment holds; empty when there is none."""
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(f"the variable {variable} holds characters no key can have")
    return key


def no_telemetry() -> None:
    """Keep the bundled model's runtime from leaving files at home and calling there; who wants it may set it to 0."""
    # It looks at this when it is imported, and would begin before it can be told otherwise.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


def default_url() -> str:
    """Give the URL of the embedded default, a file in the user's data folder, making the folder."""
    from platformdirs import user_data_path  # loaded only when no URL is given

    folder = user_data_path("recollect", appauthor=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"the data folder {folder} cannot be made ({error.strerror}): name a file with --db"
        ) from error
    return f"sqlite:///{folder / 'memory.db'}"


def _file(config: str | Path | None) -> dict[str, Any]:
    path = Path(config) if config is not None else Path(FILE_NAME)
    if config is None and not path.is_file():
        return {}
    import tomllib  # loaded only where there is a file

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"the settings file {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"the settings file {path} is not valid TOML: {error}") from error


def _environment() -> dict[str, Any]:
    layer: dict[str, Any] = {}
    for name, value in sorted(os.environ.items()):
        if not name.startswith(PREFIX) or name.startswith(f"{PREFIX}TEST_"):
            continue
        path = name.removeprefix(PREFIX).lower().split("__")
        if not _known(path):
            whole = f", but a section: write {name}__NAME" if _section(path) else ""
            warnings.warn(f"the variable {name} names no setting{whole} and is ignored", stacklevel=3)
            continue
        inner, listed = layer, isinstance(_at(path), tuple)
        for part in path[:-1]:
            inner = inner.setdefault(part, {})
        inner[path[-1]] = tuple(part.strip() for part in value.split(",")) if listed else value
    return layer


_NOWHERE: Any = object()


def _at(path: list[str]) -> Any:
    """Give what stands at a path of the settings by default: a value, a section, or `_NOWHERE`."""
    where: Any = Settings()
    for part in path:
        if not dataclasses.is_dataclass(where) or part not in {f.name for f in dataclasses.fields(where)}:
            return _NOWHERE
        where = getattr(where, part)
    return where


def _known(path: list[str]) -> bool:
    return _at(path) is not _NOWHERE and _section(path) is None


def _section(path: list[str]) -> type | None:
    """Give the policy whose settings stand under a name, where it is no setting itself."""
    found = _at(path)
    return type(found) if dataclasses.is_dataclass(found) else None


def _merge(into: dict[str, Any], layer: Mapping[str, Any]) -> None:
    for name, value in layer.items():
        if isinstance(value, Mapping) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            into[name] = dict(value) if isinstance(value, Mapping) else value


_TEXTS = {"url", "user", "tenant", "embedder", "llm", "reader"}
"""Settings that are text and need no library to be checked: it takes 10 MB."""


@cache
def _checker() -> TypeAdapter[Settings]:
    from pydantic import TypeAdapter  # loaded only when it is needed, made once: it takes 20 ms

    return TypeAdapter(Settings)


def _checked(layers: dict[str, Any]) -> Settings:
    for name in layers:
        if name not in {f.name for f in dataclasses.fields(Settings)}:
            raise ConfigError(f"there is no setting {name!r}: see docs/configuration.md for those there are")
    if layers.keys() <= _TEXTS and all(isinstance(value, str) for value in layers.values()):
        return Settings(**layers)
    from pydantic import ValidationError

    _refuse_unknown(layers)
    _refuse_unknown_rules(layers.get("retention"))
    try:
        return _checker().validate_python(layers)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"the setting {where} is {first['input']!r}: {first['msg']}") from error


_CENTURY = {"days": 36_525, "hours": 876_600, "minutes": 52_596_000, "seconds": 3_155_760_000}
"""How long a length of time may be, by the unit its name ends with: no calendar reaches much further."""


def _within_bounds(policy: Any, section: str = "") -> None:
    """Refuse numbers outside the bounds that stand beside a knob; others must not be negative, and counts not zero."""
    for knob in dataclasses.fields(policy):
        value = getattr(policy, knob.name)
        if dataclasses.is_dataclass(value):
            _within_bounds(value, f"{section}{knob.name}.")
        if not isinstance(value, int | float) or isinstance(value, bool):
            continue
        least = knob.metadata.get("least", int(isinstance(value, int)))
        most = knob.metadata.get("most", _CENTURY.get(knob.name.rpartition("_")[2], inf))
        if not least <= value <= most:  # what is not a number is never
            wanted = f"{least:g} or more" if most == inf else f"from {least:g} to {most:g}"
            raise ConfigError(f"the setting {section}{knob.name} is {value}: it must be {wanted}")


def _check_embedding(settings: EmbeddingSettings) -> None:
    _check_endpoint("embedding", settings.base_url, settings.key_variable, settings.timeout_seconds)


def _check_models(settings: Settings) -> None:
    models = settings.models
    _check_endpoint("models", models.base_url, models.key_variable, models.timeout_seconds)
    for role, own in ((role, settings.roles.of(role)) for role in ROLES):
        _check_endpoint(f"roles.{role}", own.base_url, own.key_variable, models.timeout_seconds)
    named = [(f"models.{role}", getattr(models, role)) for role in ROLES]
    for name, spec in [("llm", settings.llm or ""), *named, *(("models.fallback", one) for one in models.fallback)]:
        if spec:
            llm_parts(name, spec)


def _check_endpoint(section: str, base_url: str, key_variable: str, seconds: float) -> None:
    """Refuse an address no request can go to, and one that would show a password in messages."""
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        bare = parts.username is None and base_url.isprintable() and " " not in base_url
    except ValueError:
        usable = bare = False
    if base_url and not (usable and bare):
        raise ConfigError(
            f"the setting {section}.base_url must look like https://host/v1, without a password: "
            f"a key is named by {section}.key_variable"
        )
    if not 0 < seconds <= 3600:
        raise ConfigError(f"the setting {section}.timeout_seconds is {seconds}: it must be above 0, at most 3600")
    if key_variable and not (key_variable.isidentifier() and len(key_variable) <= 64):
        raise ConfigError(f"the setting {section}.key_variable must be the name of a variable, not a key")


def _refuse_unknown(layers: Mapping[str, Any], where: tuple[str, ...] = ()) -> None:
    for name, value in layers.items():
        path = [*where, name]
        if isinstance(value, Mapping):
            _refuse_unknown(value, tuple(path))
        elif not dataclasses.is_dataclass(value) and (section := _section(path)):
            knobs = ", ".join(knob.name for knob in dataclasses.fields(section))
            raise ConfigError(f"the setting {'.'.join(path)!r} is a section, not a value: give it a table of {knobs}")
        elif not _known(path) and not dataclasses.is_dataclass(value):
            raise ConfigError(f"there is no setting {'.'.join(path)!r}: see docs/configuration.md for those there are")


def _refuse_unknown_rules(retention: Any) -> None:
    """Refuse what a rule of retention does not know: rules are tables in a list, which the walk above passes over."""
    rules = retention.get("rules", ()) if isinstance(retention, Mapping) else ()
    known = [knob.name for knob in dataclasses.fields(RetentionRule)]
    for number, rule in enumerate(rules if isinstance(rules, list | tuple) else (), 1):
        for name in rule if isinstance(rule, Mapping) else ():
            if name not in known:
                raise ConfigError(f"retention rule {number} has no setting {name!r}: use {', '.join(known)}")
