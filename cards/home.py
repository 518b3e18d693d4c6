"""The Home card: what a person watches, what they saved, how they want to hear of it, and how to stop."""

from dataclasses import dataclass, replace

from cards.actions import Choice, Option
from cards.answer_updated import SETTLED, refresh_button
from cards.inline import Plain, say, sentence, spaced
from cards.model import Block, Card, Context, Item, Rows, Text
from cards.notices import AnswerEntry, WatchEntry, answer_row, watch_row
from cards.phrases import plural, short

HOME_ROWS = 8
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_HOURS = tuple(Option(str(hour), f"{hour:02}:00") for hour in range(24))
_OFF = Option("off", "Off")
_ANYWHERE = Option("any", "Where I last was")
_PLATFORMS = {"local": "The local inbox", "slack": "Slack", "teams": "Teams"}
_QUIET = "While it is quiet, cards wait."
_MUTES = (
    Option("off", "Not muted"),
    Option("1h", "For an hour"),
    Option("tomorrow", "Until tomorrow"),
    Option("1d", "For a day"),
    Option("1w", "For a week"),
)


@dataclass(frozen=True, slots=True)
class HomeContent:
    """`more_watches` and `more_answers` count those beyond the ones given.

    `brief_day` is "off" or a day's name, `brief_hour` "0" to "23", the quiet hours "off" or such an hour. `muted` says
    in words until when every card waits, and is empty where none does; `known` what the memory holds, in words.
    `platforms`: where the person can be written to, by name; `platform` "any", or which of them they chose.
    """

    name: str
    watches: tuple[WatchEntry, ...]
    more_watches: int
    answers: tuple[AnswerEntry, ...]
    more_answers: int
    brief_day: str
    brief_hour: str
    quiet_from: str
    quiet_until: str
    muted: str
    zone: str
    nonce: str
    known: str = ""
    platforms: tuple[str, ...] = ()
    platform: str = "any"


def home(content: HomeContent) -> Card:
    name = short(content.name)
    title = (Plain("Hello, "), Plain(name)) if name else (Plain("Hello"),)
    ask = "Send me a message to ask anything your team has written down. I answer with the exact words. "
    stop = (
        "To pause everything, mute all cards. To stop everything, turn the weekly brief off and stop each watch: "
        "then no card comes unless you ask."
    )
    blocks: tuple[Block, ...] = (
        Text((Plain(ask), *say(short(content.known, 200)))),
        _watches(content),
        _answers(content),
        Rows(_preferences(content), title=(Plain("Your preferences"),)),
        Context((Plain(stop),)),
    )
    here = "Here is what you watch, what you saved and when you hear."
    return Card(title, blocks, (), fallback=spaced((sentence(title), say(here))))


def is_home(card: Card) -> bool:
    """Whether it is this card: no other has choices to be set."""
    return any(isinstance(one, Choice) and one.kind == "preference_set" for one in card.every_action)


def _watches(content: HomeContent) -> Block:
    total = len(content.watches) + content.more_watches
    if not total:
        how = "Tap “Watch this” under an answer, or write “watch” and a few words. I tell you as soon as it changes."
        return _nothing("You watch nothing yet", how)
    rows = tuple(watch_row(watch, content.nonce) for watch in content.watches[:HOME_ROWS])
    title, hint = f"You watch {plural(total, 'thing')}", "Write “watching” and a word of its name to find one."
    return Rows(rows, title=(Plain(title),), more=total - len(rows), more_hint=hint)


def _answers(content: HomeContent) -> Block:
    total = len(content.answers) + content.more_answers
    if not total:
        how = "Tap “Save answer” under an answer. I tell you when the words beneath it change."
        return _nothing("You have saved nothing yet", how)
    rows = tuple(_answer_row(entry, content.nonce) for entry in content.answers[:HOME_ROWS])
    title, hint = f"You saved {plural(total, 'answer')}", "Write “saved” to see them all."
    return Rows(rows, title=(Plain(title),), more=total - len(rows), more_hint=hint)


def _nothing(title: str, how: str) -> Text:
    return Text((Plain(how),), (Plain(title),))


def _answer_row(entry: AnswerEntry, nonce: str) -> Item:
    refresh = () if entry.target is None or entry.status in SETTLED else (refresh_button(entry.target, nonce),)
    return replace(answer_row(entry), buttons=refresh)


def _preferences(content: HomeContent) -> tuple[Item, ...]:
    days = (_OFF, *(Option(day, day.capitalize()) for day in DAYS))
    zone = f"In your time zone, {short(content.zone)}." if short(content.zone) else ""
    muted = None if short(content.muted) else "off"
    return (
        _preference(content, "brief_day", "Weekly brief", days, content.brief_day),
        _preference(content, "brief_hour", "Brief at", _HOURS, content.brief_hour, zone),
        _preference(content, "quiet_from", "Quiet from", (_OFF, *_HOURS), content.quiet_from),
        _preference(content, "quiet_until", "Quiet until", (_OFF, *_HOURS), content.quiet_until, _QUIET),
        _preference(content, "mute", "Mute all cards", _MUTES, muted, content.muted),
        *_where(content),
    )


def _where(content: HomeContent) -> tuple[Item, ...]:
    """Where cards come, for whoever can be written to in several places."""
    if len(content.platforms) < 2:
        return ()
    options = (_ANYWHERE, *(Option(name, _PLATFORMS.get(name, name)) for name in content.platforms))
    chosen = next((option.arg for option in options if option.arg == content.platform), None)
    return (_preference(content, "platform", "Cards come in", options, chosen),)


def _preference(
    content: HomeContent, target: str, label: str, options: tuple[Option, ...], chosen: str | None, note: str = ""
) -> Item:
    choice = Choice("preference_set", target, content.nonce, label, options, chosen)
    return Item((), say(short(note, 150)), (choice,))
