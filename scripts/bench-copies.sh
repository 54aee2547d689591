#!/bin/bash
# make bench-copies: simulated cycles per host second of a whole H100 with copies in bulk in flight, from DRAM and from L2, with one
# host thread: of the longer of two runs what it has beyond the shorter one. Prints; asserts nothing.
# COUNT=1: host instructions per simulated cycle instead, under valgrind (minutes).
set -euo pipefail
cd "$(dirname "$0")/.."
build=$PWD/${B:-build}
out=$build/bench/copies
mkdir -p "$out/lib"
"$build/bin/heddle-cc" -arch=sm_90a -O3 -o "$out/copies" test/bench/copies.cu
[[ ${COUNT:-0} == 0 ]] || objcopy --strip-debug "$build/lib/libheddle-cudart.so" "$out/lib/libheddle-cudart.so"

cost() { # copies of each SM, MiB, memory: host instructions, or seconds
	if [[ ${COUNT:-0} == 0 ]]; then
		python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["host"]["user_seconds"])' "$out/$1.json"
		return
	fi
	HEDDLE_SET="memory=$3" HEDDLE_GPU=h100-sxm HEDDLE_DATA=$build/share/heddle HEDDLE_THREADS=1 LD_LIBRARY_PATH=$out/lib \
		valgrind --tool=callgrind --callgrind-out-file="$out/$1.out" "$out/copies" "$1" "$2" 2>&1 | sed -n 's/.*Collected : //p'
}

measure() { # name, copies of each SM in the shorter run, MiB, memory
	local n costs=() runs=()
	for n in "$2" $(($2 * 3)); do
		"$build/bin/heddle" run --quiet --gpu h100-sxm --set memory="$4" --threads 1 --stats "$out/$n.json" -- "$out/copies" "$n" "$3" >/dev/null
		runs+=("$out/$n.json")
		costs+=("$(cost "$n" "$3" "$4")")
	done
	python3 - "$1" "${COUNT:-0}" "${runs[@]}" "${costs[@]}" <<'PYTHON'
import json
import sys
name, count = sys.argv[1], sys.argv[2] != '0'
short, long = (json.load(open(path))['total'] for path in sys.argv[3:5])
cost = float(sys.argv[6]) - float(sys.argv[5])
cycles, moved = (long[key] - short[key] for key in ('cycles', 'tma_bytes'))
print(f'{name:24} {cycles:>8,} cycles {moved / cycles:>8,.0f} bytes/cycle ' +
      (f'{cost / cycles:>10,.0f} host instructions per cycle' if count else f'{cycles / cost:>10,.0f} cycles per host second'))
PYTHON
}

size=$((${COUNT:-0} ? 4 : 32))
measure 'DRAM' "$size" 128 exact
measure 'DRAM, memory=reserved' "$size" 128 reserved
measure 'L2' "$size" "$((${COUNT:-0} ? 4 : 16))" exact
