#!/bin/sh
# Prints the worst error in ULP that each function of the device math library has on the engine, in float and double,
# beside CUDA's published bounds. bench-ulp.sh [ARGUMENTS [check]]: ARGUMENTS a function, default 65536, a multiple of 128;
# check: exit status 1 when one is above its bound. Environment: B (build tree), HEDDLE, CLANG, OPT, WORK (a folder to work
# in), LIBDEVICE (a toolkit's libdevice*.bc, measured in place of the library of one's own).
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
count=${1:-65536}
heddle=${HEDDLE:-$root/${B:-build}/bin/heddle}
clang=${CLANG:-clang-${HEDDLE_LLVM:-19}}
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
cd "$work"
$clang -std=gnu11 -O2 -I"$root/test/ulp" -o ulp "$root/test/ulp/host.c" -lm
$clang -std=gnu11 -O2 --target=nvptx64-nvidia-cuda -march=sm_70 --cuda-feature=+ptx75 -ffreestanding \
	-ffp-contract=off -S -emit-llvm -o ulp.ll "$root/test/ulp/device.c"
./ulp inputs "$count"
code=ulp.ll
if [ -n "$LIBDEVICE" ]; then
	${OPT:-opt-${HEDDLE_LLVM:-19}} -load-pass-plugin="$(dirname "$heddle")/../lib/HeddlePasses.so" -disable-output \
		-passes="heddle<o=ulp;libdevice=$LIBDEVICE>" ulp.ll
	code=ulp.hdo
fi
for type in 32 64; do
	rows=$(($(wc -c < a$type) / (type / 8)))
	cat > launch$type.ini <<END
[launch]
grid = $((count / 128))
block = 128
[arg0]
kind = buffer
type = f$type
count = $rows
init = file:a$type
[arg1]
kind = buffer
type = f$type
count = $rows
init = file:b$type
[arg2]
kind = buffer
type = f$type
count = $rows
output = out$type
[arg3]
kind = u32
value = $count
END
	$heddle run --quiet --kernel ulp_f$type --launch launch$type.ini $code
done
./ulp table "$count" $2
[ -n "$WORK" ] || rm -rf "$work"
