"""What is known of a person, as an operator hands it out."""

import json

import pytest

from bot.cli.exporting import _write
from core.maintenance import new_file
from tests.support.room import room_for


def test_an_export_is_a_file_that_only_its_owner_may_read(set_up, tmp_path):
    set_up("person", "add", "Ada", "--email", "ada@example.com")
    set_up("person", "add", "Bob", "--email", "bob@example.com")
    told = set_up("export", "--person", "ada@example.com", "--out", "ada.json")
    assert "Written to ada.json" in told
    assert (tmp_path / "ada.json").stat().st_mode & 0o777 == 0o600
    written = (tmp_path / "ada.json").read_text()
    assert json.loads(written)["tables"]["person"][0]["email"] == "ada@example.com"
    assert "bob" not in written.lower()
    assert "is there already" in set_up("export", "--person", "Ada", "--out", "ada.json", code=2)


def test_it_may_be_piped_and_asked_for_by_id_also_after_an_erasure(set_up):
    person_id = json.loads(set_up("person", "add", "Ada", "--json"))["person_id"]
    set_up("erase", "person", "Ada", "--reason", "left")
    told = json.loads(set_up("export", "--person", person_id, "--json"))
    assert (told["person_id"], told["tables"]["person"][0]["email"]) == (person_id, None)
    assert told["tables"]["erasure"][0]["reason"] == "left"


def test_whom_or_where_to_is_said(set_up):
    set_up("person", "add", "Ada")
    assert "--out FILE" in set_up("export", "--person", "Ada", code=2)
    assert "Nobody" in set_up("export", "--person", "Nobody", "--json", code=1)


def test_where_no_file_can_be_made_nothing_is_read_and_the_audit_tells_of_no_export(set_up, tmp_path):
    set_up("person", "add", "Ada")
    (tmp_path / "there.json").write_text("kept")
    assert "is there already" in set_up("export", "--person", "Ada", "--out", "there.json", code=2)
    assert "no such file or folder" in set_up("export", "--person", "Ada", "--out", "none/ada.json", code=1)
    assert (tmp_path / "there.json").read_text() == "kept"
    assert "person_exported" not in set_up("audit")


def test_an_export_has_its_name_only_once_it_is_whole(tmp_path):
    """Half of it would pass for all of it, whatever ends the writing."""
    file = tmp_path / "ada.json"
    with new_file(file) as draft:
        _write(draft, {"said": "x"})
        assert not file.exists()
    assert json.loads(file.read_text()) == {"said": "x"}
    file.unlink()
    with room_for(4096), pytest.raises(OSError), new_file(file) as draft:
        _write(draft, {"said": "x" * 100_000})
    assert list(tmp_path.iterdir()) == []
