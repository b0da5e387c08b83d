#!/usr/bin/env bash
# More rounds (figure 6), without a mask and under the subjective one.
#
#   bash scripts/scale_rounds.sh [argument...]
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PAPER_MODELS="qwen2.5-7b"
: "${DATASETS:=mmlu_pro}" "${MASKS:=naive subjective}" "${ROUNDS:=2 3 5 6 8 10}"
begin "$@"
cells "$METHODS" "$MASKS"
finish --tables cells --figures "$SAVE_PATH/$EXP_NAME/figures"
