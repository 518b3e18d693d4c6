"""Text full of the characters that begin markup, balanced or not."""

from hypothesis import strategies as st

PIECES = (
    *(
        "*",
        "**",
        "_",
        "~~",
        "`",
        "```",
        "[",
        "](",
        ")",
        "][",
        "]",
        "!",
        "<",
        ">",
        "<b>",
        "</b>",
        "<del>",
        "</del>",
        "<!--",
    ),
    *(
        "-->",
        "{%",
        "%}",
        "{{",
        "}}",
        "&amp;",
        "\\",
        "|",
        "#",
        "- ",
        "1. ",
        "\n",
        "\n\n",
        " ",
        "word",
        "Ω",
        "日本。",
        "🇩🇪",
        "é",
    ),
    *("e\u0301", "5,000", "v1.30", ".", "!", "?", "e.g. ", "U.S. ", "http://a.example/b?c", "'", '"', "”", "[^1]"),
)


def marked_texts() -> st.SearchStrategy[str]:
    return st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=40).map(
        lambda pieces: "".join(pieces).replace("\0", "")
    )
