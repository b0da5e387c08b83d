"""What is read out of a completion, kind by kind."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from madm2.grading.boxes import answer_tags, find_boxes, strip_thinking
from madm2.grading.extract import extract, gold_answer

NUMERIC = [
    # tags
    ("<answer>42</answer>", "42"),
    ("<Answer>\n 42 \n</Answer>", "42"),
    ("<answer>42</answer> That is all, in 3 steps.", "42"),
    ("<answer>41</answer> Wait. <answer>42</answer>", "42"),
    ("<answer>41</answer> Wait. <answer></answer>", "41"),
    ("<answer>41</answer> then <answer>YOUR FINAL ANSWER</answer>", "41"),
    ("So it is <answer>12", "12"),
    ("<answer>$1,234.00</answer>", "1234"),
    ("<answer>x = 7</answer>", "7"),
    ("<answer>The answer is 7 apples.</answer>", "7"),
    ("<answer>3/4</answer>", "3/4"),
    ("<answer>\\frac{3}{4}</answer>", "\\frac{3}{4}"),
    ("<answer>\\(18\\)</answer>", "18"),
    ("<answer>**18**</answer>", "18"),
    ("<answer>18 km/h</answer>", "18"),
    ("<answer>336^\\circ</answer>", "336"),
    ("<answer>-5</answer>", "-5"),
    ("<answer>about 5</answer>", "5"),
    ("<answer>unknown</answer>", None),
    # thinking
    ("<think>it is <answer>5</answer>, no</think><answer>6</answer>", "6"),
    ("<think>it may be <answer>5</answer> or perhaps", None),
    ("<think>So it is 5.\n<answer>5</answer>", "5"),
    ("5? no</think>The answer is 7", "7"),
    ("<think>a</think> 3 <think>b</think> The answer is 4.", "4"),
    ("<think></think>\n\n9", "9"),
    # hashes, boxes
    ("#### 1,234", "1234"),
    ("#### $5.50\n", "5.5"),
    ("#### -3", "-3"),
    ("#### 12 apples", "12"),
    ("We get \\boxed{12}", "12"),
    ("Therefore, $x = \\boxed{3}$ cm", "3"),
    ("\\boxed{1{,}234}", "1234"),
    ("\\boxed{12\\text{ cm}}", "12"),
    ("\\boxed{\\$12}", "12"),
    ("\\boxed{m+n=25}", "25"),
    ("$$\\boxed{\\dfrac{1}{2}}$$", "\\dfrac{1}{2}"),
    # phrases
    ("The answer is 42", "42"),
    ("the final answer is: 42.", "42"),
    ("Answer: 42", "42"),
    ("ANSWER = 42", "42"),
    ("**Final Answer**\n\n42", "42"),
    ("### Answer\n42 dollars", "42"),
    ("**Final Answer:**\n$42$", "42"),
    ("The answer is $42$.", "42"),
    ("The answer is $x = 42$.", "42"),
    ("The answer is **42**.", "42"),
    ("The answer to the problem is 42.", "42"),
    ("The answer (in dollars) is 42.", "42"),
    ("So the answer is 6 + 4 = 10.", "10"),
    ("The answer is not 5 but 7.", "7"),
    ("The answer is not 5.\nThe answer is 7.", "7"),
    ("The answer is 10. Let me check: 5 * 2 = 10, and 3 * 4 = 12.", "10"),
    ("The answer is 5.\nNo. The answer is 6.", "6"),
    ("The answer is 1,234,567 people.", "1234567"),
    ("The answer is 1.5 hours.", "1.5"),
    ("The result is -3.", "-3"),
    ("The result is \u22123.", "-3"),
    ("The answer is \uff14\uff12.", "42"),
    ("The answer is \u20ac30.", "30"),
    ("The answer is 30\u20ac.", "30"),
    ("The answer is 1\u202f234.", "1234"),
    ("The answer is 25%.", "25"),
    # other languages
    ("La respuesta es 15.", "15"),
    ("La respuesta final es: 15", "15"),
    ("La réponse est 3,5", "3.5"),
    ("Die Antwort lautet 15.", "15"),
    ("Die Antwort ist 1.234,50 Euro", "1234.5"),
    ("La risposta è 15.", "15"),
    ("A resposta é 15.", "15"),
    ("Ответ: 15", "15"),
    ("Ответ: 15 рублей.", "15"),
    ("Het antwoord is 15.", "15"),
    ("Odpowiedź: 15", "15"),
    ("Cevap: 15", "15"),
    ("Đáp án là 15.", "15"),
    ("Jawabannya adalah 15.", "15"),
    ("答案是15。", "15"),
    ("答案：15", "15"),
    ("答えは 12 です", "12"),
    ("정답은 12입니다", "12"),
    ("الجواب هو ٤٢", "42"),
    ("उत्तर: १५", "15"),
    # what closes the text
    ("Ben has 9 + 7 = 16 apples now.", "16"),
    ("First 3. Then 4.\n\nSo she needs 12 eggs.", "12"),
    ("It costs $1,234.50 in total.", "1234.5"),
    ("18", "18"),
    ("I cannot say.", None),
    ("", None),
    ("   \n", None),
    # run-on
    ("The answer is 18.\n\nQuestion: Tom has 7 pens.\nThe answer is 7.", "18"),
    ("#### 18\n\nProblem 2: Find 3 + 4.\n#### 7", "18"),
    ("The answer is 18.\nUser: What is 2+2?\nAssistant: The answer is 4.", "18"),
    ("Question: What is 2 + 3?\nThe answer is 5.", "5"),
]

MATH = [
    ("<answer>\\frac{2}{3}</answer>", "\\frac{2}{3}"),
    ("<answer>\n$\\frac{2}{3}$\n</answer>", "\\frac{2}{3}"),
    ("<answer>\\[ x^2 \\]</answer>", "x^2"),
    ("<answer>x = 3</answer>", "x = 3"),
    ("<answer>even</answer>", "even"),
    ("<answer>\\text{even}</answer>", "\\text{even}"),
    ("\\boxed{\\boxed{8}}", "8"),
    ("\\boxed{\\{1,2\\}}", "\\{1,2\\}"),
    ("\\boxed{\\begin{pmatrix}1\\\\2\\end{pmatrix}}", "\\begin{pmatrix}1\\\\2\\end{pmatrix}"),
    ("\\fbox{7}", "7"),
    ("So \\boxed{3} or, on the other branch, nothing; so \\boxed{4}", "4"),
    ("We had \\boxed{3}. Cut off at \\boxed{", "3"),
    ("### Answer\n\\[ \\frac{3}{4} \\]", "\\frac{3}{4}"),
    ("**Final Answer**\n\n$\\sqrt{2}$", "\\sqrt{2}"),
    ("The answer is $\\frac{1}{2}$.", "\\frac{1}{2}"),
    ("The answer is \\(\\frac{1}{2}\\), since it is.", "\\frac{1}{2}"),
    ("The answer is $x=3$ or $x=4$.", "x=3 or x=4"),
    ("The answer is (2, 3).", "(2, 3)"),
    ("The answer is 3.14.", "3.14"),
    ("The answer is even.", "even"),
    ("The answer is 12 cm.", "12 cm"),
    ("Therefore the final answer is: $\\boxed{5}$", "5"),
    ("La réponse est $\\frac{3}{4}$.", "\\frac{3}{4}"),
    ("答案是 $x^2+1$。", "x^2+1"),
    ("So we conclude that\n\\[ x = 5. \\]", "x = 5"),
    ("Hence $y = 2x + 1$.", "y = 2x + 1"),
    ("Hence the count is 12.", "12"),
    ("I do not know.", None),
    ("<think>\\boxed{3}", None),
]

CHOICE = [
    ("<answer>C</answer>", "C"),
    ("<answer>(C)</answer>", "C"),
    ("<answer>c</answer>", "C"),
    ("<answer>C. Paris</answer>", "C"),
    ("<answer>Option C</answer>", "C"),
    ("<answer>A lack of water</answer>", None),
    ("<answer>I think so</answer>", None),
    ("<answer>A</answer>", "A"),
    ("<answer>I</answer>", "I"),
    ("<answer>A and B</answer>", None),
    ("<answer>B or C</answer>", None),
    ("<answer>AB</answer>", None),
    ("<answer>K</answer>", None),
    ("\\boxed{C}", "C"),
    ("\\boxed{\\text{C}}", "C"),
    ("\\boxed{\\textbf{(C)}}", "C"),
    ("\\boxed{C. Paris}", "C"),
    ("The answer is C.", "C"),
    ("The answer is (C).", "C"),
    ("The answer is: **C**", "C"),
    ("The answer is **C**.", "C"),
    ("The correct option is **C**.", "C"),
    ("The correct answer is option C: Paris.", "C"),
    ("The answer is A.", "A"),
    ("The answer is A because of gravity.", "A"),
    ("The answer is A polygenic score.", None),
    ("The answer is I.", "I"),
    ("The answer is I, since it fits.", "I"),
    ("The answer is clear: I do not know.", None),
    ("Answer: (B) 12", "B"),
    ("Answer: b", "B"),
    ("answer: B\n", "B"),
    ("**Answer: D**", "D"),
    ("B) because A is wrong", "B"),
    ("B", "B"),
    ("(B)", "B"),
    ("I", "I"),
    ("A", "A"),
    ("D is correct.", "D"),
    ("Option D is the correct answer, as A is incorrect.", "D"),
    ("I would choose D.", "D"),
    ("I choose A.", "A"),
    ("I choose a card.", None),
    ("So the solution matches (D).", "D"),
    ("A. red\nB. blue\nC. green", None),
    ("I am not sure.", None),
    ("A good question.", None),
    ("答案是B", "B"),
    ("答案是 B，因为", "B"),
    ("正确答案是（C）。", "C"),
    ("정답: C", "C"),
    ("正解は D です", "D"),
    ("Ответ: B", "B"),
    ("La bonne réponse est B.", "B"),
    ("La respuesta es la B.", "B"),
    ("Die Antwort ist D.", "D"),
    ("The answer is not B.", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "want"), NUMERIC)
def test_numeric(text: str, want: str | None) -> None:
    assert extract(text, answer_type="numeric") == want


@pytest.mark.parametrize(("text", "want"), MATH)
def test_math(text: str, want: str | None) -> None:
    assert extract(text, answer_type="math") == want


@pytest.mark.parametrize(("text", "want"), CHOICE)
def test_choice(text: str, want: str | None) -> None:
    assert extract(text, answer_type="choice") == want


OPTIONS = ["Paris", "London", "An apple", "All of the above"]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("<answer>Paris</answer>", "A"),
        ("<answer>london.</answer>", "B"),
        ("The answer is London.", "B"),
        ("The answer is an apple.", "C"),
        ("<answer>All of the above</answer>", "D"),
        ("<answer>Rome</answer>", None),
        ("<answer>E</answer>", None),
        ("<answer>D</answer>", "D"),
    ],
)
def test_option_texts_map_to_their_letters(text: str, want: str | None) -> None:
    assert extract(text, answer_type="choice", options=OPTIONS) == want


def test_an_option_text_that_stands_twice_is_no_answer() -> None:
    assert extract("<answer>x</answer>", answer_type="choice", options=["x", "x", "y"]) is None


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("<answer>yes</answer>", "yes"),
        ("The answer is Barack Obama.", "Barack Obama"),
        ("Answer: no", "no"),
        ("**Final Answer**\nThe Nile", "The Nile"),
        ("Paris", "Paris"),
        ("", None),
    ],
)
def test_text(text: str, want: str | None) -> None:
    assert extract(text, answer_type="text") == want


@pytest.mark.parametrize(
    ("gold", "answer_type", "want"),
    [
        ("She has 3.\n#### 1,800", "numeric", "1800"),
        ("204", "numeric", "204"),
        ("033", "numeric", "033"),
        ("So $x = \\boxed{\\frac{1}{2}}$, not \\boxed{3}.", "math", "3"),
        ("\\boxed 7", "math", "7"),
        ("\\frac12", "math", "\\frac12"),
        ("C", "choice", "C"),
        ("(C)", "choice", "C"),
        (" Paris ", "text", "Paris"),
        (" ", "text", None),
    ],
)
def test_golds(gold: str, answer_type: str, want: str | None) -> None:
    assert gold_answer(gold, answer_type=answer_type) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a<think>b</think>c", "ac"),
        ("b</think>c", "c"),
        ("a<think>b", "a"),
        ("<THINK>b</THINK>c", "c"),
        ("<think>b<think>c</think>d</think>e", "e"),
        ("no tags", "no tags"),
    ],
)
def test_thinking_is_removed(text: str, want: str) -> None:
    assert strip_thinking(text) == want


def test_boxes_and_tags_in_order() -> None:
    assert find_boxes("\\boxed{a{b}} \\fbox{\\}} \\boxed 7, \\boxedx{9} \\boxed{") == [
        "a{b}",
        "\\}",
        "7",
    ]
    tags = answer_tags("<answer>a</answer><ANSWER>b</ANSWER></answer>")
    assert [content for _, content in tags] == ["a", "b"]


WRAPPERS = [
    "<answer>{}</answer>", "<answer>\n{}\n</answer>", "\\boxed{{{}}}", "$\\boxed{{{}}}$", "The answer is ${}$.",
    "The answer is \\({}\\).", "The answer is **{}**.", "#### {}", "**Final Answer**\n\n\\[{}\\]",
    "<think>\\boxed{{1}}</think>\n<answer>{}</answer>", "<answer>${}$</answer>", "<answer>\\boxed{{{}}}</answer>",
]  # fmt: skip
ANSWERS = ["\\frac{1}{2}", "2\\sqrt{3}", "x^2+1", "(1,2)", "17", "-3", "\\{1,2\\}", "[0,1)", "\\pi"]


@given(st.sampled_from(WRAPPERS), st.sampled_from(ANSWERS))
def test_a_wrapper_never_changes_a_math_answer(wrapper: str, answer: str) -> None:
    assert extract(wrapper.format(answer), answer_type="math") == answer


@given(st.sampled_from(WRAPPERS), st.integers(-(10**9), 10**9))
def test_a_wrapper_never_changes_a_number(wrapper: str, number: int) -> None:
    assert extract(wrapper.format(number), answer_type="numeric") == str(number)
    assert extract(wrapper.format(f"{number:,}"), answer_type="numeric") == str(number)


@given(st.sampled_from(WRAPPERS), st.sampled_from(string.ascii_uppercase[:10]))
def test_a_wrapper_never_changes_a_letter(wrapper: str, letter: str) -> None:
    assert extract(wrapper.format(letter), answer_type="choice") == letter


PIECES = [
    "<answer>", "</answer>", "<think>", "</think>", "\\boxed{", "}", "{", "####", "The answer is ", "$", "\\(", "\\]",
    "A", "I", "(B)", "12", "1,234", ".", "\n", "答案是", " ", "=", "**", "\\frac", "Question:", "\x00", "\ud800", "é",
]  # fmt: skip


@given(
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40).map("".join),
    st.sampled_from(["numeric", "math", "choice", "text"]),
)
def test_no_text_breaks_it(text: str, answer_type: str) -> None:
    answer = extract(text, answer_type=answer_type)
    assert answer is None or answer.strip() == answer != ""
    gold_answer(text, answer_type=answer_type)


HOSTILE = [
    "<answer>" * 3_000, "\\boxed{" * 14_000, "{" * 100_000, "9" * 100_000, "the answer is " * 7_000, "####" * 25_000,
    "$" * 100_000, "\\(" * 50_000, "**" * 50_000, "1," * 50_000, " " * 100_000 + "x", "A " * 50_000, "<think>" * 14_000,
    "answer" + " a" * 50_000, "Question: " * 10_000, "\n" * 100_000, "is correct " * 9_000, "`" * 100_000, "-" * 100_000,
    "1 " * 50_000, "_" * 100_000, "answer: " * 3_000, "not " * 25_000, "(" * 100_000, "1.111," * 20_000, "<<" * 50_000,
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=lambda t: repr(t[:16]))
@pytest.mark.parametrize("answer_type", ["numeric", "math", "choice", "text"])
def test_hostile_texts_end(text: str, answer_type: str) -> None:
    # Each of these takes minutes where a scan is quadratic; the suite's own limit would tell.
    extract(text, answer_type=answer_type)
    extract("The answer is " + text, answer_type=answer_type)
    extract(f"\\boxed{{{text}}}", answer_type=answer_type)
