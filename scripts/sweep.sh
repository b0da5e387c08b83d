#!/usr/bin/env bash
# Your own ablation: every combination of models, variants, agents, rounds, methods and masks.
#
#   bash scripts/sweep.sh --models qwen2.5-7b --datasets math --seeds 41 42 --agents 3 5 \
#       --masks objective --vary '--objective_keep 1' --vary '--objective_keep 2'
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PAPER_MODELS="qwen2.5-7b"
begin "$@"
cells "$METHODS" "$MASKS"
finish --tables cells comparisons --figures "$SAVE_PATH/$EXP_NAME/figures"
