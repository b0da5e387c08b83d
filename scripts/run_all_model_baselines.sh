#!/usr/bin/env bash
# Of all models the baselines of table 1: CoT, CoT-SC and debates that mask nothing.
#
#   bash scripts/run_all_model_baselines.sh [argument of table1.sh...]
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

help_asked "$@"
METHODS="${METHODS:-cot cot_sc mad}" MASKS="${MASKS:-naive}" call table1.sh "$@"
end
