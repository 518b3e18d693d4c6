"""What Slack's refusals mean and what helps: for `doctor`, and for docs/slack.md, which a test compares."""

from collections.abc import Mapping

from bot.channels.remedies import Remedy

_ANEW = "install the app again under Install App and copy the new bot token"


REMEDIES: Mapping[str, Remedy] = {
    "invalid_auth": Remedy(
        "Slack does not know this token",
        "copy it again, whole, from the app's own pages; a token that was revoked does not come back",
    ),
    "not_authed": Remedy("no token was sent", "set the token that the mode needs"),
    "account_inactive": Remedy("the app was removed from the workspace, or its bot was deactivated", _ANEW),
    "app_uninstalled": Remedy("somebody removed the app from the workspace", _ANEW),
    "token_revoked": Remedy("the token was revoked", _ANEW),
    "tokens_revoked": Remedy("somebody revoked the bot's token", _ANEW),
    "token_expired": Remedy(
        "the token ended, so token rotation is on in the app", f"make the app anew from the manifest, or {_ANEW}"
    ),
    "missing_scope": Remedy(
        "the token may not do this",
        "add the scope under OAuth & Permissions > Scopes > Bot Token Scopes, then install the app again",
    ),
    "not_allowed_token_type": Remedy(
        "this is a token of another kind", "use the bot token for the bot and the app-level token for Socket Mode"
    ),
    "messages_tab_disabled": Remedy(
        "the app's Messages tab is off, so that every card is refused",
        "turn it on under App Home > Show Tabs, with “Allow users to send Slash commands and messages”",
    ),
    "team_access_not_granted": Remedy(
        "the organisation has not let the app into this workspace", "ask an admin of the organisation to grant it"
    ),
    "user_not_found": Remedy(
        "this workspace has no user with this id", "copy it from the person's profile: More > Copy member ID"
    ),
    "user_disabled": Remedy("the user's account is deactivated", "name somebody who works there"),
    "cannot_dm_bot": Remedy("bots cannot be written to, and this is one", "name a person"),
    "ratelimited": Remedy("Slack asks for quiet", "wait a minute and try again"),
}
