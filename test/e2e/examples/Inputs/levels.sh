#!/bin/sh
# levels.sh HEDDLE-CC HEDDLE PYTHON SOURCE PROGRAM OUT: an example compiled in each way of the table below and run under
# --verify, with PROGRAM as what -O2 makes of it; it says `NAME: PASSED` when its results are the host's. A way that is
# marked `same` also prints its figures, runs once more without --verify, and the statistics must be the same and add up;
# and --check finds nothing. Blocks of bfs race for what they write, the same value: when one sees what another has written
# is not the same under --verify, which has windows of a cycle, so that its second run is under --verify, too.
stats=$(dirname "$0")/../../Inputs/stats.py compile=$1 heddle=$2 python=$3 source=$4 plain=$5 out=$6 failed=0
name=$(basename "$source" .cu) sizes=$(sh "$(dirname "$stats")/sizes.sh" "$source") second=
[ "$name" = bfs ] && second=--verify

way() {
	if [ "$1" = -O2 ]; then cp "$plain" "$out"; else $compile $1 -o "$out" "$source"; fi || return
	if [ "$3" = same ]; then
		$heddle run --verify --stats "$out.first.json" $2 -- "$out" $sizes > "$out.txt" &&
			grep -q 'warp instructions' "$out.txt" &&
			$heddle run --quiet $second --stats "$out.second.json" $2 -- "$out" $sizes > /dev/null &&
			$heddle run --quiet --check=race,init,sync $2 -- "$out" $sizes > /dev/null &&
			$python "$stats" same "$out.first.json" "$out.second.json" &&
			$python "$stats" sane "$out.first.json" || return
	else
		$heddle run --verify --quiet $2 -- "$out" $sizes > "$out.txt" || return
	fi
	grep -q "^$name: PASSED" "$out.txt"
}

# How it is compiled | how it is run | what else is looked at
while IFS='|' read -r options run also; do
	rm -f "$out.txt"
	way "$options" "$run" "$also" && continue
	echo "failed: $name compiled with $options, run with '$run':" && cat "$out.txt"
	failed=1
done << 'TABLE'
-O2||same
-O0||
-O3 -Xcompiler -O0 -maxrregcount=24|--gpu rtx3070|
TABLE
exit $failed
