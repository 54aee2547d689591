#!/bin/sh
# ir.sh CLANG HEDDLE PART FOLDER: the rows that ir.py makes, compiled for the host and run there; then for the
# machine at -O0 and -O3, and compared. COVER_LEVELS: one of these.
set -e
bin=$(dirname "$1") heddle=$2 part=$3 folder=$4
inputs=$(cd "$(dirname "$0")" && pwd)
rm -rf "$folder"
mkdir -p "$folder"
python3 "$inputs/ir.py" "$part" > "$folder/rows.ll"
printf '#define EXTERNAL_THEME\n#include "cover.h"\n' > "$folder/main.c"
common="-std=gnu11 -w -I$inputs"
cd "$folder"
level=0
[ "$part" != rest ] || level=1 # code generators select no llvm.expect: a pass takes them out
cp "$inputs/launch.ini" launch.ini
# The host's code for processors with F16C and 16-byte atomics, and no newer: clang's code for AVX-512's half precision
# converts to small integers wrongly. libgcc 12 does not round to bfloat16.
"$bin/clang" $common "-O$level" -march=x86-64-v3 --rtlib=compiler-rt -ffp-contract=off \
	-fenable-matrix -Wno-override-module -o host main.c rows.ll -lm
./host
"$bin/clang" $common --target=nvptx64-nvidia-cuda -march=sm_70 --cuda-feature=+ptx75 -ffreestanding -O1 -S -emit-llvm \
	-o main.ll main.c
"$bin/llvm-link" -S -o linked.ll main.ll rows.ll 2> /dev/null
for level in ${COVER_LEVELS:-0 3}; do
	"$bin/opt" -S "-passes=default<O$level>" -o "O$level.ll" linked.ll
	"$heddle" run --verify --quiet --kernel cover --launch launch.ini "O$level.ll" ||
		{ echo "O$level.ll in $folder; result k of a thread is element 512 * thread + k, of function rowk" >&2; exit 1; }
done
