"""Front matter is taken off only where it is front matter, and never costs the document."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.front_matter import FrontMatter, front_matter, json_safe

YAML = "---\ntitle: Leave\ndays: 25\ntags: [a, b]\nopen: true\nnotes: |\n  # no heading\n  ---\n---\n"
TOML = '+++\ntitle = "Security"\nlevel = 2\n[owner]\nname = "Ops"\n+++\n'


def test_yaml_is_read_up_to_the_first_fence_in_column_0() -> None:
    found = front_matter(YAML + "# Leave\n\n---\n")
    assert found.length == len(YAML)
    assert found.properties == {
        "title": "Leave",
        "days": 25,
        "tags": ["a", "b"],
        "open": True,
        "notes": "# no heading\n---\n",
    }


def test_toml_is_read_with_its_tables() -> None:
    found = front_matter(TOML + "text")
    assert found.length == len(TOML)
    assert found.properties == {"title": "Security", "level": 2, "owner": {"name": "Ops"}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\ntitle: never closed\n\n# Heading\n",
        "---\nThis document starts with a rule.\n\n---\n",
        "---\nA sentence, with a clause: and more.\n\n---\n",
        "\n---\ntitle: not at byte 0\n---\n",
        " ---\ntitle: indented\n---\n",
        "----\ntitle: four\n----\n",
        "---\ntitle: closed by the other fence\n+++\n",
        "---\ntitle: x\n ---\n",
        "+++\ntitle: yaml in toml\n+++\n",
        "text\n---\ntitle: later\n---\n",
    ],
)
def test_what_only_looks_like_front_matter_stays_text(text: str) -> None:
    assert front_matter(text).length == 0
    assert front_matter(text).properties == {}


@pytest.mark.parametrize("text", ["---\n---", "---\n\n---\n", "---\n# only a comment\n---\n", "+++\n+++\n"])
def test_empty_front_matter_is_taken_off(text: str) -> None:
    assert front_matter(text).length == len(text)
    assert front_matter(text).properties == {}


def test_dots_close_yaml() -> None:
    assert front_matter("---\ntitle: x\n...\ntext").properties == {"title": "x"}


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        ('+++\ntitle = "S"\ndate = 2024-02-30\n+++\n', {"title": "S", "date": "2024-02-30"}),
        ("---\ntitle: S\ndate: 2024-02-30\n---\n", {"title": "S", "date": "2024-02-30"}),
        ("---\ntitle: S\nat: 2024-02-03 25:61:00\n---\n", {"title": "S", "at": "2024-02-03 25:61:00"}),
        ("---\ntitle: a: b\nowner: ops\n---\n", {"title": "a: b", "owner": "ops"}),
        ("---\ntitle: S\nbad: [1, 2\n---\n", {"title": "S", "bad": "[1, 2"}),
        (
            "---\ntitle: S\nwho: !!python/object:os.system {}\n---\n",
            {"title": "S", "who": "!!python/object:os.system {}"},
        ),
    ],
)
def test_an_unreadable_value_costs_no_other(text: str, properties: dict[str, object]) -> None:
    assert front_matter(text).properties == properties


def test_aliases_are_not_followed() -> None:
    bomb = "---\na0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40)) + "---\n"
    assert front_matter(bomb).properties["a39"] == "&a39 [*a38, *a38]"


@pytest.mark.parametrize(("fence", "key"), [("---", "a: "), ("+++", "a = ")])
def test_nesting_without_end_does_not_crash(fence: str, key: str) -> None:
    assert front_matter(f"{fence}\n{key}{'[' * 20_000}\n{fence}\n").properties == {"a": "[" * 20_000}


def test_a_key_of_very_many_parts_is_not_taken_apart() -> None:
    """TOML's reader would take memory by the square of their number: eighty times as many end the process."""
    tracemalloc.start()
    text = f"+++\ntitle = 'T'\nx{'.a' * 2000} = 1\n+++\n"
    assert front_matter(text).properties["title"] == "T"
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000


@pytest.mark.parametrize(("fence", "is_to"), [("---", ":"), ("+++", "=")])
def test_of_very_long_front_matter_nothing_is_read(fence: str, is_to: str) -> None:
    """It is front matter all the same, and none of the text."""
    most = f"{fence}\na {is_to} 1\n" + "#" * 65_520 + f"\n{fence}\n"
    assert front_matter(most).properties == {"a": 1}
    longer = most.replace("##", "###" * 10)
    assert front_matter(longer) == FrontMatter(len(longer), {})


def test_nesting_over_many_lines_does_not_crash() -> None:
    assert front_matter("---\ntitle: T\na:\n" + " [\n" * 5000 + "---\n").properties == {"title": "T", "a": None}


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("2024-03-04", "2024-03-04"),
        ("2024-03-04T05:06:07Z", "2024-03-04T05:06:07+00:00"),
        (".nan", "nan"),
        ("-.inf", "-inf"),
        ('"a\\0b"', "a\ufffdb"),
        ('"\\uD800"', "\ufffd"),
        ("0x" + "f" * 40, "0x" + "f" * 40),
        ("{2024-03-04: {1: x, null: y}}", {"2024-03-04": {"1": "x", "None": "y"}}),
        ("!!set {b, a}", ["a", "b"]),
        ("~", None),
        ("1.5", 1.5),
    ],
)
def test_values_become_what_json_and_both_databases_hold(yaml: str, value: object) -> None:
    assert front_matter(f"---\nkey: {yaml}\n---\n").properties == {"key": value}


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.datetimes() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=10,
)


@given(_values)
def test_anything_is_made_safe_for_json(value: object) -> None:
    safe = json_safe(value)
    text = json.dumps(safe, allow_nan=False, ensure_ascii=False)
    assert json.loads(text) == safe
    assert "\\u0000" not in text
    text.encode()


@given(st.text("ab:=[]{}&*!|>'\"#-+ \n\t0123456789.", max_size=80), st.sampled_from(["---", "+++"]))
def test_any_content_is_taken_whole_or_not_at_all(content: str, fence: str) -> None:
    text = f"{fence}\n{content}\n{fence}\nrest"
    found = front_matter(text)
    assert text[: found.length] == "" or text[: found.length].rstrip().endswith((fence, "..."))
