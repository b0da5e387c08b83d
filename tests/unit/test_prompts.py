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


def test_the_default_prompts_ask_for_tags_and_labels() -> None:
    prompts = load_prompts("default")
    (ask,) = prompts.ask("What is 1 + 1?")
    (debate,) = prompts.debate_with("What is 1 + 1?", ["<solution>a</solution>", "b"])
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
    (debate,) = load_prompts("default").debate_with(
        r"{context} \frac{a}{b} {format}", ["{question}"]
    )
    assert r"Question: {context} \frac{a}{b} {format}" in debate.content
    assert "\n{question}\n" in debate.content


def test_python_constants_are_read_and_never_run(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "prompts.py"
    path.write_text(PYTHON)
    prompts = load_prompts(str(path))
    (ask,) = prompts.ask("Q?")
    (debate,) = prompts.debate_with("Q?", ["one", "two"])
    (judge,) = prompts.judge_solution("Q?", "S")
    assert not (tmp_path / "pwned").exists()
    assert ask.content == f"Q?\n\nSolve it.\n\n\n{prompts.format}"
    assert debate.content == f"Others said:\none\ntwo\nQuestion:Q?\nSolve it.\n\n\n{prompts.format}"
    assert judge.content == "Question: Q? Solution: S"
    assert prompts.format == load_prompts("default").format


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
        ("p.py", "COT_PROMPT = f'{x}'", "not a plain string"),
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
