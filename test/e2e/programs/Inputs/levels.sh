#!/bin/sh
# levels.sh HEDDLE-CC HEDDLE SOURCE OUT: a program without optimisation, with some, with all of it, and with few registers,
# each run under --verify; it says PASSED when its results are the host's.
set -e
compile=$1 heddle=$2 source=$3 out=$4
for options in -O0 '-Xptxas -O1' -O3 '-O3 -maxrregcount=24'; do
	$compile $options -std=c++17 --extended-lambda -o "$out" "$source"
	$heddle run --verify --quiet -- "$out" > "$out.txt" || { echo "with $options:" && cat "$out.txt" && exit 1; }
	grep -q '^PASSED' "$out.txt" || { echo "with $options:" && cat "$out.txt" && exit 1; }
done
