"""Text as the world writes it, and the content of every card made of it."""

from typing import get_args

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from cards.actions import Action, Button, Choice, Kind, LinkButton, Option
from cards.answer import AnswerCitation, AnswerContent, AnswerSentence, answer
from cards.answer_updated import (
    STATUS_WORDS,
    VERDICT_WORDS,
    AnswerUpdatedContent,
    ChangedClaim,
    StaleAnswer,
    answer_updated,
)
from cards.clarification import ClarificationContent, OptionWords, clarification
from cards.home import DAYS, HomeContent, home
from cards.inline import Bold, Code, Date, Joined, Link, Plain, Words
from cards.memory_change import MatchedWatch, MemoryChangeContent, memory_change
from cards.model import (
    Card,
    Change,
    Citation,
    Citations,
    Context,
    Divider,
    Fields,
    Item,
    Outcome,
    Quote,
    Rows,
    Text,
)
from cards.notices import (
    CADENCE_WORDS,
    AnswerEntry,
    WatchChoice,
    WatchEntry,
    WhyContent,
    choose_watch,
    error,
    notice,
    saved_list,
    watch_list,
    why,
)
from cards.phrases import ChangeLine
from cards.questions import QuestionLine, Stood
from cards.weekly_brief import BriefLine, WeeklyBriefContent, weekly_brief

INJECTIONS = (
    "<!channel>",
    "<!here|here>",
    "<@U1>",
    "<#C1|general>",
    "<https://evil.example|Approve>",
    "<!date^0^{date}|x>",
    "*x* _y_ ~z~ `w`",
    "a<b&&b>c",
    "&lt;!here&gt;",
    "&amp;amp;",
    "[Approve](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "{{DATE(2026-11-29T21:00:00Z,SHORT)}}",
    "{{{TIME(2026-11-29T21:00:00Z)}}}",
    "${x}",
    "<at>Ada</at>",
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "```\nnever closed",
    "# heading\n> quote\n- item\n1. one",
    ":smile:",
    "\\*not\\*",
)
CLUSTERS = ("👩‍👩‍👧‍👦", "🇩🇪", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "क्षि", "1️⃣", "👍🏽", "é")
HIDDEN = (
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200d",
    "\ufeff",
    "\u00ad",
    "\x1b[31m",
    "\x00",
    "\x07",
    "\U000e0041",
    "\ufe0f",
    "\u3164",
)
SPACES = ("", " ", "\t", "\n", "\r\n", "\u2028", "\u00a0", "\u2800")
_PIECES = st.one_of(
    st.text(max_size=12),
    st.text(st.characters(), max_size=6),
    st.sampled_from(
        INJECTIONS + CLUSTERS + HIDDEN + SPACES + ("שלום", "مرحبا", "退货期限", "14 days", "€5,000", "not")
    ),
)

short_texts = st.lists(_PIECES, max_size=6).map("".join)
texts = st.one_of(
    short_texts, st.builds(lambda text, times: (text * times)[:10_000], short_texts, st.integers(1, 2_500))
)
urls = st.one_of(
    st.none(),
    st.sampled_from(("https://wiki.example.org/a?b=1&c=2", "http://x.example/ä", "javascript:alert(1)", "data:x")),
    st.builds(lambda tail: "https://wiki.example.org/" + "p" * tail, st.integers(0, 2_000)),
    short_texts,
)
times = st.one_of(st.integers(-(10**19), 10**19), st.just(1_795_392_000_000_000), st.integers(0, 2 * 10**15))
tokens = st.text("abcXYZ019._:~=+/-", min_size=1, max_size=128)
nonces = st.text("abc019-", min_size=1, max_size=64)


@st.composite
def many(draw: st.DrawFn, of: st.SearchStrategy[object], most: int) -> tuple[object, ...]:
    """Up to `most` items made of a few different ones, so that long lists stay cheap to draw."""
    few = draw(st.lists(of, max_size=3))
    return tuple((few * most)[: draw(st.integers(0, most))]) if few else ()


change_lines = st.builds(
    ChangeLine,
    section_path=many(texts, 4),
    source_name=texts,
    source_url=urls,
    before=texts,
    after=texts,
    kind=st.sampled_from(("changed", "removed", "added")),
    learned=times,
    valid_from=st.none() | times,
)
stands = st.builds(Stood, st.sampled_from(("pending", "bound", "conflicted")), many(texts, 6))
question_lines = st.builds(QuestionLine, texts, many(texts, 4), texts, urls, st.none() | stands, stands, times)
lines = change_lines | question_lines
memory_changes = st.builds(
    MemoryChangeContent,
    changes=many(lines, 500),
    watches=many(st.builds(MatchedWatch, texts, st.none() | tokens, st.booleans()), 30),
    nonce=nonces,
    more=st.integers(0, 10**6),
    watch_target=st.none() | tokens,
    late_since=st.none() | times,
).map(memory_change)
claims = st.builds(ChangedClaim, texts, texts, st.sampled_from(list(VERDICT_WORDS)), many(texts, 3), texts, urls)
stale_answers = st.builds(
    StaleAnswer,
    tokens,
    texts,
    st.sampled_from(list(STATUS_WORDS)),
    st.booleans(),
    many(claims, 50),
    times,
    st.none() | tokens,
)
answers_updated = st.builds(
    AnswerUpdatedContent, many(stale_answers, 40).filter(bool), nonces, st.integers(0, 999)
).map(answer_updated)
answer_entries = st.builds(AnswerEntry, texts, st.sampled_from(list(STATUS_WORDS)), times, st.none() | tokens)
watch_entries = st.builds(WatchEntry, tokens, texts, st.sampled_from(list(CADENCE_WORDS)), texts)
briefs = st.builds(
    WeeklyBriefContent,
    lines=many(
        st.builds(BriefLine, lines, st.booleans(), st.none() | tokens, st.integers(0, 9), st.none() | tokens), 500
    ),
    nonce=nonces,
    more=st.integers(0, 999),
    watches=many(texts, 20),
    period=st.sampled_from(("hour", "day", "week")),
    answers=many(answer_entries, 12),
).map(weekly_brief)
sentences = st.builds(
    AnswerSentence,
    texts,
    st.lists(st.integers(1, 9), max_size=3).map(tuple),
    st.sampled_from(("quoted", "supported", "partial", "unsupported", "differs", "unchecked", "uncited")),
)
answers = st.builds(
    AnswerContent,
    question=texts,
    sentences=many(sentences, 30),
    citations=many(st.builds(AnswerCitation, texts, urls, many(texts, 3), texts), 60),
    target=tokens,
    nonce=nonces,
    watch_names=many(texts, 10),
    ungrounded=st.booleans(),
    open_questions=many(texts, 5),
    saved=st.booleans(),
).map(answer)
clarifications = st.builds(
    ClarificationContent,
    tokens,
    texts,
    texts,
    many(st.builds(Option, tokens, texts), 12),
    nonces,
    st.sampled_from(("pending", "bound", "conflicted")),
    st.booleans(),
    many(st.builds(OptionWords, texts, st.builds(AnswerCitation, texts, urls, many(texts, 3), texts)), 12),
    st.booleans(),
    st.none() | texts,
    st.none() | texts,
).map(clarification)
lists = st.one_of(
    st.builds(watch_list, many(watch_entries, 40), nonces),
    st.builds(saved_list, many(answer_entries, 40)),
    st.builds(choose_watch, texts, many(st.builds(WatchChoice, tokens, texts, texts, st.none() | tokens), 40), nonces),
    st.builds(notice, texts, texts, texts),
    st.builds(error, texts, texts),
    st.builds(WhyContent, times, many(texts, 9), many(texts, 9), texts).map(why),
)
hours = st.integers(0, 23).map(str)
homes = st.builds(
    HomeContent,
    name=texts,
    watches=many(watch_entries, 40),
    more_watches=st.integers(0, 999),
    answers=many(answer_entries, 40),
    more_answers=st.integers(0, 999),
    brief_day=st.sampled_from(("off", *DAYS)),
    brief_hour=hours,
    quiet_from=st.just("off") | hours,
    quiet_until=st.just("off") | hours,
    muted=texts,
    zone=texts,
    nonce=nonces,
    known=texts,
).map(home)
built_cards = st.one_of(memory_changes, answers_updated, briefs, answers, clarifications, lists, homes)


def words_of(text: st.SearchStrategy[str]) -> st.SearchStrategy[Words]:
    leaf = st.one_of(
        st.builds(Plain, text),
        st.builds(Code, text),
        st.builds(Link, text, urls.map(lambda url: url or "")),
        st.builds(Date, times, st.sampled_from(("day", "moment"))),
    )
    several = st.lists(leaf, max_size=3).map(tuple)
    return st.one_of(leaf, st.builds(Bold, several), st.builds(Joined, several)).map(lambda part: (part,))


kinds = st.sampled_from(get_args(Kind))
short_tokens = st.text("abcXYZ019._:~=+/-", min_size=1, max_size=30)


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    """Of up to a hundred options, as long as an id may be."""
    args = draw(st.lists(short_tokens, min_size=1, max_size=draw(st.sampled_from((3, 100))), unique=True))
    labels = draw(st.lists(texts, min_size=1, max_size=3))
    options = tuple(Option(arg, labels[index % len(labels)]) for index, arg in enumerate(args))
    chosen = draw(st.none() | st.sampled_from(args))
    return Choice(draw(kinds), draw(short_tokens), draw(short_tokens), draw(texts), options, chosen)


buttons: st.SearchStrategy[Action] = st.one_of(
    choices(),
    st.builds(
        Button,
        kinds,
        tokens,
        nonces,
        texts,
        st.none() | tokens,
        st.sampled_from(("primary", "normal")),
        st.none() | texts,
    ),
    st.builds(LinkButton, texts, urls.map(lambda url: url or "")),
)


def cards_of(words: st.SearchStrategy[Words], most: int) -> st.SearchStrategy[Card]:
    """Cards that no builder makes: up to `most` blocks, and lists as long."""
    rows = st.one_of(
        st.builds(Change, words, words, words, words, st.just("Before"), st.just("Now"), many(buttons, 3)),
        st.builds(Item, words, words, many(buttons, 3)),
    )
    blocks = st.one_of(
        st.builds(Text, words, st.just(()) | words),
        st.builds(Quote, words, words),
        st.builds(Rows, many(rows, most), words, st.integers(0, 99), st.just("")),
        st.builds(Fields, many(st.tuples(words, words), most)),
        st.builds(Citations, many(st.builds(Citation, st.integers(1, 99), words, words), most), st.integers(0, 9)),
        st.builds(Context, words, st.none() | kinds),
        st.just(Divider()),
    )
    return st.builds(
        Card,
        title=words,
        blocks=many(blocks, most),
        actions=many(buttons, most),
        fallback=words,
        severity=st.sampled_from(("normal", "material")),
        outcomes=many(st.builds(Outcome, tokens, texts), 5),
    )


words = words_of(texts)
cards = st.one_of(built_cards, cards_of(words, 8), cards_of(words_of(short_texts), 60))

# Long texts and long lists take their time, to make smaller above all; how long is no matter of these tests.
patiently = settings(
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
