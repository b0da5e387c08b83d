"""Answer phrases in common languages: where a text says that its answer follows."""

from __future__ import annotations

import re
from collections.abc import Iterator

# What an answer is called, and what joins it to the answer. A noun may be followed by a few words
# ("answer to part (b) is"), but not by a sentence's end.
_NOUNS = (
    # English, Spanish, French, German, Italian, Portuguese, Dutch, Swedish, Danish
    r"answers?|results?|solution|(?:correct|right|best) (?:option|choice)|"
    r"respuestas?|resultado|réponses?|reponse|résultat|antwort|ergebnis|"
    r"lösung|rispost[ae]|risultato|soluzione|respostas?|antwoord|svar(?:et)?|"
    # Polish, Czech, Russian, Ukrainian, Turkish, Vietnamese, Indonesian, Romanian, Hungarian
    r"odpowiedź|odpowiedz|wynik|odpověď|ответ|відповідь|cevap|yanıt|sonuç|đáp án|đáp số|"
    r"câu trả lời|kết quả|jawaban(?:nya)?|răspunsul?|válasz|vastaus|"
    # Greek, Arabic, Persian, Hebrew, Hindi, Bengali, Thai
    r"απάντηση|الإجابة|الاجابة|إجابة|الجواب|جواب|پاسخ|התשובה|תשובה|उत्तर|उत्तर|জবাব|উত্তর|คำตอบ"
)
_JOINS = (
    r"is|are|was|equals|would be|will be|must be|should be|seems to be|appears to be|comes to|"
    r"turns out to be|becomes|es|sería|son|est|ist|lautet|beträgt|è|é|será|sono|to|wynosi|jest|je|"
    r"är|er|равен|равно|будет|это|дорівнює|là|adalah|este|είναι|هو|هي|است|היא|הוא|है|হল|হলো|คือ"
)
_EASTERN = (
    r"(?:最终|最終|正确|正確|所以|因此|故)?(?:的)?(?:答案|结果|結果|得数|答え|正解|解答|回答|정답|해답|답)"
    r"(?:应该|應該|应|應|就)?(?:是|为|為|等于|選|选|は|が|은|는|이)?\s*[:：=]?\s*"
)
_EASTERN_VALUE = re.compile(
    r"(?:所求的?值|值|结果|一共|总共|總共|共|合計)(?:需要|是|为|為|有|等于|は)\s*(?=[\d$\\０-９])"
)
_CUE = re.compile(
    rf"(?:\b(?:{_NOUNS})(?!\w)"
    rf"(?P<join>(?:[^\S\n]+(?:[^\W\d_]|[()'’-])[^\n.,:;=：!?]{{0,40}}?)??"
    rf"[^\S\n]*(?:(?<!\w)(?:{_JOINS})(?!\w)[^\S\n]*[:：=—]?|[:：=]|[—–-](?=\s)))"
    rf"|{_EASTERN})[^\S\n]*",
    re.IGNORECASE,
)
_HEADING = re.compile(rf"^[\W_]*(?:\w+[ \t]+){{0,2}}(?:{_NOUNS})[\W_]*$", re.IGNORECASE)
_MARKER = re.compile(
    r"^[^\S\n]*(?:[#*]+[^\S\n]*)?(?:next |new )?(?:question|problem|exercise|example|q|user|human|"
    r"问题|題目|题目|問題|질문|pregunta|frage|вопрос)[^\S\n]*\d{0,3}[^\S\n]*\**[:：.]",
    re.IGNORECASE | re.MULTILINE,
)
_MARKUP = " \t\r*_#:：`$[]\\()"  # a line of nothing else holds no answer
_MAX_CUES = 50


def after_cues(text: str) -> Iterator[str]:
    """What follows each answer phrase, the last one first.

    The rest of the phrase's line; when that is empty, the next line that is not.
    """
    ends = [m.end() for m in _CUE.finditer(text)]
    ends += [m.end() for m in _EASTERN_VALUE.finditer(text)]
    start = 0
    for line in text.split("\n"):
        if len(line) < 60 and _HEADING.match(line):
            ends.append(start + len(line))
        start += len(line) + 1
    for end in sorted(set(ends), reverse=True)[:_MAX_CUES]:
        while end < len(text):
            stop = text.find("\n", end)
            line = text[end : stop if stop >= 0 else len(text)]
            if line.strip(_MARKUP):
                yield line
                break
            end += len(line) + 1


def split_at_questions(text: str) -> list[str]:
    """Part a text where it runs on into a new, invented question; the parts in order."""
    starts = [m.start() for m in _MARKER.finditer(text)]
    edges = [0, *starts, len(text)]
    parts = [text[a:b] for a, b in zip(edges, edges[1:], strict=False)]
    return [part for part in parts if part.strip()]


def opens_with_question(text: str) -> bool:
    """Whether a part states a question before it answers (as a repeated prompt does)."""
    return bool(_MARKER.match(text))
