"""What a text is found by."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text.terms import terms, words


@pytest.mark.parametrize("number", ["5000", "5,000", "５，０００", "٥٠٠٠", "٥٬٠٠٠"])
def test_a_number_is_one_term_in_every_notation(number: str) -> None:
    assert terms(f"costs {number} EUR") == ["cost", "5000", "eur"]


def test_numbers_keep_what_sets_them_apart() -> None:
    assert terms("1.5 15 v1.30 v1.3 1,2") == ["1.5", "15", "v1.30", "v1.3", "1,2"]
    assert words("1,234,567.89 12,34,567") == ["1234567.89", "1234567"]


def test_terms_are_stemmed_in_order_with_repeats_and_without_stop_words() -> None:
    assert terms("The refunds are refunded to the policies") == ["refund", "refund", "polici"]


def test_negations_count_as_content() -> None:
    assert terms("We do not pay") == ["not", "pay"]


def test_words_keep_everything_unstemmed() -> None:
    assert words("Don’t use the *C++* or C# max_size!") == ["don't", "use", "the", "c++", "or", "c#", "max", "size"]


def test_unspaced_scripts_are_pairs_of_characters() -> None:
    assert terms("東京都, は") == ["東京", "京都", "は"]
    assert terms("Room東京5") == ["room", "東京", "5"]


def test_markup_link_targets_and_strikes_leave_no_terms() -> None:
    assert terms("[guide](https://a.example/v2) ~~old~~ <!-- no --> **new**") == ["guid", "old", "new"]


def test_composed_and_decomposed_letters_are_one_term() -> None:
    assert terms("cafe\u0301 CAFÉ li\u00admit") == ["café", "café", "limit"]


@settings(deadline=None)
@given(st.text())
def test_no_word_is_empty_or_holds_white_space(text: str) -> None:
    assert all(word and word == "".join(word.split()) for word in (*words(text), *terms(text)))


@settings(deadline=None)
@given(st.lists(st.sampled_from(["refund", "travel", "5,000", "日本"]), max_size=5))
def test_terms_of_parts_are_the_terms_of_the_whole(parts: list[str]) -> None:
    assert terms(". ".join(parts)) == [term for part in parts for term in terms(part)]
