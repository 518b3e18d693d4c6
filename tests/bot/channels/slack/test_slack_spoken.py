"""What people typed arrives as they typed it, whatever Slack made of it on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.slack.spoken import spoken
from cards.slack_text import escape
from cards.text import clean


@given(st.text())
def test_what_is_typed_comes_back(typed):
    """Slack escapes what is typed just as cards do."""
    assert spoken(escape(typed)) == clean(typed).strip()


@given(st.text(st.sampled_from("<>|&@#!^;:ampltg a\x00\ud800é\n")))
def test_whatever_comes_is_read_and_can_be_stored(text):
    read = spoken(text)
    read.encode()
    assert "\x00" not in read
    assert read == read.strip()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt;", "&lt;"),
        ("see <https://x.example/a?b=1&amp;c=2|the page> now", "see the page now"),
        ("see <https://x.example/a?b=1&amp;c=2>", "see https://x.example/a?b=1&c=2"),
        ("<https://x.example|a &lt; b>", "a < b"),
        ("<mailto:ada@acme.example|ada@acme.example>", "ada@acme.example"),
        ("<mailto:ada@acme.example>", "ada@acme.example"),
        ("<tel:+4930123|030 123>", "030 123"),
        ("ask <@U123>", "ask @U123"),
        ("ask <@U123|ada>", "ask @ada"),
        ("in <#C1|general>", "in #general"),
        ("in <#C1|>", "in #C1"),
        ("in <#C1>", "in #C1"),
        ("<!here> and <!channel|channel>", "@here and @channel"),
        ("<!subteam^S1|@support>", "@support"),
        ("<!subteam^S1>", "@S1"),
        ("<!date^1392734382^{date}|18 February>", "18 February"),
        ("  watching \n", "watching"),
        ("two\nlines", "two\nlines"),
        ("a < b", "a < b"),
        ("<>", ""),
        ("\u202ehelp\u200b\x00", "help"),
    ],
)
def test_what_slack_makes_of_it_is_undone(text, words):
    assert spoken(text) == words
