#!/usr/bin/env bash
# From a fresh clone to a debate: environment, demo model, and the main job under all three masks.
#
#   bash scripts/quickstart.sh [flags of multi_agent_debate.py, such as --limit 4]
#
# MADM2_MODEL names another entry of configs.yaml (qwen2.5-0.5b is a better demo where there is a
# GPU and a model hub). MADM2_VENV, MADM2_PYTHON and MADM2_ENGINE choose the environment.
set -euo pipefail
case "${1:-}" in
    -h | --help)
        sed -n '2,/^set/ s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
        exit 0
        ;;
esac
# shellcheck source=scripts/setup_env.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup_env.sh"

model="${MADM2_MODEL:-smollm2-135m}"
started=$SECONDS

# shellcheck disable=SC2119  # the flags are not for setup_env
setup_env
say "environment ready after $((SECONDS - started)) s"
if [ "$model" = smollm2-135m ]; then
    PYTHONPATH="$ROOT" "$PYTHON" -m madm2.demo_model
    say "demo model ready after $((SECONDS - started)) s"
fi
for strategy in naive subjective objective; do
    say "$strategy masking"
    "$PYTHON" "$ROOT/multi_agent_debate.py" --model_name "$model" --dataset arithmetic \
        --limit 12 --prune_strategy "$strategy" "$@"
done
say "done after $((SECONDS - started)) s; each table above ends with the folder of its results"
