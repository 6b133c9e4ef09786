#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: net.sh WEFT [OPTION...]
#
# `WEFT bench mpi --hosts ...` between two hosts that are made of one: two network name spaces with
# a wire between them, each on a core of its own. Needs root, and says so where that is not
# permitted.
set -euo pipefail

weft=$(realpath "$1")
shift
. "$(dirname "$0")/../../tests/support/tap.sh"
. "$(dirname "$0")/../../tests/world/hosts/two_hosts.sh"

make_hosts
agent=$(mktemp)
trap 'rm -f "$agent"; remove_hosts' EXIT
# Launchers call it as they call rsh, with options before the name of the host.
cat >"$agent" <<END
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
shift
exec ip netns exec $two taskset -c 1 sh -c "\$*"
END
chmod +x "$agent"

# Both mpiruns find the agent, and MPICH's the way to itself, by these.
export OMPI_MCA_plm_rsh_agent=$agent HYDRA_LAUNCHER=rsh HYDRA_LAUNCHER_EXEC=$agent HYDRA_IFACE=weft1
unset WEFT_OFI_INTERFACE
ip netns exec "$one" taskset -c 0 "$weft" bench mpi --hosts 10.77.0.1,10.77.0.2 "$@"
