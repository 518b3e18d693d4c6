"""Denial of service by words that a pattern looks at again from each of their letters.

Each is so long that twice as long would be four times the work: hours, where it should be moments.
"""

import pytest

from bot.channels.teams.activities import spoken
from core.generate.markers import without_markers

BOT = "Clarify"


@pytest.mark.parametrize("space", [" ", "\t", "\u3000", " \t"])
def test_a_models_answer_of_spaces_is_read_once(space):
    text = "x" + space * 1_000_000 + "y"
    assert without_markers(text, 9) == (text, [])


def test_spaces_before_a_marker_still_go_with_it():
    assert without_markers("Forty EUR  [1] [2].", 9)[0] == "Forty EUR."


@pytest.mark.parametrize("mark", ["<at>", "<at ", "<at", "<at></at", "<"])
def test_mentions_that_nobody_closes_are_read_once(mark):
    text = mark * 500_000
    assert spoken(text, BOT) == text.strip()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<at id="0">Ada</at> and <at>the bot</at>', "Ada and the bot"),
        ("<at>a < b</at>", "a < b"),
        ("<at>never closed <at>Ada</at>", "<at>never closed Ada"),
    ],
)
def test_people_are_still_called_by_their_names(text, words):
    assert spoken(text, BOT) == words
