# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For scripts to source that use an installed copy of a build, $build, as a stranger would, and
# print TAP. $root is the folder of the sources, $work one that is removed at the end.
#
# A build whose prefix lies inside $build is installed there; any other is staged with DESTDIR and
# used from where it was staged, as if it had been moved. Afterwards $here is the prefix, $library
# and $manual are folders in it, and install_it installs.

root=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/tests/support/tap.sh"
tap_output=$work/output

# option NAME: of the build
option() {
    meson introspect --buildoptions "$build" | python3 -c '
import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]))' "$1"
}

if [ "$(option b_sanitize)" != none ]; then
    tap_skip_all "programs outside the build do not link with a sanitized library"
fi

prefix=$(option prefix)
case $prefix in
"$build"/*)
    here=$prefix
    install_it() { meson install -C "$build" --no-rebuild --quiet; }
    ;;
*)
    here=$work/stage$prefix
    install_it() { DESTDIR=$work/stage meson install -C "$build" --no-rebuild --quiet; }
    ;;
esac
library=$here/$(option libdir)
manual=$here/$(option mandir)
export PKG_CONFIG_PATH=$library/pkgconfig
export LD_LIBRARY_PATH=$library
