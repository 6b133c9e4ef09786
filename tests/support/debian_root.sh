# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For scripts to source that work, as root, in a root of a release of Debian: $release names it, and
# $root is its folder.

# own_name_space ARGUMENT...: of the script. A name space of its own takes all mounts along when the
# script ends, however it ends.
own_name_space() {
    [ "${WEFT_DEBIAN_INSIDE:-}" != $$ ] || return 0
    export WEFT_DEBIAN_INSIDE=$$
    exec unshare --mount "$0" "$@"
}

# in_root COMMAND...: Weft would warn of the two variables, which are not settings of its own.
in_root() {
    chroot "$root" env -u WEFT_DEBIAN_ROOT -u WEFT_DEBIAN_INSIDE \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# What apt has been told of in the configuration of this machine.
package_source() {
    # shellcheck disable=SC2016 # apt's own variable
    apt-get indextargets --format '$(REPO_URI)' | sed 's|/*$||' | grep -m 1 '/debian$' || {
        echo "$0: no package source of this machine ends in /debian" >&2
        return 1
    }
}

# A root that debootstrap has not come to the end of has no such file, and is made anew.
make_root() {
    [ ! -e "$root/weft-is-made" ] || return 0
    command -v debootstrap >/dev/null || {
        echo "$0: debootstrap is missing (package: debootstrap)" >&2
        return 1
    }
    rm -rf "$root"
    debootstrap --variant=minbase "$release" "$root" "$(package_source)"
    touch "$root/weft-is-made"
}

# From here $root is another one, which is as the first was and is thrown away when the script ends.
layer_root() {
    layer=$(mktemp -d /var/tmp/weft-layer.XXXXXX)
    trap remove_layer EXIT
    mkdir "$layer/changes" "$layer/work" "$layer/root"
    mount -t overlay overlay \
        -o "lowerdir=$root,upperdir=$layer/changes,workdir=$layer/work" "$layer/root"
    root=$layer/root
}

# What is mounted below must not be removed with it.
remove_layer() {
    while mountpoint -q "$layer/root"; do
        umount --recursive --lazy "$layer/root"
    done
    rm -rf --one-file-system "$layer"
}

# The root is mounted, too: tests that make name spaces of their own want it to be.
mount_system() {
    local folder
    mount --bind "$root" "$root"
    for folder in proc sys dev; do
        mount --rbind "/$folder" "$root/$folder"
    done
    mount -t tmpfs tmpfs "$root/dev/shm"
}

# MPI's launchers look up the name of this machine, and wait for seconds if nobody knows it.
name_machine() {
    local file
    for file in hosts hostname resolv.conf; do
        [ ! -e "/etc/$file" ] || cp -L "/etc/$file" "$root/etc/$file"
    done
}

# A mirror may have stopped at some day.
trust_mirror() {
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99weft"
}

# install_in_root PACKAGE...
install_in_root() {
    in_root apt-get -qq update
    in_root apt-get -qq install -y --no-install-recommends "$@"
}
