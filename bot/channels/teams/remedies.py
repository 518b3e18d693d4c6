"""What Microsoft's refusals mean and what helps: for `doctor`, and for docs/teams.md, which a test compares.

https://learn.microsoft.com/entra/identity-platform/reference-error-codes, and
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages
"""

from collections.abc import Mapping

from bot.channels.remedies import Remedy

_ANEW = "make a new one under Certificates & secrets, copy its Value at once, and start the bot again with it"
_OVERVIEW = "compare teams.app_id and teams.tenant_id with the app's Overview page"
_CLOUD = "the bot serves Microsoft's public cloud; there, teams.login_url stays as it is"

REMEDIES: Mapping[str, Remedy] = {
    "AADSTS7000215": Remedy("the client secret is wrong: another app's, or the Secret ID in place of the Value", _ANEW),
    "AADSTS7000222": Remedy("the client secret has expired", _ANEW),
    "AADSTS700016": Remedy("the organisation has no app with this id", _OVERVIEW),
    "AADSTS7000229": Remedy(
        "the app has no service principal in the organisation",
        "make it with `az ad sp create --id` and the app's id, or let an admin consent to the app",
    ),
    "AADSTS7000112": Remedy(
        "the app is disabled",
        "let an admin set Enabled for users to sign-in to Yes, under Enterprise applications > the app > Properties",
    ),
    "AADSTS90002": Remedy("there is no organisation with this id", _OVERVIEW),
    "AADSTS53003": Remedy(
        "a rule of Conditional Access keeps the app out", "ask an admin to let this workload identity in from here"
    ),
    "AADSTS500011": Remedy(
        "the organisation does not know the Bot Framework, for which the token is", f"{_OVERVIEW}; {_CLOUD}"
    ),
    "AADSTS900382": Remedy("the app is in another cloud than teams.login_url", _CLOUD),
    "AADSTS900439": Remedy("the app is in the cloud of the United States' government", _CLOUD),
    "AADSTS90033": Remedy("Entra cannot answer just now", "wait a minute and try again"),
}
"""By the code that stands in Entra's error_codes, and at the beginning of what it says."""

REFUSALS: Mapping[str, Remedy] = {
    "BotNotInConversationRoster": Remedy(
        "the app is not installed for this person", "add it to their setup policy, or let them add it in Teams"
    ),
    "ConversationNotFound": Remedy(
        "Teams does not know this chat any more", "let the person write `help` to the app in Teams"
    ),
    "ConversationBlockedByUser": Remedy(
        "the person has blocked the app", "they can unblock it in Teams, in the app's chat"
    ),
    "BotDisabledByAdmin": Remedy(
        "an admin has blocked the app", "allow it in the Teams admin center under Teams apps > Manage apps"
    ),
    "MessageWritesBlocked": Remedy(
        "the person, or an admin, lets nobody write in this chat", "they can write `help` to the app in Teams"
    ),
    "BotNotRegistered": Remedy(
        "there is no Azure Bot for this app", "make the Azure Bot with this app, and compare its Microsoft App ID"
    ),
}
"""By the code that the Bot Connector answers with."""
