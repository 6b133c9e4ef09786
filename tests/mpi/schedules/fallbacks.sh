#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# fallbacks.sh MPI PROGRAM WEFT SCHEDULES: the same random MPI programs where Weft cannot do all
# that it could, or shares the program with others: every rank receives what it does natively.
. "$(dirname "$0")/../script.sh"
mpi=$1 program=$2 weft=$(realpath "$3") schedules=$4

command -v "mpicc.$mpi" >/dev/null || tap_skip_all "no mpicc.$mpi"
. "$here/digests.sh"
export WEFT_TICKET=256 WEFT_LOG=off

# ---- Ways to start a job of $ranks ranks: the rest is the program and its arguments --------------

under_weft() {
    digests "$folder/weft" -n "$ranks" "$weft" run "$@"
}

no_provider() {
    WEFT_WORLD=ofi WEFT_OFI_PROVIDER=nonesuch under_weft "$@"
}

# by_rank RANK COMMAND... else COMMAND...
by_rank() {
    digests "$folder/weft" -n "$ranks" "$support/by_rank.sh" "$@"
}

first_disabled() {
    by_rank 0 env WEFT_DISABLE=1 "$weft" run "$@" else "$weft" run "$@"
}

first_without() {
    by_rank 0 "$@" else "$weft" run "$@"
}

last_without() {
    by_rank $((ranks - 1)) "$@" else "$weft" run "$@"
}

# preloaded LIST COMMAND...: with $LD_PRELOAD in the list, as the inner shell finds it
preloaded() {
    list=$1
    shift
    under_weft sh -c "LD_PRELOAD=$list exec \"\$@\"" sh "$@"
}

last_of_another_version() {
    # shellcheck disable=SC2016 # for the inner shell
    by_rank $((ranks - 1)) "$weft" run sh -c 'LD_PRELOAD=$LD_PRELOAD:$0 exec "$@"' \
        "$folder/other_version.so" "$@" else "$weft" run "$@"
}

tool_before() {
    preloaded "$folder/first.so:\$LD_PRELOAD" "$@" && grep 'tool first: [1-9]' "$folder/all"
}

tool_behind() {
    preloaded "\$LD_PRELOAD:$folder/second.so" "$@" && grep 'tool second is loaded' "$folder/all"
}

tools_around() {
    preloaded "$folder/first.so:\$LD_PRELOAD:$folder/second.so" "$@" &&
        grep 'tool first: [1-9]' "$folder/all" && grep 'tool second is loaded' "$folder/all"
}

# ---- What is compared ----------------------------------------------------------------------------

# like_native HOW ARGUMENT...
like_native() {
    how=$1
    shift
    digests "$folder/native" -n "$ranks" "$program" "$@" && "$how" "$program" "$@" &&
        diff "$folder/native" "$folder/weft"
}

# fallback NAME HOW [ARGUMENT...]
fallback() {
    name=$1 how=$2
    shift 2
    for ranks in $sizes; do
        check "$name, $ranks ranks" like_native "$how" --seed $((ranks * 1000)) \
            --count "$schedules" "$@"
    done
}

"mpicc.$mpi" -w -D_GNU_SOURCE -shared -fPIC -o "$folder/other_version.so" \
    "$here/../programs/other_version.c"
for name in first second; do
    "mpicc.$mpi" -w -shared -fPIC -DNAME="\"$name\"" -o "$folder/$name.so" "$here/tool.c"
done

sizes="1 2 3 7"
fallback "no provider" no_provider
fallback "an error handler of the program" under_weft --handler 1
fallback "a tool before Weft" tool_before
fallback "a tool behind Weft" tool_behind
fallback "tools before and behind Weft" tools_around
fallback "threads" under_weft --threads 2
sizes="2 3 7"
# MPICH 4.0.2 dies of a session of one process.
[ "$mpi" != mpich ] || fallback "sessions" under_weft --session 1
fallback "one process disabled" first_disabled
fallback "the first process without Weft" first_without
fallback "the last process without Weft" last_without
fallback "one process with another version of Weft" last_of_another_version
tap_done
