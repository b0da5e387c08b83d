from __future__ import annotations

from pathlib import Path

import pytest

from madm2.errors import UserError
from madm2.prompts import load_prompts

PYTHON = '''
import os
os.system("touch pwned")
COT_PROMPT = """
Solve it.
"""
DEBATE_PROMPT: str = "Others said:\\n{context}\\n" + "Question:{question}\\nSolve it.\\n"
PRUNE_PROMPT = ("Question: {question} "
                "Solution: {solution}")
OTHER = f"{COT_PROMPT}"
'''

YAML = "cot: a\ndebate: '{context} {question}'\njudge: '{question}{solution}'\n"
CONSTANTS = """COT_PROMPT = 'a'
DEBATE_PROMPT = '{context} {question}'
PRUNE_PROMPT = '{question}{solution}'
"""


def test_the_default_prompts_ask_for_tags_and_labels() -> None:
    prompts = load_prompts("default")
    (ask,) = prompts.ask("What is 1 + 1?")
    (debate,) = prompts.debate_with("What is 1 + 1?", "<solution>a</solution>\n\nb")
    (judge,) = prompts.judge_solution("What is 1 + 1?", "It is 2.")
    assert ask.role == "user" and ask.content.startswith("What is 1 + 1?\n")
    for text in (ask.content, debate.content):
        assert "<think>" in text and "<answer>" in text and "{" not in text
    assert "<solution>a</solution>\n\nb" in debate.content
    assert debate.content.index("<solution>a") < debate.content.index("Question: What is 1 + 1?")
    for label in ("YES", "NO", "NOT SURE"):
        assert f"<label>{label}</label>" in judge.content
    assert "boxed" not in ask.content, "the paper's prompts have no dataset hints"


def test_hints_come_after_the_format() -> None:
    prompts = load_prompts("default")
    (ask,) = prompts.ask("Q", prompts.hints["choice"])
    assert ask.content.endswith(prompts.hints["choice"])


def test_slots_inside_a_question_stay() -> None:
    (debate,) = load_prompts("default").debate_with(r"{context} \frac{a}{b} {format}", "{question}")
    assert r"Question: {context} \frac{a}{b} {format}" in debate.content
    assert "\n{question}\n" in debate.content


def test_python_constants_are_read_and_never_run(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "prompts.py"
    path.write_text(PYTHON)
    prompts = load_prompts(str(path))
    (ask,) = prompts.ask("Q?")
    (debate,) = prompts.debate_with("Q?", "one\ntwo")
    (judge,) = prompts.judge_solution("Q?", "S")
    assert not (tmp_path / "pwned").exists()
    assert ask.content == f"Q?\n\nSolve it.\n\n\n{prompts.format}"
    assert debate.content == f"Others said:\none\ntwo\nQuestion:Q?\nSolve it.\n\n\n{prompts.format}"
    assert judge.content == "Question: Q? Solution: S"
    assert prompts.format == load_prompts("default").format


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.yaml", YAML),
        ("p.py", CONSTANTS),
        ("p.py", CONSTANTS.replace("'a'", "'a'" + " + ''" * 1500)),
    ],
    ids=["yaml", "python", "long"],
)
def test_good_prompt_files(tmp_path: Path, name: str, text: str, mark: str) -> None:
    (tmp_path / name).write_text(mark + text, encoding="utf-8")
    prompts = load_prompts(str(tmp_path / name))
    assert (prompts.cot, prompts.debate, prompts.judge) == (
        "a",
        "{context} {question}",
        "{question}{solution}",
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.yaml", "cot: a\ndebate: '{context} {question}'\n", "no 'judge' prompt"),
        ("p.yaml", "cot: a\ndebate: '{question}'\njudge: '{question}{solution}'", "{context}"),
        ("p.yaml", "cott: a", "did you mean 'cot'?"),
        ("p.yaml", "cot: [", "not valid YAML"),
        ("p.yaml", "- a", "holds no prompts"),
        (
            "p.yaml",
            "cot: a\ndebate: '{context} {question}'\njudge: '{question}{solution}'\nhints: x",
            "hints",
        ),
        ("p.yaml", f"{YAML}cot: b", "the key 'cot' is there twice"),
        ("p.yaml", f"{YAML}hints: {{numerc: a}}", "did you mean 'numeric'?"),
        ("p.yaml", "[" * 20_000, "not valid YAML"),
        ("p.py", "COT_PROMPT = f'{x}'", "not a plain string"),
        ("p.py", f"{CONSTANTS}COT_PROMPT += 'b'", "have: line 4"),
        ("p.py", f"{CONSTANTS}COT_PROMPT, other = 'b', 'c'", "have: line 4"),
        ("p.py", f"{CONSTANTS}if True:\n    COT_PROMPT = 'b'", "have: line 5"),
        ("p.py", "x = " + "-" * 100_000 + "1", "nested too deeply"),
        ("p.py", "x = '' + " + "'a' + " * 100_000 + "''", "not valid Python"),
        ("p.py", "COT_PROMPT = 'a'", "no 'debate' prompt"),
        ("p.py", "def (", "not valid Python"),
        (None, None, "did you mean 'default'?"),
    ],
)
def test_bad_prompt_files(tmp_path: Path, name: str | None, text: str | None, message: str) -> None:
    source = "defualt"
    if name:
        (tmp_path / name).write_text(text)
        source = str(tmp_path / name)
    with pytest.raises(UserError, match=".") as error:
        load_prompts(source)
    assert message in str(error.value)


def test_a_missing_prompt_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot read the prompt file"):
        load_prompts(str(tmp_path / "none.py"))
