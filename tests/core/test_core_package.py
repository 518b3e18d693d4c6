"""What embedding the engine takes: one import, and nothing heavy for who wants a pure part."""

import subprocess
import sys

import core
from core.memory import Memory


def test_the_engine_is_one_import_away() -> None:
    assert core.Memory is Memory


def test_a_pure_part_loads_no_database_and_no_model() -> None:
    pure = "core.contextplan, core.planner, core.text.fold"
    script = f"import {pure}, sys; print({{'sqlalchemy', 'onnxruntime'}} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"
