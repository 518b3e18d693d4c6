"""The settings file that `init` writes: every setting with its default and what is allowed, commented out.

A line that stays commented out follows the default of the version that runs. Secrets are not among them: this is no
place for one. A setting without a default shows an example.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bot.channels.settings import CREDENTIALS, TEAMS_IDS
from bot.config import Settings

_HEAD = """\
# The settings of clarify-bot. A line that is commented out shows the default; remove the # to change it.
# Paths are taken from the folder of this file. The environment goes first: CLARIFY_HTTP__PORT=9000 is port in [http].
"""
_SOURCES = """
# ── [[sources]]: what to keep in step with, one such table each; without any, no card will ever come ──
# [[sources]]
# name = "handbook"             # documents are named after it
# path = "handbook"             # a folder; or  git = "https://example.org/handbook.git"
# readers = ["everyone"]        # role names, person:<id>, or everyone
# every_secs = 300              # how often to look, 5 to 604800
# include = ["*.md", "*.txt"]   # shell patterns; without it every text file
"""
SECTIONS = {
    "http": "the bot's own address: health checks, and the chat platforms' calls",
    "mcp": "programs that speak the Model Context Protocol, at /mcp of [http]; docs/mcp.md tells more",
    "inbox": "an inbox in the browser for each person, on this machine alone",
    "slack": "Slack, in direct messages; its secrets are never written here; docs/slack.md leads through it",
    "teams": "Microsoft Teams, in personal chats; its secret is never written here; docs/teams.md leads through it",
    "embedder_endpoint": 'what "endpoint" above means; its key is never written here: CLARIFY_EMBEDDER_ENDPOINT__KEY',
    "llm": "who writes answers; its key is never written here: CLARIFY_LLM__KEY; docs/language-models.md tells more",
    "planner": "choosing the evidence for a question",
    "context": "what a caller may ask for at most, who takes the evidence without an answer",
    "verify": "judging whether evidence supports a claim",
    "answers": "answering, and keeping saved answers honest",
    "watch": "noticing changes and telling people",
    "store": "the database",
}
MEANINGS = {
    "database": "sqlite:///FILE or postgresql://HOST/NAME",
    "tenant": "whose memory this is",
    "company": "the name people see above the local inbox, and what `init` calls the tenant that it makes",
    "keys": "the folder of the keys that sign taps",
    "cache": "where git sources are mirrored",
    "embedder": "minilm, hashing (words only, for trials), none, endpoint, or a folder with an ONNX export",
    "embedder_endpoint.url": "up to and including /v1, such as https://api.example.com/v1",
    "embedder_endpoint.model": "the model's name there",
    "embedder_endpoint.batch_size": "texts a request",
    "embedder_endpoint.timeout_secs": "how long to wait for an answer",
    "embedder_endpoint.retries": "further tries where it is busy, fails or cannot be reached",
    "llm.provider": "extractive: the documents' own words, no network; openai: any server that speaks its API",
    "llm.base_url": "up to and including /v1, such as https://api.example.com/v1",
    "llm.model": "the model's name there",
    "llm.timeout_secs": "how long to wait for an answer, all tries together",
    "llm.retries": "further tries where it is busy, fails or cannot be reached",
    "llm.max_tokens": "the longest answer; models that think need room for it",
    "llm.budget_tokens": "the most that one answer may cost, prompt and all; every byte counts as a token",
    "llm.context_window": "tokens that prompt and answer may have together; 0: not known",
    "http.host": "the address to listen on",
    "mcp.enabled": "whether to serve it",
    "mcp.hosts": "names by which it is called, besides this machine's own, such as bot.example.com",
    "inbox.enabled": "whether to serve it",
    "slack.mode": "http: Slack calls public_url; socket: no public address is needed",
    "slack.trusted": "whether a Slack user is the person who has the same e-mail address",
    "slack.public_url": "where Slack reaches this bot, such as https://bot.example.com",
    "slack.api_url": "where Slack itself is",
    "teams.mode": "anonymous: for development on this machine, where whoever reaches the bot is believed",
    **{f"teams.{name}": what for name, what in TEAMS_IDS.items()},
    "teams.trusted": "whether a Teams user is the person whose e-mail address is their user principal name",
    "teams.public_url": "where Teams reaches this bot, such as https://bot.example.com",
    "teams.openid_url": "where the keys are named that sign what Teams sends",
    "teams.login_url": "where the bot gets its token",
    **{
        f"{one.section}.{one.file_setting}": f"a file with {one.words} alone; or set {one.variable}"
        for one in CREDENTIALS
    },
    "planner.default_budget_tokens": "how much evidence to read",
    "planner.max_frac_per_source": "the most of it from one document",
    "planner.dedup_overlap": "above it two passages count as one",
    "planner.cache_discount": "what derived text weighs",
    "planner.alpha": "nearness against freshness; 1: nearness alone",
    "planner.hop_discount": "what a neighbour inherits",
    "planner.semantic_k": "passages looked up by meaning, and again by words",
    "planner.lexical_weight": "words against meaning; 0: meaning alone",
    "planner.bm25_half": "the word score that counts one half",
    "planner.semantic_min_sim": "passages further off are left out",
    "planner.query_limit": "the most that a structured query finds",
    "planner.max_pool_spans": "the most to choose from",
    "planner.kind_priors": "what each kind of text weighs",
    "planner.half_life_days": "after it a text is half as fresh",
    "planner.decay_floor": "the least freshness",
    "context.max_tokens_ceiling": "tokens of evidence",
    "context.max_spans_ceiling": "passages",
    "verify.embed_model": "the model that claims must be judged with; without it, that of the documents",
    "verify.beta": "meaning against words",
    "verify.supported": "from here on evidence supports a claim",
    "verify.partial": "from here on it does in part",
    "verify.numeric_cap": "the most where a number, a date or a negation differs",
    "verify.candidates": "passages looked at for a claim",
    "verify.negation_guard": "whether a differing negation counts",
    "answers.recheck_max_age_days": "a saved answer is judged again at least this often",
    "answers.min_cosine": "the nearest passage is this near, or the bot says that it does not know",
    "watch.tick_secs": "how often to look for changes",
    "watch.settle_secs": "how long an edit is left to settle",
    "watch.max_rows_per_tick": "changes taken at once",
    "watch.debounce_floor_secs": "the least time between two cards of a watch",
    "watch.debounce_default_secs": "the usual time between them",
    "watch.fire_keep_per_watch": "past changes kept for each watch",
    "watch.max_events_per_fire": "changes on one card",
    "watch.max_watches_per_person": "watches a person may have",
    "watch.brief_weekday": "when a week's changes come as one list, in each person's own time zone",
    "watch.brief_hour": "the hour of it",
    "watch.lease_secs": "after it the work of a crashed process is taken over",
    "watch.max_attempts": "tries before work is given up",
    "store.synchronous": "SQLite: FULL survives a power cut, and is slower",
}

EXAMPLES = {
    "verify.embed_model": "minilm",
    **{
        f"{one.section}.{one.file_setting}": f"secrets/{one.section}-{one.name.replace('_', '-')}"
        for one in CREDENTIALS
    },
}


def template() -> str:
    """The whole file, valid TOML as it stands and with every # before a setting removed."""
    schema, values = Settings.model_json_schema(), json.loads(Settings.model_construct().model_dump_json())
    top = [line for key in values if key not in {*SECTIONS, "sources"} for line in _setting(schema, key, values[key])]
    parts = [_HEAD, *top, _SOURCES]
    for name, words in SECTIONS.items():
        kind = schema["$defs"][schema["properties"][name]["$ref"].rpartition("/")[2]]
        parts += [f"\n# ── {words} ──\n[{name}]\n"]
        parts += [line for key, value in values[name].items() for line in _setting(kind, key, value, f"{name}.")]
    return "".join(parts)


def _setting(schema: Mapping[str, Any], key: str, value: Any, prefix: str = "") -> Iterator[str]:
    if schema["properties"][key].get("writeOnly"):
        return
    value = EXAMPLES.get(prefix + key, value)
    remarks = [MEANINGS.get(prefix + key, ""), _allowed(schema["properties"][key])]
    remark = "; ".join(filter(None, remarks))
    yield f"# {key} = {_toml(value)}" + (f"   # {remark}\n" if remark else "\n")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _allowed(kind: Mapping[str, Any]) -> str:
    if "enum" in kind:
        return " or ".join(kind["enum"])
    low = _bound(kind, "minimum", "exclusiveMinimum", "above")
    high = _bound(kind, "maximum", "exclusiveMaximum", "below")
    if low and high:
        return f"{low} to {high}"
    return f"at least {low}" if "minimum" in kind else low or high


def _bound(kind: Mapping[str, Any], inclusive: str, exclusive: str, word: str) -> str:
    if exclusive in kind:
        return f"{word} {kind[exclusive]:g}"
    return f"{kind[inclusive]:.10g}" if inclusive in kind else ""
