#!/bin/sh
# comparators.sh HEDDLE-CC HEDDLE EXAMPLES FOLDER [NAME...]: the call-heavy workloads (all of workloads.txt, or those
# named) at their default sizes, on both GPUs of the CARS paper, under CARS and everything that it is compared with. Each
# run checks itself under --verify, and must print what the baseline's prints, but for rounds and what is allocated in
# them, which depend on the order of the warps where a kernel goes on until nothing changes.
set -e
cc=$1 heddle=$2 calls=$3/calls folder=$4
shift 4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
settled() {
	sed -E 's/, [0-9]+ (rounds|chunks)\b//g' | sort -u
}
run() { # what, then options and the program
	what=$1
	shift
	"$heddle" run --verify --quiet --gpu "$gpu" "$@" | settled > got
	cmp -s got want || { echo "$name on $gpu, $what:"; diff want got; exit 1; }
}
build() { # output, options
	output=$1
	shift
	for module in "$calls/$source"/*.cu; do
		"$cc" -O2 "$@" -dc -o "$(basename "$module" .cu).o" "$module"
	done
	case $output in *.lto) "$cc" -O2 -dlto -o "$output" ./*.o ;; *) "$cc" -O2 -o "$output" ./*.o ;; esac
	rm ./*.o
}
awk '!/^#/ && NF { print $1, $2, $3 }' "$calls/workloads.txt" | while read -r name source sizes; do
	[ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
	sizes=$(echo "$sizes" | tr , ' ')
	[ -f "$source" ] || { build "$source"; build "$source.lto" -DCALLS_INLINE; }
	for gpu in v100 rtx3070; do
		"$heddle" run --verify --quiet --gpu "$gpu" -- "./$source" $sizes | settled > want
		grep -q ': PASSED' want || { cat want; exit 1; }
		run policies --policy cars --policy cars:low --policy cars:high --policy vw --policy all-hit -- "./$source" $sizes
		run best-swl --policy best-swl -- "./$source" $sizes
		run '10 MB L1' --set l1_bytes=10485760 -- "./$source" $sizes
		for ports in 2 4 8; do
			run "$ports L1 ports" --set l1_ports=$ports --policy baseline --policy cars -- "./$source" $sizes
		done
		run inlined --policy baseline --policy cars -- "./$source.lto" $sizes
	done
	echo "$name: compared"
done
