"""What an answer of Slack, or the lack of one, means for what was to be done.

Three ends. Slack says no with a code of its own: that is definite, and a few codes last (the table). Slack asks for
quiet: definite, with a time. Nobody knows: no answer came, or one that tells of a fault of Slack's own, after which
the message may stand: "it's possible some aspect of the operation succeeded before the error was raised".

Sources: the error tables of chat.postMessage, chat.update, conversations.open, conversations.history, views.publish and
users.info at docs.slack.dev/reference/methods, and docs.slack.dev/apis/web-api/rate-limits. A code that is in no table
is definite; whoever keeps the card gives it up when it has been said for a day.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from slack_sdk.errors import SlackApiError

from bot.channels.answers import SHUT, quiet
from bot.channels.base import NotSent, Unknown
from core.model.work import Extent

_LONGEST_HINT = 200

_LASTING = {
    Extent.WORKSPACE: (
        "invalid_auth not_authed account_inactive token_revoked token_expired missing_scope no_permission "
        "not_allowed_token_type messages_tab_disabled team_access_not_granted team_not_found org_login_required "
        "ekm_access_denied enterprise_is_restricted accesslimited two_factor_setup_required restricted_action "
        "app_uninstalled app_not_installed deprecated_endpoint method_deprecated unknown_method"
    ),
    Extent.PERSON: (
        "user_disabled user_not_found users_not_found user_not_visible cannot_dm_bot is_bot user_is_bot "
        "user_is_restricted user_is_ultra_restricted cannot_find_user invalid_user_combination"
    ),
    Extent.CARD: (
        "invalid_blocks invalid_blocks_format invalid_attachments msg_too_long msg_blocks_too_long no_text "
        "invalid_metadata invalid_metadata_format invalid_metadata_schema metadata_too_large "
        "metadata_must_be_sent_from_app message_not_found cant_update_message edit_window_closed "
        "thread_not_found cannot_reply_to_message view_too_large not_enabled invalid_arguments invalid_arg_name "
        "invalid_array_arg invalid_charset invalid_form_data invalid_json json_not_object invalid_post_type"
    ),
}
LASTING: Mapping[str, Extent] = {code: extent for extent, codes in _LASTING.items() for code in codes.split()}

UNCLEAR = frozenset({"internal_error", "fatal_error", "request_timeout", "service_unavailable"})
_QUIET = frozenset({"ratelimited", "rate_limited"})


@dataclass(frozen=True, slots=True)
class Trouble:
    """A call that did not succeed. Nothing in it opens doors, so it may be logged and kept.

    `error`: Slack's code, or else what happened. `status`: of HTTP; None when no answer came. `opened`: False when
    nothing can have reached Slack. `hint`: what Slack adds, such as which scope is needed.
    """

    error: str
    status: int | None = None
    opened: bool = True
    coded: bool = False
    retry_after: str | None = None
    hint: str = ""

    @property
    def reason(self) -> str:
        return f"{self.error} ({self.hint})" if self.hint else self.error


def trouble(error: Exception) -> Trouble:
    """What an exception of Slack's client tells."""
    if isinstance(error, SlackApiError):
        return _answered(error.response)
    return Trouble(type(error).__name__, opened=not isinstance(error, SHUT))


def meaning(of: Trouble) -> NotSent | Unknown:
    """What it means for the message or view that was to be written."""
    if not of.opened:
        return NotSent(f"Slack cannot be reached: {of.error}")
    if of.status == HTTPStatus.TOO_MANY_REQUESTS or of.error in _QUIET:
        return NotSent(of.reason, retry_after=quiet(of.retry_after))
    if _nobody_knows(of):
        return Unknown(of.reason)
    lasting = LASTING.get(of.error)
    return NotSent(of.reason, lasting=lasting, read=of.coded and lasting is None)


def without_effect(of: Trouble) -> NotSent:
    """The same of a call that only prepares: however opening a conversation ended, nothing was posted."""
    outcome = meaning(of)
    return outcome if isinstance(outcome, NotSent) else NotSent(outcome.reason)


def _nobody_knows(of: Trouble) -> bool:
    if of.status is None or of.status >= HTTPStatus.INTERNAL_SERVER_ERROR or of.status == HTTPStatus.REQUEST_TIMEOUT:
        return True
    return of.error in UNCLEAR or (of.status == HTTPStatus.OK and not of.coded)


def _answered(response: Any) -> Trouble:
    """`response` is the client's own, or where the body was no JSON, that of the HTTP library."""
    status = getattr(response, "status_code", None) or getattr(response, "status", None)
    data = getattr(response, "data", None)
    body: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    code = body.get("error")
    coded = isinstance(code, str) and bool(code)
    return Trouble(
        str(code) if coded else f"unreadable answer, HTTP {status}",
        status,
        coded=coded,
        retry_after=response.headers.get("Retry-After"),
        hint=_hint(body),
    )


def _hint(body: Mapping[str, Any]) -> str:
    if body.get("needed"):
        return f"needs {body['needed']}; has {body.get('provided')}"[:_LONGEST_HINT]
    more = body.get("response_metadata")
    messages = more.get("messages") if isinstance(more, Mapping) else None
    return str(messages[0])[:_LONGEST_HINT] if isinstance(messages, list) and messages else ""
