#!/usr/bin/env bash
# Sourced by the scripts that rerun the paper: it runs their cells and tells which failed.
#
# A script sets PAPER_MODELS and what else it has for defaults, then calls `begin "$@"`,
# `cells METHODS MASKS [FLAG...]` and `finish [FLAG...]`, flags for the report. One that calls
# others: `help_asked "$@"`, `call SCRIPT "$@"` for each, `end`.

# From setup_env.sh: ROOT, say, die, and VENV, the project's own environment.
given_python="${PYTHON:-}" given_path="${PYTHONPATH:-}"
# shellcheck source=scripts/setup_env.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup_env.sh"
PYTHON="$given_python"
if [ -n "$given_path" ]; then export PYTHONPATH="$given_path"; fi
# shellcheck source=scripts/arguments.sh
source "$ROOT/scripts/arguments.sh"

SCRIPT="$(basename "$0" .sh)"
CHILD="" STOPPED=0 # the command that runs; 130 or 143 once a signal came
N_STARTED=0 FAILED=()
trap 'stop INT 130' INT
trap 'stop TERM 143' TERM HUP

stop() {
    STOPPED="$2"
    if [ -n "$CHILD" ]; then kill -s "$1" "$CHILD" 2>/dev/null || true; fi
}

# Runs a command in a process group of its own, so that a signal reaches it once, through `stop`,
# and waits until it has ended. Returns its status.
launch() {
    local status
    if [ "$STOPPED" != 0 ]; then return "$STOPPED"; fi
    set -m
    "$@" </dev/null &
    CHILD=$!
    set +m
    if [ "$STOPPED" != 0 ]; then kill "$CHILD" 2>/dev/null || true; fi # before CHILD was known
    while true; do
        wait "$CHILD" && status=0 || status=$?
        kill -0 "$CHILD" 2>/dev/null || break # else a signal only cut the wait short
    done
    CHILD=""
    return "$status"
}

# A cell for every model, variant, number of agents and of rounds: cells METHODS MASKS [FLAG...]
cells() {
    local methods masks agents rounds variants debates="" sampled="" method i v a r
    lines "$1" && methods=("${WORDS[@]}")
    lines "$2" && masks=("${WORDS[@]}")
    lines "$AGENTS" && agents=("${WORDS[@]}")
    lines "$ROUNDS" && rounds=("${WORDS[@]}")
    lines "$VARY" && variants=(${WORDS[@]+"${WORDS[@]}"})
    shift 2
    for method in "${methods[@]}"; do
        case "$method" in
            cot) ;;
            cot_sc) sampled=1 ;;
            *) debates=1 ;;
        esac
    done
    [ -n "$debates" ] || agents=("") rounds=("")
    [ ${#variants[@]} -gt 0 ] || variants=("")
    for ((i = 0; i < ${#MODEL_NAMES[@]}; i++)); do
        for v in "${variants[@]}"; do
            for a in "${agents[@]}"; do
                for r in "${rounds[@]}"; do cell "$i" "$v" "$a" "$r" "$@"; done
            done
        done
    done
}

# One of `cells`, whose methods and masks it sees: cell MODEL VARIANT AGENTS ROUNDS [FLAG...]
cell() {
    local label
    begin_command "$1"
    COMMAND+=(--method "${methods[@]}")
    label="$LABEL $(IFS=+ && printf '%s' "${methods[*]}")"
    [ -z "$sampled" ] || COMMAND+=(--num_reasoning_paths "$REASONING_PATHS")
    if [ -n "$debates" ]; then
        COMMAND+=(--prune_strategy "${masks[@]}" --num_agents "$3" --max_round "$4")
        label="$label $3agents $4rounds"
    fi
    words VARY "$2"
    COMMAND+=("${@:5}" ${WORDS[@]+"${WORDS[@]}"} ${EXTRA_WORDS[@]+"${EXTRA_WORDS[@]}"})
    run_cell "$label${2:+ $2}"
}

# Begins COMMAND and LABEL with a model, data, place and GPUs.
begin_command() {
    local name="${MODEL_NAMES[$1]}" path="${MODEL_PATHS[$1]}"
    COMMAND=("$PYTHON" "$ROOT/multi_agent_debate.py")
    [ -z "$name" ] || COMMAND+=(--model_name "$name")
    [ -z "$path" ] || COMMAND+=(--model_path "$path")
    LABEL="${name:-$(basename "$path")}"
    COMMAND+=(--save_path "$SAVE_PATH" --exp_name "$EXP_NAME")
    lines "$DATASETS" && COMMAND+=(--dataset "${WORDS[@]}")
    lines "$SEEDS" && COMMAND+=(--seed "${WORDS[@]}")
    [ -z "$NUM_SAMPLES" ] || COMMAND+=(--num_samples "$NUM_SAMPLES")
    [ -z "$LIMIT" ] || COMMAND+=(--limit "$LIMIT")
    [ -z "$GPUS" ] || COMMAND+=(--gpu_id "$GPUS")
    [[ "$GPUS" != *,* ]] || COMMAND+=(--parallel)
}

# Runs COMMAND, or prints it; its output goes to the cell's log too.
run_cell() {
    local label="$SCRIPT $1" log status tee
    if [ "$DRY_RUN" != 0 ]; then
        print_command "${COMMAND[@]}"
        return
    fi
    N_STARTED=$((N_STARTED + 1))
    log="${label//[^A-Za-z0-9._+=-]/-}"
    log="$LOGS/${log:0:200}.log"
    say "cell $N_STARTED: $label"
    print_command "${COMMAND[@]}" >>"$log"
    # The copy must outlive a Ctrl-C: it carries the last words.
    exec 3> >(trap '' INT TERM HUP && exec tee -a "$log")
    tee=$!
    launch "${COMMAND[@]}" >&3 2>&1 3>&- && status=0 || status=$?
    exec 3>&-
    wait_briefly "$tee"
    after "$status" "$label (exit code $status): $log"
}

# Waits for a process, but not for one that others keep alive.
wait_briefly() {
    local tries=0
    while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 50 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

# Ends everything if a command was interrupted; remembers it if it failed: after STATUS WHAT
after() {
    case "$1" in 130 | 143) STOPPED="$1" ;; esac
    if [ "$STOPPED" != 0 ]; then
        say "interrupted; the same command goes on from there"
        exit "$STOPPED"
    fi
    if [ "$1" != 0 ]; then FAILED+=("$2"); fi
}

print_command() {
    local text
    printf -v text ' %q' "$@"
    printf '%s\n' "${text# }"
}

# Reports what is in the results folder, then ends: finish [FLAG...]
finish() {
    local report status
    report=(env "PYTHONPATH=$ROOT${PYTHONPATH:+:$PYTHONPATH}" "$PYTHON")
    if [ "$REPORT" != 0 ] && "${report[@]}" -c \
        'import importlib.util as u, sys; sys.exit(u.find_spec("madm2.report") is None)'; then
        report+=(-m madm2.report "$SAVE_PATH/$EXP_NAME" "$@")
        if [ "$DRY_RUN" != 0 ]; then
            print_command "${report[@]}"
        elif [ ${#FAILED[@]} -lt "$N_STARTED" ]; then
            N_STARTED=$((N_STARTED + 1))
            launch "${report[@]}" && status=0 || status=$?
            after "$status" "the report (exit code $status)"
        fi
    fi
    end
}

end() {
    if [ ${#FAILED[@]} -eq 0 ]; then exit 0; fi
    printf 'error: %s of %s failed:\n' ${#FAILED[@]} "$N_STARTED" >&2
    printf '  %s\n' "${FAILED[@]}" >&2
    exit 1
}

# Runs another script with these arguments: call SCRIPT [ARGUMENT...]
call() {
    local status
    N_STARTED=$((N_STARTED + 1))
    launch "$BASH" "$ROOT/scripts/$1" "${@:2}" && status=0 || status=$?
    case "$status" in
        0) ;;
        2 | 130 | 143) exit "$status" ;; # it has said why
        *) FAILED+=("$1 (exit code $status)") ;;
    esac
}
