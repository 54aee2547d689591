#!/bin/sh
# Shrinks kernels on which the simulated GPU and the host do not agree, or which the compiler does not take.
#
#   scripts/reduce.sh [--levels O3] [--registers 24] [--generate=OPTION]... SEED|FILE.ll...
#
# Each becomes reduced/NAME.ll (with NAME.ini) in the build tree's test/fuzz. The options are those of test/fuzz/run,
# which says what failed; without them, all levels and caps are tried and the first that fails is kept.
# Environment: B (build tree).
set -eu

cd "$(dirname "$0")/.."
B=${B:-build}
export B
bin=$(llvm-config-${HEDDLE_LLVM:-19} --bindir)

options=
while [ $# -gt 0 ]; do
	case $1 in
	--levels | --registers | --generate)
		options="$options $1 $2"
		shift 2
		;;
	--*)
		options="$options $1"
		shift
		;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

out=$B/test/fuzz/reduced
mkdir -p "$out"
status=0
for case; do
	name=$(basename "$case" .ll)
	# shellcheck disable=SC2086 # options are words
	failure=$(test/fuzz/run --keep --reason $options "$case") || true
	if [ -z "$failure" ]; then
		echo "$case: nothing fails"
		status=1
		continue
	fi
	level=${failure%% *}
	rest=${failure#* }
	registers=${rest%% *}
	rest=${rest#* }
	undefined=${rest%% *}
	reason=${rest#* }
	echo "$case: -$level, $registers registers: $reason"
	case $case in
	*.ll)
		from=$case
		ini=${case%.ll}.ini
		;;
	*)
		from=$B/test/fuzz/cases/$name/kernel.ll
		ini=$B/test/fuzz/cases/$name/kernel.ini
		;;
	esac
	source=$(realpath "$from")
	cp "$ini" "$out/$name.ini"
	test=$out/$name.sh
	quoted=$(printf '%s' "$reason" | sed "s/'/'\\\\''/g")
	cat > "$test" <<EOF
#!/bin/sh
B='$B' exec '$PWD/test/fuzz/run' --ini '$PWD/$out/$name.ini' --levels '$level' --registers '$registers' --undefined '$undefined' --expect '$quoted' "\$1"
EOF
	chmod +x "$test"
	# operands-skip takes away masks and guards: what is left would not be defined.
	(cd "$out" && "$bin/llvm-reduce" --test="./$name.sh" -o "$name.ll" --skip-delta-passes=operands-skip \
		--abort-on-invalid-reduction=false "$source" > "$name.log" 2>&1) || {
		echo "llvm-reduce failed: $out/$name.log"
		status=1
		continue
	}
	echo "$out/$name.ll: $(grep -c . "$out/$name.ll") lines, from $(grep -c . "$from")"
done
exit $status
