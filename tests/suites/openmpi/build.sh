#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# build.sh WORKDIR BUILDDIR: fetches the source package of the installed Open MPI, compiles its
# Portals 4 components unchanged against Weft's portals4.h and the libportals of BUILDDIR, and the
# programs of this folder. Everything is put in WORKDIR; only the network is needed besides.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 WORKDIR BUILDDIR" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)

for tool in mpicc.openmpi mpirun.openmpi ompi_info patch; do
    command -v $tool >/dev/null || {
        echo "$0: $tool is missing (packages: openmpi-bin libopenmpi-dev patch)" >&2
        exit 1
    }
done
if [ ! -e "$build/src/libportals.so" ]; then
    echo "$0: $build/src/libportals.so is missing: build Weft there first" >&2
    exit 1
fi
package=$(dpkg-query -W -f '${source:Version}' libopenmpi3)
version=${package%-*}

source="$work/openmpi-$version"
[ -d "$source/ompi/mca/mtl/portals4" ] ||
    "$here/../../support/fetch_source.sh" "$work" "openmpi=$package"

# What Open MPI's configure would have written into its own opal_config.h, had it been given a
# Portals library.
mkdir -p "$work/forward/opal/include" "$work/bin"
echo '#include <opal_config.h>' >"$work/forward/opal/include/opal_config.h"
flags="-O2 -g -fPIC -w -DHAVE_CONFIG_H -DOMPI_MTL_PORTALS4_FLOW_CONTROL=1
    -DOMPI_PROC_ENDPOINT_TAG_PORTALS4=OMPI_PROC_ENDPOINT_TAG_MTL"
search="$(mpicc.openmpi --showme:compile) -I$work/forward -I$source
    -I$source/ompi/include -I$source/opal/include -I$source/orte/include"

compile() { # FOLDER of ompi/mca/... to FOLDER of components
    mkdir -p "$2.objects" "$2"
    for kind in mtl coll osc; do
        objects=
        for file in "$1/ompi/mca/$kind/portals4"/*.c; do
            object="$2.objects/$(basename "$file" .c).o"
            objects="$objects $object"
            [ "$object" -nt "$file" ] && [ "$object" -nt "$here/../../../include/portals4.h" ] ||
                gcc $flags -I"$here/../../../include" $search -c "$file" -o "$object"
        done
        gcc -shared -o "$2/mca_${kind}_portals4.so" $objects \
            -L"$build/src" -lportals -Wl,-rpath,"$build/src" $(mpicc.openmpi --showme:link)
    done
}
compile "$source" "$work/components"

# The same with repairs.patch, to show what it repairs.
if [ ! -d "$work/repaired-source" ] || [ "$here/repairs.patch" -nt "$work/repaired-source" ]; then
    rm -rf "$work/repaired-source"
    for kind in mtl coll osc; do
        mkdir -p "$work/repaired-source/ompi/mca/$kind"
        cp -r "$source/ompi/mca/$kind/portals4" "$work/repaired-source/ompi/mca/$kind"
    done
    patch -s -d "$work/repaired-source" -p1 <"$here/repairs.patch"
fi
compile "$work/repaired-source" "$work/repaired"

for program in "$here"/*.c; do
    mpicc.openmpi -std=c11 -O2 -g -Wall -Wextra -Werror "$program" \
        -o "$work/bin/$(basename "$program" .c)"
done
echo "components in $work/components, programs in $work/bin"
