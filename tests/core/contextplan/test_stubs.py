"""What is left of long words: valid, short, and their beginning."""

from hypothesis import given
from hypothesis import strategies as st

from core.contextplan import stub_content

long_contents = st.one_of(
    st.binary(min_size=257, max_size=400),
    st.text(min_size=257, max_size=300).map(str.encode),
    st.tuples(st.integers(230, 250), st.text(min_size=20, max_size=40)).map(
        lambda two: b"a" * two[0] + two[1].encode() * 9
    ),
).filter(lambda content: len(content) > 256)


@given(st.binary(max_size=256))
def test_what_is_short_is_left_as_it_is_even_where_it_is_no_text(content):
    assert stub_content(content) is content


@given(long_contents)
def test_a_stub_is_short_valid_and_says_that_it_is_one(content):
    stub = stub_content(content)
    assert len(stub) <= 256
    assert stub.decode().endswith("...[elided]")


@given(st.text(min_size=260, max_size=300))
def test_a_stub_of_text_is_its_beginning_less_a_character_that_was_cut(text):
    content = text.encode()
    kept = stub_content(content).removesuffix(b"...[elided]")
    assert content.startswith(kept)
    assert 242 <= len(kept) <= 245


def test_each_byte_of_no_character_is_dropped_and_no_other():
    broken = b"a\xff\xe6\xbcb\xc3\xa9\xf0\x9f\x98" + b"c" * 300
    assert stub_content(broken) == "abé".encode() + b"c" * 235 + b"...[elided]"
