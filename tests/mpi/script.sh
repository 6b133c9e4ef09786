# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# How the scripts below this folder begin: $here is the folder of the script, $support that of what
# all tests have. They print TAP, start MPI programs and read reports.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
support=$here/../../support
. "$support/tap.sh"
. "$support/mpirun.sh"
. "$support/report.sh"
