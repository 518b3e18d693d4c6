import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources import VersionRow, versions
from core.clock import SECOND, from_datetime
from core.errors import InvalidRequest


def line(path="a.md", text="x", committed_at="2020-01-01T00:00:00Z", **more):
    return json.dumps({"path": path, "text": text, "committed_at": committed_at} | more)


def read(tmp_path, *lines):
    file = tmp_path / "v.jsonl"
    file.write_text("\n".join(lines))
    return versions(file)


def test_rows_are_ordered_by_instant_and_not_by_the_clock_on_the_wall(tmp_path):
    rows = read(
        tmp_path,
        line("noon in Tokyo", committed_at="2020-01-01T12:00:00+09:00"),
        line("four in London", committed_at="2020-01-01T04:00:00+00:00"),
        line("midnight in New York", committed_at="2020-01-01T00:30:00-05:00"),
    )
    assert [row.path for row in rows] == ["noon in Tokyo", "four in London", "midnight in New York"]
    assert rows[1].committed_at - rows[0].committed_at == 3600 * SECOND


def test_rows_of_one_instant_keep_their_order(tmp_path):
    assert [row.text for row in read(tmp_path, line(text="1"), line(text="2"))] == ["1", "2"]


def test_a_row_is_taken_whole_and_other_fields_are_left_alone(tmp_path):
    text = "one\u2028still the same line\r\n"
    (row,) = read(tmp_path, "", line(text=text, version=3), "  ")
    assert row == VersionRow("a.md", text, from_datetime(datetime.fromisoformat("2020-01-01T00:00:00+00:00")))


def test_an_empty_document_is_a_document(tmp_path):
    assert read(tmp_path, line(text=""))[0].text == ""


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"path": "a", "text": "\\ud800", "committed_at": "2020-01-01T00:00:00Z"}', "UTF-8"),
        ("[]", "object"),
        ("3", "object"),
        ('"text"', "object"),
        ('{"path": "a", "text": "x"}', "object"),
        (line(text=3), "texts path, text and committed_at"),
        (line(path=None), "texts path"),
        (line(committed_at=1577836800), "texts path"),
        (line(path=""), "path is empty"),
        (line(committed_at="yesterday"), "time with its offset"),
        (line(committed_at=""), "time with its offset"),
        (line(committed_at="2020-01-01T00:00:00"), "time with its offset"),
    ],
)
def test_a_malformed_row_is_an_error_that_names_file_line_and_remedy(tmp_path, bad, message):
    with pytest.raises(InvalidRequest, match=rf"v\.jsonl, line 3: .*{message}"):
        read(tmp_path, line(), "", bad, line())


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidRequest, match=r"none\.jsonl cannot be read: No such file"):
        versions(tmp_path / "none.jsonl")


@given(rows=st.lists(st.tuples(st.text(min_size=1), st.text(), st.datetimes(timezones=st.timezones()))))
def test_what_was_written_is_read(tmp_path_factory, rows):
    written = [VersionRow(path, text, from_datetime(moment)) for path, text, moment in rows]
    found = read(tmp_path_factory.mktemp("v"), *(line(path, text, moment.isoformat()) for path, text, moment in rows))
    assert found == sorted(written, key=lambda row: row.committed_at)


@pytest.mark.data
@pytest.mark.parametrize(("folder", "count"), [("handbook", 226), ("handbook2", 360)])
def test_real_histories_are_read_in_true_time_order(data_dir, folder, count):
    rows = versions(data_dir / folder / "versions.jsonl")
    assert len(rows) == count
    assert rows == sorted(rows, key=lambda row: row.committed_at)
