"""The closed lists of words that core.text goes by, in folded form."""


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


def _phrases(listed: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in listed.split(","))


INLINE_TAGS = _set("""
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small
    span strike strong sub sup time tt u var wbr
""")
BLOCK_TAGS = _set("""
    address area article aside audio base blockquote body br button canvas caption center col colgroup datalist
    dd details dialog dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5
    h6 head header hgroup hr html iframe img input legend li link main map menu meta meter nav noscript object
    ol optgroup option output p param picture pre progress script search section select slot source style
    summary svg table tbody td template textarea tfoot th thead title tr track ul video
""")
STRUCK_TAGS = _set("del s strike")
UNSEEN_TAGS = _set("script style template")

# Template tags whose first quoted word is a path or a test, which no reader sees.
SILENT_TEMPLATE_TAGS = _set("""
    if elsif elif else unless case when for assign capture include include_relative render layout extends block
    import load url static set macro call from with cycle tablerow increment decrement
""")

# Abbreviations by what may follow their full stop: never an end; an end unless a number follows; an end before a word
# that commonly begins a sentence.
ABBREVIATIONS = _set("""
    mr mrs ms mx dr prof st messrs mme mlle e.g i.e eg ie vs cf viz approx ca resp incl excl rev gen gov sen rep
    hon col capt lt sgt mt ft fig figs eq sec ch vol pp dept tel z.b d.h u.a bzw ggf
""")
ABBREVIATIONS_BEFORE_NUMBERS = _set("""
    no nos nr art para jan feb mar apr jun jul aug sep sept oct nov dec p abs max min est ed
""")
ABBREVIATIONS_AT_END = _set("inc ltd co corp jr sr bros al etc a.m p.m")
SENTENCE_STARTERS = _set("""
    the this these that those it we you they he she if when where while for in on at as a an all no please there
    our your my its to but and so then to see also however each every any most some after before until since
""")

STOP_WORDS = _set("""
    a about above after again all also am an and any are as at be because been before being below between both
    but by can could did do does doing down during each etc few for from further had has have having he her here
    hers him his how i if in into is it its itself just let me might more most must my of off on once or other
    our ours out over own please same shall she should so some such than that the their theirs them then there
    these they this those through to too under until up upon us very was we were what when where which while who
    whom whose why will with would you your yours it's that's there's we're you're they're i'm i've we've you've
    they've i'll we'll you'll they'll let's
""")

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            _set("january jan"),
            _set("february feb"),
            _set("march mar"),
            _set("april apr"),
            _set("may"),
            _set("june jun"),
            _set("july jul"),
            _set("august aug"),
            _set("september sept sep"),
            _set("october oct"),
            _set("november nov"),
            _set("december dec"),
        ),
        start=1,
    )
    for name in sorted(names)
}
NUMBER_WORDS = {
    **{
        word: value
        for value, word in enumerate(
            _phrases("""
                zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen,
                fifteen, sixteen, seventeen, eighteen, nineteen, twenty
            """)
        )
    },
    **dict(zip(_phrases("thirty, forty, fifty, sixty, seventy, eighty, ninety"), range(30, 100, 10), strict=True)),
}
SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "k": 10**3,
    "million": 10**6,
    "mn": 10**6,
    "m": 10**6,
    "billion": 10**9,
    "bn": 10**9,
    "b": 10**9,
    "trillion": 10**12,
}
CURRENCIES = {
    **{"$": "usd", "us$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr"},  # noqa: PIE800  signs, then codes
    **{code: code for code in sorted(_set("usd eur gbp jpy inr chf cad aud cny"))},
}

NEGATIONS = _phrases("""
    not, no, never, none, nobody, nothing, nowhere, neither, nor, without, hardly, barely, unable, fails to,
    refuses to
""")
# Said of a rule, these change whether it holds at all, ...
LAPSED = _phrases("""
    no longer, not any more, not anymore, anymore, former, formerly, previous, previously, old, used to,
    historic, historical, historically, legacy, archive, archived, archival, parked, obsolete, outdated, out of
    date, stale, superseded, supersedes, replaced, retired, deprecated, deprecation, discontinued, abolished,
    repealed, revoked, rescinded, withdrawn, expired, lapsed, void, ended, inactive, disabled, defunct, sunset,
    sunsetted, phased out, cancelled, canceled, suspended, paused, on hold, frozen, postponed, rejected,
    declined, wrong, wrongly, incorrect, incorrectly, false, falsely, myth, myths, misconception,
    misconceptions, mistaken, mistakenly, rumor, rumour, rumors, rumours, forbidden, prohibited, invalid
""")
UNSETTLED = _phrases("""
    draft, drafts, proposed, proposal, proposals, planned, pending, tentative, tentatively, provisional, provisionally,
    preliminary, unofficial, unconfirmed, not yet, under review, in review, work in progress, wip, tbd, tbc,
    experimental, pilot, trial, beta, temporary, temporarily, interim, hypothetical, hypothetically, fictional
""")
# ... when it does, ...
TIMED = _phrases("""
    until, till, through, since, effective, as of, as from, starting, beginning, from, before, after, prior to, by,
    during, new, current, currently, now, today, at present, so far, recent, recently, once, future, eventually, past,
    older, earlier, upcoming, plan to, plans to, expire, expires, expiry, ends, closed, removed
""")
# ... and for whom or in which case.
LIMITED = _phrases("""
    only, except, exception, exceptions, excepting, excluding, exclude, excludes, unless, if, provided that, other than,
    apart from, but, however, instead, rather than, limited to, solely, exclusively, optional, optionally, would, might,
    may, could, should, avoid, example, examples, for example, e.g, sample, imagine, suppose
""")
