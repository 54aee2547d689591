#!/bin/sh
# meet-random.sh FIRST LAST PYTHON HEDDLE-CC HEDDLE OUT: random kernels whose lanes meet, at several levels, under every kind of
# policy, and without timing; prints what they print.
first=$1 last=$2 python=$3 compile=$4 heddle=$5 out=$6
here=$(dirname "$0")
for seed in $(seq "$first" "$last"); do
	$python "$here/meet-random.py" "$seed" > "$out.cu" &&
		$compile -O$((seed % 4)) -heddle-linear always -o "$out" "$out.cu" &&
		$heddle run --verify --quiet --policy baseline --policy r2d2-functional:always --policy preempt --policy shuffle:60 \
			--policy cars --policy cars:low -- "$out" &&
		$heddle run --verify --quiet --set operands=collectors --policy bow --policy ltrf --policy ltrf-plus --policy malekeh \
			--policy rfc --policy shrf --policy cars+ltrf --policy cars+malekeh --policy cars+duet --policy duet -- "$out" &&
		$heddle run --quiet --policy baseline --policy cars -- "$out" && $heddle run --functional --quiet -- "$out" ||
		{ echo "FAILED: seed $seed"; exit 1; }
done
