"""A neutral card as an HTML fragment, for the local inbox and the preview page. No script, no inline style.

The contract with the page around it:
- `<article class="card card-material?" aria-label=…>` holds everything; there is no form.
- Every action is `<button type="button" class="card-button card-button-primary?">` with `data-kind`, `data-target`,
  `data-nonce`, and only where there is one `data-arg` and `data-confirm` (the question to ask before acting).
  Links out are `<a class="card-button" href target="_blank" rel="noopener noreferrer">`.
- A choice is a `<div class="card-choice">`: a `<label>` with its `<select class="card-select" data-kind data-target>`,
  whose options' values are the args, then such a button without `data-arg`: its arg is the select's value, and one
  may not send it while that is empty (nothing is chosen yet).
- Parts: card-title, card-text, card-quote, card-quote-source, card-list, card-list-title, card-item, card-item-title,
  card-change, card-side, card-label, card-note, card-more, card-fields, card-citations, card-citation, card-context,
  card-divider, card-outcome (role="status"), card-actions, card-button, card-choice, card-choice-label, card-select.
  Their looks are in card.css: `card_css()`.
- Before and after are `<del>` and `<ins>` with their labels in words; every date is a `<time datetime>`.
"""

from collections.abc import Iterator
from datetime import tzinfo
from html import escape
from importlib.resources import files

from cards.actions import Action, Button, Choice, LinkButton, Option, label, option_label, payload, question
from cards.inline import Code, Date, Leaf, Link, Piece, Plain, Words, blank, flat, leaves, spelled, zone_named
from cards.model import (
    Block,
    Card,
    Change,
    Citation,
    Citations,
    Context,
    Divider,
    Fields,
    Outcome,
    Quote,
    Row,
    Rows,
    Text,
    is_empty_row,
    more_words,
)
from cards.text import isolate, safe_link, shown


def to_html(card: Card, zone: str = "UTC") -> str:
    """The card as one `<article>`; moments are written in `zone`."""
    return _article(card, zone_named(zone))


def card_css() -> str:
    """The stylesheet of the classes above, light and dark."""
    return files("cards").joinpath("card.css").read_text(encoding="utf-8")


def _article(card: Card, zone: tzinfo) -> str:
    css = "card card-material" if card.severity == "material" else "card"
    parts = [*_tag("h2", "card-title", card.title, zone)]
    parts += [html for block in card.shown_blocks for html in _block(block, zone)]
    parts += [_outcome(outcome) for outcome in card.outcomes if shown(outcome.words).strip()]
    parts += [_choices(card.actions), _buttons(card.actions)]
    spoken = escape(flat(card.title) or card.fallback_text)
    return f'<article class="{css}" aria-label="{spoken}">{"".join(parts)}</article>'


def _outcome(outcome: Outcome) -> str:
    return f'<p class="card-outcome" role="status">{_lines(shown(outcome.words))}</p>'


def _block(block: Block, zone: tzinfo) -> Iterator[str]:
    match block:
        case Text(words, title):
            yield from _tag("h3", "card-list-title", title, zone)
            yield from _tag("p", "card-text", words, zone)
        case Quote(words, source):
            yield _blockquote(words, zone)
            yield from _tag("p", "card-quote-source", source, zone)
        case Rows():
            yield _list(block, zone)
        case Fields(pairs):
            yield f'<dl class="card-fields">{"".join(_field(*pair, zone) for pair in pairs if not blank(pair[1]))}</dl>'
        case Citations(items, more):
            yield f'<ol class="card-citations">{"".join(_citation(item, zone) for item in items)}</ol>'
            yield from _tag("p", "card-more", (Plain(f"and {more} more"),) if more else (), zone)
        case Context(words):
            yield from _tag("p", "card-context", words, zone)
        case Divider():
            yield '<hr class="card-divider">'


def _tag(tag: str, css: str, words: Words, zone: tzinfo) -> Iterator[str]:
    if not blank(words):
        yield f'<{tag} class="{css}">{_inline(words, zone)}</{tag}>'


def _blockquote(words: Words, zone: tzinfo) -> str:
    return f'<blockquote class="card-quote">{_inline(words, zone)}</blockquote>'


def _list(rows: Rows, zone: tzinfo) -> str:
    title = "".join(_tag("h3", "card-list-title", rows.title, zone))
    items = "".join(_item(row, zone) for row in rows.rows if not is_empty_row(row))
    more = "".join(_tag("p", "card-more", more_words(rows), zone))
    return f'{title}<ul class="card-list">{items}</ul>{more}'


def _item(row: Row, zone: tzinfo) -> str:
    parts = [*_tag("p", "card-item-title", row.heading, zone)]
    if isinstance(row, Change):
        parts.append(_change(row, zone))
    parts += [_choices(row.buttons), *_tag("p", "card-note", row.note, zone), _buttons(row.buttons)]
    return f'<li class="card-item">{"".join(parts)}</li>'


def _change(change: Change, zone: tzinfo) -> str:
    before = _side(change.before_label, change.before, "del", zone)
    after = _side(change.after_label, change.after, "ins", zone)
    return f'<div class="card-change">{before}{after}</div>' if before or after else ""


def _side(name: str, words: Words, tag: str, zone: tzinfo) -> str:
    if blank(words):
        return ""
    return f'<p class="card-side"><span class="card-label">{escape(name)}: </span>{_marked(words, tag, zone)}</p>'


def _field(name: Words, value: Words, zone: tzinfo) -> str:
    return f"<dt>{_inline(name, zone)}</dt><dd>{_inline(value, zone)}</dd>"


def _citation(citation: Citation, zone: tzinfo) -> str:
    source = f'<span class="card-label">[{citation.number}] </span>{_inline(citation.source, zone)}'
    quote = "" if blank(citation.quote) else _blockquote(citation.quote, zone)
    return f'<li class="card-citation">{source}{quote}</li>'


def _inline(words: Words, zone: tzinfo) -> str:
    return _marked(words, "strong", zone)


def _marked(words: Words, tag: str, zone: tzinfo) -> str:
    """`words` with every bold leaf in a `tag`."""
    html = ((_leaf(leaf, zone), bold) for leaf, bold in leaves(words))
    return "".join(f"<{tag}>{text}</{tag}>" if bold else text for text, bold in html)


def _leaf(leaf: Leaf, zone: tzinfo) -> str:
    text = _lines(spelled(leaf, zone))
    match leaf:
        case Code():
            return f"<code>{text}</code>"
        case Link(url=url):
            return f'<a href="{escape(url)}" target="_blank" rel="noopener noreferrer">{text}</a>'
        case Date():
            return f'<time datetime="{_machine(leaf, zone)}">{text}</time>'
        case Plain() | Piece():
            return text


def _machine(date: Date, zone: tzinfo) -> str:
    moment = date.at(zone)
    return moment.date().isoformat() if date.style == "day" else moment.isoformat(timespec="seconds")


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")


def _choices(actions: tuple[Action, ...]) -> str:
    return "".join(_choice(action) for action in actions if isinstance(action, Choice))


def _buttons(actions: tuple[Action, ...]) -> str:
    buttons = "".join(html for action in actions for html in _button(action))
    return f'<div class="card-actions">{buttons}</div>' if buttons else ""


def _button(action: Action) -> Iterator[str]:
    if isinstance(action, Button):
        css = "card-button card-button-primary" if action.style == "primary" else "card-button"
        yield f'<button type="button" class="{css}"{_data(_tap(action))}>{_label(action)}</button>'
    elif isinstance(action, LinkButton) and safe_link(action.url):
        url = escape(action.url)
        yield f'<a class="card-button" href="{url}" target="_blank" rel="noopener noreferrer">{_label(action)}</a>'


def _label(action: Action) -> str:
    return escape(isolate(label(action)))


def _tap(button: Button) -> dict[str, str]:
    asked = question(button)
    return payload(button) | ({} if asked is None else {"confirm": isolate(asked)})


def _data(carried: dict[str, str]) -> str:
    return "".join(f' data-{key}="{escape(value)}"' for key, value in carried.items())


def _choice(choice: Choice) -> str:
    nothing = "" if choice.chosen else '<option value="" selected disabled>Choose…</option>'
    options = "".join(_option(option, choice.chosen) for option in choice.options)
    named = _data({"kind": choice.kind, "target": choice.target})
    return (
        f'<div class="card-choice"><label class="card-choice-label"><span>{_label(choice)}</span> '
        f'<select class="card-select"{named}>{nothing}{options}</select></label> '
        f'<button type="button" class="card-button" aria-label="Set {_label(choice)}"{_data(payload(choice))}>'
        "Set</button></div>"
    )


def _option(option: Option, chosen: str | None) -> str:
    selected = " selected" if option.arg == chosen else ""
    return f'<option value="{escape(option.arg)}"{selected}>{escape(isolate(option_label(option)))}</option>'
