#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: completions_test.sh BASH ZSH FISH
#
# What the shells complete by these files, as a user types. Prints TAP.
set -uo pipefail

of_bash=$1 of_zsh=$2 of_fish=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../../tests/support/tap.sh"
tap_output=$work/output

# typed_in_bash WORD...: what the last one is completed to
typed_in_bash() {
    bash --norc -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weft
        printf "%s\n" "${COMPREPLY[@]}"' bash "$of_bash" "$@"
}

# bash_completes WORD... WANTED
bash_completes() {
    typed_in_bash "${@:1:$#-1}" | tee /dev/stderr | grep -x -- "${@: -1}" >/dev/null
}

bash_keeps_to_options() {
    ! typed_in_bash weft run --pl | grep . >/dev/null
}

# fish_completes LINE WANTED
fish_completes() {
    fish --no-config -c "source $of_fish; complete -C '$1'" | tee /dev/stderr |
        grep -q -- "^$2[[:space:]]"
}

# Its function is found by the name of its file, as it is installed.
zsh_loads() {
    mkdir -p "$work/functions" && cp "$of_zsh" "$work/functions/_weft" && zsh -n "$of_zsh" &&
        zsh -f -c "fpath=($work/functions \$fpath); autoload -Uz compinit
            compinit -u -d $work/dump; [ \"\$_comps[weft]\" = _weft ]"
}

check "bash: a command" bash_completes weft be bench
check "bash: a benchmark" bash_completes weft bench ma match
check "bash: an option" bash_completes weft bench mpi --exch --exchange
check "bash: an option with a name of a file" bash_completes weft bench mpi --plo --plot
check "bash: a program behind options of weft run" \
    bash_completes weft run --trace t.json --off bas bash
check "bash: no options of others" bash_keeps_to_options
if command -v fish >/dev/null; then
    check "fish: a command" fish_completes "weft be" bench
    check "fish: a simulator" fish_completes "weft sim n" nic
    check "fish: an option" fish_completes "weft bench mpi --exch" --exchange
else
    skip "fish" "fish is not installed"
fi
if command -v zsh >/dev/null; then
    check "zsh: the file loads" zsh_loads
else
    skip "zsh" "zsh is not installed"
fi
tap_done
