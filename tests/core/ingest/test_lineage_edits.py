"""Edits to a page, and whether a citation must be told of them. A citation is the words between « and » in the page."""

import pytest

from core.ingest.lineage import Continuation, trace
from core.ingest.reading import read
from core.model.documents import Document

CITED = "Refunds take 14 days."


def document(text: str, properties: str = "") -> Document:
    return read((properties + text).encode(), media_type="text/markdown", uri="handbook/refunds.md")


def outcome(old: str, new: str, cited: str = CITED) -> Continuation:
    page = document(old)
    start = page.text.encode().index(cited.encode())
    return trace(page, [(start, start + len(cited.encode()))], document(new))[0]


def must_alarm(old: str, new: str, cited: str = CITED) -> None:
    found = outcome(old, new, cited)
    assert found.state != "continues", found
    assert not found.clearable, found


PAGE = f"""# Shop

Ask the shop team first. {CITED} Bring the receipt.

## Delivery

Parcels leave at noon.
"""
PRICES = "# Prices\n\n| Item | Limit |\n|---|---|\n| Chair | 300 EUR |\n| Desk | 900 EUR |\n"
BENEFITS = "# Leave\n\nEmployees receive:\n\n- 25 days of leave\n  - 5 of them in summer\n- a laptop\n"
ROW, ITEM, NESTED = "| Chair | 300 EUR |", "25 days of leave", "5 of them in summer"

OLU = "Time for OLU trainings is coded as 969."
MOVED = f"# Online Learning University\n\nRead on. {OLU}\n\n# Online University (OLU)\n\nClasses are assigned.\n"
MOVED_TO = (
    f"# Online Learning University\n\nRead on.\n\n# Online University (OLU) classes\n\nClasses are assigned. {OLU}\n"
)

MOVED_DOWN = (
    PAGE.replace(f" {CITED}", "")
    + "\n## Contractors\n\nThey are paid by the hour.\n\n{between}\n\n{title}\n\n"
    + CITED
    + "\n"
)

HARMFUL = {
    "moved to questions about something else": (
        PAGE,
        MOVED_DOWN.format(between="Ask away.", title="### Still have questions?"),
        CITED,
    ),
    "moved below a rule, to others": (PAGE, MOVED_DOWN.format(between="---", title="### Contractors"), CITED),
    "moved below words underlined like a rule": (
        PAGE,
        MOVED_DOWN.format(between="Interns\n---", title="### Questions?"),
        CITED,
    ),
    "moved below a rule in code": (
        PAGE,
        MOVED_DOWN.format(between="```\n\n---\n\n```", title="### Questions?"),
        CITED,
    ),
    "struck through": (PAGE, PAGE.replace(CITED, f"~~{CITED}~~"), CITED),
    "partly struck through": (PAGE, PAGE.replace("14 days", "~~14~~ days"), CITED),
    "a strike that begins before": (PAGE, PAGE.replace("Ask", "~~Ask").replace(CITED, CITED + "~~"), CITED),
    "in a del tag": (PAGE, PAGE.replace(CITED, f"<del>{CITED}</del>"), CITED),
    "in an s tag": (PAGE, PAGE.replace("14", "<s>14</s>"), CITED),
    "between del tags on lines of their own": (
        PAGE,
        PAGE.replace("Ask", "<del>\n\nAsk").replace("## D", "</del>\n\n## D"),
        CITED,
    ),
    "commented out": (PAGE, PAGE.replace(CITED, f"<!-- {CITED} -->"), CITED),
    "commented out over lines": (PAGE, PAGE.replace("Ask", "<!--\nAsk").replace("receipt.", "receipt.\n-->"), CITED),
    "in a template comment": (PAGE, PAGE.replace(CITED, "{% comment %}" + CITED + "{% endcomment %}"), CITED),
    "removed": (PAGE, PAGE.replace(CITED, ""), CITED),
    "another number": (PAGE, PAGE.replace("14", "30"), CITED),
    "negated inside": (PAGE, PAGE.replace("take", "do not take"), CITED),
    "turned into a question": (PAGE, PAGE.replace("14 days.", "14 days?"), CITED),
    "under a heading that ends it": (PAGE, PAGE.replace("# Shop", "# Shop until 2024"), CITED),
    "under a heading that dates it": (
        PAGE.replace("# Shop", "# Shop 2024"),
        PAGE.replace("# Shop", "# Shop 2023"),
        CITED,
    ),
    "moved under `Until 2024`": (PAGE, PAGE.replace(CITED + " ", "") + f"\n## Until 2024\n\n{CITED}\n", CITED),
    "moved under `Former policy`": (PAGE, PAGE.replace(CITED + " ", "") + f"\n## Former policy\n\n{CITED}\n", CITED),
    "moved under `Draft`": (PAGE, PAGE.replace(CITED + " ", "") + f"\n## Draft\n\n{CITED}\n", CITED),
    "moved to another topic": (PAGE, PAGE.replace(CITED + " ", "").replace("Parcels", CITED + " Parcels"), CITED),
    "copied elsewhere, original removed": (
        PAGE.replace("Parcels", CITED + " Parcels"),
        PAGE.replace(CITED + " ", "").replace("Parcels", CITED + " Parcels"),
        CITED,
    ),
    "another place's heading": (
        PAGE.replace("# Shop", "# Berlin office"),
        PAGE.replace("# Shop", "# Munich office"),
        CITED,
    ),
    "a narrower heading put in": (PAGE, PAGE.replace("Ask", "## Contractors\n\nAsk"), CITED),
    "the sentence before says it ended": (
        PAGE,
        PAGE.replace(CITED, f"The following no longer applies. {CITED}"),
        CITED,
    ),
    "the sentence before limits it": (PAGE, PAGE.replace(CITED, f"This applies only to members. {CITED}"), CITED),
    "the sentence before dates it": (PAGE, PAGE.replace(CITED, f"Until March 2024 this rule held. {CITED}"), CITED),
    "the date before it changed": (
        PAGE.replace(CITED, f"This applies until 2024. {CITED}"),
        PAGE.replace(CITED, f"This applies until 2023. {CITED}"),
        CITED,
    ),
    "a label before it": (PAGE, PAGE.replace(CITED, f"**Draft.** {CITED}"), CITED),
    "a label that opens the section": (PAGE, PAGE.replace("Ask", "**Deprecated**\n\nAsk"), CITED),
    "a notice paragraphs above": (PAGE, PAGE.replace("Ask", "This policy is suspended.\n\nRead on.\n\nAsk"), CITED),
    "a notice on the page above": (PAGE, "This page is out of date.\n\n" + PAGE, CITED),
    "a notice that negates": (PAGE, PAGE.replace("Ask", "The following does not apply to members.\n\nAsk"), CITED),
    "a sentence after that ends it": (PAGE, PAGE.replace(CITED, f"{CITED} This ended with the old contract."), CITED),
    "an exception after it": (PAGE, PAGE.replace(CITED, f"{CITED} Except for members."), CITED),
    "in a quote led by a colon": (
        PAGE,
        PAGE.replace(CITED + " ", "").replace("## D", f"The old rule was:\n\n> {CITED}\n\n## D"),
        CITED,
    ),
    "a heading narrowed by a noun": (PAGE, PAGE.replace("# Shop", "# Shop for contractors"), CITED),
    "a heading narrowed by a place": (PAGE, PAGE.replace("# Shop", "# Shop in Berlin"), CITED),
    "a heading narrowed, its words said beneath": (
        PAGE.replace("Ask", "Contractors are welcome. Ask"),
        PAGE.replace("Ask", "Contractors are welcome. Ask").replace("# Shop", "# Shop for contractors"),
        CITED,
    ),
    "a title above that narrows": (
        PAGE.replace("# Shop", "## Shop"),
        "# Munich\n\n" + PAGE.replace("# S", "## S"),
        CITED,
    ),
    "moved under a title like its own that names others": (
        MOVED,
        MOVED_TO.replace("(OLU) classes", "(OLU) contractors"),
        OLU,
    ),
    "moved under another title, renamed": (
        MOVED.replace("Online University (OLU)", "University visitors (OLU)"),
        MOVED_TO.replace("Online University (OLU) classes", "University visitors (OLU) classes"),
        OLU,
    ),
    "moved under a title that stood all along": (
        MOVED.replace("# Online University (OLU)", "# Online University (OLU) visitors"),
        MOVED_TO.replace("(OLU) classes", "(OLU) visitors"),
        OLU,
    ),
    "header changed": (PRICES, PRICES.replace("Limit", "Price"), ROW),
    "header dated": (PRICES, PRICES.replace("Limit", "Limit 2023"), ROW),
    "row changed": (PRICES, PRICES.replace("300", "350"), ROW),
    "cells swapped": (PRICES, PRICES.replace(ROW, "| 300 EUR | Chair |"), ROW),
    "row struck through": (PRICES, PRICES.replace("300 EUR", "~~300 EUR~~"), ROW),
    "table led by other words": (PRICES, PRICES.replace("| Item", "Limits for visitors:\n\n| Item"), ROW),
    "lead-in negated": (BENEFITS, BENEFITS.replace("receive", "do not receive"), ITEM),
    "lead-in swaps a noun": (BENEFITS, BENEFITS.replace("Employees", "Contractors"), ITEM),
    "lead-in dated": (BENEFITS, BENEFITS.replace("receive", "receive from 2027"), ITEM),
    "parent item changed": (BENEFITS, BENEFITS.replace("of leave", "of unpaid leave"), NESTED),
    "nested under another item": (
        BENEFITS,
        "# Leave\n\nEmployees receive:\n\n- a laptop\n  - 25 days of leave\n    - 5 of them in summer\n",
        ITEM,
    ),
    "under another label in bold": (
        PAGE.replace("Ask", "**Members**\n\nAsk"),
        PAGE.replace("Ask", "**Visitors**\n\nAsk"),
        CITED,
    ),
    "table under another label": (
        PRICES.replace("| Item", "**2024 limits**\n\n| Item"),
        PRICES.replace("| Item", "**2025 limits**\n\n| Item"),
        ROW,
    ),
    "label put in": (PRICES, PRICES.replace("| Item", "**Visitors**\n\n| Item"), ROW),
    "qualifier in a long lead-in": (
        BENEFITS.replace("Employees", "We care. Read on. Employees"),
        BENEFITS.replace("Employees", "We care. This is a draft. Employees"),
        ITEM,
    ),
    "notice in a callout": (PAGE, PAGE.replace("Ask", "> [!WARNING]\n> This policy was withdrawn.\n\nAsk"), CITED),
    "notice in a tag": (PAGE, PAGE.replace("Ask", "<div>Deprecated</div>\n\nAsk"), CITED),
    "struck over paragraphs": (
        PAGE,
        PAGE.replace("Ask", "<del>Look up.\n\nAsk").replace("receipt.", "receipt.</del>"),
        CITED,
    ),
    "a page marked archived": (PAGE, f"---\narchived: true\n---\n{PAGE}", CITED),
    "a page whose status is draft": (PAGE, f"---\nstatus: draft\n---\n{PAGE}", CITED),
    "a line of code under another key": ("```\nprod:\n  limit: 5\n```\n", "```\ntest:\n  limit: 5\n```\n", "limit: 5"),
    "the case of code": ("```\nrun -d now\n```\n", "```\nrun -D now\n```\n", "run -d now"),
}

HARMLESS = {
    "moved to the questions below a rule": (
        PAGE,
        MOVED_DOWN.format(between="--------", title="### Still have questions?"),
        CITED,
    ),
    "nothing": (PAGE, PAGE, CITED),
    "wrapped": (PAGE, PAGE.replace(CITED, "Refunds take\n14\ndays."), CITED),
    "CRLF": (PAGE, PAGE.replace("\n", "\r\n"), CITED),
    "byte order mark": (PAGE, "\ufeff" + PAGE, CITED),
    "no final newline": (PAGE, PAGE.rstrip(), CITED),
    "emphasis": (PAGE, PAGE.replace("14 days", "**14 days**"), CITED),
    "emphasis over sentences": (PAGE, PAGE.replace("Ask", "_Ask").replace(CITED, CITED + "_"), CITED),
    "a link": (PAGE, PAGE.replace("14 days", "[14 days](https://shop.example/v2)"), CITED),
    "code marks": (PAGE, PAGE.replace("14 days", "`14 days`"), CITED),
    "a tag": (PAGE, PAGE.replace("14 days", "<b>14 days</b>"), CITED),
    "a footnote": (PAGE, PAGE.replace("days.", "days[^1]."), CITED),
    "an invisible character": (PAGE, PAGE.replace("Refunds", "Re\u00adfunds\u200b"), CITED),
    "an entity": (PAGE, PAGE.replace("14 days", "14&nbsp;days"), CITED),
    "capitals": (PAGE, PAGE.replace("Refunds", "REFUNDS"), CITED),
    "number in words": (PAGE.replace("14", "five"), PAGE.replace("14", "5"), "Refunds take five days."),
    "comment beside it": (PAGE, PAGE.replace(CITED, f"<!-- check -->{CITED}"), CITED),
    "link target changed": (
        PAGE.replace("14 days", "[14 days](a.md)"),
        PAGE.replace("14 days", "[14 days](b.md)"),
        "Refunds take [14 days](a.md).",
    ),
    "typographic quotes": (
        PAGE.replace("14 days", '"14" days, don\'t ask'),
        PAGE.replace("14 days", "“14” days, don’t ask"),
        'Refunds take "14" days, don\'t ask.',
    ),
    "template tag for a link": (
        PAGE.replace("14 days", "see [#shop](https://chat.example/c/1)"),
        PAGE.replace("14 days", 'see {% slack_channel "shop" %}'),
        "see [#shop](https://chat.example/c/1)",
    ),
    "heading level": (PAGE, PAGE.replace("# Shop", "## Shop").replace("## Delivery", "### Delivery"), CITED),
    "heading marks": (PAGE, PAGE.replace("# Shop", "Shop\n===="), CITED),
    "heading reworded": (PAGE.replace("Shop", "Refunds"), PAGE.replace("# Shop", "# Refund policy"), CITED),
    "heading said by the words beneath": (PAGE, PAGE.replace("# Shop", "# Shop: refunds"), CITED),
    "heading that drops a word": (PAGE.replace("# Shop", "# Shop tours"), PAGE, CITED),
    "moved under its own topic, renamed where it stood": (MOVED, MOVED_TO, OLU),
    "title put on top": (PAGE.replace("# Shop", "## Shop"), PAGE.replace("# Shop", "# Handbook\n\n## Shop"), CITED),
    "sections reordered": (
        "# Shop\n\n## Money\n\nRefunds take 14 days.\n\n## Parcels\n\nThey leave at noon.\n",
        "# Shop\n\n## Parcels\n\nThey leave at noon.\n\n## Money\n\nRefunds take 14 days.\n",
        CITED,
    ),
    "neighbour added": (PAGE, PAGE.replace(CITED, f"Look at the wall. {CITED} Then smile."), CITED),
    "neighbour changed": (PAGE, PAGE.replace("Ask the shop team first", "Phone 12 people if you like"), CITED),
    "neighbour removed": (PAGE, PAGE.replace(" Bring the receipt.", ""), CITED),
    "paragraph split": (PAGE, PAGE.replace(f" {CITED}", f"\n\n{CITED}"), CITED),
    "paragraph into item": (PAGE, PAGE.replace("Ask", "- Ask"), CITED),
    "paragraph added above": (PAGE, PAGE.replace("Ask", "We sell chairs and desks.\n\nAsk"), CITED),
    "section added above": (PAGE, PAGE.replace("# Shop", "# Garden\n\nDraft plans grow here.\n\n# Shop"), CITED),
    "list marker": (BENEFITS, BENEFITS.replace("- ", "* "), ITEM),
    "list numbered": (
        BENEFITS,
        BENEFITS.replace("- a l", "2. a l").replace("- 2", "1. 2").replace("  - 5", "   1. 5"),
        ITEM,
    ),
    "item before": (BENEFITS, BENEFITS.replace("- 25", "- a chair\n- 25"), ITEM),
    "task ticked": ("- [ ] Call the bank today\n", "- [x] Call the bank today\n", "Call the bank today"),
    "neighbour added in a long lead-in": (
        BENEFITS.replace("Employees", "We care. Employees"),
        BENEFITS.replace("Employees", "We care. It is fun here. Employees"),
        ITEM,
    ),
    "label of another section": (
        PAGE.replace("Parcels", "**Berlin**\n\nParcels"),
        PAGE.replace("Parcels", "**Munich**\n\nParcels"),
        CITED,
    ),
    "an item that says draft": ("- One\n- Refunds take 14 days.\n", "- Draft\n- Refunds take 14 days.\n", CITED),
    "lead-in emphasised": (BENEFITS, BENEFITS.replace("Employees receive", "**Employees** receive"), ITEM),
    "lead-in reworded without content": (BENEFITS, BENEFITS.replace("Employees", "All the employees"), ITEM),
    "table padded": (PRICES, PRICES.replace("| Chair | 300 EUR |", "|  Chair   |300 EUR|"), ROW),
    "table unfenced": (PRICES, PRICES.replace("| Chair | 300 EUR |", "Chair | 300 EUR"), ROW),
    "row added": (PRICES, PRICES.replace(ROW, f"| Lamp | 80 EUR |\n{ROW}"), ROW),
    "alignment": (PRICES, PRICES.replace("|---|---|", "|:--|--:|"), ROW),
    "code moved in": ("```\nlimit: 5\n```\n", "```yaml\nlimit:   5\n```\n", "limit: 5"),
    "front matter": (PAGE, f"---\ntitle: Shop\narchived: false\n---\n{PAGE}", CITED),
    "one of several equal sentences removed": (f"# A\n\n{CITED}\n\n{CITED}\n", f"# A\n\n{CITED}\n", CITED),
}


@pytest.mark.parametrize("case", HARMFUL)
def test_an_edit_that_may_change_what_holds_is_told(case: str) -> None:
    must_alarm(*HARMFUL[case])


@pytest.mark.parametrize("case", HARMLESS)
def test_an_edit_that_changes_nothing_is_not_told(case: str) -> None:
    found = outcome(*HARMLESS[case])
    assert found.state == "continues" or found.clearable, found
