#!/bin/sh
# run.sh HEDDLE-CC HEDDLE EXAMPLES FOLDER NAME: builds a call-heavy workload from its modules in FOLDER, and runs the
# sizes for tests of workloads.txt under --verify on the baseline, on CARS and with linear versions. The program checks
# itself, --check finds nothing in it, and the independent check of the analyses agrees with what its objects say.
set -e
oracle=$(cd "$(dirname "$0")/../../../oracle" && pwd)/oracle.py
cc=$1 heddle=$2 calls=$3/calls folder=$4 name=$5
line=$(awk -v name="$name" '$1 == name { print $2, $3 }' "$3/workloads.txt")
[ -n "$line" ] || { echo "$name is not in workloads.txt" >&2; exit 1; }
source=${line% *} source=${source#calls/} sizes=$(echo "${line#* }" | tr , ' ')
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
for module in "$calls/$source"/*.cu; do
	"$cc" -O2 -heddle-linear always -dc -o "$(basename "$module" .cu).o" "$module"
done
"$cc" -O2 -heddle-linear always -o "$name" ./*.o
"$heddle" run --verify --quiet --policy baseline --policy cars --policy r2d2-functional:always --stats stats.json -- "./$name" $sizes
"$heddle" run --check=race,init,sync --quiet -- "./$name" $sizes > checked.txt || { cat checked.txt; exit 1; }
B=$(dirname "$(dirname "$heddle")") /usr/bin/env python3 "$oracle" ./*.o "./$name" > oracle.txt || { cat oracle.txt; exit 1; }
