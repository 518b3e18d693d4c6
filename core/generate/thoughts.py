"""What a model thought, taken out of what it wrote: whatever marks its kind puts around it. Pure.

No server is trusted to have done so. Marks that mean nothing else count wherever they stand; words that documents use
too, such as <reason>, only where they begin a line; [THINK] only as a pair, or where it begins the answer. What was
begun and never ended goes to its end: better no answer than a thought for one. What ended and was never begun was begun
by a template, and goes from the start. A mark in code quotes is one that is spoken of.
"""

import regex

_MEANT = "think(?:ing)?"
_WORDS = "thoughts?|reason(?:ing)?|reflection|scratchpad|analysis"
_OPEN, _CLOSE = r"(?<!`)(?:[<＜◁⟨]|&lt;)\s*+", r"\s*+(?:[>＞▷⟩]|&gt;)"
_NAMESPACE = r"(?:[\w.-]{1,20}:)?+"
_BAR, _PREFIX = "[|｜]", r"[_▁](?:of[_▁])?+"


def _tag(names: str) -> str:
    begun = rf"{_OPEN}(?P<name>{_NAMESPACE}(?:{names}))(?:\s[^<>＞▷⟩]{{0,99}})?{_CLOSE}"
    return rf"{begun}.*?(?:{_OPEN}/\s*+(?P=name){_CLOSE}|\Z)"


def _compiled(pattern: str) -> "regex.Pattern[str]":
    return regex.compile(pattern, regex.DOTALL | regex.IGNORECASE | regex.MULTILINE)


_CHANNEL = _compiled(r"(?<!`)<\|channel\|>\s*+\w")
_SPOKEN = _compiled(
    r"<\|channel\|>\s*+final\b(?:[^<]|<\|constrain\|>){0,99}<\|message\|>(.*?)(?:<\|(?:end|return|call|start|channel)\|>|\Z)"
)
_THOUGHTS = (
    _compiled(_tag(_MEANT)),
    _compiled(rf"^[^\S\n]*+{_tag(_WORDS)}"),
    _compiled(rf"(?<!`)\[({_MEANT})\](?:(?!\[{_MEANT}\]).)*?\[/\1\]|\A\s*+\[{_MEANT}\].*"),
    _compiled(
        rf"(?<!`)<{_BAR}(?:(?:start|begin){_PREFIX})?+({_MEANT}|{_WORDS}){_BAR}>"
        rf".*?(?:<{_BAR}(?:/|end{_PREFIX})\1{_BAR}>|\Z)"
    ),
)
_ENDS = (
    _compiled(rf".*{_OPEN}/\s*+{_NAMESPACE}(?:{_MEANT}){_CLOSE}"),
    _compiled(rf"(?:(?!{_OPEN}{_NAMESPACE}(?:{_WORDS})\b).)*{_OPEN}/\s*+{_NAMESPACE}(?:{_WORDS}){_CLOSE}"),
    _compiled(rf".*(?<!`)\[/(?:{_MEANT})\]"),
    _compiled(rf".*<{_BAR}(?:/|end{_PREFIX})(?:{_MEANT}|{_WORDS}){_BAR}>"),
)


def without_thoughts(answer: str) -> str:
    """What is left to be said, of channels the final ones alone."""
    if _CHANNEL.search(answer):
        answer = "\n".join(_SPOKEN.findall(answer))
    for thought in _THOUGHTS:
        answer = thought.sub("", answer)
    for end in _ENDS:
        if found := end.match(answer):
            answer = answer[found.end() :]
    return answer
