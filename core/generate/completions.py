"""What a chat completions server said: a whole answer, or one sentence that says what is wrong with it. Pure."""

from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from core.errors import GenerateUnavailable
from core.generate.providers import Completion
from core.model.answers import Usage

_CHARS_PER_TOKEN = 64
"""No token is longer, so that an answer beyond it is none to what was asked."""
_MOST_TOKENS = 1 << 40
"""More than any window: a server that counts more is wrong."""
_KINDS = {
    "length": "its answer was cut off at llm.max_tokens, which is {max_tokens}; raise it",
    "content_filter": "a filter held its answer back",
}


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[Any] | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = Field(strict=True, gt=0, le=_MOST_TOKENS)
    completion_tokens: int = Field(strict=True, ge=0, le=_MOST_TOKENS)


def _or_none(usage: object, read: ValidatorFunctionWrapHandler) -> Any:
    """No answer is lost for how its server counts: what cannot be read was not said."""
    try:
        return read(usage)
    except ValidationError:
        return None


class _Answer(BaseModel):
    choices: list[_Choice]
    usage: Annotated[_Usage | None, WrapValidator(_or_none)] = None


def completion(body: bytes, max_tokens: int) -> Completion:
    """The first choice of an answer. Raises GenerateUnavailable, without a word of it."""
    if len(body) > max_tokens * _CHARS_PER_TOKEN + 100_000:
        raise GenerateUnavailable(
            f"it answered with {len(body)} bytes, far more than the {max_tokens} tokens asked for"
        )
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError:
        # Not from it: its own text shows what was said.
        raise GenerateUnavailable("what it sent is no chat completion: is llm.base_url right?") from None
    if not answer.choices:
        raise GenerateUnavailable("it sent no answer")
    usage = Usage(answer.usage.prompt_tokens, answer.usage.completion_tokens) if answer.usage else None
    return Completion(_text(answer.choices[0], max_tokens), usage)


def _text(choice: _Choice, max_tokens: int) -> str:
    said = choice.message
    if said.refusal:
        raise GenerateUnavailable("it refused to answer")
    if said.tool_calls:
        raise GenerateUnavailable("it asked for a tool instead of answering, and none was offered")
    if choice.finish_reason in _KINDS:
        raise GenerateUnavailable(_KINDS[choice.finish_reason].format(max_tokens=max_tokens))
    if not (said.content or "").strip():
        raise GenerateUnavailable("its answer is empty")
    return said.content or ""
