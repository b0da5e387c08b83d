#!/usr/bin/env bash
# Table 2: strict subjective masking, which masks what is labelled NOT SURE as well.
#
#   bash scripts/table2.sh [argument...]
#
# The other rows are table 1's: with the same save_path and exp_name the report has both.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PAPER_MODELS="qwen2.5-7b qwen2.5-math-7b deepseek-math-7b"
: "${MASKS:=subjective}"
begin "$@"
cells "$METHODS" "$MASKS" --strict
finish --tables paper cells comparisons
