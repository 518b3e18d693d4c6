"""The brief that is asked for: the week so far, with what no card could carry, and answers to look at on top."""

import pytest

from bot.presenters import notice_card
from cards.plain import to_plain
from core.clock import DAY, HOUR, MINUTE
from core.jobs.kinds import Audience, JobKind
from core.model.watching import Cadence, ScopeType
from core.model.work import Extent
from core.store.tables import Watch
from tests.support.briefs import MONDAY, arrive, change, meals_line, revise, said, travel
from tests.support.memories import change_row, put, section, watch_request


def previewed(memory, principal):
    found = memory.briefs.preview(principal)
    return None if found is None else found.notice


def test_it_shows_what_every_pace_has_told_and_what_waits_for_a_brief(memory, worker, meals, ada):
    ref = section("travel.md", "Travel", "Hotels")
    for cadence in (Cadence.DAILY, Cadence.WEEKLY):
        memory.watch(watch_request(ada, ScopeType.ENTITY, ref, name=cadence.value, cadence=cadence), ada)
    revise(memory, worker, meals=45, hotels=160)
    assert len(previewed(memory, ada).lines) == 2


def test_it_shows_what_no_card_could_carry(memory, worker, meals, ada):
    change(memory, worker, meals=45)
    [card] = worker.take()
    memory.outcomes.not_sent(card, "invalid", lasting=Extent.CARD)
    assert said(previewed(memory, ada)) == [meals_line(40, 45)]


def test_it_shows_what_waited_out_a_mute_though_a_brief_has_gone_by_meanwhile(memory, worker, ada):
    ref = section("travel.md", "Travel", "Meals")
    watched = memory.watch(watch_request(ada, ScopeType.ENTITY, ref, cadence=Cadence.WEEKLY), ada)
    worker.brief()
    change(memory, worker, meals=45)
    worker.brief()
    change_row(memory, Watch, ("default", watched.watch_id), muted_until=MONDAY + DAY)
    assert arrive(memory, worker, MONDAY) == []
    assert previewed(memory, ada) is None
    memory.clock.ts = MONDAY + DAY
    assert said(previewed(memory, ada)) == [meals_line(40, 45)]


@pytest.mark.parametrize("asked", [True, False], ids=["asked for", "on Monday"])
def test_answers_to_look_at_stand_above_the_changes(memory, worker, meals, ada, asked):
    answer = memory.generate("What do meals cost at most?", ada)
    answer_id = memory.save_answer(answer.trace_id, ada)
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals=45), ["member"])
    memory.sweep()
    for job in memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 100):
        memory.check_answer(answer_id)
        memory.jobs.complete(job)
    memory.clock.advance(MINUTE)
    worker.send()
    brief = previewed(memory, ada) if asked else arrive(memory, worker, MONDAY)[0]
    text = to_plain(notice_card(brief, "n" * 22))
    assert text.index("What do meals cost at most?") < text.index("40 EUR → 45 EUR")
