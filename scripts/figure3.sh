#!/usr/bin/env bash
# Figure 3: how often the masks find the erroneous memories, in the runs of table 1.
#
#   bash scripts/figure3.sh [argument...]
#
# Runs that table 1 has made (same save_path and exp_name) are read, not made again.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PAPER_MODELS="qwen2.5-7b qwen2.5-math-7b"
: "${MASKS:=subjective objective}"
begin "$@"
cells "$METHODS" "$MASKS"
finish --tables masks labels --figures "$SAVE_PATH/$EXP_NAME/figures"
