"""What becomes of a card: the newest that it says is shown in the end, and what arrived is never sent again."""

import pytest

from core.clock import DAY, HOUR, MINUTE, SECOND
from core.jobs.backoff import BASE, CEILING
from core.model.card_states import CardState
from core.model.work import HOME, NOTHING_OFFERED, Extent, Place, Rewritten, stranger
from core.outcomes.engine import LOOK_AFTER, MOST_REFUSALS, REST
from core.store.tables import CardMessage, Person
from tests.support.memories import change_row, page, put, rows, source_id
from tests.support.posting import (
    PLATFORM,
    connect,
    ids,
    member,
    message,
    place,
    post,
    rewrite,
    saying,
    standing,
    state,
    take,
    updating,
)
from tests.support.threads import at_once

ADAS = place("Ada")


@pytest.fixture(autouse=True)
def ada(memory):
    connect(memory, "A")
    return member(memory, "Ada")


@pytest.fixture
def shown(memory):
    """A card that stands and says what it was made to say."""
    return standing(memory, ADAS)


def outdated(memory):
    return ids(memory.outcomes.outdated())


# ── cards that stand ──


def test_a_card_that_says_what_it_was_sent_with_is_not_updated(memory, shown):
    assert (outdated(memory), updating(memory, shown.message_id)) == ([], None)


def test_a_rewritten_card_is_handed_out_with_what_it_says_now_and_where_it_stands(memory, shown):
    rewrite(memory, shown.message_id, "second")
    assert outdated(memory) == [shown.message_id]
    card = updating(memory, shown.message_id)
    assert (card.card["words"], card.message_ref, card.place) == ("second", f"ref-{shown.message_id}", ADAS)
    memory.outcomes.updated(card)
    assert (outdated(memory), updating(memory, shown.message_id)) == ([], None)


def test_a_card_that_never_arrived_is_not_updated(memory):
    message_id = post(memory, ADAS)
    assert rewrite(memory, message_id, "second") is None
    assert (outdated(memory), updating(memory, message_id)) == ([], None)


def test_one_shows_a_card_at_a_time(memory, shown):
    rewrite(memory, shown.message_id, "second")
    taken = at_once(*[lambda: updating(memory, shown.message_id)] * 4)
    assert len([card for card in taken if card is not None]) == 1
    assert outdated(memory) == []


def test_what_is_rewritten_while_it_is_being_shown_is_due_again_with_the_newest(memory, shown):
    rewrite(memory, shown.message_id, "second")
    slow = updating(memory, shown.message_id)
    rewrite(memory, shown.message_id, "third")
    assert updating(memory, shown.message_id) is None, "of two on their way the older could come last"
    memory.outcomes.updated(slow)
    assert outdated(memory) == [shown.message_id]
    assert updating(memory, shown.message_id).card["words"] == "third"


def test_the_lease_of_an_updater_that_crashed_runs_out(memory, clock, shown):
    rewrite(memory, shown.message_id, "second")
    updating(memory, shown.message_id)
    clock.advance(memory.config.watch.lease_secs * SECOND - 1)
    assert (outdated(memory), updating(memory, shown.message_id)) == ([], None)
    clock.advance(1)
    assert outdated(memory) == [shown.message_id]
    assert updating(memory, shown.message_id).card["words"] == "second"


def test_after_an_updater_that_outlived_its_lease_the_newest_is_shown_once_more(memory, clock, shown):
    """Its words may have arrived after those of whoever took over."""
    rewrite(memory, shown.message_id, "second")
    late = updating(memory, shown.message_id)
    clock.advance(memory.config.watch.lease_secs * SECOND)
    rewrite(memory, shown.message_id, "third")
    memory.outcomes.updated(updating(memory, shown.message_id))
    memory.outcomes.updated(late)
    assert updating(memory, shown.message_id).card["words"] == "third"


@pytest.mark.parametrize("asked", [7 * SECOND, 2 * HOUR])
def test_a_refused_update_waits_as_long_as_the_platform_says(memory, clock, shown, asked):
    rewrite(memory, shown.message_id, "second")
    for _ in range(3):
        memory.outcomes.not_updated(updating(memory, shown.message_id), asked, for_good=False)
        clock.advance(asked - 1)
        assert (outdated(memory), updating(memory, shown.message_id)) == ([], None)
        clock.advance(1)
        assert outdated(memory) == [shown.message_id]


def waits(memory, clock, shown):
    """How long it is until an update that is refused now is tried again."""
    memory.outcomes.not_updated(updating(memory, shown.message_id), None, for_good=False)
    began = clock.now()
    clock.ts = message(memory, shown.message_id).update_at
    assert outdated(memory) == [shown.message_id]
    return clock.now() - began


def test_an_update_that_is_refused_again_and_again_is_tried_more_and_more_seldom_until_it_is_shown(
    memory, clock, shown
):
    rewrite(memory, shown.message_id, "second")
    first, second, *_, last = [waits(memory, clock, shown) for _ in range(12)]
    assert BASE / 2 <= first <= BASE < second < CEILING / 2 <= last <= CEILING
    memory.outcomes.updated(updating(memory, shown.message_id))
    rewrite(memory, shown.message_id, "third")
    assert waits(memory, clock, shown) <= BASE


def test_an_update_that_the_platform_refuses_for_a_day_after_looking_at_it_is_given_up(memory, clock, shown):
    rewrite(memory, shown.message_id, "second")
    for _ in range(MOST_REFUSALS):
        memory.outcomes.not_updated(updating(memory, shown.message_id), None, for_good=False, read=True)
        clock.advance(CEILING)
    assert (outdated(memory), state(memory, shown.message_id)) == ([], CardState.SENT)
    rewrite(memory, shown.message_id, "third")
    assert outdated(memory) == [shown.message_id]


def test_what_a_card_says_since_does_not_wait_for_what_was_refused_before(memory, shown):
    rewrite(memory, shown.message_id, "second")
    refused = updating(memory, shown.message_id)
    rewrite(memory, shown.message_id, "third")
    memory.outcomes.not_updated(refused, None, for_good=False)
    assert updating(memory, shown.message_id).card["words"] == "third"


def test_a_card_that_was_long_in_coming_is_updated_no_later_for_that(memory, clock):
    card = take(memory, post(memory, ADAS))
    for _ in range(5):
        memory.outcomes.not_sent(card, "refused")
        clock.advance(CEILING)
        card = take(memory, card.message_id)
    memory.outcomes.sent(card, "ref")
    rewrite(memory, card.message_id, "second")
    assert waits(memory, clock, card) <= BASE


def test_a_message_that_is_gone_at_the_platform_ends_the_updating_until_the_card_says_something_new(
    memory, clock, shown
):
    rewrite(memory, shown.message_id, "second")
    memory.outcomes.not_updated(updating(memory, shown.message_id), None, for_good=True)
    clock.advance(30 * DAY)
    assert (outdated(memory), updating(memory, shown.message_id)) == ([], None)
    assert state(memory, shown.message_id) == CardState.SENT
    rewrite(memory, shown.message_id, "third")
    assert outdated(memory) == [shown.message_id]


def test_an_update_never_goes_to_whom_the_place_belongs_to_by_now(memory, shown):
    """What the card says since is the first one's own."""
    bob = member(memory, "Bob")
    rewrite(memory, shown.message_id, "second")
    memory.people.bind("default", bob.person_id, ADAS)
    assert updating(memory, shown.message_id) is None
    assert outdated(memory) == []


def test_a_renewed_card_is_shown_with_its_new_nonce(memory, shown):
    renewed = rewrite(memory, shown.message_id, "second", renew=True)
    assert updating(memory, shown.message_id).card["nonce"] == renewed.nonce != shown.nonce


# ── whose rights ended after it was sent ──

QUOTED = "quoted.md"


def let(memory, *readers):
    put(memory, QUOTED, page("Page", {"Words": f"For {readers}."}), readers=readers)


@pytest.fixture
def quoting(memory):
    """A card that stands, quotes what everyone may read, and has been made to say something else."""
    let(memory, "everyone")
    card = standing(memory, ADAS, source_ids=[source_id(QUOTED)])
    rewrite(memory, card.message_id, "second")
    return card.message_id


def test_as_long_as_all_that_a_card_quotes_may_be_read_its_words_are_shown(memory, quoting):
    assert updating(memory, quoting).card["words"] == "second"


@pytest.mark.parametrize(
    "end",
    [
        lambda memory, ada: let(memory, "role:steward"),
        lambda memory, ada: change_row(memory, Person, ("default", ada.person_id), active=False),
        lambda memory, ada: (
            change_row(memory, Person, ("default", ada.person_id), roles=[]) or let(memory, "role:member")
        ),
    ],
    ids=["the source is for others", "the person left", "their role ended"],
)
def test_no_words_of_a_card_are_shown_to_whom_they_are_no_longer_for(memory, ada, quoting, end):
    end(memory, ada)
    assert outdated(memory) == [quoting]
    card = updating(memory, quoting)
    assert (card.card, card.message_ref) == ({"words": "withdrawn"}, f"ref-{quoting}")
    memory.outcomes.updated(card)
    assert outdated(memory) == []


def test_one_of_several_sources_is_enough_for_a_card_to_be_withdrawn(memory, shown):
    put(memory, "open.md", page("Page", {"Words": "For all."}))
    let(memory, "role:steward")
    sources = [source_id("open.md"), source_id(QUOTED)]
    memory.messages.rewrite("default", shown.message_id, lambda *_: Rewritten({"words": "new"}, source_ids=sources))
    assert updating(memory, shown.message_id).card == {"words": "withdrawn"}


def test_a_card_says_its_words_again_once_they_may_be_read_again(memory, quoting):
    let(memory, "role:steward")
    memory.outcomes.updated(updating(memory, quoting))
    let(memory, "everyone")
    rewrite(memory, quoting, "third")
    assert updating(memory, quoting).card["words"] == "third"


def test_what_is_shown_to_whom_nobody_knows_is_not_withdrawn(memory):
    eve = place("Eve")
    page_id = memory.messages.show("default", stranger(eve), eve, HOME, saying("who are you"), NOTHING_OFFERED)
    memory.outcomes.sent(take(memory, page_id), "page")
    memory.messages.show("default", stranger(eve), eve, HOME, saying("who are you, still"), NOTHING_OFFERED)
    assert updating(memory, page_id).card["words"] == "who are you, still"


# ── somebody tapped it ──


def in_flight(memory, clock, card):
    """Sending, and its lease holds."""


def interrupted(memory, clock, card):
    clock.advance(memory.config.watch.lease_secs * SECOND)


def in_doubt(memory, clock, card):
    memory.outcomes.lost(card, "time-out")


def looked_for_in_vain(memory, clock, card):
    memory.outcomes.lost(card, "time-out")
    clock.advance(LOOK_AFTER)
    memory.outcomes.look_later(memory.outcomes.doubt("default", card.message_id))


@pytest.fixture(params=[in_flight, interrupted, in_doubt, looked_for_in_vain])
def tapped(request, memory, clock):
    """A card of which nobody knew whether it arrived, until somebody tapped it."""
    card = take(memory, post(memory, ADAS))
    request.param(memory, clock, card)
    memory.outcomes.witnessed("default", card.message_id, "where it was tapped")
    return card


def test_a_tap_proves_that_a_card_is_there(memory, tapped):
    row = message(memory, tapped.message_id)
    assert (row.state, row.message_ref, row.reason) == (CardState.SENT, "where it was tapped", None)


def test_a_tapped_card_is_never_sent_or_looked_for_again(memory, clock, tapped):
    for wait in (0, LOOK_AFTER, CEILING, DAY):
        clock.advance(wait)
        assert (memory.delivery.due(), memory.outcomes.doubtful(), take(memory, tapped.message_id)) == ([], [], None)
        assert memory.outcomes.doubt("default", tapped.message_id) is None


@pytest.mark.parametrize(
    "late",
    [
        lambda outcomes, card: outcomes.sent(card, "another"),
        lambda outcomes, card: outcomes.not_sent(card, "late"),
        lambda outcomes, card: outcomes.not_sent(card, "late", lasting=Extent.PERSON),
        lambda outcomes, card: outcomes.lost(card, "late"),
        lambda outcomes, card: outcomes.found(card, None),
        lambda outcomes, card: outcomes.look_later(card),
    ],
)
def test_what_the_sender_says_later_changes_nothing_about_a_tapped_card(memory, tapped, late):
    before = message(memory, tapped.message_id)
    late(memory.outcomes, tapped)
    assert message(memory, tapped.message_id) == before


def test_a_card_that_was_seen_before_its_sender_said_so_was_in_nobody_elses_hands(memory, tapped):
    assert memory.outcomes.sent(tapped, "another")


@pytest.mark.parametrize("then", [lambda card, memory: None, lambda card, memory: take(memory, card.message_id)])
def test_a_card_that_arrives_after_it_was_said_not_to_be_there_may_be_out_twice(memory, clock, then):
    card = take(memory, post(memory, ADAS))
    in_doubt(memory, clock, card)
    clock.advance(LOOK_AFTER)
    memory.outcomes.found(memory.outcomes.doubt("default", card.message_id), None)
    then(card, memory)
    assert not memory.outcomes.sent(card, "late")


def test_a_tapped_card_can_be_rewritten_where_it_was_tapped(memory, tapped):
    assert rewrite(memory, tapped.message_id, "second").message_ref == "where it was tapped"


def test_a_tap_on_a_card_that_is_known_to_stand_changes_nothing(memory, shown):
    before = message(memory, shown.message_id)
    memory.outcomes.witnessed("default", shown.message_id, "elsewhere")
    assert message(memory, shown.message_id) == before


def test_a_card_that_was_given_up_in_doubt_stands_once_it_is_tapped_and_is_not_sent_again(memory, clock):
    card = take(memory, post(memory, ADAS))
    in_doubt(memory, clock, card)
    clock.advance(LOOK_AFTER)
    memory.outcomes.look_later(memory.outcomes.doubt("default", card.message_id), for_good=True)
    assert state(memory, card.message_id) == CardState.SKIPPED
    memory.outcomes.witnessed("default", card.message_id, "where it was tapped")
    assert rewrite(memory, card.message_id, "second").message_ref == "where it was tapped"
    assert (outdated(memory), memory.delivery.due()) == ([card.message_id], [])


def test_a_tap_brings_back_no_card_that_was_refused_or_erased(memory, shown):
    for ended in (CardState.PARKED, CardState.REDACTED):
        change_row(memory, CardMessage, ("default", shown.message_id), state=ended)
        memory.outcomes.witnessed("default", shown.message_id, "elsewhere")
        assert state(memory, shown.message_id) == ended


# ── how far a refusal reaches ──


def test_a_refusal_of_the_workspace_leaves_the_card_due_for_when_it_is_let_in_again(memory, clock, ada):
    card = take(memory, post(memory, ADAS))
    memory.outcomes.not_sent(card, "account_inactive", lasting=Extent.WORKSPACE)
    assert (state(memory, card.message_id), ids(memory.delivery.due())) == (CardState.FAILED, [card.message_id])
    memory.workspaces.pause("default", PLATFORM, "A", "account_inactive")
    clock.advance(90 * DAY)
    assert (memory.delivery.due(), take(memory, card.message_id)) == ([], None)
    connect(memory, "A")
    assert ids(memory.delivery.due()) == [card.message_id]
    again = take(memory, card.message_id)
    assert (again.delivery_key, again.card) == (card.delivery_key, card.card)


def test_a_refusal_of_the_person_gives_the_card_up_at_once(memory, clock):
    card = take(memory, post(memory, ADAS))
    memory.outcomes.not_sent(card, "account_inactive", lasting=Extent.PERSON)
    clock.advance(DAY)
    assert (state(memory, card.message_id), memory.delivery.due()) == (CardState.SKIPPED, [])


def refused_for_a_day(memory, clock, **how):
    """Refused as often as it is tried; its state then."""
    message_id = post(memory, ADAS)
    for _ in range(MOST_REFUSALS):
        memory.outcomes.not_sent(take(memory, message_id), "some_new_code", **how)
        clock.advance(CEILING)
    return state(memory, message_id)


def test_what_is_refused_in_so_many_words_all_day_is_left_to_the_next_card(memory, clock):
    assert refused_for_a_day(memory, clock, read=True) == CardState.PARKED


def test_an_outage_however_long_gives_no_card_up(memory, clock):
    assert refused_for_a_day(memory, clock) == CardState.FAILED


# ── cards of which nothing could be done ──


def refused(memory, clock):
    card = take(memory, post(memory, ADAS))
    memory.outcomes.not_sent(card, "down")
    clock.advance(CEILING)
    return card.message_id


def past_its_lease(memory, clock):
    card = take(memory, post(memory, ADAS))
    interrupted(memory, clock, card)
    return card.message_id


def to_look_for(memory, clock):
    card = take(memory, post(memory, ADAS))
    memory.outcomes.lost(card, "time-out")
    clock.advance(LOOK_AFTER)
    return card.message_id


def to_show(memory, clock):
    card = standing(memory, ADAS).message_id
    rewrite(memory, card, "second")
    return card


@pytest.mark.parametrize("made", [lambda memory, _: post(memory, ADAS), refused, past_its_lease, to_look_for, to_show])
def test_a_card_of_which_nothing_could_be_done_rests_for_a_while_whatever_it_is_due_for(memory, clock, made):
    card = made(memory, clock)
    before, known = waiting(memory), state(memory, card)
    memory.outcomes.rest("default", card)
    clock.advance(REST - 1)
    assert (waiting(memory), state(memory, card)) == ([[], [], []], known)
    clock.advance(1)
    assert waiting(memory) == before
    assert [card] in before


def test_a_card_that_rests_is_due_no_sooner_for_that(memory, clock):
    card = take(memory, post(memory, ADAS))
    memory.outcomes.not_sent(card, "rate limited", retry_after=2 * REST)
    memory.outcomes.rest("default", card.message_id)
    clock.advance(2 * REST - 1)
    assert memory.delivery.due() == []


def test_what_a_resting_card_is_made_to_say_since_is_shown_at_once(memory, clock):
    card = to_show(memory, clock)
    memory.outcomes.rest("default", card)
    rewrite(memory, card, "third")
    assert outdated(memory) == [card]


def test_a_card_with_which_nothing_is_to_be_done_does_not_come_to_be_due_by_resting(memory, clock, shown):
    memory.outcomes.rest("default", shown.message_id)
    change_row(memory, CardMessage, ("default", shown.message_id), state=CardState.REDACTED)
    memory.outcomes.rest("default", shown.message_id)
    clock.advance(DAY)
    assert waiting(memory) == [[], [], []]


# ── workspaces that are to hear nothing for now ──


def hold(memory):
    memory.workspaces.hold("default", PLATFORM, "A", HOUR)


def pause(memory):
    memory.workspaces.pause("default", PLATFORM, "A", "removed")


@pytest.fixture
def three(memory, clock):
    """One card to send, one to look for and one to update, of one workspace."""
    to_send, doubted = (post(memory, ADAS, subject) for subject in ("to send", "doubted"))
    memory.outcomes.lost(take(memory, doubted), "time-out")
    stands = standing(memory, ADAS, "stands").message_id
    rewrite(memory, stands, "second")
    clock.advance(LOOK_AFTER)
    return to_send, doubted, stands


def waiting(memory, busy=()):
    outcomes = memory.outcomes
    return [ids(kind(20, busy)) for kind in (memory.delivery.due, outcomes.doubtful, outcomes.outdated)]


def in_hand(memory, three):
    """What is handed out to whoever asks for a card by its id."""
    to_send, doubted, stands = three
    return [
        take(memory, to_send),
        memory.outcomes.doubt("default", doubted),
        updating(memory, stands),
    ]


def test_what_is_due_is_found(memory, three):
    assert waiting(memory) == [[one] for one in three]
    assert None not in in_hand(memory, three)


@pytest.mark.parametrize("shut", [hold, pause])
def test_while_a_workspace_is_to_hear_nothing_its_cards_looks_and_updates_wait(memory, three, shut):
    shut(memory)
    assert waiting(memory) == [[], [], []]
    assert in_hand(memory, three) == [None, None, None]


@pytest.mark.parametrize(
    ("shut", "opened"),
    [(hold, lambda memory: memory.clock.advance(HOUR)), (pause, lambda memory: connect(memory, "A"))],
)
def test_then_everything_goes_on_where_it_was(memory, three, shut, opened):
    shut(memory)
    in_hand(memory, three)
    opened(memory)
    assert waiting(memory) == [[one] for one in three]
    assert None not in in_hand(memory, three)


@pytest.mark.parametrize("shut", [hold, pause])
def test_no_other_workspace_waits_with_it(memory, three, shut):
    connect(memory, "B")
    member(memory, "Bob", "B")
    bobs = post(memory, place("Bob", "B"))
    shut(memory)
    assert waiting(memory) == [[bobs], [], []]
    assert take(memory, bobs) is not None


def test_a_workspace_of_the_same_name_on_another_platform_does_not_wait_with_it(memory, three, ada):
    pause(memory)
    memory.workspaces.connect("default", "other", "A", "A", {}, trusted=False)
    where = Place("other", "A", "Eve")
    memory.people.bind("default", ada.person_id, where)
    message_id = post(memory, where)
    assert waiting(memory) == [[message_id], [], []]


def test_the_cards_of_busy_lanes_are_left_to_them(memory, three):
    connect(memory, "B")
    member(memory, "Bob", "B")
    bobs = post(memory, place("Bob", "B"))
    assert waiting(memory, [(PLATFORM, "A")]) == [[bobs], [], []]
    assert waiting(memory, [(PLATFORM, "A"), (PLATFORM, "B")]) == [[], [], []]
    assert waiting(memory, [("other", "A"), (PLATFORM, "C")])[0] == [three[0], bobs]


def test_the_cards_of_a_lane_with_many_keep_no_other_lane_out(memory):
    """Of those first in time, all busy, none may hide what comes after them."""
    connect(memory, "B")
    member(memory, "Bob", "B")
    for number in range(30):
        post(memory, ADAS, f"event-{number}")
    memory.clock.advance(1)
    bobs = post(memory, place("Bob", "B"))
    assert bobs not in ids(memory.delivery.due(20))
    assert ids(memory.delivery.due(20, [(PLATFORM, "A")])) == [bobs]


def test_a_held_workspace_with_many_cards_keeps_no_other_out(memory):
    connect(memory, "B")
    member(memory, "Bob", "B")
    for number in range(30):
        post(memory, ADAS, f"event-{number}")
    bobs = post(memory, place("Bob", "B"))
    hold(memory)
    assert ids(memory.delivery.due(20)) == [bobs]


def test_a_look_marks_a_card_past_its_lease_as_unknown_first_and_waits_a_minute(memory, clock):
    card = take(memory, post(memory, ADAS))
    clock.advance(memory.config.watch.lease_secs * SECOND)
    assert ids(memory.outcomes.doubtful()) == [card.message_id]
    assert memory.outcomes.doubt("default", card.message_id) is None
    assert message(memory, card.message_id).reason == "interrupted"
    clock.advance(MINUTE)
    assert memory.outcomes.doubt("default", card.message_id).fence == card.fence


def test_nothing_is_known_of_another_tenants_card(memory, shown):
    memory.people.ensure_tenant("other", "Other")
    rewrite(memory, shown.message_id, "second")
    outcomes = memory.outcomes
    assert outcomes.updating("other", shown.message_id, dict) is None
    assert outcomes.doubt("other", shown.message_id) is None
    outcomes.witnessed("other", shown.message_id, "elsewhere")
    assert [row.message_ref for row in rows(memory, CardMessage)] == [f"ref-{shown.message_id}"]


def test_a_card_stands_without_its_words_once_its_place_is_nobodys_or_anothers(memory, shown):
    def standing():
        return memory.outcomes.standing("default", shown.message_id, lambda _: {"words": "withdrawn"})

    assert standing() == shown.card
    memory.people.unbind("default", ADAS)
    assert standing() == {"words": "withdrawn"}
    memory.people.bind("default", member(memory, "Bob").person_id, ADAS)
    assert standing() == {"words": "withdrawn"}
