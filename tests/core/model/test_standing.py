"""What was taken away between two moments is taken away again, and nothing else is."""

from hypothesis import given
from hypothesis import strategies as st

from core.model.standing import Right, Taken, taken_away

NAMES = st.frozensets(st.sampled_from(["everyone", "member", "steward", "person:1"]))
RIGHTS = st.dictionaries(
    st.builds(Right, st.sampled_from(["default", "acme"]), st.sampled_from(Taken), st.just(("person", "1"))), NAMES
)
READERS = Right("default", Taken.READERS, ("source", "1"))


def admits(left, name):
    return name in left or "everyone" in left


@given(RIGHTS, RIGHTS)
def test_what_is_left_is_what_both_moments_admit(then, since):
    for one in taken_away(then, since):
        for name in ("member", "steward", "person:1", "somebody else"):
            both = admits(then[one.right], name) and admits(since[one.right], name)
            assert admits(one.left, name) == both


@given(RIGHTS, RIGHTS)
def test_what_is_not_named_admits_no_more_than_it_did_since(then, since):
    named = {one.right for one in taken_away(then, since)}
    for right in then.keys() & since.keys() - named:
        assert then[right] <= since[right] or "everyone" in since[right]


@given(RIGHTS, RIGHTS)
def test_of_what_only_one_of_them_knows_nothing_is_taken(then, since):
    assert {one.right for one in taken_away(then, since)} <= then.keys() & since.keys()


@given(RIGHTS)
def test_between_a_moment_and_itself_nothing_was_taken(then):
    assert taken_away(then, then) == ()


def test_what_was_for_everyone_is_for_those_who_may_read_it_since():
    everyone, some = frozenset({"everyone"}), frozenset({"hr"})
    assert [one.left for one in taken_away({READERS: everyone}, {READERS: some})] == [some]
    assert taken_away({READERS: some}, {READERS: everyone}) == ()
