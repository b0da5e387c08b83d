"""What may crash or hang, in a process of its own: importing vLLM, and two tokens from a model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import IO

from madm2.check import Check, failed, ok, refused
from madm2.doctor.pins import ROOT
from madm2.errors import UserError

TASKS = {"import": "vLLM", "generate": "Generation"}
TIMEOUT_S = {"import": 300, "generate": 1800}
_ALWAYS = "bash scripts/quickstart.sh makes an environment that works"
_FIXES = {
    "SIGILL": "this CPU lacks instructions that the package was built with: "
    "use another machine, or build vLLM from source",
    "SIGKILL": "it ran out of memory, as it seems: a smaller model, or --set max_model_len=N",
}


def run_child(task: str, argv: Sequence[str] = (), *, timeout_s: float | None = None) -> Check:
    """Do a task in another process and return its check, whatever becomes of that process.

    Args:
        task: `import` or `generate`.
        argv: the command line, for `generate`.
        timeout_s: when to give up; None for the task's own limit.
    """
    limit = timeout_s or TIMEOUT_S[task]
    command = [sys.executable, "-m", "madm2.doctor.child", task, *argv]
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=environment,
            start_new_session=True,
        )
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            return failed(TASKS[task], f"no answer within {limit:.0f} s; given up", _ALWAYS)
        finally:
            with suppress(ProcessLookupError):  # an engine has workers of its own
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return _reported(_text(out)) or _crashed(task, code, _text(err))


def _reported(output: str) -> Check | None:
    lines = [line for line in output.splitlines() if line.startswith('{"status": ')]
    return Check(**json.loads(lines[-1])) if lines else None


def _crashed(task: str, code: int, errors: str) -> Check:
    if code < 0:
        name = signal.Signals(-code).name
        return failed(TASKS[task], f"the process crashed ({name})", _FIXES.get(name, _ALWAYS))
    last = (errors.strip().splitlines() or ["no message"])[-1]
    return failed(TASKS[task], f"the process ended with code {code}: {last}", _ALWAYS)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _import_vllm() -> Check:
    from madm2.engines import device
    from madm2.engines.vllm import import_vllm

    package = "==".join(device.vllm_package())
    found = device.detect_device()
    device.prepare_environment(found, 1)
    started = time.perf_counter()
    import_vllm()
    seconds = time.perf_counter() - started
    return ok(TASKS["import"], f"{package} imports in {seconds:.0f} s, for {found.kind}")


def _generate(argv: Sequence[str]) -> Check:
    from madm2.doctor.command import build_parser
    from madm2.engines import ENGINES
    from madm2.grid import spread
    from madm2.resolve import resolve
    from madm2.types import Message, Request, RequestKey

    args = spread(build_parser().parse_args(argv))[0]
    # The question does not matter: those of this dataset lie beside the code.
    args.dataset, args.dataset_path, args.data_dir, args.answer_type = (
        "arithmetic",
        None,
        None,
        None,
    )
    run = resolve(args, list(argv))
    os.environ["CUDA_VISIBLE_DEVICES"] = run.gpus
    started = time.perf_counter()
    engine = ENGINES[run.engine](run.model, run.questions, run.tensor_parallel, False)
    try:
        loaded = time.perf_counter()
        question = run.questions[0]
        sampling = replace(run.model.sampling, max_tokens=2, min_tokens=0, stop=())
        request = Request(
            RequestKey(question.id, 1, "answer", 0), (Message("user", question.query),), sampling
        )
        engine.submit(request, run.seed)
        while not (completions := engine.step()):
            pass
        ended = time.perf_counter()
    finally:
        engine.close()
    (completion,) = completions
    told = (
        f"{completion.output_tokens} tokens in {ended - loaded:.1f} s, "
        f"after {loaded - started:.0f} s of loading: {completion.text!r}"
    )
    if not completion.output_tokens:
        told += f" ({completion.finish_reason})"
        return failed(TASKS["generate"], told, "raise max_model_len, or use another model")
    return ok(TASKS["generate"], told)


def main(argv: Sequence[str]) -> int:
    """`python -m madm2.doctor.child import` or `... generate FLAGS`: prints the check as JSON."""
    task, *flags = argv
    try:
        check = _import_vllm() if task == "import" else _generate(flags)
    except UserError as error:
        check = refused(TASKS[task], error)
    except Exception as error:  # whatever a library raises, the line tells of it
        told = " ".join(f"{type(error).__name__}: {error}".split())[:400]
        check = failed(TASKS[task], told, _ALWAYS)
    print(json.dumps(asdict(check)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
