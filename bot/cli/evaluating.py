"""`eval`: how well the memory does on labelled data of one's own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.options import AsJson, Config, settings_of
from bot.cli.output import progress, say, say_json, say_table
from core.model.verdicts import Support

if TYPE_CHECKING:
    from bot.evaluate.calibrate import Fit
    from bot.evaluate.claims import ClaimsReport
    from bot.evaluate.ranking import Scores
    from bot.evaluate.refusals import RefusalReport
    from bot.evaluate.statistics import Estimate

Data = Annotated[Path, typer.Option("--data", metavar="DIR", help="The folder of the labelled data.")]


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Measure the memory on labelled data of your own.", no_args_is_help=True)
    for command in (staleness, retrieval, answers, claims, calibrate):
        group.command()(command)
    app.add_typer(group, name="eval")


def staleness(data: Data, as_json: AsJson = False, config: Config = None) -> None:
    """Does a saved answer turn stale when its fact changes, and only then?

    DIR holds versions.jsonl {path, text, committed_at}, questions.jsonl {id, question} and changes.jsonl
    {id, question_id, path, from_version, to_version, fact_changed, edit_kind, old, new}.
    """
    from bot.config import make_embedder, memory_config
    from bot.evaluate.staleness import staleness as measure

    settings = settings_of(config)
    with progress("Replaying") as on_progress:
        report = measure(data, make_embedder(settings), memory_config(settings), on_progress)
    found = report.to_json()
    if as_json:
        say_json(found)
        return
    say(f"missed {len(found['missed'])} of {found['changed']} changed facts: {_listed(found['missed'])}")
    alarms = found["false_alarms"]
    say(f"false alarms {len(alarms)} of {found['unchanged']} unchanged ones: {_listed(alarms)}")
    say(f"refreshed right {found['refreshed_right']} of {found['refreshed']} changed facts")
    say(f"  refreshed answers that show the new words: {found['replaced_shows_new']} of {found['replaced']}")
    say(f"  that no longer say what was removed: {found['removed_not_said']} of {found['removed']}")
    if found["unlocated"]:
        say(f"not judged, for no sentence holds the old words: {_listed(found['unlocated'])}")
    kinds = [(kind, n.get("stale", 0), n.get("current", 0)) for kind, n in found["by_edit_kind"].items()]
    say_table(("edit", "stale", "current"), kinds)


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"


def retrieval(data: Data, as_json: AsJson = False, config: Config = None) -> None:
    """Does the passage that answers come first, and does the bot know when nothing answers?

    DIR holds passages.jsonl {id, text, path, heading}, any number of queries*.jsonl {id, query, relevant: [passage
    ids]}, and unanswerable.jsonl {id, query}. Path and heading may be left out.
    """
    from bot.config import make_embedder, memory_config
    from bot.evaluate.retrieval import retrieval as measure

    settings = settings_of(config)
    with progress("Asking") as on_progress:
        report = measure(data, make_embedder(settings), memory_config(settings), on_progress)
    if as_json:
        say_json(report.to_json())
        return
    rows = [_scores("configured", name, one) for name, one in report.configured.items()]
    rows += [_scores("meaning only", name, one) for name, one in report.by_meaning.items()]
    rows += [_scores("held out", name, one) for name, one in report.held_out.items()]
    say_table(("weights", "questions", "n", "recall@5", "recall@10", "recall@40", "MRR@10"), rows)
    say(f"\nfitted to all questions: lexical_weight = {report.fitted[0]:g}, bm25_half = {report.fitted[1]:g}\n")
    _say_refusals(report.refusals)


def _say_refusals(found: "RefusalReport") -> None:
    rows = [
        (name, f"{one.threshold:.3f}", f"{one.unanswerable_refused} of {one.unanswerable}", _shown(one.share),
         f"{one.answerable_refused} of {one.answerable}")
        for name, one in (("configured", found.configured), ("keeping nine in ten", found.fitted))
    ]  # fmt: skip
    say_table(("threshold", "min_cosine", "unanswerable refused", "share", "answerable refused"), rows)
    say(f"AUC of the answerable: {_rate(found.auc)}")


def _scores(weights: str, name: str, one: "Scores") -> tuple[Any, ...]:
    deeper = (f"{share.value:.2f}" for share in (one.recall_at_10, one.recall_at_40))
    return weights, name, one.questions, _shown(one.recall_at_5), *deeper, _shown(one.mrr_at_10)


def _shown(estimate: "Estimate") -> str:
    return f"{estimate.value:.2f} ({estimate.low:.2f}–{estimate.high:.2f})"


def answers(data: Data, as_json: AsJson = False, config: Config = None) -> None:
    """Do the first sentences of an answer hold what was asked?

    DIR holds versions.jsonl {path, text, committed_at} and questions.jsonl {id, question, path, by_version: {number of
    a version: {quote, answer}}}.
    """
    from bot.config import make_embedder, memory_config
    from bot.evaluate.answers import answers as measure

    settings = settings_of(config)
    with progress("Asking") as on_progress:
        found = measure(data, make_embedder(settings), memory_config(settings), on_progress).to_json()
    if as_json:
        say_json(found)
        return
    for name, words in (("first", "first sentence"), ("first_two", "first two"), ("anywhere", "whole answer")):
        one = found[name]
        share = f"{one['share']:.2f} ({one['low']:.2f}–{one['high']:.2f})"
        say(f"in the {words}: {one['hits']} of {found['questions']}, {share}")
    say(f"refused: {_listed(found['refused'])}")
    say(f"not in the first two: {_listed(found['missed'])}")


def claims(data: Data, as_json: AsJson = False, config: Config = None) -> None:
    """Can the matcher tell what evidence supports from what it does not?

    DIR holds *.jsonl files of {claim, evidence, label: SUPPORTS, REFUTES or NOT ENOUGH INFO}, and if you like source,
    by which results are told apart, and group: pairs that speak of the same thing, never fitted to and judged at once.
    """
    from bot.config import make_embedder
    from bot.evaluate.claims import claims as measure

    settings = settings_of(config)
    with progress("Judging") as on_progress:
        report = measure(data, make_embedder(settings), settings.verify, on_progress)
    if as_json:
        say_json(report.to_json())
        return
    _say_claims(report)


def _say_claims(report: "ClaimsReport") -> None:
    rows = [
        (name, one.pairs, one.supports, _rate(one.auc), _rate(one.held_out_auc), _rate(one.balanced_accuracy))
        for name, one in report.results.items()
    ]
    say_table(("pairs", "n", "supports", "AUC", "AUC held out", "balanced accuracy"), rows)
    say("\nAUC held out, one thing more in each column:\n")
    steps = report.ablation["all"]
    say_table(("", *steps), [(name, *map(_rate, areas.values())) for name, areas in report.ablation.items()])
    say("\nverdicts by label:\n")
    labels = report.confusion.items()
    say_table(("", *(support.value for support in Support)), [(label, *counts.values()) for label, counts in labels])


def calibrate(data: Data, as_json: AsJson = False, config: Config = None) -> None:
    """Which settings of [verify] fit labelled pairs of your own? The same folder as for `claims`."""
    from bot.config import make_embedder
    from bot.evaluate.calibrate import calibrate as fit
    from bot.evaluate.pairs import measure

    settings = settings_of(config)
    with progress("Fitting") as on_progress:
        found = fit(measure(data, make_embedder(settings), on_progress), settings.verify)
    if as_json:
        say_json(found.to_json())
        return
    say_table(("beta", "AUC"), [(f"{beta:g}", _rate(value)) for beta, value in found.betas.items()])
    say_table(("numeric_cap", "AUC"), [(f"{cap:g}", _rate(value)) for cap, value in found.caps.items()])
    fits = [(f"without fold {place}", *_fitted(one)) for place, one in enumerate(found.folds, 1)]
    header = ("fitted to", "beta", "numeric_cap", "supported", "partial", "AUC")
    say_table(header, [*fits, ("chosen, for all", *_fitted(found.chosen))])
    say(f"\nAUC held out: {_rate(found.held_out_auc)}")


def _fitted(fit: "Fit") -> tuple[str, ...]:
    settings = (fit.beta, fit.numeric_cap, fit.supported, fit.partial)
    return *(f"{value:g}" for value in settings), _rate(fit.auc)


def _rate(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
