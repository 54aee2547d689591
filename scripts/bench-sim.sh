#!/bin/bash
# make bench-sim: simulated warp instructions a host second, one host thread (or THREADS), all timing on.
# Prints; asserts nothing. Seconds are those of all threads together. PERF=1 adds where the time goes, where perf is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${B:-build}
out=$build/bench/sim
mkdir -p "$out"

measure() { # source without .cu, arguments of the program
	local source=$1 name=${1##*/}
	shift
	"$build/bin/heddle-cc" -O3 -o "$out/$name" "$source.cu"
	"$build/bin/heddle" run --quiet --threads "${THREADS:-1}" --stats "$out/$name.json" -- "$out/$name" "$@" >/dev/null
	python3 - "$name" "$out/$name.json" "$*" <<'PYTHON'
import json
import sys
name, path, arguments = sys.argv[1:]
with open(path) as file:
    run = json.load(file)
total, host = run['total'], run['host']
instructions, seconds = total['warp_instructions'], host['user_seconds']
print(f"{name + ' ' + arguments:22} {instructions:>14,} {total['cycles']:>12,} {total['ipc']:>8.2f} {seconds:>9.2f} "
      f"{instructions / seconds:>14,.0f} {seconds / instructions * 1e9:>8.0f} {host['peak_bytes'] / 2**20:>8.0f}")
PYTHON
	if [[ ${PERF:-0} == 1 ]] && command -v perf >/dev/null; then
		HEDDLE_GPU=v100 perf record -q -o "$out/$name.perf" "$out/$name" "$@" >/dev/null
		perf report -i "$out/$name.perf" --stdio --percent-limit 2 2>/dev/null | grep -v '^#' | grep . | head -25
	fi
}

printf '%-22s %14s %12s %8s %9s %14s %8s %8s\n' program 'warp instr.' cycles IPC 'user s' 'warp instr./s' 'ns each' 'peak MiB'
measure examples/matmul 512
measure examples/nbody 4096 1
measure examples/vecadd 4194304
measure examples/bfs 65536 8
measure test/bench/sgemm 512
measure test/bench/gather 65536
