#!/bin/sh
# run.sh HEDDLE-CC HEDDLE EXAMPLES FOLDER KIND COLUMN POLICIES [OPTIONS]: builds the programs of examples/KIND with linear
# versions and a host half that is not optimised, and runs each with the sizes in the table's column (tests, default) under --verify and these policies, separated
# by blanks, and options of `heddle run`; POLICY@GPU is one on another GPU than the default one, `functional` stands for a
# run without time. The programs check themselves, and --check finds nothing in them, for which the run of `functional` or
# of the baseline looks, too.
set -e
cc=$1 heddle=$2 examples=$3 folder=$4 kind=$5 column=$6 policies=$7 options=$8
rm -rf "$folder"
mkdir -p "$folder"
grep -v '^#' "$examples/workloads.txt" | while read -r name source tests default others; do
	[ "${source%/*}" = "$kind" ] || continue
	sizes=$default
	[ "$column" != tests ] || sizes=$tests
	program=$folder/$(basename "$source" .cu)
	[ -e "$program" ] || "$cc" -O2 -Xcompiler -O0 -heddle-linear always -o "$program" "$examples/$source"
	set -- $(echo "$sizes" | tr , ' ')
	for policy in $policies; do
		gpu=${policy#*@}
		[ "$gpu" != "$policy" ] || gpu=v100
		how="--policy ${policy%@*}"
		case $policy in
		baseline) how="$how --check=race,init,sync" ;;
		functional) how="--functional --check=race,init,sync" ;;
		esac
		# shellcheck disable=SC2086
		"$heddle" run --verify --quiet --gpu "$gpu" $how $options -- "$program" "$@"
	done
	case " $policies " in
	*" baseline "* | *" functional "*) ;;
	*) "$heddle" run --check=race,init,sync --quiet -- "$program" "$@" > /dev/null ;;
	esac
	echo "$name: ran"
done
rm -rf "$folder"
