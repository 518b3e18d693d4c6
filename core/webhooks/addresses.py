"""Where a webhook may be sent. Pure.

A URL is looked at when it is registered; the address behind it when it is connected to, and that very one, since a name
may lead elsewhere a moment later. Allowed are the addresses that the whole internet routes: of IPv6 the global unicast
block alone, less what is set apart in it. An address that carries an IPv4 address (mapped, 6to4, NAT64) leads to that
one, and is as good as it.
"""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from unicodedata import normalize
from urllib.parse import SplitResult, urlsplit

from core.errors import InvalidRequest

_LONGEST_URL = 2000
_SET_APART_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "168.63.129.16/32",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",
        ),
    )
)
"""This network, private, of carriers, loopback, Azure's own (public, and answered by its hosts alone), link-local,
protocols, examples, relays, benchmarks, multicast."""
_GLOBAL_6 = IPv6Network("2000::/3")
_SET_APART_6 = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")))
"""Protocols (Teredo among them) and examples."""
_NAT64 = IPv6Network("64:ff9b::/96")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
"""What ends a host that is an address in one of its older spellings."""


def is_public(address: str) -> bool:
    """Whether an IP address, as a resolver or a socket says it, is one of the whole internet's."""
    found = ip_address(address.partition("%")[0])
    carried = found if isinstance(found, IPv4Address) else _carried(found)
    if carried is not None:
        return not any(carried in network for network in _SET_APART_4)
    return found in _GLOBAL_6 and not any(found in network for network in _SET_APART_6)


def _carried(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def checked_url(url: str, *, allow_plain: bool, allow_private: bool) -> str:
    """The URL, if a webhook may have it; what it resolves to is looked at when something is sent.

    Raises InvalidRequest, saying what would be right; it does not repeat the URL, which may hold a password.
    """
    parts = _parts(url)
    allowed = {"https", "http"} if allow_plain else {"https"}
    if parts.scheme not in allowed or not parts.hostname:
        hint = "" if allow_plain else "; http:// only where --allow-plain says so"
        raise InvalidRequest(f"a webhook's address begins with https:// and a host{hint}")
    if "@" in parts.netloc:
        raise InvalidRequest("a webhook's address holds no user and no password: what is sent is signed instead")
    if "#" in url:
        raise InvalidRequest("a webhook's address has no part behind a #: nothing sends it")
    if not allow_private and _is_refused(parts.hostname):
        raise InvalidRequest(f"{parts.hostname} is no address of the internet's; only --allow-private lets it be used")
    return url


def _parts(url: str) -> SplitResult:
    if not url.isprintable() or any(mark in url for mark in " \\") or len(url) > _LONGEST_URL:
        raise InvalidRequest(
            f"a webhook's address has at most {_LONGEST_URL} characters, none of them a space or a backslash"
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # not from it: it repeats what it could not read
        raise InvalidRequest("this is no address: write one such as https://example.com/hooks/clarify") from None
    if port == 0:
        raise InvalidRequest("a webhook's port is a number from 1 to 65535")
    return parts


def _is_refused(host: str) -> bool:
    """Whether a host is, in plain sight, no public address; nor may it be a number that only some read as one."""
    said = normalize("NFKC", host).replace("\u3002", ".").rstrip(".")
    try:
        return not is_public(said)
    except ValueError:
        last = said.rpartition(".")[2]
        return last == "localhost" or _NUMBER.fullmatch(last) is not None
