#!/bin/bash
# make demo: from nothing to a CUDA program on the simulated GPU. Installs what is missing,
# builds, compiles examples/nbody.cu, runs it, and says where everything was written.
set -euo pipefail
cd "$(dirname "$0")/.."

gpu=${GPU:-v100}
program=build/demo/nbody

step() {
	printf '\n== %s\n' "$1"
}
show() { # runs a command after showing it
	printf '$ %s\n' "$*"
	"$@"
}

scripts/setup.sh
step 'Building Heddle'
jobs=()
[[ ${MAKEFLAGS:-} == *-j* ]] || jobs=("-j${JOBS:-$(nproc)}")
"${MAKE:-make}" "${jobs[@]}" all
rm -rf build/demo
mkdir -p build/demo

step 'Compiling a CUDA program: device half to an annotated kernel object, host half to an ordinary program'
show build/bin/heddle-cc -O2 -g -keep -o "$program" examples/nbody.cu

step "Running it on a simulated $gpu: its own output, then the figures of the run"
show build/bin/heddle run --gpu "$gpu" --stats "$program.stats.json" -- "$program"

step 'What the compiler worked out'
show build/bin/heddle info --gpu "$gpu" "$program"

step 'Files'
for kind in 'll:annotated IR' 'hdo:kernel object (readelf -a reads it)' 'heddle.json:metadata' \
	'stats.json:statistics of the run'; do
	for file in "$program"."${kind%%:*}" "$program"-*."${kind%%:*}"; do
		[[ ! -e $file ]] || printf '%-28s %s\n' "$file" "${kind#*:}"
	done
done
