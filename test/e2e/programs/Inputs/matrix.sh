#!/bin/sh
# matrix.sh HEDDLE-CC HEDDLE SOURCE OUT: a program with options and policies that change its code or what --verify checks.
compile=$1 heddle=$2 source=$3 out=$4 failed=0
while IFS='|' read -r options policy; do
	$compile $options -std=c++17 --extended-lambda -o "$out" "$source" &&
		$heddle run --verify --quiet $policy -- "$out" > "$out.txt" && grep -q '^PASSED' "$out.txt" && continue
	echo "failed: $source with $options, run with $policy" && failed=1
done << 'LIST'
-Xptxas -O2 -heddle-linear always|--policy r2d2-functional:always
-O0 -heddle-linear always|--policy r2d2-functional:always
-O3 -heddle-linear always -maxrregcount=32|--policy r2d2-functional
-O3 -heddle-ipra|
-O0 -heddle-ipra|
-O3 -G|
-Xptxas -O1 -Xheddle preempt-every=20|
-O3 -maxrregcount=16|--policy cars
-Xptxas -O1 -rdc=true -dlto|--policy cars
-Xptxas -O2 -Xheddle abi=observed|
-O3 -arch=sm_80|
LIST
exit $failed
