"""The local channel's page: one inbox a person, served to this machine alone."""

from bot.channels.inbox.backend import InboxBackend, InboxMessage, PersonKey, PersonView, Tap
from bot.channels.inbox.server import InboxServer, ListenError

__all__ = ["InboxBackend", "InboxMessage", "InboxServer", "ListenError", "PersonKey", "PersonView", "Tap"]
