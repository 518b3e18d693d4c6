"""What is left of words that there is no room for."""

STUB_BYTES = 256
_MARKER = b"...[elided]"


def stub_content(content: bytes) -> bytes:
    """At most 256 bytes: what fits is kept as it is; the rest loses its end, and then any byte that is not UTF-8."""
    if len(content) <= STUB_BYTES:
        return content
    return content[: STUB_BYTES - len(_MARKER)].decode("utf-8", "ignore").encode() + _MARKER
