"""The guided tour does what it says, word for word."""

import re
from pathlib import Path

import pytest

TOUR = Path(__file__).parents[2] / "docs" / "tour.md"


def test_the_tour_runs_as_it_is_printed(tmp_path, monkeypatch):
    [code] = re.findall(r"^```python\n(.*?)^```", TOUR.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(TOUR), "exec"), {})
    with pytest.raises(AssertionError):
        exec(compile(code.replace('b"A meal may cost 45', 'b"A meal may cost 46'), str(TOUR), "exec"), {})
