"""Where a webhook may be sent: the whole internet's addresses, however they are written, and no other."""

from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.webhooks.addresses import checked_url, is_public

PRIVATE_4 = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
    "168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.7", "192.88.99.1",
    "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1",
    "255.255.255.255",
]  # fmt: skip
PUBLIC_4 = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "128.0.0.1", "169.253.1.1",
    "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.1.1", "198.20.0.0", "223.255.255.254",
]  # fmt: skip
PRIVATE_6 = [
    "::", "::1", "::2", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1",
    "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:20::1", "3fff::1", "100::1", "64:ff9b:1::a00:1", "5f00::1",
    "::127.0.0.1", "::8.8.8.8", "4000::1",
]  # fmt: skip
PUBLIC_6 = ["2606:4700:4700::1111", "2a00:1450:4001::1", "2400:cb00::1", "2001:4860:4860::8888", "2001:200::1"]
CARRIERS = {
    "mapped": lambda v4: f"::ffff:{v4}",
    "6to4": lambda v4: str(IPv6Address((0x2002 << 112) | (int(IPv4Address(v4)) << 80) | 1)),
    "nat64": lambda v4: f"64:ff9b::{v4}",
}


@pytest.mark.parametrize("address", PRIVATE_4 + PRIVATE_6)
def test_what_the_internet_does_not_route_is_refused(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC_4 + PUBLIC_6)
def test_what_it_routes_is_allowed(address):
    assert is_public(address)


@pytest.mark.parametrize("carry", CARRIERS.values(), ids=CARRIERS)
@given(st.ip_addresses(v=4).map(str) | st.sampled_from(PRIVATE_4 + PUBLIC_4))
def test_an_address_that_carries_another_is_as_good_as_that_one(carry, address):
    assert is_public(carry(address)) is is_public(address)


@given(st.ip_addresses(v=4) | st.ip_addresses(v=6))
def test_nothing_is_allowed_that_the_standard_library_calls_special(address):
    if is_public(str(address)) and not (address.version == 6 and address in ip_network("64:ff9b::/96")):
        mapped = getattr(address, "ipv4_mapped", None) or address
        special = ("private", "loopback", "link_local", "multicast", "unspecified", "reserved")
        assert not [name for name in special if getattr(mapped, f"is_{name}")]


# ── URLs ──

GOOD = [
    "https://example.com", "https://example.com/hooks?a=b&c=%20d", "https://example.com:8443/x", "HTTPS://EXAMPLE.COM/",
    "https://münchen.example/haken", "https://xn--mnchen-3ya.example/", "https://8.8.8.8/", "https://[2606:4700::1111]/x",
    "https://1password.example/", "https://example.com./", "https://example.com:65535/", "https://a.0xyz/",
]  # fmt: skip


@pytest.mark.parametrize("url", GOOD)
def test_an_address_on_the_internet_is_kept_as_it_is(url):
    assert checked_url(url, allow_plain=False, allow_private=False) == url


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://example.com/", "--allow-plain"),
        ("ftp://example.com/", "https://"),
        ("file:///etc/passwd", "https://"),
        ("gopher://example.com/", "https://"),
        ("//example.com/", "https://"),
        ("example.com", "https://"),
        ("https:///hooks", "https://"),
        ("https://", "https://"),
        ("", "https://"),
        ("https://somebody@example.com/", "no user"),
        ("https://somebody:hunter2@example.com/", "no user"),
        ("https://example.com@127.0.0.1/", "no user"),
        ("https://@example.com/", "no user"),
        ("https://example.com/#part", "behind a #"),
        ("https://example.com:0/", "1 to 65535"),
        ("https://example.com:65536/", "no address"),
        ("https://example.com:port/", "no address"),
        ("https://[::1/", "no address"),
        ("https://exa mple.com/", "a space"),
        ("https://example.com\\@127.0.0.1/", "backslash"),
        ("https://example.com/\r\nx: y", "a space"),
        ("https://example.com/\x00", "a space"),
        ("https://example.com/" + "x" * 2000, "2000 characters"),
    ],
)
def test_what_is_no_address_for_a_webhook_says_what_would_be_one(url, words):
    with pytest.raises(InvalidRequest) as caught:
        checked_url(url, allow_plain=False, allow_private=True)
    assert words in str(caught.value)
    assert "hunter2" not in str(caught.value)


HIDDEN = [
    "127.0.0.1", "10.1.2.3", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::10.0.0.1]", "[2002:7f00:1::]", "[fe80::1]",
    "0x7f.1", "0x7f000001", "2130706433", "017700000001", "127.1", "127.0.1", "0", "0177.0.0.1", "127.0.0.1.",
    "127.0.0.01", "localhost", "LOCALHOST", "a.localhost", "localhost.", "１２７.0.0.1", "①②⑦.⓪.⓪.①", "127。0。0。1",
]  # fmt: skip


@pytest.mark.parametrize("host", HIDDEN)
def test_a_host_that_is_plainly_not_public_is_refused_when_it_is_registered(host):
    with pytest.raises(InvalidRequest, match="--allow-private"):
        checked_url(f"https://{host}/hooks", allow_plain=False, allow_private=False)


def test_the_operator_may_allow_plain_http_and_private_addresses_each_for_itself():
    assert checked_url("http://example.com/", allow_plain=True, allow_private=False)
    assert checked_url("https://10.0.0.1/", allow_plain=False, allow_private=True)
    assert checked_url("http://localhost:9000/", allow_plain=True, allow_private=True)
    with pytest.raises(InvalidRequest):
        checked_url("http://10.0.0.1/", allow_plain=True, allow_private=False)


@given(st.text(max_size=40) | st.text(alphabet="htps:/[]@#.%0127xeal\\", max_size=30))
def test_no_text_does_more_than_be_refused(text):
    with suppress(InvalidRequest):
        assert checked_url(text, allow_plain=True, allow_private=False) == text
