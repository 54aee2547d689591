#!/bin/bash
# format.sh [--check | --list]: the project's C, as .clang-format has it; --check changes nothing, prints what differs,
# and lines of more than 120 columns, and exits with 1; --list prints the files. Headers that CUDA sources see, device
# code, examples and inputs of tests keep the forms that they have.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -d '' files < <(find lib passes runtime tools include/heddle test \( -name '*.[ch]' -o -name plugin.cpp \) \
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
for file in "${files[@]}"; do
	expand -t 8 "$file" | awk -v file="$file" 'length > 120 { print file ":" FNR ": " length " columns"; bad = 1 } END { exit bad }' || status=1
done
exit $status
