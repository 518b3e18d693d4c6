"""Tenants: made once, called something else, and what they may be called."""

import re
from string import ascii_letters, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidRequest, NotFound
from core.people.tenants import TenantView, checked_id, checked_name
from tests.support.memories import audited


def test_a_tenant_is_made_once_and_keeps_its_id(memory):
    assert memory.people.add_tenant("acme", " Acme Ltd. ") == TenantView("acme", "Acme Ltd.")
    with pytest.raises(InvalidRequest, match="already"):
        memory.people.add_tenant("acme", "Another")
    memory.people.ensure_tenant("acme", "Another")
    assert memory.people.rename_tenant("acme", "Acme") == TenantView("acme", "Acme")
    memory.people.rename_tenant("acme", "Acme")
    assert memory.people.tenant_views() == [TenantView("acme", "Acme"), TenantView("default", "Default")]
    assert sorted(row.action for row in audited(memory, "acme")) == ["tenant_added", "tenant_renamed"]
    assert audited(memory) == []


def test_one_that_there_is_not_is_not_renamed(memory):
    with pytest.raises(NotFound, match="acme"):
        memory.people.rename_tenant("acme", "Acme")


def test_one_that_cannot_be_called_so_is_not_made(memory):
    with pytest.raises(InvalidRequest):
        memory.people.ensure_tenant("a b", "A")
    with pytest.raises(InvalidRequest):
        memory.people.ensure_tenant("a", "\x00")
    assert memory.people.tenants() == ["default"]


@given(st.from_regex(re.compile(r"[a-z0-9][a-z0-9._-]{0,62}", re.ASCII), fullmatch=True))
def test_letters_digits_and_three_signs_make_an_id(text):
    assert checked_id(text) == text


@given(st.text(max_size=8), st.characters(exclude_characters=ascii_letters + digits + "._-"), st.text(max_size=8))
def test_no_other_character_does(before, other, after):
    with pytest.raises(InvalidRequest):
        checked_id(before + other + after)


@given(st.text(max_size=300))
def test_a_name_is_one_line_that_can_be_read(text):
    try:
        name = checked_name(text)
    except InvalidRequest:
        assert not text.strip() or len(text) > 200 or not text.strip().isprintable()
    else:
        assert name == text.strip()
        assert len(name.splitlines()) == 1
