"""Slack. Nothing is imported here: the settings read what a credential looks like without loading Slack's SDK."""
