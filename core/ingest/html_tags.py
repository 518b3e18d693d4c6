"""What an element of a page is by its name and attributes: a block of its own, or nothing that a browser shows."""

from collections.abc import Mapping

Attributes = Mapping[str, str]


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


BLOCKS = _set("""
    address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext
    pre search section summary table tbody td tfoot th thead tr ul xmp
""")
_UNSEEN = _set("""
    script style template noscript iframe noembed noframes audio video canvas datalist desc metadata annotation
    annotation-xml
""")


def styles(attributes: Attributes) -> dict[str, str]:
    """The declarations of a `style` attribute."""
    declared = (each.partition(":") for each in attributes.get("style", "").lower().split(";"))
    return {name.strip(): value.strip() for name, _, value in declared}


def is_unseen(tag: str, attributes: Attributes, styles: Mapping[str, str]) -> bool:
    return (
        tag in _UNSEEN
        or "hidden" in attributes
        or (tag == "dialog" and "open" not in attributes)
        or styles.get("display", "").startswith("none")
        or styles.get("visibility", "").startswith(("hidden", "collapse"))
    )


def is_bold(styles: Mapping[str, str]) -> bool | None:
    """None where nothing is said of it."""
    weight = styles.get("font-weight", "")
    return weight.startswith(("bold", "6", "7", "8", "9")) if weight else None


def is_struck(styles: Mapping[str, str]) -> bool:
    return "line-through" in styles.get("text-decoration", "") + styles.get("text-decoration-line", "")
