#!/bin/bash
# format.sh [--check | --list]: the project's C, as .clang-format has it; --check changes nothing, prints what differs,
# and lines of more than 120 columns, and exits with 1; --list prints the files. Headers that CUDA sources see, device
# code, examples and inputs of tests keep the forms that they have.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -d '' files < <(find lib passes runtime tools include/heddle test \( -name '*.[ch]' -o -name '*.cpp' \) \
	-not -path 'lib/device/*' -not -path '*/Inputs/*' -not -path 'test/ulp/*' -print0 | sort -z)
if [[ ${1-} == --list ]]; then
	printf '%s\n' "${files[@]}"
	exit
fi
if [[ ${1-} != --check ]]; then
	clang-format-19 -i "${files[@]}"
	exit
fi
status=0
clang-format-19 --dry-run -Werror "${files[@]}" || status=1
awk '{ # a tab ends at the next eighth column
	line = $0
	while (at = index(line, "\t"))
		line = substr(line, 1, at - 1) sprintf("%" (8 - (at - 1) % 8) "s", "") substr(line, at + 1)
	if (length(line) > 120) { print FILENAME ":" FNR ": " length(line) " columns"; bad = 1 }
} END { exit bad }' "${files[@]}" || status=1
exit $status
