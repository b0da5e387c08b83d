#!/usr/bin/env bash
# From a fresh clone to a debate: environment, demo model, and the main job under all three masks.
#
#   bash scripts/quickstart.sh [flags of multi_agent_debate.py]
#
# MODEL_NAME, DATASET and LIMIT choose another entry of configs.yaml, dataset, number of questions.
# MADM2_VENV, MADM2_PYTHON and MADM2_ENGINE (cpu, paper, latest) choose the environment.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup_env.sh"

model="${MODEL_NAME:-smollm2-135m}"
dataset="${DATASET:-arithmetic}"
limit="${LIMIT:-12}"
started=$SECONDS

setup_env
say "environment ready after $((SECONDS - started)) s"
if [ "$model" = smollm2-135m ]; then
    (cd "$ROOT" && "$PYTHON" -m madm2.demo_model)
fi
for strategy in naive subjective objective; do
    say "$strategy masking"
    "$PYTHON" "$ROOT/multi_agent_debate.py" --model_name "$model" --dataset "$dataset" \
        --limit "$limit" --prune_strategy "$strategy" "$@"
done
say "done after $((SECONDS - started)) s"
