"""Microsoft Teams, in personal chats. Only `transport` knows the Bot Framework SDK; all else goes by `port`."""
