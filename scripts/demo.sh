#!/bin/bash
# make demo: from nothing to what Heddle is for. Installs what is missing, builds, compiles a program of examples/calls,
# runs it under two hardware designs, has a gate catch a change that takes the bound from its stack, and writes a report.
# All that it makes is in build/demo; GPU=NAME chooses the GPU, SIZE='NODES EDGES' the graph. `demo.sh --built` begins
# behind the build.
set -euo pipefail
cd "$(dirname "$0")/.."

gpu=${GPU:-v100}
build=${B:-build}
demo=${DEMO:-build/demo}
heddle=$build/bin/heddle
program=$demo/mst
# A twentieth of a V100, which a graph of this size fills as one of 160,000 nodes fills all of it.
part=(--set sm_count=4 --set l2_slices=4 --set dram_channels=2)
read -ra size <<<"${SIZE:-8192 4}"

step() {
	printf '\n== %s\n' "$1"
}
say() {
	printf '%s\n' "$*" | fold -s -w 100 | sed 's/^/   /'
}
show() { # runs a command after showing it
	printf '$ %s\n' "$*"
	"$@"
}
compile() { # a module of the program to an object file
	show "$build/bin/heddle-cc" -O2 -lineinfo -dc -o "$demo/$1.o" "$demo/source/mst/$1.cu"
}

if [[ ${1:-} != --built ]]; then
	scripts/setup.sh
	step 'Building Heddle'
	jobs=()
	[[ ${MAKEFLAGS:-} == *-j* ]] || jobs=("-j${JOBS:-$(nproc)}")
	"${MAKE:-make}" "${jobs[@]}" base
fi
rm -rf "$demo"
mkdir -p "$demo"
cp -r examples/calls "$demo/source"

step '1. Compile a CUDA program: heddle-cc stands in for nvcc'
compile main
compile library
show "$build/bin/heddle-cc" -O2 -lineinfo -o "$program" "$demo/main.o" "$demo/library.o"
say 'Minimum spanning trees, in two modules whose calls stay calls, up to four deep. The result is an ordinary program' \
	'that contains its kernels as code of a machine like SASS, with what the compiler found out about them.'

step '2. What the compiler found out'
show "$heddle" info --gpu "$gpu" "$program"
say 'FRU is what a call of the function takes from a stack of registers, depth what the deepest chain of calls takes:' \
	'a hardware design with such stacks (CARS, HPCA 2024) gets these figures from its compiler.'

step "3. Run it on a simulated $gpu, a twentieth of one: as GPUs are, and with register stacks"
show "$heddle" run --gpu "$gpu" "${part[@]}" --policy baseline --policy cars --stats "$demo/stats.json" -- "$program" "${size[@]}"
meaning=$(python3 - "$demo/stats.json" <<'PYTHON'
import json, sys
base, cars = (run['total'] for run in json.load(open(sys.argv[1]))['runs'])
spills, left = (run['l1d']['spill_fill'] for run in (base, cars))
print(f'Around calls the baseline saves and restores registers in memory: {spills} accesses to the L1 cache, '
      f'{spills / base["l1d"]["accesses"]:.0%} of all. Under CARS {1 - left / spills:.0%} of them stay in the register file: '
      f'{base["cycles"]} cycles become {cars["cycles"]} ({base["cycles"] / cars["cycles"]:.2f} times as fast).')
PYTHON
)
say "$meaning"

step '4. A gate for CI: a budget, and a change that exceeds it'
cat > "$demo/heddle.ini" <<'BUDGET'
[kernel "*"]
max_stack_depth <= 48   ; registers of the deepest chain of calls
BUDGET
show cat "$demo/heddle.ini"
show "$heddle" check --gpu "$gpu" --budget "$demo/heddle.ini" "$program"
say 'It holds. Now somebody finds the root of a tree as textbooks do, and shortens the path to it on the way:'
sed -i '/^DEVICE_FUNCTION int find_root/,/^}/ {
s/int root = .*;/int root = tree_of(forest, node), up = next_up(forest, root);/
/^\tfor (/d
/^\t\troot = up;/d
s/return root;/return up == root ? root : forest.link[root] = find_root(forest, up);/
}' "$demo/source/mst/library.cu"
show diff examples/calls/mst/library.cu "$demo/source/mst/library.cu" && exit 1
compile library
show "$build/bin/heddle-cc" -O2 -lineinfo -o "$demo/changed" "$demo/main.o" "$demo/library.o"
status=0
show "$heddle" check --gpu "$gpu" --budget "$demo/heddle.ini" "$demo/changed" || status=$?
if ((status != 1)); then
	echo "the gate ended with status $status, not 1" >&2
	exit 1
fi
say 'The program still computes the right tree, and no test of its results would tell. But now it recurses, so that no' \
	'bound on its stack is known: what a design with register stacks reserves for it may overflow, and local memory be' \
	'too small. The gate names kernel, figure and limit, and the calls that carry the figure, each with its line. It ends' \
	'with status 1, which stops a pipeline.'

step '5. A report'
show "$heddle" report --gpu "$gpu" -o "$demo/report.html" "$program" "$demo/stats.json"
say 'Kernels and runs side by side on one page that needs nothing beside itself:'
printf '   %s\n' "$(realpath "$demo/report.html")"

step 'Next'
printf '   %s\n' \
	"$heddle dis $program" \
	"$heddle run --check=race,init,sync -- $program" \
	"$build/bin/heddle-cc -O2 -o mine mine.cu && $heddle run -- ./mine"
say 'The machine code with source lines and annotations; mistakes that pass on one card and fail on the next; a program' \
	'of your own.'
