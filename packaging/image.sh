#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: image.sh RELEASE FOLDER
#
# Builds the image of the Containerfile where no registry is at hand: with buildah, on a base that
# debootstrap makes of the release that it names, bookworm. Then a program of Open MPI, compiled on
# this machine, which must have that release, runs in it. Storage of its own is in FOLDER, and what
# the image says is in FOLDER/seen. Wants to be called by root; prints TAP.
set -euo pipefail

# shellcheck source=packaging/clean_root.sh
. "$(dirname "$0")/clean_root.sh"
seen=$folder/seen
rm -rf "$folder/storage" "$folder/source" "$seen"
mkdir "$folder/source" "$seen"

# store COMMAND...: no image of this machine is used or changed
store() {
    buildah --root "$folder/storage" --runroot "$folder/storage/run" --storage-driver overlay "$@"
}

# The name is that of the line FROM.
make_base() {
    local container number
    make_root && layer_root && trust_mirror || return
    number=$(. "$root/etc/os-release" && echo "$VERSION_ID")
    container=$(store from scratch) && store add --quiet "$container" "$root" / &&
        store commit --rm "$container" "debian:$number"
}

# Of the files that git knows, as they are now.
build_image() {
    git -C "$checkout" ls-files -z | tar -C "$checkout" --null -T - -c |
        tar -C "$folder/source" -x &&
        store build --isolation chroot --network host --pull-never --layers=false \
            -f "$folder/source/packaging/Containerfile" -t weft "$folder/source"
}

enter_image() {
    container=$(store from --pull-never weft)
}

# image_says NAME COMMAND...: to one who is not root, as mpirun wants it
image_says() {
    local name=$1
    shift
    store run --isolation chroot --network host --user nobody "$container" -- timeout 300 "$@" \
        >"$seen/$name.txt" 2>&1 || {
        cat "$seen/$name.txt"
        return 1
    }
}

it_begins_with_weft() {
    store inspect --format '{{.OCIv1.Config.Entrypoint}}' weft | grep -Fx '[weft]'
}

it_explains() {
    image_says explain weft explain 'vector(6, 1, 5, double)' &&
        grep -q 'loop of 6, 40 apart' "$seen/explain.txt"
}

it_moves_messages() {
    mpicc.openmpi -O2 "$checkout/tests/mpi/programs/columns.c" -o "$folder/columns" &&
        store copy --quiet "$container" "$folder/columns" /columns &&
        image_says report env WEFT_WAY=pulled mpirun --oversubscribe -n 2 \
            weft run --report /columns &&
        grep 'pulled by the receiver  *10 messages' "$seen/report.txt"
}

need "the base is made" make_base
need "the image is built on it" build_image
need "a container is made of it" enter_image
check "it begins with weft" it_begins_with_weft
check "weft explains in it" it_explains
check "Weft moves messages of a program of Open MPI in it" it_moves_messages
tap_done
