"""Small pages of Markdown, made of sentences whose words say nothing about each other."""

from hypothesis import strategies as st

WORDS = ("chair", "table", "window", "garden", "river", "paper", "Ωμέγα", "café", "日本", "🙂", "14", "5,000", "v1.30")


def sentences() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(lambda words: " ".join(words) + " stands.")


def _items(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(rows: list[str]) -> str:
    return "\n".join(("| a | b |", "|---|---|", *(f"| {row} | x |" for row in rows)))


def blocks() -> st.SearchStrategy[str]:
    several = st.lists(sentences(), min_size=1, max_size=3)
    return st.one_of(
        several.map(" ".join),
        several.map("\n".join),
        several.map(_items),
        several.map(_table),
        several.map(lambda lines: "```\n" + "\n".join(lines) + "\n```"),
        st.sampled_from(WORDS).map(lambda word: f"## {word}"),
    )


def pages() -> st.SearchStrategy[str]:
    return st.lists(blocks(), max_size=6).map("\n\n".join)
