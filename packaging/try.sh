#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: try.sh RELEASE FOLDER
#
# What a person's first minutes with the packages are like: installs those of FOLDER, which debs.sh
# has built, in a clean root of a release of Debian with compilers and both MPIs, pastes the
# commands of the README, runs an MPI program under each MPI, and purges them. What users see of all
# that is in FOLDER/seen. Wants to be called by root; prints TAP.
set -euo pipefail

# shellcheck source=packaging/clean_root.sh
. "$(dirname "$0")/clean_root.sh"
. "$checkout/tests/support/launchers.sh"
seen=$folder/seen
rm -rf "$seen"
mkdir "$seen"

# What somebody has who writes MPI programs.
prepare() {
    install_in_root bash-completion gcc libc6-dev libmpich-dev libopenmpi-dev mpich openmpi-bin \
        pkgconf python3 &&
        mkdir "$root/try" "$root/debs" &&
        cp "$checkout/README.md" "$checkout/tests/mpi/programs/columns.c" "$root/try" &&
        cp -r "$checkout/tests" "$checkout/examples" "$here" "$root/try" &&
        find "$folder" -name '*.deb' ! -name '*-dbgsym_*' -exec cp -t "$root/debs" {} +
}

# All that purging must leave as it was, but what dpkg and apt remember themselves.
list_files() {
    (cd "$root" && find . -xdev \( -path ./debs -o -path ./try -o -path ./tmp -o -path ./var/cache \
        -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./proc \
        -o -path ./sys -o -path ./dev -o -path ./etc/shadow- \) \
        -prune -o -name '*.pyc' -prune -o -print | LC_ALL=C sort)
}

install_packages() {
    in_root sh -c 'apt-get -qq install -y /debs/*.deb'
}

# users_see NAME COMMAND...: in the folder of the try
users_see() {
    local name=$1
    shift
    # shellcheck disable=SC2016 # arguments of the inner shell
    in_root timeout 600 bash -c 'cd /try && "$@"' bash "$@" >"$seen/$name.txt" 2>&1 || {
        cat "$seen/$name.txt"
        return 1
    }
}

# block WORDS: of the README, the commands between ```sh and ``` that contain the words
block() {
    awk -v words="$1" '/^```sh$/ { inside = 1; text = ""; next }
        /^```$/ { if (inside && index(text, words)) printf "%s", text; inside = 0 }
        inside { text = text $0 "\n" }' "$checkout/README.md"
}

# readme_of_mpi MPI: its first commands, with as many ranks as small machines have room for
readme_of_mpi() {
    in_root "mpicc.$1" -O2 /try/columns.c -o /try/app &&
        in_root update-alternatives --set mpirun "/usr/bin/mpirun.$1" &&
        block 'weft compare' | sed 's/-n 64/-n 2/; s/weft compare/& -r 3/' >"$root/try/first.sh" &&
        grep -q 'weft run --report' "$root/try/first.sh" &&
        users_see "readme-$1" bash -e first.sh &&
        grep -q '^Weft: 2 processes' "$seen/readme-$1.txt"
}

readme_of_c() {
    block column.c >"$root/try/column.sh" &&
        users_see column bash -e column.sh && grep -q '^ 0.0  5.5  0.0$' "$seen/column.txt"
}

readme_explains() {
    users_see explain weft explain 'vector(6, 1, 5, double)' &&
        grep -q 'loop of 6, 40 apart' "$seen/explain.txt"
}

# One round: the machine that tries may be busy, and this judges nothing.
readme_measures() {
    block 'weft bench mpi' | sed 's/--rounds 5 --check/--rounds 1/' >"$root/try/bench.sh" &&
        users_see bench bash -e bench.sh && cp "$root/try/mpi.svg" "$seen" &&
        grep -q '</svg>' "$seen/mpi.svg"
}

bash_completes() {
    users_see completion bash -c '. /usr/share/bash-completion/bash_completion &&
        . /usr/share/bash-completion/completions/weft &&
        COMP_WORDS=(weft expl) COMP_CWORD=1 && eval "$(complete -p weft |
            sed "s/.*-F \([^ ]*\).*/\1/") weft expl weft" && echo "${COMPREPLY[@]}"' &&
        grep -qw explain "$seen/completion.txt"
}

tests_of_packages() {
    users_see "test-$1" "packaging/debian/tests/$1"
}

# What came with them goes, too, even if others that stay recommend it.
purge() {
    in_root update-alternatives --auto mpirun
    # shellcheck disable=SC2046 # names are words
    in_root apt-get -qq purge -y $(in_root dpkg-query -f '${Package} ${source:Package}\n' -W |
        awk '$2 == "weft" { print $1 }') &&
        in_root apt-get -qq autoremove --purge -y -o APT::AutoRemove::RecommendsImportant=false \
            -o APT::AutoRemove::SuggestsImportant=false
}

nothing_is_left() {
    list_files >"$seen/files-after.txt"
    diff "$seen/files-before.txt" "$seen/files-after.txt"
}

enter_root
need "somebody has MPI" prepare
list_files >"$seen/files-before.txt"
need "apt installs the packages" install_packages
for mpi in openmpi mpich; do
    check "the README's first commands work with $mpi" readme_of_mpi "$mpi"
done
check "the README's example in C works" readme_of_c
check "weft explain works" readme_explains
check "the README's measurement draws its picture" readme_measures
check "bash completes" bash_completes
check "Weft moves messages of a program of each MPI" tests_of_packages mpi
check "the libraries serve C and Python" tests_of_packages library
check "the packages are purged" purge
check "nothing is left of them" nothing_is_left
tap_done
