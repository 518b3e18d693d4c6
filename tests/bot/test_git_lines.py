"""Which document a path stands for, and in which order known ones take their last names."""

from hypothesis import given
from hypothesis import strategies as st

from bot.git_history import Added, Deleted, Modified, Renamed, Revision
from bot.git_lines import Line, claimants, moves, steps

NAMES = st.sampled_from("abcdef")


def lines(*changes):
    return [step.line for step in steps([Revision("0", at, (change,)) for at, change in enumerate(changes)])]


def test_a_document_keeps_its_line_through_renames_and_a_second_life():
    found = lines(
        Added("a", b""), Renamed("a", "b", b""), Modified("b", b""), Deleted("b"), Added("b", b""), Added("a", b"")
    )
    assert [line.paths for line in found] == [["a", "b"]] * 5 + [["a"]]
    assert len(set(found)) == 2


def test_a_rename_onto_a_name_that_was_anothers_ends_the_one_and_revives_the_other():
    revisions = [Revision("0", 1, (Added("a", b"1"), Added("b", b"2"), Deleted("a"), Renamed("b", "a", b"3")))]
    assert [(step.line.last, step.data) for step in steps(revisions)][-2:] == [("b", None), ("a", b"3")]


def test_a_path_is_claimed_by_every_document_that_had_it():
    found = lines(Added("a", b""), Renamed("a", "b", b""), Added("a", b""))
    assert claimants(found) == {"a": [found[0], found[2]], "b": [found[0]]}


@given(st.permutations("abcdef"), st.sets(NAMES))
def test_known_documents_take_their_last_names_without_meeting(new, known):
    names = {path: Line([path, last]) for path, last in zip("abcdef", new, strict=True) if path in known}
    held = dict(names)
    for old, name in moves(names, spare="spare"):
        assert name not in held
        held[name] = held.pop(old)
    assert held == {line.last: line for line in names.values()}
