#!/bin/bash
# check-baseline.sh HEDDLE: the life of a baseline in the current folder, which holds nbody.heddle.json and
# bfs.heddle.json. Prints each command with what it prints on both outputs and its exit status.
set -u
heddle=$1
here=$(dirname "$0")

# figures IN OUT KERNEL [CHANGE]...: metadata with fixed figures.
figures() {
	local in=$1 out=$2 kernel=$3
	shift 3
	/usr/bin/python3 "$here/figures.py" "$in.heddle.json" "$out.heddle.json" 'producer="heddle 9"' "$kernel:registers=28" \
		"$kernel:spill_store_bytes=0" "$kernel:spill_load_bytes=0" "$kernel:max_stack_bytes=64" \
		"$kernel:shared_bytes=0" "$kernel:liveness.max_live=20" "$kernel:sectors_per_request=null" "$@"
}

check() {
	echo "--- heddle check --baseline heddle.lock.json $*"
	"$heddle" check --root . --baseline heddle.lock.json "$@" 2>err
	echo "exit status $?"
	cat err
}

figures nbody first step
figures bfs other expand
check first.heddle.json
check --gpu v100,gtx480 --update first.heddle.json other.heddle.json
cp heddle.lock.json made.lock.json
check first.heddle.json other.heddle.json

echo '=== 29 to 32 registers take as many as 32: nothing happened, and nothing is to be updated'
figures nbody second step step:registers=32
check --update second.heddle.json other.heddle.json
cmp heddle.lock.json made.lock.json

echo '=== registers that cost occupancy, spills; a kernel is gone, but only one is asked for; then all are'
figures nbody worse step step:registers=72 step:spill_store_bytes=4
check --kernel step worse.heddle.json
printf '%s\n' '[baseline]' 'allow = new' >allow.ini
check --budget allow.ini --allow removed --quiet worse.heddle.json

echo '=== better fails, too, unless it is allowed'
figures nbody better step step:max_stack_bytes=32
check --gpu v100 better.heddle.json other.heddle.json
check --gpu v100 --allow better better.heddle.json other.heddle.json

echo '=== slack, a figure more and one less'
printf '%s\n' '[baseline]' 'max_stack_bytes = 50%' 'max_live = 5' 'shared_bytes = any' >slack.ini
check --gpu v100 --budget slack.ini better.heddle.json other.heddle.json

echo '=== another compiler: compared with what the last one made; other flags, too, where something is worse or gone'
figures nbody next step 'producer="heddle 10"'
check --gpu v100 next.heddle.json other.heddle.json
figures nbody flags step 'flags="without=schedule"' step:spill_store_bytes=4
check --gpu v100 --format json flags.heddle.json | sed '/"object"/d'
figures nbody both step 'producer="heddle 10"' 'flags="without=schedule"'
figures bfs both-other expand 'producer="heddle 10"' 'flags="without=schedule"'
check --gpu v100 --format markdown both.heddle.json both-other.heddle.json

echo '=== --update keeps both, so that each build has its own; --prune drops what this run does not show'
check --gpu v100 --update next.heddle.json other.heddle.json
check --gpu v100 next.heddle.json other.heddle.json
check --gpu v100 --update --prune next.heddle.json other.heddle.json
cat heddle.lock.json

echo '=== what is no baseline, and what is wrong on the command line'
echo '{' >heddle.lock.json
check first.heddle.json
echo '{"heddle_baseline": 7, "entries": []}' >heddle.lock.json
check first.heddle.json
printf '{"heddle_baseline": 1, "entries": [\n{"kernel": 3}]}\n' >heddle.lock.json
check --update first.heddle.json
check --allow worse first.heddle.json
printf '%s\n' '[baseline]' 'allow = worse' 'registers <= 3' >wrong.ini
check --budget wrong.ini first.heddle.json
