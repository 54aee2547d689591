#!/bin/bash
# make demo: from nothing to what Heddle is for. Installs what is missing, builds, compiles a program of examples/calls,
# runs it under two hardware designs, has a gate catch a change that costs registers, and writes a report. All that it
# makes is in build/demo; GPU=NAME chooses the GPU. `demo.sh --built` begins behind the build.
set -euo pipefail
cd "$(dirname "$0")/.."

gpu=${GPU:-v100}
build=${B:-build}
demo=${DEMO:-build/demo}
heddle=$build/bin/heddle
program=$demo/kmeans

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
compile() { # the program's two modules to the program of this name
	for module in main library; do
		show "$build/bin/heddle-cc" -O2 -g -dc -o "$demo/$module.o" "$demo/source/kmeans/$module.cu"
	done
	show "$build/bin/heddle-cc" -O2 -g -o "$1" "$demo/main.o" "$demo/library.o"
}

if [[ ${1:-} != --built ]]; then
	scripts/setup.sh
	step 'Building Heddle'
	jobs=()
	[[ ${MAKEFLAGS:-} == *-j* ]] || jobs=("-j${JOBS:-$(nproc)}")
	"${MAKE:-make}" "${jobs[@]}" all
fi
rm -rf "$demo"
mkdir -p "$demo"
cp -r examples/calls "$demo/source"

step '1. Compile a CUDA program: heddle-cc stands in for nvcc'
compile "$program"
say 'Clustering in two modules of small classes, whose calls stay calls, up to 12 deep. The result is an ordinary' \
	'program that contains its kernels as code of a machine like SASS, with what the compiler found out about them.'

step '2. What the compiler found out'
show "$heddle" info --gpu "$gpu" "$program"
say 'FRU is what a call of the function takes from a stack of registers, depth what the deepest chain of calls takes:' \
	'a hardware design with such stacks (CARS, HPCA 2024) gets these figures from its compiler.'

step "3. Run it on a simulated $gpu: as GPUs are, and with register stacks"
show "$heddle" run --gpu "$gpu" --policy baseline --policy cars --stats "$demo/stats.json" -- "$program" 40960 5 8 1
meaning=$(python3 - "$demo/stats.json" <<'PYTHON'
import json, sys
base, cars = (run['total'] for run in json.load(open(sys.argv[1]))['runs'])
print(f'Around calls the baseline saves and restores registers in memory: {base["l1d"]["spill_fill"]} accesses to the L1 '
      f'cache, {base["l1d"]["spill_fill"] / base["l1d"]["accesses"]:.0%} of all. Under CARS they stay in the register '
      f'file: {cars["l1d"]["spill_fill"]} accesses, {base["cycles"]} cycles become {cars["cycles"]} '
      f'({base["cycles"] / cars["cycles"]:.2f} times as fast).')
PYTHON
)
say "$meaning"

step '4. A gate for CI: a budget, and a change that exceeds it'
depth=$(python3 -c 'import json, sys
print(max(each["max_stack_depth"] for each in json.load(open(sys.argv[1]))["kernels"]))' "$program.heddle.json")
printf '[kernel "assign_all*"]\nmax_stack_depth <= %s   ; registers of the deepest chain of calls\n' "$depth" > "$demo/heddle.ini"
show cat "$demo/heddle.ini"
show "$heddle" check --gpu "$gpu" --budget "$demo/heddle.ini" "$program"
say 'It holds. Now somebody makes a sum exact, deep below the kernel:'
sed -i '/Block::sum/,/^}/ {
s/float sum = 0;/float sum = 0, lost = 0;/
s/\t\t\tsum += \(.*\);/\t\t{\n\t\t\tfloat add = \1 - lost, next = sum + add;\n\t\t\tlost = (next - sum) - add;\n\t\t\tsum = next;\n\t\t}/
}' "$demo/source/kmeans/library.cu"
show diff examples/calls/kmeans/library.cu "$demo/source/kmeans/library.cu" && exit 1
compile "$demo/changed"
status=0
show "$heddle" check --gpu "$gpu" --budget "$demo/heddle.ini" "$demo/changed" || status=$?
if ((status != 1)); then
	echo "the gate ended with status $status, not 1" >&2
	exit 1
fi
say 'The gate names kernel, figure and limit, and the calls that carry the figure, each with its line. It ends with' \
	'status 1, which stops a pipeline.'

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
