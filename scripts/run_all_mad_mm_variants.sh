#!/usr/bin/env bash
# Of all models the debates that mask: subjective and objective (table 1), strict (table 2).
#
#   bash scripts/run_all_mad_mm_variants.sh [argument of these scripts...]
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

help_asked "$@"
METHODS="${METHODS:-mad}" MASKS="${MASKS:-subjective objective}" call table1.sh "$@"
call table2.sh "$@"
end
