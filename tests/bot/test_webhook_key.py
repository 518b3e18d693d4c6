"""The key of webhooks: made once, readable by its owner alone, and never a guess."""

import stat

import pytest

from bot import webhook_key
from core.errors import InvalidConfig
from tests.support.threads import at_once


def test_it_is_made_once_and_stays(tmp_path):
    folder = tmp_path / "keys"
    key = webhook_key.ensure(folder)
    assert (len(key), webhook_key.ensure(folder), webhook_key.load(folder)) == (32, key, key)
    assert stat.S_IMODE((folder / webhook_key.NAME).stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == [webhook_key.NAME]
    assert webhook_key.ensure(tmp_path / "other") != key


def test_of_several_that_make_it_at_once_all_have_the_same(tmp_path):
    assert len(set(at_once(*(lambda: webhook_key.ensure(tmp_path) for _ in range(6))))) == 1


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.unlink(), "copy it here"),
        (lambda path: path.chmod(0o640), "chmod 600"),
        (lambda path: path.write_bytes(b"short"), "5 bytes"),
        (lambda path: path.write_bytes(b""), "0 bytes"),
    ],
)
def test_what_is_no_key_says_what_would_be_right(tmp_path, spoil, words):
    webhook_key.ensure(tmp_path)
    spoil(tmp_path / webhook_key.NAME)
    with pytest.raises(InvalidConfig, match=words):
        webhook_key.load(tmp_path)
