#!/bin/sh
# undefined.sh HEDDLE-CC HEDDLE SOURCE OUT: a program without optimisation, with some and with all of it, with the linear
# versions of its kernels and without, each run under --verify; it says PASSED when its results are the host's.
compile=$1 heddle=$2 source=$3 out=$4 failed=0
while IFS='|' read -r options policy; do
	$compile $options -std=c++17 -o "$out" "$source" &&
		$heddle run --verify --quiet $policy -- "$out" > "$out.txt" && grep -q '^PASSED' "$out.txt" && continue
	echo "failed: $source with $options, run with $policy" && cat "$out.txt" && failed=1
done << 'LIST'
-O0|
-Xptxas -O1|
-O3 -arch=sm_80|
-O3 -maxrregcount=16|
-O0 -heddle-linear always|--policy r2d2-functional:always
-Xptxas -O1 -heddle-linear always|--policy r2d2-functional:always
-O3 -heddle-linear always|--policy r2d2-functional:always
LIST
exit $failed
