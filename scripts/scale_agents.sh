#!/usr/bin/env bash
# More agents (figure 4), under all three masks.
#
#   bash scripts/scale_agents.sh [argument...]
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PAPER_MODELS="qwen2.5-7b"
: "${DATASETS:=gsm8k math}" "${MASKS:=naive subjective objective}" "${AGENTS:=3 4 5 6 8 10}"
begin "$@"
cells "$METHODS" "$MASKS"
finish --tables cells --figures "$SAVE_PATH/$EXP_NAME/figures"
