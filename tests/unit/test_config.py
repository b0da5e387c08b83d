from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from madm2.config import DEFAULT_CONFIG, load_model_config, looks_local, stray_config
from madm2.errors import UserError
from madm2.yaml_text import load_yaml


def write(folder: Path, text: str) -> Path:
    path = folder / "configs.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "hub", "length", "temperature"),
    [
        ("qwen2.5-7b", "Qwen/Qwen2.5-7B-Instruct", 24064, 1.0),
        ("qwen2.5-math-7b", "Qwen/Qwen2.5-Math-7B-Instruct", 4096, 0.2),
        ("deepseek-math-7b", "deepseek-ai/deepseek-math-7b-instruct", 4096, 1.0),
        ("qwq-32b", "Qwen/QwQ-32B", 131072, 1.0),
    ],
)
def test_the_papers_models(name: str, hub: str, length: int, temperature: float) -> None:
    model = load_model_config(name)
    assert model.path == hub
    assert (model.sampling.max_tokens, model.sampling.temperature) == (length, temperature)
    assert model.sampling.top_p == 1.0
    assert model.memory_max_tokens == 4096


def test_every_shipped_entry_resolves(tmp_path: Path) -> None:
    for name in yaml.safe_load(DEFAULT_CONFIG.read_text())["llm_configs"]:
        if name != "general_configs":
            assert load_model_config(name, needs_model=False).name == name


def test_command_line_over_entry_over_general(tmp_path: Path) -> None:
    config = write(
        tmp_path,
        """
        llm_configs:
          general_configs: {temperature: 1, top_p: 0.9, max_token_length: 10, dtype: auto}
          m: {model: a/b, temperature: 0.5, stop: END}
        """,
    )
    model = load_model_config("m", config=config, overrides=["max_tokens=7", "dtype=float32"])
    assert (model.sampling.temperature, model.sampling.top_p) == (0.5, 0.9)
    assert model.sampling.max_tokens == model.judge_sampling.max_tokens == 7
    assert model.sampling.stop == ("END",)
    assert model.engine_args == {"dtype": "float32"}
    judge = load_model_config("m", config=config, overrides=["judge_max_token_length=3"])
    assert (judge.sampling.max_tokens, judge.judge_sampling.max_tokens) == (10, 3)


def test_where_the_model_path_comes_from(tmp_path: Path) -> None:
    for name in ("top", "own", "cli"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    config = write(
        tmp_path,
        """
        model_path: ./top
        llm_configs:
          plain: {model: a/b}
          local: {model: a/b, model_path: ./own}
        """,
    )
    assert load_model_config("plain", config=config).path == str(tmp_path / "top")
    assert load_model_config("local", config=config).path == str(tmp_path / "own")
    given = load_model_config("local", config=config, model_path=str(tmp_path / "cli"))
    assert (given.path, given.name) == (str(tmp_path / "cli"), "local")
    alone = load_model_config(None, config=config, model_path=str(tmp_path / "cli"))
    assert alone.name == "cli"


@pytest.mark.parametrize(
    ("text", "overrides", "message"),
    [
        ("llm_configs: {m: {model: a/b, temprature: 1}}", [], "did you mean 'temperature'?"),
        ("llm_configs: {general_configs: {colour: 1}, m: {model: a/b}}", [], "unknown key in"),
        ("llm_configs: {m: {model: a/b}}\nextra: 1", [], "unknown key in"),
        ("llm_configs: {m: 3}", [], "not a mapping"),
        ("llm_configs: [", [], "not valid YAML"),
        ("models: {}", [], "no `llm_configs`"),
        ("llm_configs: {m: {temperature: 1}}", [], "no model to load"),
        ("llm_configs: {m: {model: a/b}}", ["temperature"], "has no value"),
        ("llm_configs: {m: {model: a/b}}", ["tempratur=1"], "did you mean 'temperature'?"),
        ("llm_configs: {m: {model: a/b}}", ["seed=1"], "unknown key for --set"),
        ("llm_configs: {m: {model: a/b}}", ["temperature=hot"], "temperature must be a number"),
        ("llm_configs: {m: {model: a/b}}", ["temperature=-1"], "out of range"),
        ("llm_configs: {m: {model: a/b}}", ["top_p=1.5"], "out of range"),
        ("llm_configs: {m: {model: a/b}}", ["top_k=0.5"], "top_k must be a whole number"),
        ("llm_configs: {m: {model: a/b}}", ["max_tokens=0"], "whole number"),
        ("llm_configs: {m: {model: a/b}}", ["memory_max_tokens=true"], "whole number"),
        ("llm_configs: {other: {model: a/b}}", [], "unknown model 'm'"),
        ("llm_configs: {m: {model: 5}}", [], "model must be a text"),
        ("llm_configs: {m: {model_path: [a]}}", [], "model_path must be a text"),
        ("llm_configs: {m: {model: a/b}}\nmodel_path: {a: b}", [], "model_path must be a text"),
        ("llm_configs: {m: {model: a/b, revision: 7}}", [], "revision must be a text"),
        ("llm_configs: {m: {model: a/b, prompts: [small]}}", [], "prompts must be a text"),
        ("llm_configs: {m: {model: a/b}, m: {}}", [], "line 1: the key 'm' is there twice"),
        ("llm_configs:\n m:\n  dtype: a\n  dtype: b", [], "line 4: the key 'dtype' is there twice"),
        ("llm_configs: {m: {model: a/b, dtype: &a [*a]}}", [], "dtype must be a plain value"),
        ("llm_configs: {m: {model: a/b, dtype: !!set {a}}}", [], "dtype must be a plain value"),
        ("llm_configs: {m: {model: a/b, dtype: !!binary YQ==}}", [], "must be a plain value"),
        ("llm_configs: {m: {model: a/b}}", ["top_p=.nan"], "top_p must be a plain value"),
        ("llm_configs: {m: {model: a/b}}", ["top_p=1" + "0" * 400], "top_p must be a number"),
        ("llm_configs: {m: {model: a/b}}", ["dtype=" + "9" * 5000], "dtype is not valid YAML"),
        ("llm_configs: {m: {model: a/b}}", ["dtype=" + "[" * 20_000], "dtype is not valid YAML"),
        ("llm_configs: {m: {model: a/b}}", ["presence_penalty=3"], "out of range"),
        ("llm_configs: {m: {model: a/b}}", ["top_k=-2"], "out of range"),
        ("llm_configs: {m: {model: a/b}}", ["max_tokens=5", "min_tokens=6"], "out of range"),
    ],
)
def test_mistakes_are_explained(
    tmp_path: Path, text: str, overrides: list[str], message: str
) -> None:
    with pytest.raises(UserError) as error:
        load_model_config("m", config=write(tmp_path, text), overrides=overrides)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("-2E+2", -200.0),
        ("1.5e1", 15.0),
        ("2024-01-31", "2024-01-31"),
        ("v1e3", "v1e3"),
        ("{a: &x {b: 1}, c: {<<: *x, b: 2}}", {"a": {"b": 1}, "c": {"b": 2}}),
    ],
)
def test_yaml_values(text: str, value: object) -> None:
    assert load_yaml(text, "it") == value


@pytest.mark.parametrize(
    ("path", "local"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", False),
        ("gpt2", False),
        ("/models/qwen", True),
        ("./qwen", True),
        ("../qwen", True),
        ("~/qwen", True),
        ("a/b/c", True),
        ("models/", True),
        ("models/..", True),
        ("modèle", True),
    ],
)
def test_local_paths_and_hub_ids(path: str, local: bool) -> None:
    assert looks_local(path, Path("/nowhere")) == local


def test_a_model_folder_must_hold_a_model(tmp_path: Path) -> None:
    for path in (str(tmp_path / "none"), "~nobody-of-this-name/model"):
        with pytest.raises(UserError, match="does not exist"):
            load_model_config(None, model_path=path)
    with pytest.raises(UserError, match="no config.json"):
        load_model_config(None, model_path=str(tmp_path))


def test_a_stray_config_yaml_is_pointed_at(tmp_path: Path) -> None:
    assert stray_config(tmp_path) is None
    (tmp_path / "config.yaml").touch()
    assert "configs.yaml" in stray_config(tmp_path)


def test_a_path_below_a_folder_that_is_there_is_local(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    assert looks_local("models/x", tmp_path)
    assert not looks_local("Qwen/x", tmp_path)
