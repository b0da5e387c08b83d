#!/usr/bin/env bash
# Takes the screenshots of the report's page in docs/, with headless Chromium.
#
#   bash scripts/screenshots.sh [DIR...]
#
# DIR: runs to show; without one a few are made with the scripted engine. BROWSER names the
# browser, PYTHON the interpreter, OUT the folder of the pictures, DEBATE the number of the debate.
set -euo pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
PYTHON="${PYTHON:-python}"
OUT="${OUT:-$ROOT/docs/screenshots}"
DEBATE="${DEBATE:-243}"

browser() {
    local name
    for name in ${BROWSER:+"$BROWSER"} chromium chromium-browser google-chrome; do
        if command -v "$name"; then return; fi
    done
    echo "error: no Chromium was found" >&2
    echo "  fix: install chromium, or BROWSER=/path/to/it" >&2
    exit 2
}

# shot FILE WIDTH HEIGHT [#PLACE]
shot() {
    # As root Chromium starts only without its sandbox; the page is our own.
    local flags=(--headless --disable-gpu --hide-scrollbars --virtual-time-budget=5000)
    if [ "$(id -u)" = 0 ]; then flags+=(--no-sandbox); fi
    "$CHROMIUM" "${flags[@]}" --user-data-dir="$WORK/profile" --window-size="$2,$3" \
        --screenshot="$WORK/$1" "file://$WORK/report.html${4:-}" >"$WORK/browser.log" 2>&1 || {
        cat "$WORK/browser.log" >&2
        exit 1
    }
    [ -s "$WORK/$1" ] || { echo "error: $CHROMIUM wrote no $1" >&2; exit 1; }
    mv "$WORK/$1" "$OUT/$1"
    echo "$OUT/$1"
}

CHROMIUM="$(browser)"
WORK="$(mktemp -d)"
trap 'rm -rf "$WORK"' EXIT
export PYTHONPATH="$ROOT${PYTHONPATH:+:$PYTHONPATH}"
if [ $# = 0 ]; then
    for seed in 41 42; do
        for flags in "--method cot" "--method cot_sc" "" "--prune_strategy subjective" \
            "--prune_strategy objective"; do
            # shellcheck disable=SC2086
            "$PYTHON" "$ROOT/multi_agent_debate.py" --engine scripted --dataset arithmetic \
                --data_dir "$ROOT/processed_data" --limit 40 --seed "$seed" $flags \
                --save_path "$WORK/runs" >"$WORK/run.log" 2>&1 || { cat "$WORK/run.log" >&2; exit 1; }
        done
    done
    set -- "$WORK/runs"
fi
"$PYTHON" -m madm2.report "$@" --format html --output "$WORK/report.html"
mkdir -p "$OUT"
shot report.png 1400 1000
shot debate.png 1400 1300 "#d$DEBATE"
shot narrow.png 400 1000 "#d$DEBATE"
