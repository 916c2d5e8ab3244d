#!/usr/bin/env bash
# shares_no_symbol.sh PROGRAM LIBRARY CONTROL: PROGRAM runs, and none of the functions that LIBRARY defines is in it.
# CONTROL is a library of which some are, so that the comparison is known to work.
set -euo pipefail
program=$1 library=$2 control=$3

functions() { nm --defined-only "$1" 2>/dev/null | awk '$2 == "T" { print $3 }' | sort -u; }
shared_with() { comm -12 <(functions "$program") <(functions "$1"); }

"$program"
[[ $(shared_with "$control" | wc -l) -ge 50 ]] || { echo "too little of $control is in $program: is it stripped?"; exit 1; }
found=$(shared_with "$library" | grep -v '^main$' || true)
[[ -z $found ]] || { echo "of $library, in $program:"; c++filt <<<"$found" | head -20; exit 1; }
