"""The prompts of a debate: loaded from YAML or read from a Python file, and filled."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import cast, get_args

from madm2.errors import UserError, unknown_name
from madm2.types import AnswerType, Message
from madm2.yaml_text import load_yaml

PROMPT_SETS = Path(__file__).parent / "prompt_sets"
_SLOT = re.compile(r"\{(question|context|solution|format)\}")
_NEEDED_SLOTS = {"debate": ("question", "context"), "judge": ("question", "solution")}
STANCES = ("anticonformity", "conformity", "neutral")
_PYTHON_NAMES = {
    "COT_PROMPT": "cot",
    "DEBATE_PROMPT": "debate",
    "PRUNE_PROMPT": "judge",
    "FORMAT_PROMPT": "format",
}

Messages = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class PromptSet:
    """Templates with the slots {question}, {context}, {solution} and {format}.

    Args:
        cot: asks one agent alone; without a {question} slot it follows the question.
        debate: shows the kept memories ({context}) and asks again.
        judge: asks for a YES / NO / NOT SURE label on one solution.
        choose: shows solutions with different answers ({context}) and asks for the right one.
        stances: debate prompts by stance, beside the neutral one.
        format: how to write the answer; follows `cot` and `debate` where they lack {format}.
        hints: an extra line for each answer type, used with `--answer_hint` only.
        bare_label: a judge's bare leading Yes or No counts as a label (for tiny models).
        joiner: what stands between two memories.
    """

    cot: str
    debate: str
    judge: str
    format: str
    hints: dict[AnswerType, str] = field(default_factory=dict)
    bare_label: bool = False
    joiner: str = "\n"
    choose: str = ""
    stances: dict[str, str] = field(default_factory=dict)

    def for_run(self, *, stance: str, chooses: bool) -> PromptSet:
        """The prompts that a run uses, and no others.

        Args:
            stance: `neutral`, or one of `stances`, whose text becomes the debate prompt.
            chooses: whether the run puts ties to the model.

        Raises:
            UserError: there is no such prompt in this set.
        """
        if stance not in STANCES:
            raise unknown_name("stance", stance, STANCES)
        if stance != "neutral" and stance not in self.stances:
            raise _not_in_set(f"debate prompt for the stance {stance!r}", f"stances: {stance}:")
        if chooses and not self.choose:
            raise _not_in_set("prompt to choose among tied answers", "choose:")
        debate = self.stances.get(stance, self.debate)
        return replace(self, debate=debate, choose=self.choose if chooses else "")

    def ask(self, question: str, hint: str = "") -> Messages:
        """The prompt of an agent that sees no memory (round 1, or all memories masked)."""
        template = self.cot if "{question}" in self.cot else "{question}\n" + self.cot
        return self._user(template, hint, question=question)

    def debate_with(self, question: str, memories: str, hint: str = "") -> Messages:
        """The prompt of an agent that reads the kept memories of the previous round, joined."""
        return self._user(self.debate, hint, question=question, context=memories)

    def judge_solution(self, question: str, solution: str) -> Messages:
        """The prompt that asks whether one solution is right."""
        return _user_message(self.judge, question=question, solution=solution)

    def choose_from(self, question: str, solutions: str, hint: str = "") -> Messages:
        """The prompt that asks which of several solutions is right."""
        return self._user(self.choose, hint, question=question, context=solutions)

    def sha256(self) -> str:
        """Content hash, for provenance; after `for_run` of the prompts in use."""
        texts = asdict(self)
        del texts["stances"]
        if not self.choose:  # a run that was made before there was one has the same hash
            del texts["choose"]
        return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()

    def _user(self, template: str, hint: str, **slots: str) -> Messages:
        if self.format and "{format}" not in template:
            template += "\n\n{format}"
        return _user_message(template, format="\n".join(filter(None, [self.format, hint])), **slots)


def _user_message(template: str, **slots: str) -> Messages:
    # One pass, so that a slot name inside a question or a solution stays what it is.
    text = _SLOT.sub(lambda m: slots.get(m[1], m[0]), template)
    return (Message("user", text),)


def load_prompts(source: str) -> PromptSet:
    """Load a prompt set.

    Args:
        source: the name of a set that ships with the package (`default`, `small`), a YAML file,
            or a Python file whose string constants COT_PROMPT, DEBATE_PROMPT, PRUNE_PROMPT and
            optionally FORMAT_PROMPT are read without running it.

    Raises:
        UserError: no such set, an unreadable file, a missing text or slot.
    """
    path = Path(source)
    if path.suffix not in {".yaml", ".yml", ".py"}:
        names = sorted(p.stem for p in PROMPT_SETS.glob("*.yaml"))
        if source not in names:
            raise unknown_name("prompt set", source, [*names, "FILE.yaml", "FILE.py"])
        path = PROMPT_SETS / f"{source}.yaml"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UserError(
            f"cannot read the prompt file {path}", have=str(error), fix="check --prompts"
        ) from error
    values = _from_python(text, path) if path.suffix == ".py" else _from_yaml(text, path)
    return _checked(values, path)


def _from_yaml(text: str, path: Path) -> dict[str, object]:
    values = load_yaml(text, str(path))
    if not isinstance(values, dict):
        raise UserError(f"{path} holds no prompts", need="the keys cot, debate and judge")
    return values


def _from_python(text: str, path: Path) -> dict[str, object]:
    try:
        tree = ast.parse(text)
    # Deep nesting ends in one of the last two.
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = str(error) or "it is nested too deeply"
        raise UserError(f"{path} is not valid Python", have=reason) from error
    values: dict[str, object] = {}
    read = set[ast.expr]()
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name) and target.id in _PYTHON_NAMES:
                values[_PYTHON_NAMES[target.id]] = _constant(value, target.id, path)
                read.add(target)
    for part in ast.walk(tree):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part not in read:
            if part.id in _PYTHON_NAMES:  # +=, inside an if, unpacked: not what would be read
                raise _not_plain(part.id, part, path)
    # A prompt that says itself how to answer is left as it stands.
    if "<answer>" not in str(values.get("cot", "")):
        values.setdefault("format", load_prompts("default").format)
    return values


def _constant(node: ast.expr, name: str, path: Path) -> str:
    rest = ""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        rest = _constant(node.right, name, path) + rest
        node = node.left
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value + rest
    raise _not_plain(name, node, path)


def _not_plain(name: str, node: ast.expr, path: Path) -> UserError:
    return UserError(
        f"{name} in {path} is not a plain string",
        have=f"line {node.lineno}",
        need="NAME = a string constant: the file is read, never run",
    )


def _checked(values: dict[str, object], path: Path) -> PromptSet:
    known = {f.name for f in fields(PromptSet)}
    for key in values:
        if key not in known:
            raise unknown_name(f"key in {path}", str(key), known)
    for name in ("cot", "debate", "judge"):
        text = values.get(name)
        if not isinstance(text, str) or not text.strip():
            raise UserError(
                f"{path} has no {name!r} prompt",
                need="the texts cot, debate and judge "
                "(in a Python file COT_PROMPT, DEBATE_PROMPT and PRUNE_PROMPT)",
            )
        _require_slots(text, name, _NEEDED_SLOTS.get(name, ()), path)
    values.setdefault("format", "")
    stances = values.get("stances", {})
    if not isinstance(stances, dict) or not all(isinstance(v, str) for v in stances.values()):
        raise UserError(f"'stances' in {path} must map stances to debate prompts")
    for stance, text in stances.items():
        if stance not in STANCES[:2]:
            raise unknown_name(f"stance in {path}", str(stance), STANCES[:2])
        _require_slots(text, stance, _NEEDED_SLOTS["debate"], path)
    hints = values.get("hints", {})
    if not isinstance(hints, dict) or not all(isinstance(v, str) for v in hints.values()):
        raise UserError(f"'hints' in {path} must map answer types to texts")
    for answer_type in hints:
        if answer_type not in get_args(AnswerType):
            raise unknown_name(f"answer type in {path}", str(answer_type), get_args(AnswerType))
    for key in ("format", "joiner", "choose"):
        if not isinstance(values.get(key, ""), str):
            raise UserError(f"{key!r} in {path} must be a text")
    if choose := values.get("choose"):
        _require_slots(str(choose), "choose", _NEEDED_SLOTS["debate"], path)
    if not isinstance(values.get("bare_label", False), bool):
        raise UserError(f"'bare_label' in {path} must be true or false")
    return PromptSet(**cast("dict[str, str]", values))  # type: ignore[arg-type]


def _require_slots(text: str, name: str, slots: tuple[str, ...], path: Path) -> None:
    for slot in slots:
        if "{" + slot + "}" not in text:
            raise UserError(f"the {name!r} prompt of {path} lacks the slot {{{slot}}}")


def _not_in_set(what: str, key: str) -> UserError:
    return UserError(
        f"the prompt set has no {what}",
        need=f"{key} in a YAML prompt set",
        fix="--prompts default or small has one",
    )
