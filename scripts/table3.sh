#!/usr/bin/env bash
# Table 3: six agents, subjective and objective masking beside sparse debates, which mask nothing.
#
#   bash scripts/table3.sh [argument...]
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

PAPER_MODELS="qwen2.5-7b qwen2.5-math-7b"
: "${METHODS:=mad sparse_mad}" "${MASKS:=subjective objective}" "${AGENTS:=6}"
begin "$@"
lines "$METHODS"
for method in "${WORDS[@]}"; do
    if [ "$method" = sparse_mad ]; then cells sparse_mad naive; else cells "$method" "$MASKS"; fi
done
finish --tables paper cells comparisons
