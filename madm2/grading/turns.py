"""Where a completion ends, runs on into a new question, takes an answer back, or gives up."""

from __future__ import annotations

import re

from madm2.grading.cue_words import alternatives

_TURN_START = re.compile(
    r"<\|(?:im_start|start_header_id)\|>\s*assistant(?:<\|end_header_id\|>)?|<s>"
)
_TURN_END = re.compile(
    r"<\|(?:im_end|im_start|endoftext|eot_id|end_of_text|end|user)\|>"
    r"|</s>|<eos>|<end_of_turn>|\[INST\]"
)
_ASKED = alternatives(
    r"""
    question|problem|exercise|q|user|human|instruction
    问题|題目|题目|問題|질문|문제|pregunta|frage|domanda|вопрос|pergunta|soru
    """
)
_WHICH = "next|new|another|bonus|follow-up|similar"
_MARKER = re.compile(
    rf"^[^\S\n]*(?:[#*>]+[^\S\n]*)?(?:(?:{_WHICH}) )?(?:(?:{_ASKED})[^\S\n]*\d{{0,3}}"
    r"|example[^\S\n]*(?:[2-9]|\d\d))[^\S\n]*\**[:：.]"
    r"|^[^\S\n]*(?:#+|\*\*)[^\S\n]*(?:next )?(?:question|problem|exercise)"
    r"[^\S\n]*(?:#?\d{1,3})?[^\S\n*]*$"
    r"|^(?:question|problem|exercise)[^\S\n]*#?\d{1,3}[^\S\n]*$"
    r"|(?<=[.!?。)}] )(?-i:Question|Problem|Human|User|Q)[^\S\n]?\d{0,3}:(?=\s)",
    re.IGNORECASE | re.MULTILINE,
)
_RETRACTION = re.compile(
    r"(?:^|[\n.!?…:;)}\]>*])[^\S\n]*(?:but |hmm,? )?(?:wait|hold on|actually|correction|oops|"
    r"sorry|scratch that|on second thoughts?|no,)(?!\w)",
    re.IGNORECASE,
)
_UNABLE = alternatives(
    r"""
    cannot|can['’]?t|could not|couldn['’]t|unable to|(?:not possible|impossible) to
    do(?:es)? not|don['’]t|not
    """
)
_DECIDE = "(?:determine|answer|solve)d?|find|tell|say|conclude|know|sure|enough|compute"
_GIVES_UP = re.compile(
    rf"\b(?:{_UNABLE})\s+(?:be\s+)?(?:\w{{1,12}}ly\s+)?(?:{_DECIDE})\b(?![^.\n]{{0,100}}\bbut\b)|"
    + alternatives(
        r"""
        \binsufficient (?:information|data)|\bno answer\b
        无法|不能确定|不知道|わかりません|分かりません|できません|알 수 없
        no (?:puedo|sé)|impossible de|je ne (?:peux|sais)|(?:kann|weiß) (?:ich )?(?:es )?nicht
        не могу|невозможно|не знаю|non (?:posso|so)|não (?:sei|posso)
        """
    ),
    re.IGNORECASE,
)
_MAX_PARTS = 50
_TAIL = 20_000


_FAREWELL = re.compile(
    r"(?:^|(?<=[\s.!?。$>]))(?:I hope (?:this|that|it) (?:helps|is (?:correct|clear|helpful))"
    r"|(?:please )?(?:let me know|feel free to ask)\b)[^\n]*\s*\Z",
    re.IGNORECASE,
)
_FAREWELL_LENGTH = 200


def first_turn(text: str) -> str:
    """The text up to the first token that ends a turn, without a closing courtesy."""
    turns = _TURN_END.split(_TURN_START.sub("", text))
    turn = next((turn for turn in turns if turn.strip()), "")
    for _ in range(2):
        start = max(len(turn) - _FAREWELL_LENGTH, 0)
        turn = turn[:start] + _FAREWELL.sub("", turn[start:])
    return turn.rstrip()


def split_at_questions(text: str) -> list[str]:
    """Part a text where it runs on into a new, invented question; the first parts, in order."""
    starts = [m.start() for m in _MARKER.finditer(text)]
    edges = [0, *starts, len(text)]
    parts = [text[a:b] for a, b in zip(edges, edges[1:], strict=False)]
    return [part for part in parts if part.strip()][:_MAX_PARTS]


def opens_with_question(text: str) -> bool:
    """Whether a part states a question before it answers (as a repeated prompt does)."""
    return bool(_MARKER.match(text))


def retractions(text: str) -> list[int]:
    """Positions of "Wait," and the like, after which an answer may be stated anew."""
    return [m.end() for m in _RETRACTION.finditer(text, max(len(text) - _TAIL, 0))]


def gives_up(text: str) -> bool:
    """Whether the last two sentences of a text say that it has no answer."""
    sentences = re.split(r"(?<=[.!?。])\s+", text[-1000:].strip())
    return bool(_GIVES_UP.search(" ".join(sentences[-2:])))
