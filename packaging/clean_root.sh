# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# For scripts to source that are called, by root, as SCRIPT RELEASE FOLDER, and work in a clean root
# of that release of Debian. $here is the folder of packaging, $checkout that of Weft, $folder is
# FOLDER, and $root is the root when it was entered. All that is in it is gone when the script ends.

if [ $# -ne 2 ] || [ "$(id -u)" -ne 0 ]; then
    echo "usage, as root: $0 RELEASE FOLDER" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(dirname "$here")
. "$checkout/tests/support/debian_root.sh"
own_name_space "$@"
. "$checkout/tests/support/tap.sh"
release=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
# shellcheck disable=SC2034 # for the checks of tap.sh
tap_output=$folder/last-check.log
root=/var/tmp/weft-clean-$release

enter_root() {
    make_root
    layer_root
    mount_system
    name_machine
    trust_mirror
    # What is thrown away need not reach the disk first.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/99weft"
}
