"""The bot's settings: one TOML file, then the environment over it; and the memory that they describe.

`CLARIFY_HTTP__PORT=9000` is `port` in `[http]`. Paths in the file are taken from the folder it lies in, so that the bot
finds the same database wherever it is started from.
"""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings.exceptions import SettingsError

from bot.channels.credentials import discreet
from bot.channels.loopback import is_loopback
from bot.channels.secrets import refuse_written, with_secrets
from bot.channels.settings import CREDENTIALS, Section, SlackSettings, TeamsSettings
from core.clock import Clock, SystemClock
from core.config import AnswersConfig, ContextConfig, MemoryConfig, StoreConfig, WatchConfig
from core.embed.protocol import Embedder
from core.errors import InvalidConfig
from core.generate.providers import LanguageModel
from core.memory import Memory
from core.planner.request import PlannerConfig
from core.verify.config import VerifyConfig

FILE = "clarify-bot.toml"
CACHE = Path("clarify-cache")
_PREFIX, _NEST = "CLARIFY_", "__"
_SQLITE = "sqlite:///"
_LONGEST_SHOWN = 60
_ENDPOINT_KEY = "CLARIFY_EMBEDDER_ENDPOINT__KEY"
LLM_KEY = "CLARIFY_LLM__KEY"
_SECRETS = {
    *((credential.section,) for credential in CREDENTIALS),
    *((credential.section, credential.name) for credential in CREDENTIALS),
    ("embedder_endpoint",),
    ("embedder_endpoint", "key"),
    ("llm",),
    ("llm", "key"),
}
"""Where what is written is never shown."""

Port = Annotated[int, Field(ge=0, le=65_535)]
"""0: any free port."""


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


Name = Annotated[str, AfterValidator(_said)]
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?")


class HttpSettings(Section):
    host: Name = "127.0.0.1"
    port: Port = 8080


def _host(text: str) -> str:
    if not _HOST.fullmatch(text.lower()):
        raise ValueError(
            "is no name of a machine, and would let nobody in: write it as clients send it, such as "
            "bot.example.com, without https:// and without a path"
        )
    return text.lower()


class McpSettings(Section):
    """`hosts`: the names besides this machine's by which `/mcp` is called, as a proxy in front passes them on."""

    enabled: bool = False
    hosts: tuple[Annotated[str, AfterValidator(_host)], ...] = ()


class InboxSettings(Section):
    """The local inbox listens on loopback alone, whatever `[http]` says."""

    enabled: bool = False
    port: Port = 8081


class EndpointSettings(Section):
    """An OpenAI-compatible embeddings endpoint. Its key comes from the environment alone."""

    url: str = ""
    model: str = ""
    key: SecretStr = SecretStr("")
    batch_size: int = Field(default=64, ge=1, le=2048)
    timeout_secs: float = Field(default=30, gt=0, le=600)
    retries: int = Field(default=4, ge=0, le=10)


class LlmSettings(Section):
    """Who writes answers. The key of an OpenAI-compatible server comes from the environment alone."""

    provider: Literal["extractive", "openai"] = "extractive"
    base_url: str = ""
    model: str = ""
    key: SecretStr = SecretStr("")
    timeout_secs: float = Field(default=60, gt=0, le=600)
    retries: int = Field(default=2, ge=0, le=10)
    max_tokens: int = Field(default=1000, ge=1, le=100_000)
    budget_tokens: int = Field(default=32_000, ge=1, le=2_000_000)
    context_window: int = Field(default=0, ge=0, le=10_000_000)


class SourceSettings(Section):
    """One source set: a folder or file (`path`), or a repository's address (`git`), and who may read it."""

    name: Annotated[str, Field(pattern=r"^[^/\s][^/]*$")]
    path: Path | None = None
    git: str | None = None
    readers: Annotated[tuple[Name, ...], Field(min_length=1)]
    every_secs: int = Field(default=300, ge=5, le=604_800)
    include: tuple[str, ...] | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.path is None) == (self.git is None):
            raise ValueError("must have either path or git, and not both")
        return self


class Settings(BaseSettings):
    """Everything that can be set, with its default."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_nested_delimiter=_NEST, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    database: str = f"{_SQLITE}clarify-bot.db"
    tenant: Name = "default"
    company: str = "Our company"
    keys: Path = Path("keys")
    cache: Path = CACHE
    embedder: Name = "minilm"
    embedder_endpoint: EndpointSettings = EndpointSettings()
    llm: LlmSettings = LlmSettings()
    http: HttpSettings = HttpSettings()
    mcp: McpSettings = McpSettings()
    inbox: InboxSettings = InboxSettings()
    slack: SlackSettings = SlackSettings()
    teams: TeamsSettings = TeamsSettings()
    sources: tuple[SourceSettings, ...] = ()
    planner: PlannerConfig = PlannerConfig()
    context: ContextConfig = ContextConfig()
    verify: VerifyConfig = VerifyConfig()
    answers: AnswersConfig = AnswersConfig()
    watch: WatchConfig = WatchConfig()
    store: StoreConfig = StoreConfig()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - called by these names
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given alone: `load` reads the environment, so that settings made in code are what they say."""
        return (init_settings,)

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [source.name for source in self.sources]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"two sources are named {min(twice)!r}; each needs a name of its own")
        return self

    @model_validator(mode="after")
    def _anonymous_stays_here(self) -> Self:
        if self.teams.mode == "anonymous" and (self.teams.app_id or not is_loopback(self.http.host)):
            raise ValueError(
                "teams.mode is 'anonymous', where whoever reaches the bot is believed: it is for development on one"
                " machine, and needs http.host to be 127.0.0.1 or ::1 and teams.app_id to be empty; 'on' is for Teams"
            )
        return self


def load(path: Path | None = None) -> Settings:
    """The settings of a file; None: `clarify-bot.toml` here if there is one, else the defaults.

    The platforms' secrets are read and looked at; what a mode still lacks is in its `gaps`, since only `run` needs it.
    Raises InvalidConfig naming the file (or the variable), the key, its value (but for secrets) and what is allowed.
    """
    file = Path(FILE) if path is None else path
    given = _read(file) if path is not None or file.exists() else {}
    refuse_written(file, given, CREDENTIALS)
    _refuse_key(file, "embedder_endpoint", given.get("embedder_endpoint"), _ENDPOINT_KEY)
    _refuse_key(file, "llm", given.get("llm"), LLM_KEY)
    try:
        merged = _merged(given, EnvSettingsSource(Settings)())
        settings = Settings(**with_secrets(file, merged, CREDENTIALS))
    except ValidationError as error:
        # Not from it: its own text shows every key, and a secret may have been pasted as one.
        raise InvalidConfig("; ".join(_problem(file, problem) for problem in error.errors())) from None
    except SettingsError as error:
        raise InvalidConfig(f"the environment: {error}: lists and tables are written as JSON there") from error
    return _anchored(settings, file.parent)


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_bytes().decode())
    except OSError as error:
        raise InvalidConfig(f"{file}: cannot be read: {error.strerror}; `clarify-bot init` makes one") from error
    except ValueError as error:
        raise InvalidConfig(f"{file}: not TOML in UTF-8: {error}") from error


def _refuse_key(file: Path, section: str, given: object, variable: str) -> None:
    if isinstance(given, dict) and "key" in given:
        raise InvalidConfig(
            f"{file}: {section}.key must not be written here, where whoever reads the settings reads it: set {variable}"
        )


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Tables are merged key by key; anything else is replaced."""
    both = {
        key: _merged(below[key], value)
        for key, value in above.items()
        if isinstance(value, dict) and isinstance(below.get(key), dict)
    }
    return {**below, **above, **both}


def _problem(file: Path, problem: Mapping[str, Any]) -> str:
    place, value = ".".join(map(str, problem["loc"])), repr(problem["input"])
    variable = next((name for name in _variables(problem["loc"]) if name in os.environ), None)
    where = f"the environment variable {variable}" if variable else f"{file}"
    if problem["type"] == "extra_forbidden":
        return discreet(
            f"{where}: {place}: there is no such setting; `clarify-bot init` writes a file with all of them"
        )
    allowed = str(problem["msg"]).removeprefix("Value error, ")
    is_short = not isinstance(problem["input"], dict) and len(value) <= _LONGEST_SHOWN and "://" not in value
    is_secret = problem["loc"] in _SECRETS
    shown = f" is {value}" if is_short and not is_secret and problem["type"] != "missing" else ""
    return discreet(f"{where}: {place or 'the file'}{shown}: {allowed}")


def _variables(loc: tuple[int | str, ...]) -> list[str]:
    parts = [str(part).upper() for part in loc]
    return [_PREFIX + _NEST.join(parts[:end]) for end in range(len(parts), 0, -1)]


def _anchored(settings: Settings, folder: Path) -> Settings:
    """The same settings with every relative path taken from `folder`."""
    database = settings.database
    if database.startswith(_SQLITE):
        database = _SQLITE + str(folder / database.removeprefix(_SQLITE))
    known = {"minilm", "hashing", "none", "endpoint"}
    return settings.model_copy(
        update={
            "slack": settings.slack.model_copy(update=_secret_files(settings.slack, folder)),
            "teams": settings.teams.model_copy(update=_secret_files(settings.teams, folder)),
            "database": database,
            "keys": folder / settings.keys,
            "cache": folder / settings.cache,
            "embedder": settings.embedder if settings.embedder in known else str(folder / settings.embedder),
            "sources": tuple(
                source.model_copy(update={"path": source.path and folder / source.path}) for source in settings.sources
            ),
        }
    )


def _secret_files(section: Section, folder: Path) -> dict[str, Path | None]:
    files = {credential.file_setting for credential in CREDENTIALS}
    return {name: path and folder / path for name, path in section if name in files}


def make_embedder(settings: Settings) -> Embedder | None:
    """The model that settings name; its files are opened when it is first used."""
    if settings.embedder == "none":
        return None
    if settings.embedder == "hashing":
        from core.embed.hashing import HashingEmbedder

        return HashingEmbedder()
    if settings.embedder == "endpoint":
        return _endpoint_embedder(settings.embedder_endpoint)
    from core.embed.files import folder_files, pinned_files
    from core.embed.onnx import OnnxEmbedder

    if settings.embedder == "minilm":
        return OnnxEmbedder(pinned_files())
    if not Path(settings.embedder).is_dir():
        raise InvalidConfig(
            f"embedder is {settings.embedder!r}; write minilm, hashing, none, endpoint, or a folder with an ONNX export"
        )
    return OnnxEmbedder(folder_files(Path(settings.embedder)))


def _endpoint_embedder(settings: EndpointSettings) -> Embedder:
    from core.embed.endpoint import Endpoint, EndpointEmbedder

    if not settings.url or not settings.model:
        raise InvalidConfig(
            "embedder is 'endpoint' and needs embedder_endpoint.url, such as https://api.example.com/v1, "
            f"and embedder_endpoint.model; where it asks for a key, set {_ENDPOINT_KEY}"
        )
    key = SecretStr(settings.key.get_secret_value().strip())
    return EndpointEmbedder(Endpoint(**settings.model_dump(exclude={"key"}), key=key))


def make_llm(settings: Settings) -> LanguageModel | None:
    """Who writes answers; None: they are chosen from the evidence, and no model and no network is needed."""
    chosen = settings.llm
    if chosen.provider == "extractive":
        return None
    if not chosen.base_url or not chosen.model:
        raise InvalidConfig(
            f"llm.provider is {chosen.provider!r} and needs llm.base_url, such as https://api.example.com/v1, and "
            f"llm.model; where the server asks for a key, set {LLM_KEY}"
        )
    if find_spec("openai") is None:
        raise InvalidConfig(
            f"llm.provider is {chosen.provider!r} and needs the package openai: install clarify-bot with its extra, "
            "pip install '.[llm]' in its folder"
        )
    from core.generate.openai_compatible import LlmEndpoint, OpenAiCompatibleProvider

    key = SecretStr(chosen.key.get_secret_value().strip())
    window = chosen.context_window or None
    endpoint = LlmEndpoint(chosen.base_url, key, chosen.timeout_secs, chosen.retries, window)
    return LanguageModel(OpenAiCompatibleProvider(endpoint), chosen.model, chosen.max_tokens, chosen.budget_tokens)


def memory_config(settings: Settings) -> MemoryConfig:
    return MemoryConfig(
        store=settings.store,
        planner=settings.planner,
        context=settings.context,
        verify=settings.verify,
        answers=settings.answers,
        watch=settings.watch,
    )


def open_memory(
    settings: Settings, clock: Clock | None = None, on_embedding: Callable[[int, int], None] | None = None
) -> Memory:
    """The memory that settings describe; with the public keys where there are any. `on_embedding`: (done, of all)."""
    from bot import keys
    from bot.telling import Telling

    embedder = make_embedder(settings)
    if embedder is not None and on_embedding is not None:
        embedder = Telling(embedder, on_embedding)

    public = keys.KeyRing(settings.keys, clock or SystemClock()) if settings.keys.is_dir() else {}
    return Memory(
        settings.database,
        embedder=embedder,
        config=memory_config(settings),
        clock=clock,
        keys=public,
        llm=make_llm(settings),
    )
