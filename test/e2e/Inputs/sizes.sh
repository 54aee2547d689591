#!/bin/sh
# sizes.sh SOURCE: the sizes that tests run this program of examples/ with, which are smaller than its own; those of
# its first row in workloads.txt.
source=${1##*examples/}
awk -v source="$source" '$2 == source { gsub(",", " ", $3); print $3; found = 1; exit }
	END { if (!found) { print "not-listed"; exit 1 } }' "${1%"$source"}workloads.txt"
