#!/usr/bin/env bash
# Sourced by lib.sh: arguments and environment of the scripts that rerun the paper.
#
# A list is a text with a value a line, so that values may hold spaces.

print_help() {
    sed -n '2,/^set/ s/^# \{0,1\}//p' "$0"
    cat <<'HELP'

Arguments, and the environment variables that say the same (arguments win):
  --models NAME...        MODELS        entries of configs.yaml; with a slash: a folder or hub id
  --model_path PATH...    MODEL_PATH    folders or hub ids instead of names (the variable: one a
                                        line); with as many names: with these entries' settings
  --datasets NAME...      DATASETS
  --seeds N...            SEEDS         41 to 45
  --gpus N...             GPUS          several: tensor parallel over them
  --save_path DIR         SAVE_PATH     results
  --exp_name NAME         EXP_NAME      main; the scripts share what they have in common
  --num_samples N         NUM_SAMPLES   questions drawn by each seed
  --limit N               LIMIT         only the first N of them
  --methods NAME...       METHODS       mad, sparse_mad, cot, cot_sc
  --masks NAME...         MASKS         naive, subjective, objective, random_k, oracle
  --agents N...           AGENTS        3
  --rounds N...           ROUNDS        2
  --reasoning_paths N     REASONING_PATHS   6; of cot_sc
  --vary 'FLAG...'        VARY          a cell with these flags; repeatable (the variable: one a
                                        line)
  --python FILE           PYTHON        the active environment, or else the project's .venv
  --dry_run               DRY_RUN=1     print the commands, run none
  --no_report             REPORT=0      no report at the end
  -- FLAG...              EXTRA         any other flags of multi_agent_debate.py

A list in a variable is separated by spaces; quotes in it keep a value with spaces together. A
cell, with all its methods, masks, seeds and datasets, loads its model once. What has ended is not
run again. Logs are in SAVE_PATH/EXP_NAME/logs. Exit codes: 1 if a cell failed (the others are run
all the same), 2 for a wrong argument, 130 or 143 when interrupted.
HELP
}

help_asked() {
    local word
    for word in "$@"; do
        case "$word" in
            -h | --help)
                print_help
                exit 0
                ;;
            --) return ;;
        esac
    done
}

# Sets WORDS to the lines of a text that are not empty.
lines() {
    local line
    WORDS=()
    while IFS= read -r line; do
        if [ -n "$line" ]; then WORDS+=("$line"); fi
    done <<<"$1"
}

# Sets WORDS to the words of a text, in which quotes hold words together as in a shell.
words() {
    local text
    if [[ "$2" != *[\"\'\\]* ]]; then # as nearly always
        read -r -d '' -a WORDS <<<"$2" || true
        return
    fi
    text="$(printf '%s\n' "$2" | xargs printf '%s\n' 2>/dev/null)" ||
        die "$1 cannot be read" "have: $2" "need: words, with every quote closed"
    lines "$text"
}

# Sets NAME to the variable that a flag sets.
variable_of() {
    case "$1" in
        --models | --model_name) NAME=MODELS ;;
        --model_path) NAME=MODEL_PATH ;;
        --datasets | --dataset) NAME=DATASETS ;;
        --seeds | --seed) NAME=SEEDS ;;
        --gpus | --gpu_id) NAME=GPUS ;;
        --save_path) NAME=SAVE_PATH ;;
        --exp_name) NAME=EXP_NAME ;;
        --num_samples) NAME=NUM_SAMPLES ;;
        --limit) NAME=LIMIT ;;
        --methods | --method) NAME=METHODS ;;
        --masks | --prune_strategy) NAME=MASKS ;;
        --agents | --num_agents) NAME=AGENTS ;;
        --rounds | --max_round) NAME=ROUNDS ;;
        --reasoning_paths | --num_reasoning_paths) NAME=REASONING_PATHS ;;
        --python) NAME=PYTHON ;;
        -*)
            die "unknown argument $1" "fix: bash $0 --help lists them; the flags of" \
                "     multi_agent_debate.py go after --"
            ;;
        *) die "unknown argument $1" "fix: bash $0 --help" ;;
    esac
}

# Reads the environment and, over it, the arguments.
begin() {
    local flag varied=""
    help_asked "$@"
    read_environment
    while [ $# -gt 0 ]; do
        if [[ "$1" == --*=* ]]; then set -- "${1%%=*}" "${1#*=}" "${@:2}"; fi
        flag="$1"
        shift
        case "$flag" in
            --)
                EXTRA_WORDS+=("$@")
                break
                ;;
            --dry_run) DRY_RUN=1 ;;
            --no_report) REPORT=0 ;;
            --vary)
                [ $# -gt 0 ] || die "--vary needs a value" "fix: --vary '--objective_keep 2'"
                varied="$varied$1"$'\n'
                shift
                ;;
            *)
                variable_of "$flag"
                WORDS=()
                while [ $# -gt 0 ] && [[ "$1" != -* ]]; do
                    WORDS+=("$1")
                    shift
                done
                [ ${#WORDS[@]} -gt 0 ] || die "$flag needs a value" "fix: bash $0 --help"
                printf -v "$NAME" '%s\n' "${WORDS[@]}"
                ;;
        esac
    done
    VARY="${varied:-$VARY}"
    check_choices
}

# Makes each variable a list, or gives it its default.
read_environment() {
    local name
    DRY_RUN="${DRY_RUN:-0}" REPORT="${REPORT:-1}"
    SAVE_PATH="${SAVE_PATH:-results}" EXP_NAME="${EXP_NAME:-main}"
    LIMIT="${LIMIT:-}" NUM_SAMPLES="${NUM_SAMPLES:-}" REASONING_PATHS="${REASONING_PATHS:-6}"
    MODEL_PATH="${MODEL_PATH:-}" VARY="${VARY:-}"
    : "${DATASETS:=aime24 aime25 mmlu_pro math gsm8k}" "${SEEDS:=41 42 43 44 45}"
    : "${METHODS:=mad}" "${MASKS:=naive}" "${AGENTS:=3}" "${ROUNDS:=2}"
    words EXTRA "${EXTRA:-}"
    EXTRA_WORDS=(${WORDS[@]+"${WORDS[@]}"})
    for name in MODELS DATASETS SEEDS GPUS METHODS MASKS AGENTS ROUNDS; do
        # A folder whose name has spaces is one model.
        if [ "$name" = MODELS ] && [ -d "${MODELS:-}" ]; then continue; fi
        words "$name" "${!name:-}"
        printf -v "$name" '%s\n' ${WORDS[@]+"${WORDS[@]}"}
    done
}

check_choices() {
    local name variant
    for name in SAVE_PATH EXP_NAME NUM_SAMPLES LIMIT REASONING_PATHS PYTHON; do
        lines "${!name}"
        [ ${#WORDS[@]} -le 1 ] || die "$name takes one value" "have: ${WORDS[*]}"
        printf -v "$name" '%s' ${WORDS[@]+"${WORDS[0]}"}
    done
    lines "$VARY"
    for variant in ${WORDS[@]+"${WORDS[@]}"}; do words --vary "$variant"; done
    lines "$GPUS"
    GPUS="$(IFS=,; printf '%s' "${WORDS[*]-}")"
    choose_models
    choose_python
    # As the program does: a quoted ~ is the home folder.
    if [[ "$SAVE_PATH" == \~ || "$SAVE_PATH" == \~/* ]]; then SAVE_PATH="$HOME${SAVE_PATH#\~}"; fi
    LOGS="$SAVE_PATH/$EXP_NAME/logs"
    if [ "$DRY_RUN" = 0 ]; then
        mkdir -p "$LOGS" 2>/dev/null || die "cannot write $LOGS" "fix: another --save_path"
    fi
}

# Sets MODEL_NAMES and MODEL_PATHS: of each model one of them, or both.
choose_models() {
    local names paths i
    lines "$MODEL_PATH"
    paths=(${WORDS[@]+"${WORDS[@]}"})
    if [ -z "${MODELS//[[:space:]]/}" ] && [ ${#paths[@]} -eq 0 ]; then
        MODELS="${PAPER_MODELS// /$'\n'}"
    fi
    lines "$MODELS"
    names=(${WORDS[@]+"${WORDS[@]}"})
    if [ ${#names[@]} -gt 0 ] && [ ${#paths[@]} -gt 0 ] && [ ${#names[@]} -ne ${#paths[@]} ]; then
        die "every model needs a path, or none has one" \
            "have: ${#names[@]} models and ${#paths[@]} model paths" \
            "fix: leave the models out, or name one for each path"
    fi
    MODEL_NAMES=() MODEL_PATHS=()
    for ((i = 0; i < ${#names[@]} || i < ${#paths[@]}; i++)); do
        MODEL_NAMES[i]="${names[i]:-}" MODEL_PATHS[i]="${paths[i]:-}"
        if [[ "${MODEL_NAMES[i]}" == */* ]]; then
            [ -z "${MODEL_PATHS[i]}" ] || die "two paths for one model" "have: ${names[i]} ${paths[i]}"
            MODEL_PATHS[i]="${names[i]}" MODEL_NAMES[i]=""
        fi
    done
}

# PYTHON as given, or else of the active environment, the project's, or the path.
choose_python() {
    local candidate
    for candidate in "$PYTHON" "${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/python}" "$VENV/bin/python" \
        python3 python; do
        if [ -z "$candidate" ]; then continue; fi
        if command -v "$candidate" >/dev/null 2>&1; then
            PYTHON="$candidate"
            return
        fi
        [ "$candidate" != "$PYTHON" ] || die "PYTHON is not there: $PYTHON"
    done
    die "no Python here" "fix: bash scripts/quickstart.sh makes .venv, or --python FILE"
}
