"""When the words before a block lead it."""

import pytest

from core.ingest.leads import Frame, shown


def said(*words: str, item: bool = False, lead: tuple[str, ...] = ()) -> Frame:
    frame = Frame(lead, item)
    for each in words:
        frame.say(each)
    return frame


@pytest.mark.parametrize(
    ("frame", "plainly", "before_list"),
    [
        (said(), (), ()),
        (said("Bring *this*"), (), ("Bring this",)),
        (said("Bring this: "), ("Bring this:",), ("Bring this:",)),
        (said("持参："), ("持参：",), ("持参：",)),
        (said("One:", "Two"), (), ("Two",)),
        (said("Own", "words", item=True), ("Own words",), ("Own words",)),
        (said("Own", item=True, lead=("Before",)), ("Before", "Own"), ("Before", "Own")),
        (said("Two", lead=("Outer",)), ("Outer",), ("Outer", "Two")),
        (said("![](a.png)", item=True), (), ()),
    ],
)
def test_words_lead_after_a_colon_before_a_list_and_in_an_item(
    frame: Frame, plainly: tuple[str, ...], before_list: tuple[str, ...]
) -> None:
    assert frame.context() == plainly
    assert frame.context(before_list=True) == before_list


def test_an_interruption_ends_a_paragraphs_lead_and_never_an_items() -> None:
    paragraph, item = said("Before:"), said("Own", item=True)
    paragraph.interrupt()
    item.interrupt()
    assert (paragraph.context(before_list=True), item.context()) == ((), ("Own",))


def test_an_item_of_many_paragraphs_keeps_a_bounded_lead() -> None:
    frame = said(*["word " * 50] * 1000, item=True)
    assert len(frame.words) < 2000
    assert 900 < len(frame.context()[0]) <= 1000


def test_shown_words_are_plain_and_bounded() -> None:
    assert shown("[*a*](b) `c`") == "a c"
    assert len(shown("a" * 9999)) == 1000
