#!/usr/bin/env bash
# Table 1 (and figure 10, the time): CoT, CoT-SC, and debates under all three masks.
#
#   bash scripts/table1.sh [argument...]
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PAPER_MODELS="qwen2.5-7b qwen2.5-math-7b deepseek-math-7b qwq-32b"
: "${METHODS:=cot cot_sc mad}" "${MASKS:=naive subjective objective}"
begin "$@"
cells "$METHODS" "$MASKS"
finish --tables paper cells comparisons
