"""Folders with an ONNX export as real ones are, and what is said of those that cannot be used."""

from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embed.files import folder_files
from core.embed.onnx import OnnxEmbedder
from core.embed.protocol import embed_question
from core.embed.recipe import MAX_TOKENS, MINILM, Pooling, recipe_of
from core.embed.signature import INPUTS, inputs_of, output_of
from core.errors import InvalidConfig, SemanticUnavailable
from core.planner.request import PlanRequest
from core.store.tables import RecallEntry
from tests.support.memories import add_person, page, put, rows
from tests.support.onnx_models import DIM, PLACES, TABLE, WORDS, export, model_folder, tokenizer, weights

TEXT = "the leave is paid"
PROMPTS = "config_sentence_transformers.json"


def states(text):
    return TABLE[[WORDS.index(word) if word in WORDS else 0 for word in text.split()]].astype(np.float64)


def unit(row):
    return row / np.linalg.norm(row)


def mean(text):
    return unit(states(text).mean(axis=0))


def embedder(folder, files):
    return OnnxEmbedder(folder_files(model_folder(folder, files)))


def same(row, expected):
    return row.dtype == np.float32 and np.allclose(row, expected, atol=1e-6)


# ── exports ──


INT64, INT32 = 7, 6


@pytest.mark.parametrize(
    "made",
    [
        export(),
        export({"input_ids": INT64}),
        export({"input_ids": INT32, "attention_mask": INT32, "token_type_ids": INT32}),
        export(outputs=("sentence_embedding",)),
        export(outputs=("token_embeddings", "sentence_embedding")),
        export(outputs=("pooler_output", "last_hidden_state")),
    ],
)
def test_an_export_of_any_real_shape_gives_the_mean_of_its_states(tmp_path, made):
    found = embedder(tmp_path, {"model.onnx": made})
    assert same(found.embed([TEXT, "office"])[0], mean(TEXT))
    assert found.dim == DIM


def test_positions_are_counted_from_nought_for_a_model_that_takes_them(tmp_path):
    found = embedder(tmp_path, {"model.onnx": export({"input_ids": INT64, "position_ids": INT32})})
    assert same(found.embed([TEXT])[0], unit((states(TEXT) + PLACES[:4]).mean(axis=0)))


@pytest.mark.parametrize("at", ["", "onnx/"])
@pytest.mark.parametrize("others", [[], ["model_quantized.onnx", "model_fp16.onnx", "model_O3.onnx"]])
def test_model_onnx_is_taken_whatever_lies_beside_it(tmp_path, at, others):
    files = {f"{at}{name}": b"of another precision" for name in others}
    assert same(embedder(tmp_path, files | {f"{at}model.onnx": export()}).embed([TEXT])[0], mean(TEXT))


def test_the_only_export_is_taken_by_any_name(tmp_path):
    assert same(embedder(tmp_path, {"onnx/model_quantized.onnx": export()}).embed([TEXT])[0], mean(TEXT))


def test_an_empty_text_of_a_tokenizer_without_marks_resembles_nothing(tmp_path):
    assert not embedder(tmp_path, {"model.onnx": export()}).embed([""]).any()


# ── weights in files of their own ──


@pytest.mark.parametrize("name", ["model.onnx_data", "model.onnx.data", "embeddings.weight"])
@pytest.mark.parametrize("at", ["", "onnx/"])
def test_weights_beside_the_export_are_read_and_decide_its_name(tmp_path, name, at, monkeypatch):
    files = {f"{at}model.onnx": export(kept_in=name), f"{at}{name}": weights()}
    found = embedder(tmp_path, files)
    monkeypatch.chdir("/")
    assert same(found.embed([TEXT])[0], mean(TEXT))
    assert embedder(tmp_path, files).model == found.model
    assert embedder(tmp_path, files | {f"{at}{name}": weights()[::-1]}).model != found.model


def test_weights_that_are_missing_or_changed_are_named(tmp_path):
    with pytest.raises(InvalidConfig, match=r"model\.onnx_data: cannot be read"):
        embedder(tmp_path, {"model.onnx": export(kept_in="model.onnx_data")})
    found = embedder(tmp_path, {"model.onnx": export(kept_in="model.onnx_data"), "model.onnx_data": weights()})
    (tmp_path / "model.onnx_data").write_bytes(weights()[::-1])
    with pytest.raises(SemanticUnavailable, match=r"model\.onnx_data: SHA-256 is .*it changed"):
        found.embed([TEXT])
    (tmp_path / "model.onnx_data").unlink()
    with pytest.raises(SemanticUnavailable, match=r"model\.onnx_data: cannot be read"):
        found.embed([TEXT])


@pytest.mark.parametrize("name", ["../weights", "/etc/hostname", "sub/weights"])
def test_weights_anywhere_else_are_refused(tmp_path, name):
    with pytest.raises(InvalidConfig, match="must lie in files beside it"):
        embedder(tmp_path, {"model.onnx": export(kept_in=name)})


# ── what its files say ──


@pytest.mark.parametrize("length", [16, 128])
def test_the_tokenizers_own_cutting_and_padding_count_for_nothing(tmp_path, length):
    long = "the " * 200 + "office"
    found = embedder(tmp_path, {"model.onnx": export(), "tokenizer.json": tokenizer(truncation=length, padding=length)})
    assert same(found.embed([long])[0], mean(long))
    assert same(found.embed([TEXT])[0], mean(TEXT))


@pytest.mark.parametrize(
    ("said", "expected"), [({"max_seq_length": 16}, 16), ({"max_seq_length": None}, 256), ({}, 256)]
)
def test_texts_are_cut_where_the_model_says(tmp_path, said, expected):
    found = embedder(tmp_path, {"model.onnx": export(), "sentence_bert_config.json": said})
    assert same(found.embed(["the " * (expected - 1) + "office opens"])[0], mean("the " * (expected - 1) + "office"))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False, "include_prompt": True}, lambda s: s[0]),
        ({"pooling_mode_cls_token": False, "pooling_mode_lasttoken": True}, lambda s: s[-1]),
        ({"pooling_mode_mean_tokens": True}, lambda s: s.mean(axis=0)),
        ({"pooling_mode": "cls", "embedding_dimension": DIM}, lambda s: s[0]),
        ({}, lambda s: s.mean(axis=0)),
    ],
)
def test_states_are_pooled_as_the_model_says(tmp_path, said, expected):
    found = embedder(tmp_path, {"model.onnx": export(), "1_Pooling/config.json": said})
    assert same(found.embed([TEXT])[0], unit(expected(states(TEXT))))


def test_a_sentence_embedding_is_pooled_already(tmp_path):
    files = {"model.onnx": export(outputs=("token_embeddings", "sentence_embedding"))}
    found = embedder(tmp_path, files | {"1_Pooling/config.json": {"pooling_mode_cls_token": True}})
    assert same(found.embed([TEXT])[0], mean(TEXT))


@pytest.mark.parametrize(
    ("prompts", "question", "text"),
    [
        ({"query": "query: ", "passage": "passage: "}, "query: ", "passage: "),
        ({"query": "query: ", "document": ""}, "query: ", ""),
        ({"query": "query: ", "text": "passage: "}, "query: ", ""),
        ({"retrieval": "query: "}, "", ""),
        ({"query": None}, "", ""),
        ({}, "", ""),
        (None, "", ""),
    ],
)
def test_only_what_the_model_says_is_put_before_a_question_and_a_text(tmp_path, prompts, question, text):
    found = embedder(tmp_path, {"model.onnx": export(), PROMPTS: {"prompts": prompts}})
    assert same(embed_question(found, TEXT), mean(question + TEXT))
    assert same(found.embed([TEXT])[0], mean(text + TEXT))


def test_a_memory_asks_as_the_model_wants_to_be_asked(tmp_path, reopen):
    asking = {"prompts": {"query": "query: query: query: "}}
    memory = reopen(embedder=embedder(tmp_path, {"model.onnx": export(), PROMPTS: asking}))
    put(memory, "a.md", page("the", {"leave": TEXT}))
    stored = [np.frombuffer(row.dense, np.float32) for row in rows(memory, RecallEntry)]
    best = memory.plan(PlanRequest(TEXT), add_person(memory, "Ada")).best_cosine
    assert best == pytest.approx(max(row @ mean("query: query: query: " + TEXT) for row in stored), abs=1e-5)


@pytest.mark.parametrize(
    "more",
    [
        {PROMPTS: {"prompts": {"query": "query: "}}},
        {"1_Pooling/config.json": {"pooling_mode_cls_token": True}},
        {"sentence_bert_config.json": {"max_seq_length": 64}},
        {"tokenizer.json": tokenizer(truncation=9)},
    ],
)
def test_whatever_decides_the_vectors_decides_the_name(tmp_path, more):
    files = {"model.onnx": export()}
    assert embedder(tmp_path, files).model != embedder(tmp_path, files | more).model


# ── what cannot be used ──


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"1_Pooling/config.json": {"pooling_mode_max_tokens": True}},
            r"config\.json: pooling by max; must be one of mean, cls",
        ),
        (
            {"1_Pooling/config.json": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}},
            "pooling by cls and mean",
        ),
        ({"1_Pooling/config.json": {"pooling_mode": ["cls"]}}, "must be one of"),
        ({"1_Pooling/config.json": []}, r"1_Pooling/config\.json: must hold a JSON object"),
        (
            {"sentence_bert_config.json": {"max_seq_length": "long"}},
            r"bert_config\.json: max_seq_length is 'long'; must",
        ),
        ({"sentence_bert_config.json": {"max_seq_length": 2}}, "max_seq_length is 2"),
        ({PROMPTS: b"{"}, rf"{PROMPTS}: cannot be read as JSON"),
        ({PROMPTS: {"prompts": ["query: "]}}, "prompts must be an object"),
        ({PROMPTS: {"prompts": {"query": 1}}}, "prompts must be an object of texts"),
        ({"modules.json": {}}, r"modules\.json: must hold a JSON list"),
    ],
)
def test_a_file_that_cannot_be_followed_is_named(tmp_path, files, words):
    with pytest.raises(InvalidConfig, match=words):
        embedder(tmp_path, {"model.onnx": export()} | files)


DENSE = [{"type": "sentence_transformers.models.Transformer"}, {"type": "sentence_transformers.models.Dense"}]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {"model.onnx": export({"input_ids": INT64, "task_id": INT64})},
            r"model\.onnx: must take input_ids and only .*task_id",
        ),
        (
            {"model.onnx": export({"input_ids": INT64, "token_type_ids": 1})},
            r"whole numbers; .*token_type_ids tensor\(fl",
        ),
        ({"model.onnx": export(tokens=128)}, r"dynamic axes; takes input_ids tensor\(int64\) \['texts', 128\]"),
        ({"model.onnx": export(outputs=("pooler_output",))}, r"must give sentence_embedding .*gives pooler_output"),
        ({"model.onnx": export(), "modules.json": DENSE}, r"modules\.json has sentence_transformers\.models\.Dense"),
        ({"model.onnx": export(table=TABLE[:3])}, r"cannot be run on \d+ tokens; .*tokenizer\.json must belong to it"),
        ({"model.onnx": export(table=TABLE * np.float32(np.nan))}, "gives NaN"),
        (
            {
                "model.onnx": export({"input_ids": INT64, "position_ids": INT64}),
                "sentence_bert_config.json": {"max_seq_length": len(PLACES) + 1},
            },
            "max_seq_length must not be over what it takes",
        ),
    ],
)
def test_an_export_that_cannot_be_used_is_named_with_what_would_be_right(tmp_path, files, words):
    found = embedder(tmp_path, files)
    with pytest.raises(InvalidConfig, match=words):
        found.embed([TEXT, "opens office passage:"])


def test_a_dense_layer_within_the_export_is_as_it_should_be(tmp_path):
    files = {"model.onnx": export(outputs=("sentence_embedding",)), "modules.json": DENSE}
    assert same(embedder(tmp_path, files).embed([TEXT])[0], mean(TEXT))


# ── the pure parts ──


PORTS = st.builds(
    SimpleNamespace,
    name=st.sampled_from([*INPUTS, "task_id", "sentence_embedding", "last_hidden_state"]),
    type=st.sampled_from(["tensor(int64)", "tensor(int32)", "tensor(float)"]),
    shape=st.lists(st.sampled_from([1, 128, "texts", "tokens", None]), max_size=4),
)


@given(st.lists(PORTS, max_size=5))
def test_whatever_an_export_takes_and_gives_it_can_be_used_or_is_told_why_not(ports):
    with suppress(ValueError):
        assert "input_ids" in inputs_of(ports)
        assert all(len(port.shape) == 2 and not isinstance(port.shape[1], int) for port in ports)
    with suppress(ValueError):
        name = output_of(ports, "")
        assert {len(port.shape) for port in ports if port.name == name} & {2, 3}


def test_a_folder_that_says_nothing_is_used_as_minilm_is(tmp_path):
    assert recipe_of(tmp_path) == MINILM
    assert (MINILM.pooling, MINILM.words) == (Pooling.MEAN, str(MAX_TOKENS))
