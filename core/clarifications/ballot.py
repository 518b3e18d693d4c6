"""What votes come to. Pure.

A vote counts while its voter is a member, and while somebody still says what it is for; of several options that say the
same it counts for the first. "Don't know" is a vote for none.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from core.clarifications.lifecycle import Happening


@dataclass(frozen=True, slots=True)
class Verdict:
    """What has happened, and the number of the option that it has happened to."""

    happening: Happening
    option: int | None = None


def counted(
    votes: Mapping[str, int | None], members: Collection[str], choices: Mapping[int, int]
) -> dict[str, int | None]:
    """The votes that count, by person. `choices`: for an option that may be chosen, the one it counts for."""
    theirs = {person: option for person, option in votes.items() if person in members}
    return {
        person: None if option is None else choices[option]
        for person, option in theirs.items()
        if option is None or option in choices
    }


def judged(
    votes: Mapping[str, int | None], members: Collection[str], choices: Mapping[int, int], quorum: int
) -> Verdict | None:
    """Bound where enough agree on one thing; conflicted where no option can be brought to the quorum any more.

    None while neither is so, and where nobody is there to be asked or there is nothing to choose.
    """
    if not members or not choices:
        return None
    cast = counted(votes, members, choices)
    tally = Counter(option for option in cast.values() if option is not None)
    reached = [option for option, number in tally.items() if number >= quorum]
    if len(reached) == 1:
        return Verdict(Happening.BIND, reached[0])
    left = len(members) - len(cast)
    if reached or max(tally.values(), default=0) + left < quorum:
        return Verdict(Happening.CONFLICT)
    return None
