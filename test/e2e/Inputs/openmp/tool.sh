#!/bin/sh
# In the place of clang, opt and llvm-link: says how it was called, and makes what it was to make.
echo "$(basename "$0") $*" >> "$OPENMP_LOG"
while test $# != 0; do
	test "$1" != -o || : > "$2"
	shift
done
