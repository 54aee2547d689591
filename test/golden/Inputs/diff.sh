#!/bin/bash
# diff.sh HEDDLE: comparisons in the current folder, which holds nbody.heddle.json and bfs.heddle.json. Prints each command
# with what it prints on both outputs and its exit status.
set -u
heddle=$1
here=$(dirname "$0")

# figures IN OUT [CHANGE]...: metadata of nbody with fixed figures.
figures() {
	local in=$1 out=$2
	shift 2
	/usr/bin/python3 "$here/figures.py" "$in.heddle.json" "$out.heddle.json" 'producer="heddle 9"' step:registers=28 \
		step:spill_store_bytes=0 step:max_stack_depth=45 step:max_stack_bytes=64 step:fru=28 step:own_registers=28 \
		step:stack_bytes=0 acceleration:fru=11 acceleration:stack_bytes=48 acceleration:max_stack_bytes=64 \
		pull:fru=5 pull:stack_bytes=16 pull:max_stack_bytes=16 inverse_cube:fru=1 \
		inverse_cube:max_stack_bytes=0 "$@"
}

compare() {
	echo "--- heddle diff $*"
	"$heddle" diff --root . "$@" >out 2>err
	local status=$?
	# How many instructions a kernel has is the compiler's business.
	sed 's/[0-9]* instructions/N instructions/' out
	echo "exit status $status"
	cat err
}

figures nbody old
figures nbody same
compare old.heddle.json same.heddle.json --fail-on any

figures nbody worse step:registers=72 step:spill_store_bytes=8 step:max_stack_depth=49 step:max_stack_bytes=96 pull:fru=9 \
	pull:stack_bytes=48 pull:max_stack_bytes=48
compare old.heddle.json worse.heddle.json --gpu v100,gtx480 --fail-on worse
compare worse.heddle.json old.heddle.json --fail-on worse
compare worse.heddle.json old.heddle.json --fail-on better --metrics spill_bytes,occupancy --json

echo '=== registers that cost nothing do not count, unless they are asked for'
figures nbody wider step:registers=32
compare old.heddle.json wider.heddle.json --fail-on worse,better
compare old.heddle.json wider.heddle.json --fail-on worse --metrics registers

echo '=== another compiler, target and name; another kernel'
figures nbody next 'producer="heddle 10"' 'target="sm_80"' 'flags="interval-regs=8"' \
	'step:demangled="step(float4 const*, float4*)"' step:stack_bytes=16
compare old.heddle.json next.heddle.json --kernel step
/usr/bin/python3 "$here/figures.py" bfs.heddle.json bfs.heddle.json expand:registers=16
compare old.heddle.json bfs.heddle.json --kernel step --kernel expand --fail-on removed

echo '=== what is wrong'
compare old.heddle.json
compare old.heddle.json absent.hdo
compare old.heddle.json next.heddle.json --kernel nothing
compare old.heddle.json next.heddle.json --metrics registres
compare old.heddle.json next.heddle.json --fail-on worst
