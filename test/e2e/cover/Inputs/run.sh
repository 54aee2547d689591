#!/bin/sh
# run.sh CLANG HEDDLE SOURCE FOLDER [clang option...]: compiles the coverage program for the host and runs that; then
# for the machine at -O0 and -O3, and compares what `heddle run --verify` writes. COVER_LEVELS: other levels.
set -e
clang=$1 heddle=$2 source=$3 folder=$4
inputs=$(cd "$(dirname "$0")" && pwd)
shift 4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
common="-std=gnu11 -ffp-contract=off -fno-math-errno -Wno-unknown-attributes -Wno-pass-failed -Wno-psabi -w"
$clang $common -O1 -march=x86-64-v3 -o host "$@" "$source" -lm
./host
cp "$inputs/launch.ini" launch.ini
for level in ${COVER_LEVELS:-0 3}; do
	$clang $common --target=nvptx64-nvidia-cuda -march=sm_70 --cuda-feature=+ptx75 -ffreestanding -g1 \
		"-O$level" -S -emit-llvm -o "O$level.ll" "$@" "$source"
	$heddle run --verify --quiet --kernel cover --launch launch.ini "O$level.ll" ||
		{ echo "at -O$level, in $folder; result k of a thread is element 512 * thread + k" >&2; exit 1; }
done
