import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.keys import (
    PRIVATE_NAME,
    PUBLIC_SUFFIX,
    KeyRing,
    complete,
    create,
    load_private,
    load_public,
    public_keys,
    rotate,
)
from core.access.card_tokens import LEEWAY_SECS, LIFETIME_SECS
from core.clock import HOUR, SECOND, ManualClock
from core.errors import InvalidConfig
from tests.support.memories import NOW


def test_a_new_pair_signs_and_checks(tmp_path):
    kid = create(tmp_path / "keys")
    loaded, private = load_private(tmp_path / "keys")
    assert loaded == kid
    load_public(tmp_path / "keys", NOW)[kid].verify(private.sign(b"x"), b"x")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_can_read_the_private_key(tmp_path, umask):
    before = os.umask(umask)
    try:
        create(tmp_path)
        rotate(tmp_path, NOW)
    finally:
        os.umask(before)
    assert (tmp_path / PRIVATE_NAME).stat().st_mode & 0o777 == 0o600


def test_a_second_create_changes_nothing(tmp_path):
    kid = create(tmp_path)
    with pytest.raises(InvalidConfig, match="exists already"):
        create(tmp_path)
    assert load_private(tmp_path)[0] == kid


def test_after_rotation_the_old_key_checks_for_as_long_as_a_token_lives_and_no_longer(tmp_path):
    old = create(tmp_path)
    signature = load_private(tmp_path)[1].sign(b"x")
    new, until = rotate(tmp_path, NOW)
    assert load_private(tmp_path)[0] == new != old
    assert until == NOW + (LIFETIME_SECS + LEEWAY_SECS) * SECOND
    assert set(load_public(tmp_path, until - 1)) == {old, new}
    load_public(tmp_path, until - 1)[old].verify(signature, b"x")
    assert set(load_public(tmp_path, until)) == {new}


def test_a_second_rotation_lengthens_no_life_and_clears_away_what_is_over(tmp_path):
    first = create(tmp_path)
    second, until = rotate(tmp_path, NOW)
    third, _ = rotate(tmp_path, NOW + SECOND)
    assert set(load_public(tmp_path, NOW + SECOND)) == {first, second, third}
    assert first not in load_public(tmp_path, until)
    fourth, _ = rotate(tmp_path, NOW + HOUR)
    assert {key.kid for key in public_keys(tmp_path)} == {third, fourth}
    assert not list(tmp_path.glob(f"{first}*"))


def test_a_ring_of_keys_sees_a_rotation_and_its_end_without_being_opened_again(tmp_path):
    old, clock = create(tmp_path), ManualClock(NOW)
    ring = KeyRing(tmp_path, clock)
    assert (set(ring), len(ring), ring.get("unknown")) == ({old}, 1, None)
    new, until = rotate(tmp_path, NOW)
    assert set(ring) == {old, new}
    clock.ts = until
    assert set(ring) == {new}


def test_what_says_until_when_a_key_is_good_must_be_readable(tmp_path):
    """Taken for missing, it would make a key good that somebody may have stolen."""
    old = create(tmp_path)
    rotate(tmp_path, NOW)
    (tmp_path / f"{old}.until").write_text("soon")
    with pytest.raises(InvalidConfig, match=rf"{old}\.until .*seconds since 1970"):
        load_public(tmp_path, NOW)


def test_a_rotation_cut_short_before_the_private_key_moved_leaves_the_old_one_in_use(tmp_path):
    old = create(tmp_path)
    (tmp_path / f".{PRIVATE_NAME}.new").write_bytes(b"half")
    assert load_private(tmp_path)[0] == old
    assert rotate(tmp_path, NOW)[0] == load_private(tmp_path)[0]


def test_rotation_without_a_key_says_so(tmp_path):
    with pytest.raises(InvalidConfig, match=r"private\.pem cannot be read.*clarify-bot init"):
        rotate(tmp_path, NOW)


def test_a_private_key_that_others_can_read_is_refused_with_the_remedy(tmp_path):
    create(tmp_path)
    (tmp_path / PRIVATE_NAME).chmod(0o640)
    with pytest.raises(InvalidConfig, match=r"mode 0640.*chmod 600"):
        load_private(tmp_path)


def other_pem(private):
    key = generate_private_key(SECP256R1())
    if private:
        return key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    return key.public_key().public_bytes(
        serialization.Encoding.PEM,
        serialization.PublicFormat.SubjectPublicKeyInfo,
    )


def encrypted_pem():
    return Ed25519PrivateKey.generate().private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"garbage", "not a private key"), (encrypted_pem(), "unencrypted"), (other_pem(private=True), "Ed25519")],
)
def test_a_file_that_is_no_private_key_is_named(tmp_path, content, message):
    create(tmp_path)
    (tmp_path / PRIVATE_NAME).write_bytes(content)
    with pytest.raises(InvalidConfig, match=f"{PRIVATE_NAME}.*{message}"):
        load_private(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"), [(b"garbage", "not a public key"), (other_pem(private=False), "Ed25519")]
)
def test_a_file_that_is_no_public_key_is_named(tmp_path, content, message):
    (tmp_path / "abc.public.pem").write_bytes(content)
    with pytest.raises(InvalidConfig, match=f"abc.*{message}"):
        load_public(tmp_path, NOW)


def test_a_public_key_under_another_name_is_refused(tmp_path):
    """A renamed file would answer for a key id that it does not hold."""
    kid = create(tmp_path)
    (tmp_path / f"{kid}.public.pem").rename(tmp_path / "abc.public.pem")
    with pytest.raises(InvalidConfig, match=f"holds the key {kid}"):
        load_public(tmp_path, NOW)


def test_an_empty_folder_has_no_keys_and_says_so(tmp_path):
    with pytest.raises(InvalidConfig, match=r"no public key.*clarify-bot init"):
        load_public(tmp_path, NOW)


def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(tmp_path):
    (tmp_path / "keys").write_bytes(b"no folder")
    with pytest.raises(InvalidConfig, match="keys cannot be read: Not a directory"):
        load_public(tmp_path / "keys", NOW)


def test_the_public_key_that_is_missing_is_made_again_from_the_private_one(tmp_path):
    kid = create(tmp_path)
    before = load_public(tmp_path, NOW)
    (tmp_path / f"{kid}{PUBLIC_SUFFIX}").unlink()
    assert complete(tmp_path) == kid
    assert load_public(tmp_path, NOW)[kid].public_bytes_raw() == before[kid].public_bytes_raw()


def test_what_a_key_without_its_public_half_has_signed_is_good_after_a_rotation_too(tmp_path):
    kid = create(tmp_path)
    (tmp_path / f"{kid}{PUBLIC_SUFFIX}").unlink()
    new, _ = rotate(tmp_path, NOW)
    assert set(load_public(tmp_path, NOW)) == {kid, new}


def test_of_many_rotations_at_once_the_key_that_signs_is_never_retired(tmp_path):
    create(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        made = [kid for kid, _ in pool.map(lambda _: rotate(tmp_path, NOW), range(24))]
    signing, _ = load_private(tmp_path)
    assert [one.kid for one in public_keys(tmp_path) if one.until is None] == [signing]
    assert len(set(made)) == 24


@pytest.mark.parametrize("reads", range(8))
def test_who_reads_while_a_retired_key_is_cleared_away_passes_it_over(tmp_path, monkeypatch, reads):
    retired = create(tmp_path)
    rotate(tmp_path, NOW)
    count, read_bytes = itertools.count(), Path.read_bytes

    def cleared_away_meanwhile(path):
        if next(count) == reads:
            rotate(tmp_path, NOW + HOUR)
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", cleared_away_meanwhile)
    good = load_public(tmp_path, NOW + HOUR)
    assert good
    assert retired not in good


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702, 0o1777])
def test_a_folder_into_which_others_can_put_keys_is_not_trusted(tmp_path, mode):
    folder = tmp_path / "keys"
    create(folder)
    folder.chmod(mode)
    with pytest.raises(InvalidConfig, match=rf"mode {mode:04o}, .*chmod 700"):
        load_public(folder, NOW)
    folder.chmod(0o755)
    assert load_public(folder, NOW)
