# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2154 # $folder is of mpirun.sh

# report_holds CONDITION [FILE]: in Python, about the members of a report of `weft run`
report_holds() {
    python3 - "${2:-$folder/report.json}" "$1" <<'EOT'
import json, sys
report = json.load(open(sys.argv[1], encoding='utf-8'))
print(report['totals'], report['reasons'], report['read'])
sys.exit(not eval(f'({sys.argv[2]})', report))
EOT
}
