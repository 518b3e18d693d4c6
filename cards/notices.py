"""Everything that is not news: notices and lists."""

from dataclasses import dataclass, replace
from typing import Literal

from cards.actions import Button, Choice, Option
from cards.answer_updated import STATUS_WORDS, Status
from cards.inline import Plain, Words, say, sentence, spaced, when
from cards.limits import ROWS
from cards.model import Block, Card, Context, Fields, Item, Rows, Text
from cards.phrases import PAUSE, listed, plural, short
from cards.text import is_blank

Cadence = Literal["immediate", "hourly", "daily", "weekly"]
CADENCE_WORDS: dict[Cadence, str] = {
    "immediate": "at once",
    "hourly": "every hour",
    "daily": "once a day",
    "weekly": "once a week",
}
_PACES = tuple(Option(cadence, words.capitalize()) for cadence, words in CADENCE_WORDS.items())


@dataclass(frozen=True, slots=True)
class WatchEntry:
    """`state` says in words why a watch is quiet, where it is; `muted`: for a time, which can be ended."""

    target: str
    name: str
    cadence: Cadence = "immediate"
    state: str = ""
    muted: bool = False


@dataclass(frozen=True, slots=True)
class RestEntry:
    """A watch that rests, or did: why, and what brings it back, each a sentence."""

    target: str
    name: str
    why: str
    way_back: str
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class AnswerEntry:
    """`target` is the answer, None where it is not to be refreshed from here."""

    question: str
    status: Status
    saved_at: int
    target: str | None = None


@dataclass(frozen=True, slots=True)
class WatchChoice:
    """Something that can be watched: its name, and what it is in words; `arg` where its kind has to be said."""

    target: str
    name: str
    description: str = ""
    arg: str | None = None


@dataclass(frozen=True, slots=True)
class WhyContent:
    """Why a card came: what happened, in words, the watches that matched, and what became of the card, in words.

    `shared`: the watch is somebody else's, who lets the reader be told.
    """

    happened_at: int
    watches: tuple[str, ...]
    events: tuple[str, ...]
    delivered: str
    shared: bool = False


_LEAVE = "Tap “Stop watching” under such a card to hear no more of it."


def notice(title: str, text: str, hint: str = "") -> Card:
    """A plain message: what happened, and what can be done about it."""
    words = (Plain(short(title, 150)),)
    return Card(words, (Text(say(text)), Context(say(hint))), (), fallback=spaced((sentence(words), say(text))))


def redacted() -> Card:
    return notice("This card was removed", "What it quoted was erased, or is no longer yours to read.")


def inactive() -> Card:
    """For a tap on a card that nobody knows any more."""
    return notice("This card is no longer active", "Ask again, or write “watching” to see what you follow.")


def looking() -> Card:
    """What stands in an answer's place while it is being made."""
    words = (Plain("Looking it up…"),)
    return Card((), (Text(words),), (), fallback=(*words, Plain(" The answer comes here in a moment.")))


def refreshing(question: str) -> Card:
    title = (Plain("Refreshing…"),)
    hint = "The new answer arrives here. The one you saved stays as it is."
    asked = (Plain("You asked: "), *say(short(question, 300)))
    return Card(title, (Text(asked), Context(say(hint))), (), fallback=(*title, Plain(" "), *asked))


def error(what: str, next_step: str) -> Card:
    return notice("That did not work", what, next_step)


def welcome(name: str = "") -> Card:
    hello = f"Hello, {short(name)}" if short(name) else "Hello"
    text = (
        "Ask me anything that your team has written down: I answer with the exact words and where they stand. "
        "Save an answer and I tell you when the words beneath it change."
    )
    return notice(hello, text, "Write “help” to see all you can say. “mute 1d” pauses every card for a day.")


def unbound(how: str) -> Card:
    """For somebody the bot does not know: how to be known, and no memory."""
    text = f"I don’t know yet who you are, so I can’t show you anything. {how}"
    return notice("Nice to meet you", text, "You will get no other cards until then.")


def watch_list(
    watches: tuple[WatchEntry, ...], nonce: str, more: int = 0, *, stops_all: bool = False, named: str = ""
) -> Card:
    """`more` counts the watches after these; a sixth and later one here is counted too.

    `stops_all`: with a button that ends every one. `named`: the words that these were found by, of all there are.
    """
    total = len(watches) + more
    if not total:
        hint = "Write “watch” and a few words to choose something."
        return notice("You watch nothing yet", "When you do, I tell you as soon as it changes.", hint)
    rows = tuple(_paced_row(watch, nonce) for watch in watches[:ROWS])
    hint = "Write “watching” and a word of its name to find one."
    title = f"You watch {plural(total, 'thing')}" + (f" named “{short(named)}”" if named else "")
    listing = _listing(title, Rows(rows, more=total - len(rows), more_hint=hint), PAUSE)
    return replace(listing, actions=(_stop_all(total, nonce),)) if stops_all else listing


def stop_everything(count: int, nonce: str) -> Card:
    """To be asked before every watch is ended."""
    text = (
        f"You watch {plural(count, 'thing')}. Your saved answers stay, and you are not told any more when they change."
    )
    card = notice("Stop everything you watch?", text, "“mute 1w” pauses every card for a week instead.")
    return replace(card, actions=(_stop_all(count, nonce),))


def _stop_all(count: int, nonce: str) -> Button:
    confirm = f"End {plural(count, 'watch', 'watches')}? You can watch each again, but not undo this at once."
    return Button("watch_mute", "all", nonce, "Stop all", arg="stop", confirm=confirm)


def mute_list(watches: tuple[WatchEntry, ...], arg: str, words: str, nonce: str, more: int = 0) -> Card:
    """Watches to choose from, each with a button that mutes it; `words` say for how long."""
    rows = tuple(
        Item(_named(watch.name), (), (Button("watch_mute", watch.target, nonce, "Mute", arg=arg),))
        for watch in watches[:ROWS]
    )
    hint = "Add a word of its name to find one."
    more += len(watches) - len(rows)
    return _listing(
        f"Which one is to be quiet {words}?", Rows(rows, more=more, more_hint=hint), "Its cards wait, and come as one."
    )


def watch_row(watch: WatchEntry, nonce: str) -> Item:
    state = (Plain(" · "), *say(short(watch.state, 120))) if watch.state else ()
    note = (Plain(f"You hear {CADENCE_WORDS[watch.cadence]}"), *state)
    choices = (("off", "Unmute"),) if watch.muted else ()
    buttons = (
        Button("watch_mute", watch.target, nonce, label, arg=arg)
        for arg, label in (*choices, ("stop", "Stop watching"))
    )
    return Item(_named(watch.name), note, tuple(buttons))


def resting(watches: tuple[RestEntry, ...], nonce: str) -> Card:
    """Watches of yours that tell nothing for now, or did for a while, each with why and what brings it back."""
    still = sum(not watch.goes_on for watch in watches)
    title = f"{plural(still, 'watch', 'watches')} of yours {'rests' if still == 1 else 'rest'}"
    title = title if still else f"{plural(len(watches), 'watch', 'watches')} of yours rested for a while"
    rows = tuple(_rest_row(watch, nonce) for watch in watches[:ROWS])
    hint = "Write “watching” to see them all."
    return _listing(title, Rows(rows, more=len(watches) - len(rows), more_hint=hint), "Nothing was stopped or deleted.")


def _rest_row(watch: RestEntry, nonce: str) -> Item:
    button = Button("watch_mute", watch.target, nonce, "Stop watching", arg="stop")
    return Item(_named(watch.name), say(f"{watch.why} {watch.way_back}"), (button,))


def _paced_row(watch: WatchEntry, nonce: str) -> Item:
    row = watch_row(watch, nonce)
    pace = Choice("watch_pace", watch.target, nonce, "How often", _PACES, watch.cadence)
    return replace(row, buttons=(pace, *row.buttons))


def saved_list(answers: tuple[AnswerEntry, ...], more: int = 0) -> Card:
    total = len(answers) + more
    if not total:
        return notice("You have saved nothing yet", "Tap “Save answer” under an answer and it is kept here.")
    rows = tuple(answer_row(entry) for entry in answers[:15])
    return _listing(plural(total, "saved answer"), Rows(rows, more=total - len(rows)), PAUSE)


def answer_row(entry: AnswerEntry) -> Item:
    return Item(_named(entry.question), (Plain(f"{STATUS_WORDS[entry.status]} Saved "), when(entry.saved_at)))


def choose_watch(query: str, choices: tuple[WatchChoice, ...], nonce: str, more: int = 0) -> Card:
    """What matches the words of `watch <words>`, to choose from."""
    total = len(choices) + more
    if not total:
        text = f"Nothing you can read matches “{short(query)}”."
        return notice("Nothing to watch there", text, "Try other words, or the name of a document.")
    rows = tuple(_choice_row(choice, nonce) for choice in choices[:ROWS])
    hint = "Add a word to narrow it down."
    title = "Choose what to watch"
    return _listing(title, Rows(rows, more=total - len(rows), more_hint=hint), "You can stop at any time: “watching”.")


def _choice_row(choice: WatchChoice, nonce: str) -> Item:
    button = Button("watch_create", choice.target, nonce, "Watch this", arg=choice.arg)
    return Item(_named(choice.name), say(short(choice.description, 150)), (button,))


def why(content: WhyContent) -> Card:
    """The answer to “why did I get that card?”."""
    events = tuple(Item(say(short(event, 300))) for event in content.events if not is_blank(event))
    names = listed(content.watches)
    pairs = (
        (_label("When"), (when(content.happened_at),)),
        (_label("Because your team watches" if content.shared else "Because you watch"), names),
        (_label("The card"), say(short(content.delivered, 300))),
    )
    blocks: tuple[Block, ...] = (
        Fields(pairs),
        Rows(events[:ROWS], title=_label("What happened"), more=len(events[ROWS:])),
        Context(say(_LEAVE if content.shared else "Write “watching” to stop any of these.")),
    )
    title, who = "Why you were notified", "your team watches" if content.shared else "you watch"
    fallback = (Plain(f"{title}: {who} "), *names) if names else _label(title)
    return Card(_label(title), blocks, (), fallback)


def _listing(title: str, rows: Rows, hint: str) -> Card:
    blocks: tuple[Block, ...] = (rows, Context(say(hint)))
    first = rows.rows[0].heading
    return Card(_label(title), blocks, (), fallback=(Plain(f"{title}: "), *first))


def _label(text: str) -> Words:
    return (Plain(text),)


def _named(text: str) -> Words:
    return say(short(text, 150)) or (Plain("Without a name"),)
