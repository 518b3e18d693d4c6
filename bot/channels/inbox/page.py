"""The pages as HTML: the shell that inbox.js fills, and notices. Whatever is put in is escaped."""

from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePath
from string import Template

from bot.channels.inbox.backend import PersonView
from bot.channels.inbox.wire import TEXT_LIMIT
from cards.html import card_css

_STATIC = files("bot.channels.inbox") / "static"
_CONTENT_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def _template(name: str) -> Template:
    return Template((_STATIC / name).read_text("utf-8"))


_INBOX = _template("inbox.html")
_NOTICE = _template("notice.html")


def static_files() -> dict[str, tuple[bytes, str]]:
    """By name: the content and content type of every file a page may ask for."""
    own = {entry.name: (entry.read_bytes(), kind) for entry in _STATIC.iterdir() if (kind := _content_type(entry))}
    return own | {"card.css": (card_css().encode(), "text/css")}


def _content_type(entry: Traversable) -> str | None:
    return _CONTENT_TYPES.get(PurePath(entry.name).suffix)


def inbox_page(view: PersonView) -> str:
    return _fill(_INBOX, bot=view.bot_name, company=view.company, person=view.display_name, limit=TEXT_LIMIT)


def notice_page(title: str, sentence: str, link: str = "/", label: str = "Open the inbox") -> str:
    return _fill(_NOTICE, title=title, sentence=sentence, link=link, label=label)


def _fill(template: Template, **values: object) -> str:
    return template.substitute({key: escape(str(value)) for key, value in values.items()})
