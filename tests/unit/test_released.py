"""The released code's rules: each sentence of their description as a case, properties, hostile texts."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madm2.grading import released, worker
from madm2.grading.released import Family

FAMILIES: tuple[Family, ...] = ("gsm8k", "math", "aime", "mmlu_pro")

READING = [
    # 1. a tag on one line: the last one's content, as found
    ("so <answer> 7 </answer>.", " 7 "),
    ("<answer>1</answer> no, <answer>2</answer>", "2"),
    ("<answer>1</answer>\n<answer>2</answer>\n\\boxed{3}", "2"),
    ("<answer>a<answer>b</answer>", "a<answer>b"),
    ("<think><answer>5</answer></think>7", "5"),
    ("<answer>\n7\n</answer>", "</answer>"),
    ("<Answer>7</Answer>\n8", "8"),
    ("<answer>7\n8", "8"),
    ("<answer></answer> it is 4, \\boxed{5}", "5"),  # rules 2 to 5 are skipped, not 6
    ("<answer></answer>\nthe answer is 4", ""),
    # 2. a box: greedy within a line, the last line that has one, else \fbox
    ("\\boxed{1}\n\\boxed{2} and {3}.", "2} and {3"),
    ("\\boxed{\\frac{1}{2}}$.", "\\frac{1}{2}"),
    ("\\fbox{6}", "6"),
    ("\\fbox{6}\n\\boxed{5}\n\\fbox{7}", "5"),
    ("\\boxed{}\n#### 5", "5"),
    ("\\boxed{}\n\\fbox{6}\n#### 5", "5"),
    ("\\boxed{4\n\\boxed{5}", "5"),
    ("\\boxed 4", "\\boxed 4"),
    # 3. the hashes
    ("#### 1,250\nok", "1250"),
    ("####-5", "-5"),
    ("#### 3\n#### 4.50", "4.50"),
    ("#### $18", "#### $18"),
    ("#### ,", "#### ,"),
    # 4. the first "the" of a line
    ("The answer is 5", "5"),
    ("the final answer is: 5\nok", "5"),
    ("The final\nanswer is 5", "5"),
    ("The answer:\n\n5", "5"),
    ("the 5 the 6", "5 the 6"),
    ("the 5\nThe 6\nok", "6"),
    ("Therefore 7", "refore 7"),
    ("either 7", "r 7"),
    ("the island", "land"),
    ("the\n\nthe 5", "the 5"),
    ("THE ANSWER IS 7", "THE ANSWER IS 7"),
    # 5. the last line
    ("a = 2\nb = 3", "b = 3"),
    ("a = 2\r\n b = 3 ", " b = 3 "),
    ("   ", "   "),
    # 6. nothing: the first box, over lines, stripped
    ("\\boxed{ 1\n2 }\n", "1\n2"),
    ("7\n", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "answer"), READING)
@pytest.mark.parametrize("family", ["gsm8k", "math", "aime"])
def test_reading(text: str, answer: str, family: Family) -> None:
    assert released.read(text, family).answer == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Answer: C", "C"),
        ("I hope", "I"),
        ("B, since A fails", "A"),
        ("<answer>D</answer> by Theorem E", "E"),
        ("K or AB or b", ""),
        ("\\boxed{ x\n}", "x"),
        ("\\boxed{B}", "B"),
        ("答案是C。", ""),  # no border of a word beside an ideogram
        ("答案：C。", "C"),
        ("", ""),
    ],
)
def test_reading_a_letter(text: str, answer: str) -> None:
    assert released.read(text, "mmlu_pro").answer == answer


@pytest.mark.parametrize(
    ("text", "think"),
    [
        ("<think>a</think>b<think>c</think>", "a"),
        ("<think>a\nb</think>", "a\nb"),
        ("<think></think>b", ""),
        ("<think>a", "<think>a"),
        ("a</think>b", "a</think>b"),
        ("b", "b"),
    ],
)
def test_the_thinking(text: str, think: str) -> None:
    assert released.read(text, "math").think == think


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        ("18", 18.0),
        ("$1,234.50 in all", 1234.5),
        ("3 of 12,345,678", 12345678.0),
        ("1,2345", 5.0),
        ("-7", -7.0),
        ("10-2", -2.0),
        ("+7", 7.0),
        (".5", 5.0),
        ("1e3", 3.0),
        ("70_{10}", 10.0),
        ("1.5.2", 2.0),
        ("none", None),
        ("", None),
        ("9" * 400, float("inf")),
    ],
)
@pytest.mark.parametrize("family", ["gsm8k", "aime"])
def test_the_key_of_a_number(answer: str, key: float | None, family: Family) -> None:
    assert released.vote_key(answer, family) == key


@pytest.mark.parametrize(
    ("answer", "family", "key"),
    [
        (" \\frac12\n", "math", "\\frac12"),
        ("", "math", ""),
        ("C", "mmlu_pro", "c"),
        (" c)", "mmlu_pro", "c"),
        ("(C)", "mmlu_pro", "("),
        ("Ｃ", "mmlu_pro", "c"),
        ("", "mmlu_pro", ""),
    ],
)
def test_the_key_of_a_text(answer: str, family: Family, key: str) -> None:
    assert released.vote_key(answer, family) == key


@pytest.mark.parametrize(
    ("answers", "family", "key", "count", "consensus"),
    [
        (["a", "b", "b"], "math", "b", 2, True),
        (["a", "b", "b", "a"], "math", "a", 2, True),
        (["b", "a"], "math", "b", 1, True),
        (["a", "b", "c"], "math", "a", 1, False),
        (["", "", "c"], "math", "", 2, True),
        (["1/2", "\\frac12", "0.5"], "math", "1/2", 1, False),
        (["x", "y", "5"], "gsm8k", None, 2, True),
        (["18", "$18.00", "20"], "aime", 18.0, 2, True),
        (["a"], "math", "a", 1, True),
        (["a", "b", "c", "d", "d"], "math", "d", 2, False),
    ],
)
def test_the_vote(
    answers: list[str], family: Family, key: released.VoteKey, count: int, consensus: bool
) -> None:
    assert released.vote(answers, family) == released.ReleasedVote(key, count, consensus)


@pytest.mark.parametrize(
    ("key", "gold", "family", "score"),
    [
        (18.0, "She has 9 + 9.\n#### 18", "gsm8k", 1),
        (18.0000005, "18", "gsm8k", 1),
        (18.00001, "18", "gsm8k", 0),
        (1234.0, "1,234 apples", "gsm8k", 1),
        (1e16, "10000000000000000", "gsm8k", 1),
        (None, "18", "gsm8k", 0),
        (18.0, "eighteen", "gsm8k", 0),
        ("\\frac12", "It is\n$\\boxed{\\frac{1}{2}}$.", "math", 1),
        ("the 5", "\\boxed{5}", "math", 1),
        ("5", "gathers\n5", "math", 0),  # "the" is found in the gold's "gathers" too
        ("\\(5\\)", "5", "math", 0),
        ("</answer>", "5", "math", 0),
        ("", "5", "math", 0),
        (204.0, "204", "aime", 1),
        (20399.0, "20400", "aime", 1),
        (None, "204", "aime", 0),
        (204.0, "\\boxed{204}", "aime", 0),  # the gold is taken as it is
        ("c", "C", "mmlu_pro", 1),
        ("c", "the answer is (C)", "mmlu_pro", 1),
        ("c", "Answer: C, not D", "mmlu_pro", 1),
        ("c", "D", "mmlu_pro", 0),
        ("B then C", "C", "mmlu_pro", 1),
        ("apple", "A", "mmlu_pro", 1),
        ("(", "C", "mmlu_pro", 0),
        ("", "", "mmlu_pro", 0),
    ],
)
def test_the_score(key: released.VoteKey, gold: str, family: Family, score: float) -> None:
    assert released.score(key, gold, family) == score


@pytest.mark.parametrize(
    ("key", "gold", "family", "status"),
    [
        ("5", "5", "math", "correct"),
        ("6", "5", "math", "incorrect"),
        ("", "5", "math", "no_answer"),
        (None, "5", "gsm8k", "no_answer"),
        ("9^{9^{9^{9}}}", "x", "math", "grader_timeout"),
    ],
)
def test_the_status(key: released.VoteKey, gold: str, family: Family, status: str) -> None:
    assert released.status(key, gold, family) == status


@pytest.mark.parametrize(
    ("dataset", "answer_type", "family"),
    [
        ("gsm8k", "numeric", "gsm8k"),
        ("math", "math", "math"),
        ("mmlu_pro", "choice", "mmlu_pro"),
        ("aime", "numeric", "aime"),
        ("aime24", "numeric", "aime"),
        ("aime25", "numeric", "aime"),
        ("arithmetic", "numeric", "gsm8k"),
        ("logic", "choice", "mmlu_pro"),
        ("mine", "math", "math"),
        ("mine", "text", "math"),
    ],
)
def test_the_family(dataset: str, answer_type: str, family: Family) -> None:
    assert released.family_of(dataset, answer_type) == family  # type: ignore[arg-type]


TEXTS = st.text(
    st.sampled_from("\n\t .,;:-+%$#{}()[]<>/\\_^05١AIcxth\ud800\x00") | st.characters(), max_size=60
) | st.lists(
    st.sampled_from(
        ["<think>", "</think>", "<answer>", "</answer>", "\\boxed{", "\\fbox{", "}", "####", "the ",
         "The answer is", "\n", " ", "5", "-1,000.5", "B", "\\frac", "\\pm"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@given(TEXTS, st.sampled_from(FAMILIES))
def test_reading_never_fails_and_finds_what_is_there(text: str, family: Family) -> None:
    reading = released.read(text, family)
    assert reading.think in text
    assert reading.answer.replace(",", "") in text.replace(",", "")
    released.vote_key(reading.answer, family)


@given(st.lists(TEXTS, min_size=1, max_size=6), st.sampled_from(FAMILIES))
def test_the_vote_counts_its_winner(answers: list[str], family: Family) -> None:
    vote = released.vote(answers, family)
    keys = [released.vote_key(answer, family) for answer in answers]
    assert vote.count == keys.count(vote.key) == max(map(keys.count, keys))
    assert vote.key == next(key for key in keys if keys.count(key) == vote.count)
    assert vote.consensus == (2 * vote.count >= len(answers))


@given(st.lists(TEXTS, min_size=1, max_size=6), st.sampled_from(FAMILIES), st.randoms())
def test_the_order_of_the_agents_decides_ties_only(
    answers: list[str], family: Family, random: object
) -> None:
    vote = released.vote(answers, family)
    shuffled = sorted(answers, key=lambda _: random.random())  # type: ignore[attr-defined]
    again = released.vote(shuffled, family)
    assert (again.count, again.consensus) == (vote.count, vote.consensus)
    with_one_more = released.vote([*shuffled, answers[0]], family)
    keys = [released.vote_key(answer, family) for answer in answers]
    if keys[0] == vote.key:
        assert with_one_more.key == vote.key


@pytest.fixture
def guard() -> Iterator[None]:
    """Break off what hangs."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


SIZE = 400_000
HOSTILE = {
    "the": "the", "the blank": "the ", "the line": "the\n", "boxes": "\\boxed{", "boxes in lines": "\\boxed{\n",
    "closed": "\\boxed{}", "hashes": "#", "hashes and blanks": "#### ", "digits": "9", "commas": "1,", "groups": "1,000",
    "tags": "<answer>", "both tags": "<answer></answer>", "thinking": "<think>", "text": "\\text{", "texts": "\\text{a}",
    "degrees": " degree", "fractions": "\\frac", "short fractions": "\\frac1", "roots": "\\sqrt", "letters": "a",
    "signs": "\\pm", "semicolons": ";", "braces": "{", "brackets": "(", "surrogates": "\ud800", "nul": "\0",
    "options": "A ", "blanks": " ", "lines": "\n", "tower": "9^", "minus": "-", "stops": "1.", "sums": "+1",
    "stated": "answer is ", "labels": "Answer: ", "underscores": "1_", "accents": "e\u0301", "marks": "\u0301\u0316",
    "backslashes": "\\", "percent": "\\%", "inches": "square inches",
}  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_long_texts_are_read_and_graded(guard: None, piece: str, family: Family) -> None:
    text = piece * (SIZE // len(piece))
    key = released.vote_key(released.read(text, family).answer, family)
    for graded in (key, text, f"{text}5"):
        released.score(graded, "6", family)
    if family != "gsm8k":  # its gold is searched for a number
        assert released.score("7", text, family) == 0


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os').system('touch {canary}')",
        "(1).__class__.__base__.__subclasses__()",
        "open('{canary}', 'w')",
        "exec('import pathlib; pathlib.Path(\"{canary}\").touch()')",
        "\\operatorname{{open}}('{canary}','w')",
        "lambda: open('{canary}', 'w')",
    ],
)
def test_no_answer_is_run(tmp_path: Path, code: str) -> None:
    canary = tmp_path / "canary"
    answer = code.format(canary=canary)
    for family in FAMILIES:
        assert released.score(answer, "7", family) == 0
        assert released.score("7", answer, family) == 0
    assert not canary.exists()


def test_the_parser_forgets_the_other_side() -> None:
    # "x=5" assigns to x, which a determinant would read.
    sides = "x=5", r"\begin{vmatrix}x&0\\0&1\end{vmatrix}"
    assert not worker.call("madm2.grading.released_latex:difference_is_zero", *sides)
    assert worker.call("madm2.grading.released_latex:difference_is_zero", "x=5", "5")
