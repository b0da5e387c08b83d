#!/usr/bin/env bash
# Sets up what the tests need and runs them: ruff, mypy --strict, pytest with the real engine.
#
#   bash scripts/test.sh [arguments for pytest]
set -euo pipefail
# shellcheck source=scripts/setup_env.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup_env.sh"

setup_env "$ROOT/requirements-dev.txt"
cd "$ROOT"
say "ruff"
"$PYTHON" -m ruff check .
"$PYTHON" -m ruff format --check .
say "mypy"
"$PYTHON" -m mypy --strict madm2
say "pytest"
exec "$PYTHON" -m pytest "$@"
