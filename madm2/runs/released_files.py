"""The files that the released code writes, made from samples.jsonl, so that scripts for them work.

Keys and nesting are the released code's: one form for debates, one for a chain of thought, one
for several. Perplexities are its score (exp of the mean rank-1 log-probability, high is good)
whatever the instrument; answers, votes and accuracy are those of the instrument that ran.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from madm2.files import replacing
from madm2.grading import released
from madm2.runs.layout import RunPaths
from madm2.runs.samples import read_samples
from madm2.types import InstrumentName


def write_released_files(
    paths: RunPaths, instrument: InstrumentName, model: str, seconds: float
) -> None:
    """Write the results file and the log beside the run folder.

    Args:
        paths: the run's files; its samples must be complete.
        instrument: whose answers, votes and verdicts are written.
        model: named in the token history.
        seconds: wall time of the run, without loading the model.
    """

    def results(file: IO[str]) -> None:
        calls: dict[tuple[object, ...], list[int]] = {}
        n_samples = n_right = 0
        file.write('{"results": [')
        for sample in read_samples(paths.samples):
            file.write(",\n" if n_samples else "\n")
            file.write(json.dumps(_result(sample, instrument)))
            n_samples += 1
            n_right += sample["scores"][instrument]["status"] == "correct"
            for call, completion in _calls(sample):
                tokens = calls.setdefault(call, [0, 0])
                tokens[0] += completion["input_tokens"]
                tokens[1] += completion["output_tokens"]
        rest = {
            "accuracy": n_right / max(n_samples, 1),
            "token_usage_summary": _usage(calls, model),
            "time_consumption": seconds,
            "average_time_per_sample": seconds / max(n_samples, 1),
        }
        file.write("\n], " + json.dumps(rest)[1:] + "\n")

    def log(file: IO[str]) -> None:
        file.write("{")
        for number, sample in enumerate(read_samples(paths.samples)):
            file.write(",\n" if number else "\n")
            file.write(f"{json.dumps(str(sample['id']))}: {json.dumps(_log(sample, instrument))}")
        file.write("\n}\n")

    with replacing(paths.released_results) as file:
        results(file)
    with replacing(paths.released_log) as file:
        log(file)


def _result(sample: dict[str, Any], instrument: InstrumentName) -> dict[str, Any]:
    score = sample["scores"][instrument]
    history = list(_history(sample, instrument))
    perplexities = [
        [float(c["released_perplexity"]) for c in r["completions"]] for r in sample["rounds"]
    ]
    row = {
        "id": sample["id"],
        "question": sample["query"],
        "pred": score["answer"],
        "ground_truth": sample["gold"],
    }
    if sample["method"] == "cot":
        # One answer is not voted on, and so not brought into the vote's form.
        answer = history[0][0]["answer"]
        return {**row, "pred": answer, "response": history[0][0], "perplexity": perplexities[0][0]}
    consensus = score["votes"][-1]["consensus"]
    if sample["method"] == "cot_sc":
        paths = {"responses": history[0], "perplexities": perplexities[0]}
        return {**row, **paths, "consensus": consensus}
    return {
        **row,
        "debate_history": history,
        "consensus": consensus,
        "mask_history": [
            r["mask"]["keep"] if r["mask"] else [[] for _ in r["completions"]]
            for r in sample["rounds"]
        ],
        "perplexity_history": perplexities,
    }


def _history(sample: dict[str, Any], instrument: InstrumentName) -> Iterator[list[dict[str, str]]]:
    """Each round's solutions as the released code's {'think', 'answer'} pairs."""
    family = released.family_of(sample["dataset"], sample["answer_type"])
    answers = sample["scores"][instrument]["answers"]
    for rnd, row in zip(sample["rounds"], answers, strict=True):
        yield [
            {"think": released.read(c["text"], family).think, "answer": answer or ""}
            for c, answer in zip(rnd["completions"], row, strict=True)
        ]


def _log(sample: dict[str, Any], instrument: InstrumentName) -> dict[str, Any]:
    rounds = []
    votes = sample["scores"][instrument]["votes"]
    for rnd, solutions, vote in zip(
        sample["rounds"], _history(sample, instrument), votes, strict=True
    ):
        rounds.append(
            {
                "round": rnd["round"],
                "agents": [
                    {
                        "prompt": "\n".join(m["content"] for m in rnd["prompts"][c["prompt"]]),
                        "response": solution,
                        "perplexity": float(c["released_perplexity"]),
                    }
                    for c, solution in zip(rnd["completions"], solutions, strict=True)
                ],
                "common_answer": vote["answer"],
                "consensus": vote["consensus"],
            }
        )
    if sample["method"] == "cot":
        return {"question": sample["query"], **rounds[0]["agents"][0]}
    if sample["method"] == "cot_sc":
        outcome = {key: rounds[0][key] for key in ("common_answer", "consensus")}
        return {"question": sample["query"], "paths": rounds[0]["agents"], **outcome}
    return {"question": sample["query"], "rounds": rounds}


def _calls(sample: dict[str, Any]) -> Iterator[tuple[tuple[object, ...], dict[str, Any]]]:
    """A sample's completions, each with the engine call that the released code makes it in.

    It calls the engine once per round and agent over all questions, and once per round and
    question for that question's judges; what a decision asks, which it has not, comes last.
    """
    for rnd in sample["rounds"]:
        for c in rnd["mask"]["completions"] if rnd["mask"] else ():
            yield (rnd["round"], "judge", str(sample["id"])), c
        for c in rnd["completions"]:
            yield (rnd["round"], "answer", c["agent"]), c
    for c in sample.get("decided_by", ()):
        yield (len(sample["rounds"]), "decision", str(sample["id"])), c


def _usage(calls: dict[tuple[object, ...], list[int]], model: str) -> dict[str, Any]:
    # Stable: within a round the judges keep the order of the questions, and come first.
    place = {"judge": 0, "answer": 1, "decision": 2}
    order = sorted(calls, key=lambda call: (call[0], place[str(call[1])]))
    history = [
        {
            "model": model,
            "input_tokens": calls[call][0],
            "output_tokens": calls[call][1],
            "total_tokens": sum(calls[call]),
        }
        for call in order
    ]
    total_in, total_out = (sum(tokens[i] for tokens in calls.values()) for i in (0, 1))
    return {
        "total_input_tokens": total_in,
        "total_output_tokens": total_out,
        "total_tokens": total_in + total_out,
        "call_count": len(history),
        "history": history,
    }
