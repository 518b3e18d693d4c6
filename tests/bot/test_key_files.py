import os

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.keys import PRIVATE_NAME, create, load_private, load_public, rotate
from core.errors import InvalidConfig


def test_a_new_pair_signs_and_checks(tmp_path):
    kid = create(tmp_path / "keys")
    loaded, private = load_private(tmp_path / "keys")
    assert loaded == kid
    load_public(tmp_path / "keys")[kid].verify(private.sign(b"x"), b"x")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_only_the_owner_can_read_the_private_key(tmp_path, umask):
    before = os.umask(umask)
    try:
        create(tmp_path)
        rotate(tmp_path)
    finally:
        os.umask(before)
    assert (tmp_path / PRIVATE_NAME).stat().st_mode & 0o777 == 0o600


def test_a_second_create_changes_nothing(tmp_path):
    kid = create(tmp_path)
    with pytest.raises(InvalidConfig, match="exists already"):
        create(tmp_path)
    assert load_private(tmp_path)[0] == kid


def test_after_rotation_new_tokens_use_the_new_key_and_old_ones_still_check(tmp_path):
    old = create(tmp_path)
    signature = load_private(tmp_path)[1].sign(b"x")
    new = rotate(tmp_path)
    keys = load_public(tmp_path)
    assert load_private(tmp_path)[0] == new != old
    assert set(keys) == {old, new}
    keys[old].verify(signature, b"x")


def test_a_rotation_cut_short_before_the_private_key_moved_leaves_the_old_one_in_use(tmp_path):
    old = create(tmp_path)
    (tmp_path / f".{PRIVATE_NAME}.new").write_bytes(b"half")
    assert load_private(tmp_path)[0] == old
    assert rotate(tmp_path) == load_private(tmp_path)[0]


def test_rotation_without_a_key_says_so(tmp_path):
    with pytest.raises(InvalidConfig, match=r"private\.pem cannot be read.*clarify-bot init"):
        rotate(tmp_path)


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
        load_public(tmp_path)


def test_a_public_key_under_another_name_is_refused(tmp_path):
    """A renamed file would answer for a key id that it does not hold."""
    kid = create(tmp_path)
    (tmp_path / f"{kid}.public.pem").rename(tmp_path / "abc.public.pem")
    with pytest.raises(InvalidConfig, match=f"holds the key {kid}"):
        load_public(tmp_path)


def test_an_empty_folder_has_no_keys_and_says_so(tmp_path):
    with pytest.raises(InvalidConfig, match=r"no public key.*clarify-bot init"):
        load_public(tmp_path)


def test_a_folder_that_cannot_be_listed_is_not_taken_for_an_empty_one(tmp_path):
    (tmp_path / "keys").write_bytes(b"no folder")
    with pytest.raises(InvalidConfig, match="keys cannot be read: Not a directory"):
        load_public(tmp_path / "keys")
