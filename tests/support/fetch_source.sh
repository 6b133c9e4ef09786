#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# fetch_source.sh WORKDIR PACKAGE[=VERSION]: unpacks a source package in WORKDIR. The package
# sources of this machine are asked, but for source packages and with lists of our own: the system's
# are left alone. What apt-get said is in WORKDIR/fetch.log, and on stderr if it failed.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 WORKDIR PACKAGE[=VERSION]" >&2
    exit 2
fi
mkdir -p "$1"
work=$(cd "$1" && pwd)
package=$2

for tool in apt-get dpkg-source; do
    command -v $tool >/dev/null || {
        echo "$0: $tool is missing (packages: apt dpkg-dev)" >&2
        exit 1
    }
done

fetch() {
    mkdir -p "$work/apt/parts" "$work/apt/lists/partial"
    for list in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" \
            >"$work/apt/parts/$(basename "$list")"
    done
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list" \
            >"$work/apt/parts/$(basename "$list")"
    done
    cat >"$work/apt/conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$work/apt/parts";
Dir::State::Lists "$work/apt/lists";
Dir::Cache::srcpkgcache "";
Dir::Cache::pkgcache "";
APT::Sandbox::User "root";
END
    (cd "$work" && export APT_CONFIG="$work/apt/conf" && apt-get -qq update &&
        apt-get -qq source "$package")
}
fetch >"$work/fetch.log" 2>&1 || {
    cat "$work/fetch.log" >&2
    exit 1
}
