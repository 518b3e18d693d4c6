"""The Memory Change card: something you watch has changed."""

from dataclasses import dataclass

from cards.actions import Action, Button, LinkButton
from cards.inline import Date, Plain, Words, say, sentence, spaced
from cards.limits import ROWS
from cards.model import Block, Card, Context, Item, Rows, Text
from cards.phrases import PAUSE, listed, plural, short
from cards.questions import Line, line_headline, line_row


@dataclass(frozen=True, slots=True)
class MatchedWatch:
    """A watch that matched. `target` is what [Mute] and [Stop watching] act on, of a team's watch for the reader alone.

    `shared`: somebody else lets the reader be told.
    """

    name: str
    target: str | None = None
    shared: bool = False


@dataclass(frozen=True, slots=True)
class MemoryChangeContent:
    """`more` counts changes left out; `watch_target` is what [Watch this] watches, for a card a team's watch sent.

    `late_since` is set when the card was held up, and is when the change happened.
    """

    changes: tuple[Line, ...]
    watches: tuple[MatchedWatch, ...]
    nonce: str
    more: int = 0
    watch_target: str | None = None
    late_since: int | None = None


def memory_change(content: MemoryChangeContent) -> Card:
    title, late = _title(content), content.late_since
    blocks: tuple[Block, ...] = (
        *_late(late),
        Rows(tuple(line_row(line, told=late) for line in content.changes[:ROWS]), more=_left_out(content)),
        *_reasons(content),
    )
    return Card(title, blocks, _actions(content), fallback=title)


def _left_out(content: MemoryChangeContent) -> int:
    return content.more + len(content.changes[ROWS:])


def _title(content: MemoryChangeContent) -> Words:
    total = len(content.changes) + content.more
    if not content.changes:
        return (Plain("Something you watch has changed"),)
    others = total - 1
    return (*line_headline(content.changes[0]), *((Plain(f", and {plural(others, 'more change')}"),) if others else ()))


def _late(since: int | None) -> tuple[Block, ...]:
    if since is None:
        return ()
    return (Text((Plain("This card is late. It happened on "), Date(since), Plain("."))),)


def _reasons(content: MemoryChangeContent) -> tuple[Block, ...]:
    """Why the card came, and how to stop what it came from."""
    watches = _stoppable(content)
    if len(watches) > 1:
        others = tuple(watch for watch in content.watches if watch.target is None)
        return (_each_watch(content, watches), Context(spaced((_watched(others), say(PAUSE)))))
    said = _watched(content.watches)
    why = (Plain("Why this card: "), *said) if said else (Plain("You get this because a watch of yours matched."),)
    return (Context(why), *(() if watches else (Context(say(PAUSE)),)))


def _watched(watches: tuple[MatchedWatch, ...]) -> Words:
    mine = listed(watch.name for watch in watches if not watch.shared)
    team = listed(watch.name for watch in watches if watch.shared)
    said = ((Plain("You watch "), mine), (Plain("Your team watches "), team))
    return spaced(sentence((verb, *names)) for verb, names in said if names)


def _stoppable(content: MemoryChangeContent) -> list[MatchedWatch]:
    return [watch for watch in content.watches if watch.target is not None]


def _each_watch(content: MemoryChangeContent, watches: list[MatchedWatch]) -> Rows:
    """Each of several watches has a row of its own, so that a tap says which one it stops."""
    rows = tuple(Item((Plain(short(w.name)),), (), (_mute(content, w, "stop", "Stop watching"),)) for w in watches[:4])
    hint = "Write “watching” to see them all."
    return Rows(rows, title=(Plain("Why this card: you watch"),), more=len(watches[4:]), more_hint=hint)


def _mute(content: MemoryChangeContent, watch: MatchedWatch, arg: str, label: str) -> Button:
    return Button("watch_mute", watch.target or "", content.nonce, label, arg=arg)


def _only_source(content: MemoryChangeContent) -> str | None:
    """Where everything comes from; of several sources each heading leads to its own."""
    urls = {line.source_url for line in content.changes}
    return urls.pop() if len(urls) == 1 else None


def _actions(content: MemoryChangeContent) -> tuple[Action, ...]:
    actions: list[Action] = []
    if url := _only_source(content):
        actions.append(LinkButton("Open source", url))
    if content.watch_target:
        actions.append(Button("watch_create", content.watch_target, content.nonce, "Watch this", style="primary"))
    watches = _stoppable(content)
    if len(watches) == 1:
        choices = (("1d", "Mute a day"), ("1w", "Mute a week"), ("stop", "Stop watching"))
        actions += [_mute(content, watches[0], arg, label) for arg, label in choices]
    return tuple(actions)
