"""What votes come to: a quorum binds, what can reach none conflicts, and only members' votes count."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from core.clarifications.ballot import Verdict, counted, judged
from core.clarifications.lifecycle import Happening

PEOPLE = "abcde"
VOTES = st.dictionaries(st.sampled_from(PEOPLE), st.none() | st.integers(0, 3))
MEMBERS = st.sets(st.sampled_from(PEOPLE))
TWO = {0: 0, 1: 1}


@given(VOTES, MEMBERS, st.integers(1, 4))
def test_it_is_what_counting_by_hand_says(votes, members, quorum):
    chosen_of = {0: 0, 1: 1, 2: 0}  # 2 says the same as 0, and 3 is said no more
    mine = {who: vote for who, vote in votes.items() if who in members and vote != 3}
    tally = Counter(chosen_of[vote] for vote in mine.values() if vote is not None)
    enough = [option for option, number in tally.items() if number >= quorum]
    verdict = judged(votes, members, chosen_of, quorum)
    if not members:
        assert verdict is None
    elif len(enough) == 1:
        assert verdict == Verdict(Happening.BIND, enough[0])
    else:
        can_still = max(tally.values(), default=0) + len(members) - len(mine) >= quorum
        assert verdict == (None if can_still and not enough else Verdict(Happening.CONFLICT))


def test_whoever_does_not_know_leaves_it_to_the_others():
    assert judged({"a": None}, {"a", "b"}, TWO, 1) is None
    assert judged({"a": None, "b": 1}, {"a", "b"}, TWO, 1) == Verdict(Happening.BIND, 1)
    assert judged({"a": None, "b": None}, {"a", "b"}, TWO, 1) == Verdict(Happening.CONFLICT)


def test_two_and_two_of_four_can_bring_none_to_three():
    votes = {"a": 0, "b": 0, "c": 1}
    assert judged(votes, set("abcd"), TWO, 3) is None
    assert judged(votes | {"d": 1}, set("abcd"), TWO, 3) == Verdict(Happening.CONFLICT)


def test_nobody_to_ask_and_nothing_to_choose_is_no_conflict():
    assert judged({}, set(), TWO, 1) is None
    assert judged({"a": 0}, {"a"}, {}, 1) is None


def test_a_vote_for_what_is_said_no_more_is_as_if_not_cast():
    assert counted({"a": 3, "b": 2, "c": None, "d": 0}, {"a", "b", "c"}, {0: 0, 2: 0}) == {"b": 0, "c": None}
