#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: rpm.sh FOLDER [OPTION-OF-MESON...]
#
# Makes the tarball of a release of what is committed, and RPMs of that alone, in FOLDER. What rpm
# does not find among its own packages is taken from this machine.
set -euo pipefail

[ $# -ge 1 ] || { echo "usage: $0 FOLDER [OPTION-OF-MESON...]" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
options=()
[ $# -eq 0 ] || options=(--define "weft_options $*")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$here/tarball.sh" "$folder"
# Debian's rpm knows neither the folders of this machine's libraries nor who packaged what is there.
rpmbuild -bb --nodeps "$here/rpm/weft.spec" --define "_topdir $work/rpm" \
    --define "_sourcedir $folder" --define "_rpmdir $folder" --define "debug_package %{nil}" \
    --define "_libexecdir %{_prefix}/libexec" "${options[@]}"
find "$folder" -name '*.rpm'
