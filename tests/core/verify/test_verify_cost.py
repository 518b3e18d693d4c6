"""What holding one text against another costs, and what is left of them afterwards."""

import inspect

import pytest

from core.model.verdicts import Candidate, Support
from core.text import numbers
from core.verify import addresses, gate, holding, judge, negation, quantities, strict, tokens, units, wording
from core.verify.config import VerifyConfig
from core.verify.strict import still_says
from core.verify.wording import Wording
from tests.support.calls import calls


def test_no_function_of_the_matcher_remembers_a_text():
    """Of an erased document nothing stays in the process."""
    modules = (addresses, gate, holding, judge, negation, numbers, quantities, strict, tokens, units, wording)
    remembering = {
        function.__wrapped__
        for module in modules
        for function in vars(module).values()
        if hasattr(function, "cache_info") and hasattr(function, "__wrapped__")
    }
    assert {inspect.getmodule(function) for function in remembering} & set(modules) == set()


def test_a_claim_is_read_once_however_many_passages_it_is_held_against():
    claim = "More than 5 people came on 3 May 2019, and not one of 7 left."

    def judged(count):
        judge.judge(claim, [Candidate("x", 0.5)] * count, VerifyConfig())

    judged(1)
    assert calls(judged, 50) < 25 * calls(judged, 1)


LISTS = {
    "numbers": (lambda n: str(1000 + n), lambda n: str(500_000 + n)),
    "days": (lambda n: f"{1000 + n} days", lambda n: f"{500_000 + n} days"),
    "one of many units": (lambda n: f"5 a{n} km", lambda n: f"5 b{n} miles"),
    "bounds": (lambda n: f"over {9000 + n} a{n},", lambda n: f"{100 + n} a{n},"),
    "ranges": (lambda n: f"{n}-{n + 2} a{n},", lambda n: f"{n}-{n + 3} a{n},"),
    "dates": (lambda n: f"on 3 May {1000 + n},", lambda n: f"on 4 May {1000 + n},"),
    "clauses": (lambda n: f"w{n} is not x{n},", lambda n: f"w{n} is x{n},"),
    "same clauses": (lambda n: f"cap fee is a{n},", lambda n: f"no cap fee is b{n},"),
    "addresses": (lambda n: f"a{n}@example.org", lambda n: f"b{n}@example.org"),
}


def held_against(one, other):
    claim, span = Wording(one), Wording(other)
    gate.numeric_gate(claim, span)
    negation.negation_differs(claim.clauses, span.clauses)


@pytest.mark.parametrize("kind", LISTS)
def test_a_list_is_not_held_against_each_of_another_list(kind):
    """Both twice as long: pair by pair that would be four times the work."""
    once, twice = (
        calls(held_against, *(" ".join(write(n) for n in range(length)) for write in LISTS[kind]))
        for length in (150, 300)
    )
    assert twice <= 2.3 * once


JOINED = "The fee is 5 EUR" + ", and cards are taken" * 3000 + "."


def test_a_sentence_of_three_thousand_clauses_is_read_once_and_not_from_each():
    """That would be nine million clauses: some hours."""
    claim = "The fee is 5 EUR, cards are not taken."
    assert still_says(claim, [Candidate(JOINED, 0.9)]).verdict is Support.UNSUPPORTED
    assert still_says("The fee is 5 EUR.", [Candidate(JOINED, 0.9)]).verdict is Support.SUPPORTED


@pytest.mark.parametrize("piece", [", and it is paid", "; ", "; x", ", then 5 days", " over 5"])
def test_twice_the_sentence_is_twice_the_work(piece):
    claim = "The fee is 5 EUR, it is paid by cash."
    once, twice = (
        calls(still_says, claim, [Candidate("The fee is 5 EUR" + piece * count, 0.9)]) for count in (150, 300)
    )
    assert twice <= 2.3 * once
