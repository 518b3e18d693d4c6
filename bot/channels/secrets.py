"""Platforms' secrets come from the environment, or from files that the settings name; never from the settings file."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bot.channels.credentials import Credential, discreet, problem
from core.errors import InvalidConfig


def refuse_written(file: Path, given: Mapping[str, Any], credentials: Iterable[Credential]) -> None:
    """Raises InvalidConfig where a settings file holds a secret, which it does not show."""
    for credential in credentials:
        section = given.get(credential.section)
        if isinstance(section, dict) and credential.name in section:
            raise InvalidConfig(
                f"{file}: {credential.setting} must not be written here, where whoever reads the settings reads it:"
                f" set {credential.variable}, or write it into a file of its own and name that in"
                f" {credential.section}.{credential.file_setting}"
            )


def with_secrets(file: Path, given: Mapping[str, Any], credentials: Iterable[Credential]) -> dict[str, Any]:
    """What is given, with each secret from the environment, or else from the file named for it; blank without either.

    Raises InvalidConfig, saying what is off without showing any of it.
    """
    full = dict(given)
    for credential in credentials:
        section = full.get(credential.section, {})
        if isinstance(section, dict):
            full[credential.section] = {**section, credential.name: _secret(file, section, credential)}
    return full


def _secret(file: Path, section: Mapping[str, Any], credential: Credential) -> object:
    text, where = section.get(credential.name, ""), f"the environment variable {credential.variable}"
    if not isinstance(text, str):
        return text  # what is no text at all is refused with the other settings
    if not text.strip():
        named = section.get(credential.file_setting)
        if not isinstance(named, str) or not named:
            return ""
        text, where = _read(file, file.parent / named, credential), discreet(str(file.parent / named))
    if found := problem(credential, text):
        raise InvalidConfig(f"{where}: {credential.setting} {found}")
    return text


def _read(file: Path, path: Path, credential: Credential) -> str:
    where = f"{file}: {credential.section}.{credential.file_setting} names {discreet(str(path))}, which"
    try:
        text = path.read_bytes().decode("utf-8-sig").rstrip("\r\n")
    except OSError as error:
        raise InvalidConfig(f"{where} cannot be read: {error.strerror}; it must hold {credential.words}") from None
    except ValueError:  # not from it: it holds what it could not read
        raise InvalidConfig(f"{where} is not text in UTF-8; it must hold {credential.words} alone") from None
    if not text.strip():
        raise InvalidConfig(f"{where} is empty; it must hold {credential.words}: {credential.where}")
    return text
