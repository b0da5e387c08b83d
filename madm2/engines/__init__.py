"""Engines that turn requests into completions; importing this package registers them.

A factory takes (model, questions, tensor_parallel, double_bos) and returns an engine; what is
heavy (vLLM, torch) is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from madm2.config import ModelConfig
from madm2.engines.base import Engine
from madm2.engines.scripted import ScriptedEngine
from madm2.registry import Registry
from madm2.types import Question

EngineFactory = Callable[[ModelConfig, Sequence[Question], int, bool], Engine]
ENGINES: Registry[EngineFactory] = Registry("engine")


def _vllm(
    model: ModelConfig, questions: Sequence[Question], tensor_parallel: int, double_bos: bool
) -> Engine:
    from madm2.engines.vllm import VllmEngine

    return VllmEngine(
        model.path,
        engine_args=model.engine_args,
        revision=model.revision,
        tensor_parallel_size=tensor_parallel,
        double_bos=double_bos,
    )


def _scripted(
    model: ModelConfig, questions: Sequence[Question], tensor_parallel: int, double_bos: bool
) -> Engine:
    return ScriptedEngine(questions)


ENGINES.add("vllm", _vllm)
ENGINES.add("scripted", _scripted)

__all__ = ["ENGINES", "Engine", "EngineFactory", "ScriptedEngine"]
