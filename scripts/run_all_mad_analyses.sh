#!/usr/bin/env bash
# The analyses: what the masks find (figure 3), six agents (table 3), more agents, more rounds.
#
#   bash scripts/run_all_mad_analyses.sh [argument of these scripts...]
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

help_asked "$@"
for script in figure3 table3 scale_agents scale_rounds; do
    call "$script.sh" "$@"
done
end
