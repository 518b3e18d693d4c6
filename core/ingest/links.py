"""Which document a link leads to."""

import posixpath
from urllib.parse import unquote, urlsplit


def resolve(uri: str, target: str) -> str | None:
    """The uri that `target`, written in the document at `uri`, names; None for an anchor in the same document.

    Relative targets are taken from the document's folder, `/…` from the root of its source set; query and fragment
    are dropped. An absolute URL is its own answer.
    """
    parts = urlsplit(target.strip())
    if parts.scheme or parts.netloc:
        return parts._replace(query="", fragment="").geturl()
    path = unquote(parts.path)
    if not path:
        return None
    base = urlsplit(uri)
    folder = posixpath.dirname(base.path)
    root = "" if base.scheme else base.path.split("/", 1)[0]
    joined = posixpath.join(root, path.lstrip("/")) if path.startswith("/") else posixpath.join(folder, path)
    resolved = posixpath.normpath(joined)
    return base._replace(path=resolved, query="", fragment="").geturl() if base.scheme else resolved
