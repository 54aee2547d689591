#!/bin/sh
# levels.sh HEDDLE-CC HEDDLE SOURCE OUT [LEVELS]: a program with LEVELS of optimisation: all, none, some, few (all, with few
# registers), each of them when none is named. Each is run under --verify; it says PASSED when its results are the host's,
# whose half is optimised with all of it only.
set -e
compile=$1 heddle=$2 source=$3 out=$4
for level in ${5:-all none some few}; do
	case $level in
	none) options=-O0 ;;
	some) options='-Xptxas -O1 -Xcompiler -O0' ;;
	all) options=-O3 ;;
	few) options='-O3 -Xcompiler -O0 -maxrregcount=24' ;;
	*) echo "levels.sh: no level is named $level"; exit 1 ;;
	esac
	$compile $options --extended-lambda -o "$out" "$source"
	$heddle run --verify --quiet -- "$out" > "$out.txt" || { echo "with $options:" && cat "$out.txt" && exit 1; }
	grep -q '^PASSED' "$out.txt" || { echo "with $options:" && cat "$out.txt" && exit 1; }
done
