"""What a credential of Slack's looks like, and what is said of one that is another thing."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.channels.credentials import discreet, problem
from bot.channels.slack.address import EVENTS_PATH, USER_ID, events_url, public_address
from bot.channels.slack.credentials import APP_TOKEN, BOT_TOKEN, CREDENTIALS, SIGNING_SECRET

SECRET = "0123456789abcdef0123456789abcdef"
RIGHT = {BOT_TOKEN: "xoxb-1-2-Ab", SIGNING_SECRET: SECRET, APP_TOKEN: "xapp-1-A1-2-Ab"}
WRONG = [
    "xoxp-1-2",
    "xoxe.xoxb-1-2",
    "xoxe-1",
    "xoxa-2-1",
    "xoxs-1",
    "xoxr-1",
    "xoxc-1",
    "xoxd-1",
    "xwfp-1",
    "https://x",
]

tails = st.text("abcXYZ0189-", min_size=6).map(lambda text: f"q{text}q")


@pytest.mark.parametrize("credential", CREDENTIALS, ids=lambda credential: credential.name)
def test_the_right_one_is_right_and_every_other_is_named_for_what_it_is(credential):
    assert problem(credential, RIGHT[credential]) == ""
    for value in [other for kind, other in RIGHT.items() if kind != credential] + WRONG:
        assert problem(credential, value).startswith("is a")
        assert credential.where in problem(credential, value)


@pytest.mark.parametrize("credential", CREDENTIALS, ids=lambda credential: credential.name)
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda value: f" {value}", "white space"),
        (lambda value: f"{value}\n", "white space"),
        (lambda value: f"Bearer {value}", "white space"),
        (lambda value: f'"{value}"', "quotes"),
        (lambda value: f"“{value}”", "quotes"),
        (lambda value: f"{value};", "a character that none has"),
        (lambda value: f"{value}…", "a character that none has"),
    ],
)
def test_what_was_copied_along_is_named(credential, spoil, words):
    assert words in problem(credential, spoil(RIGHT[credential]))


def test_what_begins_with_nothing_known_is_something_else():
    assert problem(BOT_TOKEN, "hello").startswith("is something else; the bot token stands at api.slack.com/apps")
    assert "it begins with xoxe" in problem(BOT_TOKEN, "xoxe.xoxb-1")


@given(st.sampled_from(CREDENTIALS), st.sampled_from(["", *WRONG, "xoxb-", "xapp-", "'xoxb-", " "]), tails)
def test_no_sentence_shows_what_follows_the_kind(credential, start, tail):
    assume(not start or start[-1] != tail[0])
    assert tail not in problem(credential, start + tail)


@given(st.sampled_from(["xoxb-", "xoxp-1-", "xapp-1-", "xoxe.xoxp-1-", "xwfp-"]), tails, st.text(), st.text(" '\"/=("))
def test_a_token_is_hidden_in_any_text(start, tail, before, edge):
    assume(tail not in before)
    assert tail not in discreet(f"{before} {edge}{start}{tail}")


@given(st.text("0123456789abcdef", min_size=32, max_size=32))
def test_a_secret_is_hidden_in_any_text(secret):
    assert secret not in discreet(f"/run/{secret}: is '{secret}'")


def test_our_own_words_are_not_hidden():
    for credential in CREDENTIALS:
        assert discreet(problem(credential, "xoxp-1")) == problem(credential, "xoxp-1")
        assert discreet(credential.where) == credential.where


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://bot.example.com", "https://bot.example.com"),
        ("https://bot.example.com/", "https://bot.example.com"),
        ("https://Bot.Example.com:8443/a/b//", "https://Bot.Example.com:8443/a/b"),
        ("HTTPS://x", "HTTPS://x"),
        ("https://[::1]:8443", "https://[::1]:8443"),
    ],
)
def test_an_address_is_a_host_or_has_a_path(text, address):
    assert public_address(text) == address
    assert events_url(address) == f"{address}{EVENTS_PATH}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("http://bot.example.com", "must begin with https://"),
        ("bot.example.com", "must begin with https://"),
        ("wss://bot.example.com", "must begin with https://"),
        ("", "without white space"),
        ("https://bot.example.com ", "without white space"),
        ("https://bücher.example", "in ASCII"),
        ("https://", "must name a host"),
        ("https:///path", "must name a host"),
        ("https://:443", "must name a host"),
        ("https://a..b", "must name a host"),
        ("https://<your host>", "without white space"),
        ("https://<host>", "must name a host"),
        ("https://bot:99999", "no address that can be read"),
        ("https://bot:port", "no address that can be read"),
        ("https://[::1", "no address that can be read"),
        ("https://me@bot.example.com", "user name"),
        ("https://bot.example.com/?a=b", "without ? and #"),
        ("https://bot.example.com/#a", "without ? and #"),
        ("https://bot.example.com/slack/events", "without /slack/events"),
        ("https://bot.example.com/slack/events/", "without /slack/events"),
    ],
)
def test_what_is_no_address_for_slack_is_refused_and_not_shown(text, words):
    with pytest.raises(ValueError, match=r"such as https://bot\.example\.com$") as refused:
        public_address(text)
    assert words in str(refused.value)
    assert "//" not in text[:-2] or text not in str(refused.value)


@given(st.text())
def test_any_text_is_an_address_or_refused_in_words(text):
    """Nothing but a ValueError with words, and what is accepted once is accepted as it was made."""
    try:
        address = public_address(f"https://{text}")
    except ValueError as error:
        address = str(error).partition("write one such as ")[2]
    assert public_address(address) == address


@pytest.mark.parametrize("text", ["C012ABCDEF", "u012abc", "U1,U2", "ada@example.com", "U", ""])
def test_only_a_users_id_is_a_users_id(text):
    assert not USER_ID.fullmatch(text)
    assert USER_ID.fullmatch("U012ABCDEF")
    assert USER_ID.fullmatch("W012ABCDEF")
