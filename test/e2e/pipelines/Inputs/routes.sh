#!/bin/sh
# routes.sh BUILD OUT SOURCE...: each source through heddle-cc, through clang with the plugin loaded, and through opt on
# what clang has before it optimizes, with the flags of docs/usage.md. The metadata and the code must be the same. opt gets
# bitcode, since LLVM 19's reader of text forgets the fast-math flags of PHIs, and the option that clang has for devices.
# RDC=1: as relocatable device code.
set -eu
build=$1 out=$2
shift 2
rdc=${RDC:-0}
llvm=$(llvm-config-${HEDDLE_LLVM:-19} --bindir)
flags="-x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-feature=+ptx75 -nocudainc -nocudalib
	--cuda-path=/nonexistent -Xclang -target-sdk-version=12.3 -isystem $build/share/heddle/include/cuda
	-Xclang -no-enable-noundef-analysis -fno-strict-return -fno-strict-aliasing -fno-builtin-malloc -fno-builtin-free
	-ftrivial-auto-var-init=zero -ftrivial-auto-var-init-max-size=16 -gline-tables-only -O3 -emit-llvm"
limits="-unroll-threshold=430 -unroll-partial-threshold=200 -unroll-max-count=4 -inline-threshold=2000"
for limit in $limits; do
	flags="$flags -mllvm $limit"
done
# The first source as docs/usage.md has it; the others take the same header precompiled, a fifth of the time.
header='-include heddle_cuda.h'
parameters= object=-c
if [ "$rdc" = 1 ]; then
	flags="$flags -fgpu-rdc"
	parameters=';rdc=1' object=-dc
fi
rm -rf "$out"
mkdir -p "$out/cc" "$out/clang" "$out/opt"
for source in "$@"; do
	name=$(basename "$(dirname "$source")")-$(basename "$source" .cu)
	include=-I$(dirname "$source")/..
	"$build/bin/heddle-cc" -keep $object "$include" -o "$out/cc/$name.o" "$source"
	"$build/bin/heddle-cc" -heddle-launches "$include" -o "$out/$name.json" "$source"
	facts="$parameters;launches=$out/$name.json"
	HEDDLE_PASS="o=$out/clang/$name$facts" "$llvm/clang++" $flags $header -S "$include" \
		-fpass-plugin="$build/lib/HeddlePasses.so" -o "$out/clang/$name.ll" "$source"
	"$llvm/clang++" $flags $header -c "$include" -Xclang -disable-llvm-passes -o "$out/$name.bc" "$source"
	HEDDLE_PASS="o=$out/opt/$name$facts" "$llvm/opt" -load-pass-plugin="$build/lib/HeddlePasses.so" -mcpu=sm_70 \
		-mattr=+ptx75 -enable-memcpyopt-without-libcalls $limits -passes='default<O3>' -S -o "$out/opt/$name.ll" "$out/$name.bc"
	"$build/bin/heddle" dis "$out/cc/$name.hdo" >"$out/cc/$name.dis"
	for route in clang opt; do
		cmp "$out/cc/$name.heddle.json" "$out/$route/$name.heddle.json"
		"$build/bin/heddle" dis "$out/$route/$name.hdo" >"$out/$route/$name.dis"
		cmp "$out/cc/$name.dis" "$out/$route/$name.dis"
	done
	if [ ! -e "$out/header.pch" ]; then
		"$llvm/clang++" $flags $header -fpch-instantiate-templates -S -Xclang -emit-pch -o "$out/header.pch" -x cuda /dev/null
		header="-include-pch $out/header.pch"
	fi
	echo "$name: the same through heddle-cc, clang and opt"
done
rm -rf "$out"
