"""Pages whose words are known: `seen0q`, `seen1q` … must be citable once, `gone0q`, `gone1q` … never."""

import re
from itertools import count

from hypothesis import strategies as st

_PIECES = [
    "{v}",
    "{v} <b>{v}</b><i> {v}</i> &amp; {v}",
    "<p>{v}<p>{v}",
    "<h1>{v}</h1>",
    "<h3>{v} <em>{v}</em>",
    "<ul><li>{v}<li>{v}<p>{v}<ul><li>{v}</ul></ul>",
    "<ol><li>{v}</li><li><h2>{v}</h2></li></ol>",
    "<li>{v}",
    "<dl><dt>{v}<dd>{v}<dd><p>{v}<p>{v}</dl>",
    "<blockquote>{v}<p>{v}</blockquote>",
    "<table><tr><th>{v}<th>{v}<tr><td>{v}<td>{v}</table>",
    "<table><caption>{v}</caption><thead><tr><td>{v}</thead><tr><td>{v}<td>{v}<p>{v}</table>",
    "<table><tr><td><h2>{v}</h2>{v}<td><pre>{v}</pre></table>",
    "<table>{v}<tr>{v}<td>{v}",
    "<td>{v}",
    "<pre>\n{v}\n\n  {v} <b>{v}</b></pre>",
    "<pre>```{v}",
    "{v}<br>{v}<br><br>{v}",
    "<a href='a.html'>{v}</a> <a>{v}</a>!<a href='#b'>{v}</a>",
    "<a href='a.html'><p>{v}<p>{v}</a>",
    "<del>{v}<p>{v}</del> <s>{v}</s>",
    "<img alt='{v}' src='{h}'><sup>{v}</sup><sub>{v}</sub> <q>{v}</q>",
    "<details><summary>{v}</summary>{v}</details>",
    "<button>{v}</button><textarea>{v}</textarea><select><option>{v}<option>{v}</select>",
    "<svg><title>{v}</title><text>{v}</text></svg>".replace("<title>{v}", "<title>{h}"),
    "<section title='{h}' data-x=\"<p>{h}</p>\"><div>{v}</div></section>",
    "<hr>",
    "<!-- {h} --><p>{v}<!-- <p>{h} -->{v}",
    "<script>'{h}'</script><style>{h}</style><noscript><p>{h}</noscript><template><p>{h}</p></template>",
    "<div hidden>{h}<p>{h}</div>{v}<span hidden>{h}</span>{v}",
    "<p style='color: red; display: none'>{h}</p>{v}<i style='visibility:hidden'>{h}</i>",
    "<dialog>{h}</dialog><iframe>{h}</iframe>",
    "</div>",
    "</b></p></ul></table></blockquote>",
    "# {v}",
    "&lt;!-- {v} --&gt; *{v}* [{v}](x) ~~{v}~~ `{v}`",
    "<x-made>{v}</x-made>",
    "<div>" * 40 + "{v}",
    "<b>" * 700 + "{v}",
    "<ul><li>{v}" * 20,
    "<blockquote>{v}" * 20,
]

_WRAPS = [
    "<div>{}</div>",
    "<p>{}",
    "<b>{}</b>",
    "<a href='x.html'>{}</a>",
    "<ul><li>{}</li></ul>",
    "<ol><li>{}",
    "<blockquote>{}</blockquote>",
    "<table><tr><td>{}</td></tr></table>",
    "<table><tr><th>{}<tr><td>{}",
    "<h2>{}</h2>",
    "<html><body>{}</body></html>",
]


def _numbered(text: str) -> str:
    seen, gone = count(), count()
    return re.sub(r"\{([vh])\}", lambda found: f"seen{next(seen)}q" if found[1] == "v" else f"gone{next(gone)}q", text)


_pages = st.recursive(
    st.sampled_from(_PIECES),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=5).map("\n".join),
        st.tuples(st.sampled_from(_WRAPS), inner).map(lambda pair: pair[0].replace("{}", pair[1])),
    ),
    max_leaves=10,
)

known_pages = _pages.map(_numbered)
"""Elements nested in each other, whether or not they may be, some never closed and some never opened."""

_TAGS = ("p", "div", "b", "a href=x", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "table", "tr", "td")
_MORE = ("th colspan=3 rowspan=2", "thead", "h1", "h4", "br", "hr", "del", "q", "sup", "title", "span hidden", "select")

odd_pages = st.lists(
    st.one_of(
        st.sampled_from([f"<{tag}>" for tag in (*_TAGS, *_MORE)]),
        st.sampled_from([f"</{tag.split()[0]}>" for tag in (*_TAGS, *_MORE)]),
        st.text("ab1 \n\t#*_`[]()<>!-|:=~.\\&;+'\"/\r\x0b\x0c\x1c\x85\u2028\u00a0\ufeffé漢。", max_size=6),
        st.sampled_from(
            ["&lt;", "&amp;", "&#0;", "&#13;", "&#x80;", "&nbsp;", "<!--", "-->", "<![CDATA[", "<?x", "---"]
        ),
    ),
    max_size=30,
).map("".join)
"""Anything at all out of what means something to a parser of pages."""
