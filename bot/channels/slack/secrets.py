"""Slack's secrets come from the environment, or from files that the settings name; never from the settings file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.channels.slack.credentials import CREDENTIALS, Credential, discreet, problem
from core.errors import InvalidConfig


def refuse_written(file: Path, slack: object) -> None:
    """Raises InvalidConfig where the [slack] of a settings file holds a secret, which it does not show."""
    for credential in CREDENTIALS:
        if isinstance(slack, dict) and credential.name in slack:
            raise InvalidConfig(
                f"{file}: slack.{credential.name} must not be written here, where whoever reads the settings reads it:"
                f" set {credential.variable}, or write it into a file of its own and name that in"
                f" slack.{credential.file_setting}"
            )


def with_secrets(file: Path, slack: object) -> object:
    """[slack] with each secret from the environment, or else from the file that is named for it; blank without either.

    Raises InvalidConfig, saying what is off without showing any of it.
    """
    if not isinstance(slack, dict):
        return slack
    return {**slack, **{credential.name: _secret(file, slack, credential) for credential in CREDENTIALS}}


def _secret(file: Path, slack: Mapping[str, Any], credential: Credential) -> object:
    text, where = slack.get(credential.name, ""), f"the environment variable {credential.variable}"
    if not isinstance(text, str):
        return text  # what is no text at all is refused with the other settings
    if not text.strip():
        named = slack.get(credential.file_setting)
        if not isinstance(named, str) or not named:
            return ""
        text, where = _read(file, file.parent / named, credential), discreet(str(file.parent / named))
    if found := problem(credential, text):
        raise InvalidConfig(f"{where}: slack.{credential.name} {found}")
    return text


def _read(file: Path, path: Path, credential: Credential) -> str:
    where = f"{file}: slack.{credential.file_setting} names {discreet(str(path))}, which"
    try:
        text = path.read_bytes().decode("utf-8-sig").rstrip("\r\n")
    except OSError as error:
        raise InvalidConfig(f"{where} cannot be read: {error.strerror}; it must hold {credential.words}") from None
    except ValueError:  # not from it: it holds what it could not read
        raise InvalidConfig(f"{where} is not text in UTF-8; it must hold {credential.words} alone") from None
    if not text.strip():
        raise InvalidConfig(f"{where} is empty; it must hold {credential.words}: {credential.where}")
    return text
