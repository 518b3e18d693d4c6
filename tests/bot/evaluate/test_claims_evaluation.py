"""What the evaluation of the matcher counts, and what its settings are fitted to."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli.entry import run
from bot.evaluate.calibrate import calibrate, fit
from bot.evaluate.claims import claims
from bot.evaluate.pairs import FOLDS, Measured, Pair, folded, measure, rarity
from core.embed.files import pinned_files
from core.embed.hashing import HashingEmbedder
from core.embed.onnx import OnnxEmbedder
from core.errors import InvalidRequest
from core.model.verdicts import Gate, Signals
from core.verify.config import VerifyConfig

LEAVE = "Everybody has 28 days of leave."
PAIRS = [
    {"claim": LEAVE, "evidence": LEAVE, "label": "SUPPORTS"},
    {"claim": "Everybody has 30 days of leave.", "evidence": LEAVE, "label": "REFUTES"},
    {"claim": "The office is in Oslo.", "evidence": "The office is in Oslo.", "label": "SUPPORTS", "source": "s"},
    {"claim": "The office is in Oslo.", "evidence": "We like tea.", "label": "NOT ENOUGH INFO", "source": "s"},
]
CONFIG = VerifyConfig()


def ignore(_done, _total):
    pass


def write(folder, items):
    (folder / "pairs.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))


def evaluated(folder, items, config=CONFIG):
    write(folder, items)
    return claims(folder, HashingEmbedder(), config, ignore)


def test_claims_are_judged_in_all_by_source_and_by_digits(tmp_path):
    found = evaluated(tmp_path, PAIRS).results
    assert {name: one.pairs for name, one in found.items()} == {"all": 4, "source s": 2, "all, with digits": 2}
    assert all((one.auc, one.balanced_accuracy) == (1.0, 1.0) for one in found.values())


def test_verdicts_are_counted_by_label(tmp_path):
    assert evaluated(tmp_path, PAIRS).confusion == {
        "SUPPORTS": {"supported": 2, "partial": 0, "unsupported": 0},
        "REFUTES": {"supported": 0, "partial": 0, "unsupported": 1},
        "NOT ENOUGH INFO": {"supported": 0, "partial": 0, "unsupported": 1},
    }


def test_each_part_of_the_matcher_tells_what_it_was_made_to_tell(tmp_path):
    """More than 20 came: words and an equal number are refuted by the pair that comparatives tell apart."""
    pairs = [
        {
            "claim": "More than 20 people came.",
            "evidence": f"{count} people came.",
            "label": label,
            "group": f"g{place}",
        }
        for place, (count, label) in enumerate([(25, "SUPPORTS"), (20, "REFUTES")] * 10)
    ]
    steps = evaluated(tmp_path, pairs).ablation["all"]
    assert (steps["equal numbers"], steps["comparatives"]) == (0.0, 1.0)


def test_the_negation_guard_counts_only_where_it_is_on(tmp_path):
    pairs = [
        {"claim": "The office is open.", "evidence": "The office is open.", "label": "SUPPORTS"},
        {"claim": "The office is open.", "evidence": "The office is not open.", "label": "REFUTES"},
    ]
    off = VerifyConfig(negation_guard=False)
    assert evaluated(tmp_path, pairs).confusion["REFUTES"]["unsupported"] == 1
    assert evaluated(tmp_path, pairs, off).confusion["REFUTES"]["supported"] == 1


def test_a_group_of_one_label_has_no_accuracy_and_nothing_is_held_out(tmp_path):
    found = evaluated(tmp_path, PAIRS[:1]).results["all"]
    assert (found.auc, found.held_out_auc, found.balanced_accuracy) == (None, None, None)


def test_an_unknown_label_is_refused(tmp_path):
    with pytest.raises(InvalidRequest, match="label"):
        evaluated(tmp_path, [{**PAIRS[0], "label": "MAYBE"}])


def test_what_is_measured_of_a_pair(tmp_path):
    write(tmp_path, [{**PAIRS[0], "claim": "Everybody has more than 20 days of leave."}])
    (found,) = measure(tmp_path, HashingEmbedder(), ignore)
    assert (found.signals.numeric_gate, found.strict.numeric_gate) == (Gate.PASS, Gate.CAPPED)
    assert (found.signals.lexical, found.words) == (1.0, 0.75)
    assert found.rare.cosine == found.signals.cosine


@given(st.lists(st.sampled_from(["", "a", "b", "c", "d", "e", "f"]), max_size=30))
def test_rows_of_a_group_are_never_in_two_folds(groups):
    pairs = [Pair(claim="", evidence="", label="SUPPORTS", group=group) for group in groups]
    folds = folded(pairs)
    assert all(0 <= fold < FOLDS for fold in folds)
    assert len({*zip(groups, folds, strict=True)} - {("", fold) for fold in range(FOLDS)}) == len({*groups} - {""})


def test_a_word_in_fewer_texts_is_rarer():
    weight = rarity(["the cap", "a cap", "a hat"])
    assert weight("none") > weight("hat") > weight("cap") > 0


def pair(*, supports, lexical, cosine=0.8, numeric=Gate.PASS, place=0):
    label = "SUPPORTS" if supports else "REFUTES"
    signals = Signals(lexical, cosine, numeric, Gate.PASS)
    row = Pair(claim="", evidence="", label=label)
    return Measured(row, place % FOLDS, signals, lexical, signals, signals)


def many(**kinds):
    return [replace(one, fold=place % FOLDS) for one in kinds.values() for place in range(20)]


def test_settings_that_tell_the_labels_apart_are_found():
    """Only meaning tells these apart, so that words must weigh little."""
    pairs = many(yes=pair(supports=True, lexical=0.5, cosine=0.9), no=pair(supports=False, lexical=0.9, cosine=0.4))
    found = calibrate(pairs, VerifyConfig(beta=0.0))
    assert found.chosen.beta > 0.3
    assert found.betas[0.0] == 0.0
    assert (found.chosen.auc, found.held_out_auc) == (1.0, 1.0)


def test_the_supported_band_lies_between_what_is_supported_and_what_is_not():
    pairs = many(yes=pair(supports=True, lexical=0.9), no=pair(supports=False, lexical=0.5))
    chosen = calibrate(pairs, CONFIG).chosen
    scores = {supports: 0.8**chosen.beta * lexical ** (1 - chosen.beta) for supports, lexical in ((1, 0.9), (0, 0.5))}
    assert scores[0] < chosen.supported <= scores[1]
    assert chosen.numeric_cap < chosen.partial <= chosen.supported


def test_settings_that_chance_cannot_tell_from_the_best_stay_as_they_are():
    pairs = many(yes=pair(supports=True, lexical=0.9), no=pair(supports=False, lexical=0.5))
    config = VerifyConfig(beta=0.7, numeric_cap=0.3)
    found = fit(pairs, config)
    assert (found.beta, found.numeric_cap) == (0.7, 0.3)


def test_a_fit_makes_settings_that_hold_together():
    pairs = many(yes=pair(supports=True, lexical=0.1, numeric=Gate.CAPPED), no=pair(supports=False, lexical=0.9))
    found = fit(pairs, CONFIG)
    assert found.applied(CONFIG).numeric_cap < found.applied(CONFIG).partial


def test_pairs_of_one_kind_cannot_be_fitted_to():
    with pytest.raises(InvalidRequest, match="several groups"):
        calibrate(many(yes=pair(supports=True, lexical=0.9)), CONFIG)


def test_calibrating_twice_says_the_same(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    write(tmp_path, PAIRS * 3)
    outputs = []
    for flags in ([], [], ["--json"]):
        assert run(["eval", "calibrate", "--data", ".", *flags]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert "AUC held out" in outputs[0]
    assert set(json.loads(outputs[2])["chosen"]) == {"beta", "numeric_cap", "supported", "partial", "auc"}


@pytest.mark.data
def test_public_claims_are_told_apart_where_settings_were_not_fitted_to_them(data_dir):
    found = claims(data_dir / "claims", OnnxEmbedder(pinned_files()), CONFIG, ignore)
    held_out = {name: one.held_out_auc for name, one in found.results.items()}
    assert held_out["all"] >= 0.87
    assert held_out["source 18f-handbook"] >= 0.96
    assert held_out["source vitaminc, with digits"] >= 0.79
    assert found.results["all"].balanced_accuracy >= 0.78
    assert sum(found.confusion[label]["supported"] for label in ("REFUTES", "NOT ENOUGH INFO")) <= 292 / 6
    steps = found.ablation["source vitaminc, with digits"]
    assert steps["meaning"] < steps["equal numbers"] < steps["comparatives"]


def test_settings_are_fitted_to_the_matcher_that_runs_with_or_without_its_guard():
    """Without the guard, a pair that it would cap is like any other."""
    capped = [
        replace(one, signals=replace(one.signals, negation=Gate.CAPPED))
        for one in (pair(supports=place % 3 > 0, lexical=0.9 - place % 4 / 9, place=place) for place in range(60))
    ]
    off = VerifyConfig(negation_guard=False)
    free = [replace(one, signals=replace(one.signals, negation=Gate.PASS)) for one in capped]
    assert calibrate(capped, off) == calibrate(free, off) == calibrate(free, CONFIG)
    assert calibrate(capped, CONFIG) != calibrate(free, CONFIG)
