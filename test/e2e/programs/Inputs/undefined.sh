#!/bin/sh
# undefined.sh HEDDLE-CC HEDDLE SOURCE OUT: a program without optimisation, with some and with all of it, with the linear
# versions of its kernels (which change nothing of the others) and without, each run under --verify; it says PASSED when its
# results are the host's.
compile=$1 heddle=$2 source=$3 out=$4 failed=0
while IFS='|' read -r options policies; do
	$compile $options -o "$out" "$source" || failed=1
	for policy in $policies; do
		$heddle run --verify --quiet --policy $policy -- "$out" > "$out.txt" && grep -q '^PASSED' "$out.txt" && continue
		echo "failed: $source with $options, run with $policy" && cat "$out.txt" && failed=1
	done
done << 'LIST'
-O0 -heddle-linear always|baseline r2d2-functional:always
-Xptxas -O1 -heddle-linear always|baseline r2d2-functional:always
-O3 -heddle-linear always|r2d2-functional:always
-O3 -arch=sm_80 -maxrregcount=16|baseline
LIST
exit $failed
