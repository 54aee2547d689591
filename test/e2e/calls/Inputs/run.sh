#!/bin/sh
# run.sh HEDDLE-CC HEDDLE EXAMPLES FOLDER NAME[:SIZES]...: builds a call-heavy workload from its modules in FOLDER, and runs
# it under --verify on the baseline, on CARS and with linear versions: with SIZES, parted by commas, or those for tests of
# workloads.txt; the host half is not optimised. Several workloads are of one program. It checks itself, --check finds
# nothing in it, and the independent check of the analyses agrees with what the program says, and with OBJECTS=1 or in
# long runs with what the objects of its modules say, which know less of what they call.
set -e
oracle=$(cd "$(dirname "$0")/../../../oracle" && pwd)/oracle.py
cc=$1 heddle=$2 table=$3/workloads.txt calls=$3/calls folder=$4
shift 4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
row() { # the workload's program and sizes
	awk -v name="$1" '$1 == name { print $2, $3; found = 1 } END { exit !found }' "$table" || { echo "$1 is not in workloads.txt" >&2; exit 1; }
}

line=$(row "${1%%:*}")
source=${line% *} source=${source#calls/}
for module in "$calls/$source"/*.cu; do
	"$cc" -O2 -Xcompiler -O0 -heddle-linear always -dc -o "$(basename "$module" .cu).o" "$module"
done
"$cc" -O2 -heddle-linear always -o "$source" ./*.o
for workload; do
	line=$(row "${workload%%:*}")
	[ "${line% *}" = "calls/$source" ] || { echo "$workload is of another program" >&2; exit 1; }
	sizes=${line#* }
	[ "${workload#*:}" = "$workload" ] || sizes=${workload#*:}
	sizes=$(echo "$sizes" | tr , ' ')
	# shellcheck disable=SC2086
	"$heddle" run --verify --check=race,init,sync --quiet -- "./$source" $sizes
	# shellcheck disable=SC2086
	"$heddle" run --verify --quiet --policy cars --policy r2d2-functional:always --stats stats.json -- "./$source" $sizes
done
modules=
[ -z "${OBJECTS-}${HEDDLE_LONG-}" ] || modules=$(ls ./*.o)
# shellcheck disable=SC2086
B=$(dirname "$(dirname "$heddle")") /usr/bin/env python3 "$oracle" $modules "./$source" > oracle.txt || { cat oracle.txt; exit 1; }
